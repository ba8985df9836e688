//! Everything that payers read, in both languages. A text that one of them lacks does not compile.

use domain::language::Language;

use crate::rate_texts::{self, RateTexts};
use crate::said::{Said, said};

/// The texts of the payer's page.
#[derive(Debug)]
pub(crate) struct Texts {
    pub(crate) lang: &'static str,
    pub(crate) pay: &'static str,
    pub(crate) footer: &'static str,
    pub(crate) safety: &'static str,
    pub(crate) link: &'static str,
    pub(crate) back_to_link: &'static str,
    pub(crate) contact: &'static str,
    pub(crate) call: &'static str,
    pub(crate) write_to: &'static str,
    pub(crate) help_at: &'static str,
    pub(crate) what_to_do: &'static str,
    pub(crate) until: &'static str,
    pub(crate) caracas: &'static str,
    pub(crate) copy: &'static str,
    pub(crate) copy_all: &'static str,
    pub(crate) copied: &'static str,
    pub(crate) another: &'static str,
    pub(crate) step_pay: &'static str,
    pub(crate) pay_details: &'static str,
    pub(crate) step_confirm: &'static str,
    pub(crate) by_phone: &'static str,
    pub(crate) by_transfer: &'static str,
    pub(crate) or_by_transfer: &'static str,
    pub(crate) bank: &'static str,
    pub(crate) holder: &'static str,
    pub(crate) merchant: &'static str,
    pub(crate) payee_phone: &'static str,
    pub(crate) payee_document: &'static str,
    pub(crate) number: &'static str,
    pub(crate) amount: &'static str,
    pub(crate) reference: &'static str,
    pub(crate) reference_hint: &'static str,
    pub(crate) reference_wrong: &'static str,
    pub(crate) reference_several: &'static str,
    pub(crate) payer: &'static str,
    pub(crate) payer_hint: &'static str,
    pub(crate) payer_missing: &'static str,
    pub(crate) check_payer: &'static str,
    pub(crate) same_bank: &'static str,
    pub(crate) phone: &'static str,
    pub(crate) phone_hint: &'static str,
    pub(crate) phone_wrong: &'static str,
    pub(crate) document: &'static str,
    pub(crate) document_hint: &'static str,
    pub(crate) document_wrong: &'static str,
    pub(crate) check: &'static str,
    pub(crate) go_back_to: &'static str,
    pub(crate) checking: Said,
    pub(crate) still_checking: Said,
    pub(crate) paid: Said,
    pub(crate) paid_test: Said,
    pub(crate) paid_by_another: &'static str,
    pub(crate) unconfirmed: Said,
    pub(crate) other_amount: Said,
    pub(crate) unheard: Said,
    pub(crate) expired: Said,
    pub(crate) stopped: Said,
    pub(crate) canceled: Said,
    pub(crate) failed: Said,
    pub(crate) reason: &'static str,
    pub(crate) renewable: Said,
    pub(crate) renew: &'static str,
    pub(crate) unavailable: Said,
    pub(crate) in_review: Said,
    pub(crate) rate: &'static RateTexts,
    pub(crate) preview: &'static PreviewTexts,
    pub(crate) changed: Said,
    pub(crate) no_credits: Said,
    pub(crate) too_many: Said,
    pub(crate) unknown: Said,
    pub(crate) unknown_steps: [&'static str; 3],
    pub(crate) wrong_method: Said,
    pub(crate) elsewhere: Said,
    pub(crate) broken: Said,
    pub(crate) test_title: &'static str,
    pub(crate) test_text: &'static str,
    pub(crate) magic_title: &'static str,
    pub(crate) magic_reference: &'static str,
    pub(crate) magic_result: &'static str,
    pub(crate) magic_other: &'static str,
    pub(crate) magic_nothing: &'static str,
    /// What the sandbox does with references that end so.
    pub(crate) magic: [(&'static str, &'static str); 11],
}

texts! {
    /// What messengers show of a link.
    PreviewTexts {
        title: "Pagar {price} a {merchant}", "Pay {price} to {merchant}";
        unnamed: "Pagar {price}", "Pay {price}";
        open: "Vea los datos para pagar y confirme aquí su pago.", "See how to pay, and confirm your payment here.";
        over: "Este enlace ya no espera un pago.", "This link is no longer waiting for a payment.";
    }
}

impl Texts {
    pub(crate) const fn of(language: Language) -> &'static Self {
        match language {
            Language::Es => &ES,
            Language::En => &EN,
        }
    }
}

static ES: Texts = Texts {
    lang: "es",
    pay: "Pagar",
    footer: "Confirmar la referencia no mueve dinero: solo busca su pago en la cuenta del comercio.",
    safety: "Esta página nunca pide claves del banco ni datos de tarjetas.",
    link: "Enlace de pago",
    back_to_link: "Volver al enlace",
    contact: "Hable con el comercio",
    call: "Llamar al",
    write_to: "Escribir a",
    help_at: "Ayuda en",
    what_to_do: "Qué puede hacer",
    until: "Disponible hasta el",
    caracas: "hora de Caracas",
    copy: "Copiar",
    copy_all: "Copiar todo",
    copied: "Copiado",
    another: "Enviar otra referencia",
    step_pay: "1. Pague con estos datos",
    pay_details: "Ver los datos de pago",
    step_confirm: "2. Confirme su pago",
    by_phone: "Pago móvil",
    by_transfer: "Transferencia",
    or_by_transfer: "O pague por transferencia",
    bank: "Banco",
    holder: "Titular",
    merchant: "Comercio",
    payee_phone: "Teléfono",
    payee_document: "Cédula o RIF",
    number: "Número de cuenta",
    amount: "Monto",
    reference: "Número de referencia",
    reference_hint: "Los últimos 6 dígitos o más, como aparecen en su comprobante.",
    reference_wrong: "Escriba al menos 6 dígitos de la referencia, solo números.",
    reference_several: "Hay varios números: {runs}. Deje solo el de la referencia.",
    payer: "Quién pagó",
    payer_hint: "Escriba los dos si puede. Con uno basta, si es el que el banco muestra: por pago móvil \
                 desde otro banco, el teléfono; desde el mismo banco o por transferencia, la cédula o RIF.",
    payer_missing: "Escriba el teléfono o la cédula o RIF de quien pagó.",
    check_payer: "Revise también el teléfono y la cédula o RIF de quien pagó.",
    same_bank: "Si pagó desde el mismo banco, escriba la cédula o RIF, porque el banco no siempre muestra esos pagos \
                con la referencia del comprobante, y el comercio los confirma por quien pagó: guarde el comprobante y \
                no pague de nuevo.",
    phone: "Teléfono desde el que pagó",
    phone_hint: "Por ejemplo 0414-1234567.",
    phone_wrong: "Escriba un móvil venezolano, por ejemplo 0414-1234567.",
    document: "Cédula o RIF de quien pagó",
    document_hint: "Por ejemplo V-12345678.",
    document_wrong: "Escriba la letra y el número, por ejemplo V-12345678.",
    check: "Confirmar pago",
    go_back_to: "Continuar en",
    checking: said(
        "Estamos consultando al banco",
        "No pague de nuevo. Puede cerrar esta página y volver: la consulta continúa.",
    ),
    still_checking: said(
        "El banco tarda en responder",
        "Seguimos consultando. No pague de nuevo. Puede cerrar esta página y volver más tarde.",
    ),
    paid: said("Pago confirmado", "El comercio ya tiene su pago. No hace falta nada más."),
    paid_test: said(
        "Pago confirmado",
        "Es de prueba: no es dinero, y el comercio no recibió nada.",
    ),
    paid_by_another: "Si usted hizo otro pago para este enlace, guarde su comprobante y avise al comercio.",
    unconfirmed: said(
        "Todavía no encontramos su pago",
        "Revise la referencia y que el monto sea exacto. Si acaba de pagar, espere unos minutos y \
         confirme otra vez: no pague de nuevo. Si ya la usó antes, avise al comercio.",
    ),
    other_amount: said(
        "El pago llegó con otro monto",
        "Encontramos su pago, pero no es por el monto de este enlace. Guarde su comprobante y avise \
         al comercio.",
    ),
    unheard: said(
        "El banco no responde por ahora",
        "Esto no dice nada de su pago. Guarde su comprobante y confirme otra vez en unos minutos: no \
         pague de nuevo.",
    ),
    expired: said(
        "Este enlace venció",
        "No pague con los datos de este enlace. Pida al comercio un enlace nuevo. Si ya pagó, guarde su \
         comprobante y avise al comercio.",
    ),
    stopped: said(
        "Este enlace está en pausa",
        "El comercio lo detuvo por ahora. No pague todavía; pregunte al comercio o vuelva más tarde.",
    ),
    canceled: said(
        "Este enlace fue anulado",
        "No pague con los datos de este enlace. Si ya pagó, guarde su comprobante y avise al comercio.",
    ),
    failed: said(
        "Este enlace ya no se puede pagar",
        "No pague con los datos de este enlace. Si ya pagó, guarde su comprobante y avise al comercio.",
    ),
    reason: "Motivo:",
    renewable: said(
        "Este período todavía se puede pagar",
        "Si aún no lo ha pagado, abra otro enlace por el mismo período. Si ya pagó, no pague de nuevo: avise al comercio.",
    ),
    renew: "Abrir otro enlace",
    unavailable: said(
        "Este enlace no se puede pagar ahora",
        "La cuenta del comercio no está disponible. No pague todavía y avise al comercio. Si ya pagó, guarde su \
         comprobante: no pague de nuevo.",
    ),
    in_review: said(
        "El comercio está revisando los pagos",
        "Si ya pagó, no pague de nuevo; el comercio lo está revisando. Guarde su comprobante. Si todavía no ha pagado, avise al \
         comercio antes de hacerlo.",
    ),
    rate: &rate_texts::ES,
    preview: PreviewTexts::of(Language::Es),
    changed: said(
        "El monto cambió",
        "El comercio cambió el monto mientras usted tenía la página abierta. Revise el monto de \
         abajo. Si ya pagó el anterior, avise al comercio.",
    ),
    no_credits: said(
        "No podemos confirmar su pago ahora",
        "No es culpa suya y esto no dice nada de su pago. Si ya pagó, guarde su comprobante, no pague \
         de nuevo y avise al comercio. Puede intentarlo más tarde.",
    ),
    too_many: said(
        "Demasiados intentos",
        "Espere un rato antes de intentar otra vez. Si ya pagó, guarde su comprobante: no pague de \
         nuevo.",
    ),
    unknown: said(
        "Este enlace no existe",
        "La dirección está incompleta o mal escrita, así que aquí no hay nada que pagar.",
    ),
    unknown_steps: [
        "Abra el enlace desde el mensaje en que lo recibió: al copiarlo a mano se pierden letras.",
        "Si sigue igual, pida al comercio que se lo envíe otra vez.",
        "Si ya pagó, guarde su comprobante y no pague de nuevo.",
    ],
    wrong_method: said(
        "Así no se usa esta dirección",
        "Abra el enlace de pago en su navegador, como lo recibió.",
    ),
    elsewhere: said(
        "Confirme su pago en esta página",
        "La referencia llegó desde otra página y, por seguridad, no la revisamos. Abra el enlace desde el mensaje en que \
         lo recibió y escríbala allí. Si ya pagó, no pague de nuevo.",
    ),
    broken: said(
        "Algo falló de nuestro lado",
        "Esto no dice nada de su pago: no pague de nuevo. Vuelva a intentarlo en unos minutos.",
    ),
    test_title: "Modo de prueba.",
    test_text: "Esta cuenta es del banco de prueba: no se mueve dinero de verdad.",
    magic_title: "Referencias de prueba",
    magic_reference: "Termina en",
    magic_result: "Qué pasa",
    magic_other: "otra",
    magic_nothing: "No se encuentra",
    magic: [
        ("67890", "Se encuentra con el monto del enlace"),
        ("10001", "Se encuentra con otro monto"),
        ("10002", "Ya se usó antes"),
        ("10003", "Coincide con varios pagos"),
        ("10004", "Se encuentra a los 15 segundos"),
        ("10005", "El banco no responde en un minuto"),
        ("10006", "El banco está caído"),
        ("10007", "Aparece 30 segundos después de la primera consulta"),
        ("10008", "El banco rechaza las credenciales del comercio"),
        ("10009", "Es dinero que salió de la cuenta"),
        ("10010", "El banco está en mantenimiento"),
    ],
};

static EN: Texts = Texts {
    lang: "en",
    pay: "Pay",
    footer: "Confirming the reference does not move money. It only looks for your payment in the merchant's account.",
    safety: "This page never asks for bank passwords or card details.",
    link: "Payment link",
    back_to_link: "Back to link",
    contact: "Contact the merchant",
    call: "Call",
    write_to: "Email",
    help_at: "Get help at",
    what_to_do: "What you can do",
    until: "Available until",
    caracas: "Caracas time",
    copy: "Copy",
    copy_all: "Copy all",
    copied: "Copied",
    another: "Enter another reference",
    step_pay: "1. Pay with these details",
    pay_details: "View payment details",
    step_confirm: "2. Confirm your payment",
    by_phone: "Pago móvil",
    by_transfer: "Bank transfer",
    or_by_transfer: "Or pay by bank transfer",
    bank: "Bank",
    holder: "Account holder",
    merchant: "Merchant",
    payee_phone: "Phone",
    payee_document: "Document (cédula or RIF)",
    number: "Account number",
    amount: "Amount",
    reference: "Reference number",
    reference_hint: "The last 6 digits or more, as shown on your receipt.",
    reference_wrong: "Enter at least 6 digits of the reference, numbers only.",
    reference_several: "There are several numbers: {runs}. Enter only the reference.",
    payer: "Payer",
    payer_hint: "Enter both if you can. One is enough if it is the one the bank shows: for a pago móvil from \
                 another bank, the phone; from the same bank or by transfer, the cédula or RIF.",
    payer_missing: "Enter the payer's phone, or their cédula or RIF.",
    check_payer: "Also check the payer's phone, and cédula or RIF.",
    same_bank: "If you paid from the same bank, enter the cédula or RIF. The bank does not always show these \
                payments under the reference on the receipt, so the merchant confirms them by payer. Keep your \
                receipt and do not pay again.",
    phone: "Phone used to pay",
    phone_hint: "For example, 0414-1234567.",
    phone_wrong: "Enter a Venezuelan mobile number, for example 0414-1234567.",
    document: "Payer's cédula or RIF",
    document_hint: "For example, V-12345678.",
    document_wrong: "Enter the letter and the number, for example V-12345678.",
    check: "Confirm payment",
    go_back_to: "Continue to",
    checking: said(
        "We are checking with the bank",
        "Do not pay again. You can close this page and come back: the check continues.",
    ),
    still_checking: said(
        "The bank is taking longer than usual",
        "We are still checking. Do not pay again. You can close this page and come back later.",
    ),
    paid: said(
        "Payment confirmed",
        "The merchant has your payment. You do not need to do anything else.",
    ),
    paid_test: said(
        "Payment confirmed",
        "This is a test: no money was involved, and the merchant received nothing.",
    ),
    paid_by_another: "If you made another payment for this link, keep your receipt and contact the merchant.",
    unconfirmed: said(
        "We have not found your payment yet",
        "Check the reference, and that the amount is exact. If you have just paid, wait a few minutes and confirm \
         again: do not pay again. If you have already used this reference, contact the merchant.",
    ),
    other_amount: said(
        "The payment is for a different amount",
        "We found your payment, but it does not match the amount of this link. Keep your receipt and contact the \
         merchant.",
    ),
    unheard: said(
        "The bank is not responding",
        "This says nothing about your payment. Keep your receipt and confirm again in a few minutes. Do not pay \
         again.",
    ),
    expired: said(
        "This link has expired",
        "Do not pay with the details of this link. Ask the merchant for a new link. If you have already paid, keep \
         your receipt and contact the merchant.",
    ),
    stopped: said(
        "This link is paused",
        "The merchant has paused it for now. Do not pay yet. Ask the merchant or come back later.",
    ),
    canceled: said(
        "This link was cancelled",
        "Do not pay with the details of this link. If you have already paid, keep your receipt and contact the \
         merchant.",
    ),
    failed: said(
        "This link can no longer be paid",
        "Do not pay with the details of this link. If you have already paid, keep your receipt and contact the \
         merchant.",
    ),
    reason: "Reason:",
    renewable: said(
        "This period can still be paid",
        "If you have not paid it yet, open another link for the same period. If you have already paid, do not pay again: \
         contact the merchant.",
    ),
    renew: "Open another link",
    unavailable: said(
        "This link cannot be paid right now",
        "The merchant's account is not available. Do not pay yet, and contact the merchant. If you have already \
         paid, keep your receipt: do not pay again.",
    ),
    in_review: said(
        "The merchant is reviewing payments",
        "If you have already paid, do not pay again; the merchant is reviewing it. Keep your receipt. If you have not paid \
         yet, contact the merchant first.",
    ),
    rate: &rate_texts::EN,
    preview: PreviewTexts::of(Language::En),
    changed: said(
        "The amount has changed",
        "The merchant changed the amount while you had the page open. Check the amount below. If you have already \
         paid the previous amount, contact the merchant.",
    ),
    no_credits: said(
        "We cannot confirm your payment right now",
        "This is not your fault and says nothing about your payment. If you have already paid, keep your receipt, \
         do not pay again, and contact the merchant. You can try again later.",
    ),
    too_many: said(
        "Too many attempts",
        "Wait a while before you try again. If you have already paid, keep your receipt: do not pay again.",
    ),
    unknown: said(
        "This link does not exist",
        "The address is incomplete or misspelled, so there is nothing to pay here.",
    ),
    unknown_steps: [
        "Open the link from the message where you received it: copying it by hand can drop letters.",
        "If that does not work, ask the merchant to send it again.",
        "If you have already paid, keep your receipt and do not pay again.",
    ],
    wrong_method: said(
        "This address cannot be used this way",
        "Open the payment link in your browser, as you received it.",
    ),
    elsewhere: said(
        "Confirm your payment on this page",
        "The reference was sent from another page, so for your security we did not check it. Open the link from the \
         message where you received it, and enter the reference there. If you have already paid, do not pay again.",
    ),
    broken: said(
        "Something went wrong on our side",
        "This says nothing about your payment: do not pay again. Try again in a few minutes.",
    ),
    test_title: "Test mode.",
    test_text: "This account is at the test bank: no real money moves.",
    magic_title: "Test references",
    magic_reference: "Ends in",
    magic_result: "What happens",
    magic_other: "other",
    magic_nothing: "Not found",
    magic: [
        ("67890", "Found with the link's amount"),
        ("10001", "Found with a different amount"),
        ("10002", "Already used"),
        ("10003", "Matches several payments"),
        ("10004", "Found after 15 seconds"),
        ("10005", "The bank does not respond for a minute"),
        ("10006", "The bank is down"),
        ("10007", "Appears 30 seconds after the first check"),
        ("10008", "The bank rejects the merchant's credentials"),
        ("10009", "Money that left the account"),
        ("10010", "The bank is under maintenance"),
    ],
};
