//! Texts of the page of sales.

texts! {
    SalesTexts {
        title: "Ventas", "Sales";
        help: "Ayuda: qué se suma aquí", "Help: what is added up here";
        periods: "Período", "Period";
        today: "Hoy", "Today";
        yesterday: "Ayer", "Yesterday";
        week: "7 días", "7 days";
        month: "Este mes", "This month";
        last_month: "Mes pasado", "Last month";
        days: "Entre días", "Between dates";
        from: "Desde el día", "From date";
        to: "Hasta el día", "To date";
        view: "Ver", "View";
        too_long: "son más de 400 días; elija menos", "is more than 400 days; choose fewer";
        of: "Del", "From";
        until: "al", "to";
        currencies: "Moneda", "Currency";
        collected: "Cobrado", "Collected";
        payments: "Pagos", "Payments";
        mean: "Promedio por pago", "Average payment";
        received: "Abonado por el banco", "Credited by the bank";
        no_sum: "Más de 10 billones", "More than 10 trillion";
        before: "Período anterior", "Previous period";
        before_so_far: "Período anterior hasta entonces", "Previous period up to then";
        until_hour: "Hasta las", "Until";
        until_yesterday: "Hasta ayer", "Until yesterday";
        by_time: "Cobrado en el tiempo", "Collected over time";
        line: "La línea es el período anterior.", "The line is the previous period.";
        fineness: "Barras por", "Bars by";
        hour: "Hora", "Hour";
        day: "Día", "Day";
        of_month: "Mes", "Month";
        numbers: "Ver los números", "View numbers";
        when_paid: "Cuándo le pagan: pagos por día de la semana y hora", "When people pay: payments by day of the week and hour";
        week_short: "Cuándo le pagan, por hora, se ve en períodos de hasta 31 días.", "When people pay, by hour, is shown for periods of up to 31 days.";
        ranked: "Por quién y por dónde", "By whom and where";
        grouped: "Agrupar por", "Group by";
        bank: "Cuenta", "Account";
        client: "Cliente", "Client";
        key: "Llave", "API key";
        person: "Persona", "Person";
        payer_bank: "Banco del pagador", "Payer's bank";
        subscription: "Suscripción", "Subscription";
        no_client: "Sin cliente", "No client";
        no_key: "Sin llave: lo verificaron personas", "No API key: verified by people";
        no_person: "Sin persona: lo verificaron llaves o el titular", "No person: verified by API keys or the owner";
        no_payer_bank: "El banco no lo dijo", "Not reported by the bank";
        no_subscription: "Ninguna suscripción", "No subscription";
        unnamed: "Sin nombre", "Unnamed";
        share: "Parte de lo cobrado", "Share of what was collected";
        short_only: "Por banco del pagador y por suscripción se suma hasta 31 días. Elija un período más corto.", "By payer's bank and by subscription, up to 31 days are added up. Choose a shorter period.";
        has_more: "Son los mil grupos mayores; hay otros.", "These are the thousand largest groups; there are others.";
        none: "No hay pagos verificados en estos días.", "No payments were verified on these dates.";
        none_test: "Sí hay pagos de prueba: se ven en el modo de prueba.", "There are test payments: they are shown in test mode.";
        verify: "Verificar un pago", "Verify payment";
        help_title: "Qué se suma aquí", "What is added up here";
        help_what: "Los pagos verificados por primera vez, cada uno en el día de Caracas en que se verificó. Las repeticiones y lo que no apareció no cuentan, y los pagos de prueba no se mezclan con el dinero de verdad.", "Payments verified for the first time, each on the Caracas date on which it was verified. Repeats and payments that were not found do not count, and test payments are kept apart from real money.";
        help_currency: "¿Por qué cada moneda va aparte? Un enlace en dólares se suma en dólares; al lado está lo que el banco abonó por él en bolívares.", "Why is each currency apart? A link in dollars is added up in dollars; beside it is what the bank credited for it in bolívares.";
        help_before: "¿Con qué se compara? Con los mismos días de antes. Mientras el período no termina, los dos se cuentan hasta la última hora completa, o hasta ayer si son más de 31 días.", "What is it compared with? With as many days before. While the period is not over, both are counted up to the last full hour, or up to yesterday for more than 31 days.";
        help_rows: "¿De dónde sale una cifra? Tóquela para ver sus pagos. Son las mismas cifras que da la API; la guía «Ventas, créditos y plan» las explica.", "Where does a figure come from? Select it to see its payments. The API reports the same figures; the guide “Sales, credits and plan” explains them.";
    }
}
