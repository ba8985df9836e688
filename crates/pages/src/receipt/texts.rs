//! Everything that readers of a receipt see, in both languages.

texts! {
    /// The texts of a receipt, of its page and of its PDF.
    ReceiptTexts {
        lang: "es", "en";
        title: "Comprobante de pago N.º {number}", "Payment receipt No. {number}";
        receipt: "Comprobante de pago", "Payment receipt";
        file: "comprobante-{number}.pdf", "receipt-{number}.pdf";
        rif: "RIF", "RIF";
        identity: "C.I.", "ID";
        void: "ANULADO", "VOID";
        voided: "El comercio anuló este comprobante el {day}: no lo acepte como constancia de pago.", "The merchant voided this receipt on {day}: do not accept it as proof of payment.";
        reason: "Motivo: {reason}", "Reason: {reason}";
        test: "MODO DE PRUEBA", "TEST MODE";
        test_text: "No es dinero: nadie pagó y el comercio no recibió nada.", "This is not money: nobody paid, and the merchant received nothing.";
        amount: "Monto", "Amount";
        concept: "Concepto", "For";
        price: "Precio", "Price";
        rate: "Tasa", "Exchange rate";
        rate_of: "Bs. {rate} por {currency} ({source}, fecha valor {date})", "Bs. {rate} per {currency} ({source}, value date {date})";
        bank: "Banco que lo recibió", "Receiving bank";
        reference: "Referencia", "Reference";
        payer: "Quién pagó", "Payer";
        paid_at: "Fecha del pago", "Payment date";
        verified_at: "Verificado", "Verified";
        link: "Enlace de pago", "Payment link";
        caracas: "hora de Caracas", "Caracas time";
        no_invoice: "No es una factura fiscal.", "This is not a tax invoice.";
        what_it_is: "Es la constancia de que el comercio verificó este pago en su banco.", "It states that the merchant verified this payment with its bank.";
        self_title: "Compruebe este comprobante", "Check this receipt";
        self_text: "Escanee el código o abra esta dirección: allí está siempre como vale hoy.", "Scan the code or open this address: it always shows the receipt as it stands today.";
        logo: "Logo del comercio", "Logo of the merchant";
        qr: "Código QR con la dirección de este comprobante", "QR code with the address of this receipt";
        address: "Dirección", "Address";
        copy: "Copiar", "Copy";
        copied: "Copiado", "Copied";
        acts: "Guardar y compartir", "Save and share";
        print: "Imprimir", "Print";
        download: "Descargar PDF", "Download PDF";
        share: "Compartir por WhatsApp", "Share on WhatsApp";
        see: "Ver comprobante", "View receipt";
        facts: "Datos del pago", "Payment details";
        from: "{title} de {merchant}", "{title} from {merchant}";
        unknown: "Este comprobante no existe", "This receipt does not exist";
        unknown_text: "La dirección está incompleta o mal escrita. Esto no dice nada de su pago.", "The address is incomplete or misspelled. This says nothing about your payment.";
        unknown_open: "Abra el comprobante desde el mensaje en que lo recibió o con su código QR: al copiar la dirección a mano se pierden letras.", "Open the receipt from the message where you received it, or by its QR code: copying the address by hand can drop letters.";
        unknown_ask: "Si sigue igual, pida al comercio que se lo envíe otra vez.", "If that does not work, ask the merchant to send it again.";
        wrong_method: "Así no se usa esta dirección", "This address cannot be used this way";
        wrong_method_text: "Abra el comprobante en su navegador, como lo recibió.", "Open the receipt in your browser, as you received it.";
        too_many: "Demasiadas consultas", "Too many requests";
        too_many_text: "Espere un rato y abra el comprobante otra vez.", "Wait a while, then open the receipt again.";
        broken: "Algo falló de nuestro lado", "Something went wrong on our side";
        broken_text: "Esto no dice nada de su pago. Vuelva a abrir el comprobante en unos minutos.", "This says nothing about your payment. Open the receipt again in a few minutes.";
    }
}
