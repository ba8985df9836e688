//! Everything that the payer of a subscription reads.

texts! {
    /// Texts of the payer's page of a subscription.
    SubscriptionTexts {
        lang: "es", "en";
        title: "Suscripción", "Subscription";
        next: "Próximo pago:", "Next payment:";
        owed: "Por pagar", "To pay";
        due: "Se paga el", "Due on";
        late: "Atrasado: se pagaba el", "Overdue: it was due on";
        pay: "Pagar", "Pay";
        closed: "No se puede pagar por ahora. Hable con el comercio.", "It cannot be paid for now. Contact the merchant.";
        paid: "Pagado", "Paid";
        paid_on: "Pagado el", "Paid on";
        receipt: "Ver comprobante", "View receipt";
        void: "Comprobante anulado", "Receipt void";
        contact: "Hable con el comercio", "Contact the merchant";
        what_to_do: "Qué puede hacer", "What you can do";
        stop: "¿Ya no la quiere?", "No longer want it?";
        cancel: "Anular la suscripción", "Cancel subscription";
        cancel_sure: "Sí, anular la suscripción", "Yes, cancel the subscription";
        keep: "No anular", "Do not cancel";
        back: "Volver a mi suscripción", "Back to my subscription";
        effect: "Qué pasa si la anula", "If you cancel it";
        effect_now: "Termina de inmediato. No se le pedirá nada más, tampoco lo que esté por pagar.", "It ends immediately. You will not be asked for anything more, not even what is still to be paid.";
        effect_paid: "No se le pedirá nada más. La suscripción sigue hasta el {day}.", "You will not be asked for anything more. The subscription runs until {day}.";
        effect_late: "La suscripción sigue hasta el {day}, y no se le pedirá ningún otro período. Lo que está por pagar sigue pendiente.", "The subscription runs until {day}, and you will not be asked for another period. What is still to be paid remains due.";
        effect_owed: "Termina con el período en curso, el {day}. Lo que se deba hasta ese día se le pide todavía; después, nada más.", "It ends with the current period, on {day}. You are still asked for what is owed until that day, and for nothing after that.";
        effect_final: "No se puede deshacer. Si más adelante la quiere otra vez, hable con el comercio.", "This cannot be undone. If you want it again later, contact the merchant.";
        pending: "Falta su primer pago", "Your first payment is due";
        pending_text: "La suscripción comienza cuando lo pague.", "The subscription begins once you have paid it.";
        trialing: "Está en prueba", "You are on a trial";
        trialing_text: "El primer período comienza el {day}.", "The first period begins on {day}.";
        active: "Está al día", "You are up to date";
        active_text: "No tiene pagos atrasados.", "You have no overdue payments.";
        past_due: "Tiene un pago atrasado", "You have an overdue payment";
        past_due_text: "Páguelo aquí abajo. Si ya lo pagó, no pague de nuevo: avise al comercio.", "Pay it below. If you have already paid it, do not pay again: contact the merchant.";
        paused: "Está en pausa", "It is paused";
        paused_text: "Los períodos que comiencen mientras tanto no se le piden.", "You are not asked for periods that begin in the meantime.";
        ending: "Está anulada", "It is cancelled";
        ending_text: "Termina el {day}. Después no se le pide nada más.", "It ends on {day}. After that, you are not asked for anything more.";
        ending_unpaid: "Termina pronto", "It ends soon";
        ending_unpaid_text: "Un período no se pagó a tiempo. Lo que ya pagó vale hasta el {day}, y no se le pide nada más.", "A period was not paid in time. What you have paid is good until {day}, and you are not asked for anything more.";
        completed: "Terminó", "It is complete";
        completed_text: "Se cumplieron todos sus períodos. No debe nada.", "All its periods have passed. You owe nothing.";
        canceled: "Está anulada", "It is cancelled";
        canceled_text: "No se le pide nada más.", "You are not asked for anything more.";
        unpaid: "Terminó", "It has ended";
        unpaid_text: "Un período no se pagó a tiempo. Ya no se le pide nada. Si todavía la quiere, hable con el comercio.", "A period was not paid in time. You are not asked for anything more. If you still want it, contact the merchant.";
        expired: "No llegó a comenzar", "It never began";
        expired_text: "El primer período no se pagó a tiempo. Si todavía la quiere, hable con el comercio.", "The first period was not paid in time. If you still want it, contact the merchant.";
        checking: "Estamos revisando un pago suyo", "We are checking a payment of yours";
        checking_text: "Por eso todavía no se anuló. Espere un minuto y pulse otra vez. No pague de nuevo.", "That is why it has not been cancelled yet. Wait a minute and press again. Do not pay again.";
        unknown: "Esta página no abre", "This page does not open";
        unknown_text: "La dirección está incompleta o mal escrita, o ya no vale.", "The address is incomplete or misspelled, or no longer valid.";
        unknown_open: "Abra la dirección desde el mensaje en que la recibió: al copiarla a mano se pierden letras.", "Open the address from the message where you received it: letters get lost when it is copied by hand.";
        unknown_ask: "Si sigue igual, pida al comercio otra dirección de su suscripción.", "If that does not help, ask the merchant for another address of your subscription.";
        unknown_paid: "Si ya pagó, guarde su comprobante y no pague de nuevo.", "If you have already paid, keep your receipt and do not pay again.";
        wrong_method: "Así no se usa esta dirección", "This address is not used like that";
        wrong_method_text: "Ábrala en su navegador, como la recibió.", "Open it in your browser, as you received it.";
        elsewhere: "Hágalo en esta página", "Do it on this page";
        elsewhere_text: "Lo que pulsó llegó desde otra página y, por seguridad, no se hizo nada. Abra la dirección desde el mensaje en que la recibió.", "What you pressed was sent from another page, so for your security nothing was done. Open the address from the message where you received it.";
        too_many: "Demasiados intentos", "Too many attempts";
        too_many_text: "Espere un rato antes de intentar otra vez.", "Wait a while before you try again.";
        broken: "Algo falló de nuestro lado", "Something went wrong on our side";
        broken_text: "Vuelva a intentarlo en unos minutos. No pague de nuevo lo que ya pagó.", "Try again in a few minutes. Do not pay again what you have already paid.";
    }
}
