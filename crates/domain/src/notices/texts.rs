//! What owners read of notices, and in which words a mail about some begins.

use super::Kind;
use crate::language::Language;
use crate::webhooks::Trouble;

/// In Spanish and in English.
type Texts = (&'static str, &'static str);

const LOW_BALANCE: Texts = (
    "Quedan {subject} créditos. Cuando no quede ninguno, ni las llaves ni los enlaces de pago \
     confirman más pagos: agregue créditos antes.",
    "{subject} credits are left. When they run out, neither API keys nor payment links confirm any more payments: \
     add credits before then.",
);

const CREDITS_EXHAUSTED: Texts = (
    "Se acabaron los créditos. Hasta que agregue más, ni las llaves ni los enlaces de pago \
     confirman pagos nuevos; lo que se confirmó antes no cambia.",
    "Your credits have run out. Until you add more, neither API keys nor payment links confirm new payments. \
     Payments already confirmed do not change.",
);

const SIGN_IN_ATTEMPTS: Texts = (
    "Alguien probó contraseñas o códigos equivocados muchas veces en una hora, los suyos o los de \
     una persona de su equipo. La auditoría dice de quién y desde dónde. Si no fue esa persona, \
     cambie la contraseña y active el segundo factor.",
    "Someone entered incorrect passwords or codes many times within an hour, for your account or for someone on your \
     team. The audit trail shows whose account and from where. If it was not that person, change the password and \
     set up two-step verification.",
);

const BANK_REFUSES_CREDENTIALS: Texts = (
    "El banco no acepta las credenciales de una de sus cuentas, y ningún pago a ella se puede \
     verificar. Pida al banco una clave que sirva y cámbiela en la cuenta.",
    "The bank does not accept the credentials of one of your accounts, and no payment to it can be verified. Get a \
     working key from the bank and change it on the account.",
);

const MAIL_GIVEN_UP: Texts = (
    "Un correo a esa persona no se pudo entregar y no se intenta más: una invitación, un enlace o un \
     aviso. Revise su dirección. Si está bien, renueve la invitación, o que la persona pida otro \
     enlace; si no, cambie la dirección, o quite a la persona e invítela otra vez.",
    "An email to that person (an invitation, a link or a notice) could not be delivered and will not be retried. \
     Check the address. If it is correct, renew the invitation, or ask the person to request another link. If not, \
     change the address, or remove the person and invite them again.",
);

const RATE_MISSING: Texts = (
    "Un enlace de pago en otra moneda no se pudo pagar porque falta la tasa de cambio, o la suya es \
     vieja. El enlace sigue pendiente: si usa una tasa propia, diga la de hoy; si no, avise a quien \
     opera el servicio para que la registre.",
    "A payment link in another currency could not be paid because there is no exchange rate, or your rate is \
     outdated. The link is still pending. If you use a custom rate, set today's rate. If not, ask your service \
     provider to record one.",
);

const RATE_IN_DOUBT: Texts = (
    "La fuente de las tasas dice una muy distinta de la anterior y nadie la ha confirmado. Mientras \
     tanto sus enlaces en esa moneda se pagan a la anterior: si sabe cuál es la buena, dígala como \
     tasa propia, y avise a quien opera el servicio.",
    "The exchange rate source gives a rate that is very different from the previous one, and nobody has confirmed \
     it. Until then, your links in that currency are paid at the previous rate. If you know the correct rate, set it \
     as a custom rate and tell your service provider.",
);

const AMOUNT_UNPAYABLE: Texts = (
    "Alguien quiso pagar un enlace en otra moneda, y su monto no se puede pagar en bolívares: es menos de un céntimo, \
     o más de lo que un pago puede ser. Cambie el monto del enlace, o cree otro.",
    "Someone tried to pay a link in another currency, but its amount cannot be paid in bolívares: it is less than \
     one céntimo, or more than a payment can be. Change the link's amount, or create another link.",
);

const PAYMENT_OUTSIDE_RATE: Texts = (
    "Un pago llegó por un monto que un enlace había mostrado, hecho a otra hora que la que valía. No paga el enlace por \
     sí solo: si lo da por bueno, acepte el movimiento en el enlace.",
    "A payment arrived for an amount that a link had shown, but it was not made while that amount was valid. It does \
     not pay the link automatically: if it is fine with you, accept the movement on the link.",
);

const STATEMENT_ROW_UNREAD: Texts = (
    "Del estado de cuenta hay filas que no se pudieron leer, tantas como veces dice este aviso; la primera: {subject}. \
     Pueden ser pagos, y no se da por bueno ninguno que pueda ser una de ellas. Mírelas en la página del banco y confirme \
     a mano esos pagos; si se repite, avise a quien opera el servicio.",
    "Some rows of the bank statement could not be read, as many as the times shown in this notice; the first: \
     {subject}. They may be payments, and no payment that may be one of them is confirmed. Check them on the bank's \
     website and confirm those payments manually. If it happens again, tell your service provider.",
);

const LINK_REFUSED_BY_PLAN: Texts = (
    "Un pagador no pudo confirmar su pago porque su plan no está activo o ya no admite más verificaciones este mes. \
     Hable con quien opera el servicio: el enlace sigue pendiente y el pagador puede intentarlo de nuevo.",
    "A payer could not confirm their payment because your plan is not active or allows no more verifications this \
     month. Contact your service provider. The link is still pending, and the payer can try again.",
);

const SHORT_REFERENCES: Texts = (
    "Una llave o una persona preguntó en una hora por más de veinte referencias distintas de cuatro o cinco dígitos que \
     no se confirmaron. Puede ser su sistema, que pide a los clientes los últimos cuatro: envíe seis, o el monto \
     con el teléfono o el documento. Si no lo reconoce, alguien está adivinando pagos: mire las verificaciones y rote la \
     llave.",
    "Within an hour, an API key or a person asked about more than twenty different references of four or five digits \
     that were not confirmed. It may be your system asking customers for the last four digits: send six, or the \
     amount with the phone or the document. If you do not recognise this, someone is guessing payments: check the \
     verifications and rotate the API key.",
);

const SUBSCRIPTION_CANCELED: Texts = (
    "Su cliente anuló su suscripción desde su página. Mire en la suscripción hasta cuándo vale lo que pagó; después no se le \
     pide nada más. No puede deshacerlo: si vuelve a quererla, cree otra.",
    "Your customer cancelled their subscription on its page. See the subscription for how long what they have paid \
     runs; after that, nothing more is asked for. You cannot undo this: if they want it again, create another.",
);

impl Kind {
    /// Returns what the owner reads: what happened, and what to do.
    #[must_use]
    pub fn text(self, subject: &str, trouble: Option<Trouble>, language: Language) -> String {
        let text = pick(self.texts(), language);
        let why = trouble.map_or_else(String::new, |why| format!(": {}", why.text(language)));
        text.replace("{why}", &why).replace("{subject}", subject)
    }

    /// Returns the heading of a mail about such notices.
    #[must_use]
    pub const fn title(self, language: Language) -> &'static str {
        let titles = match self {
            Self::WebhookFailing => {
                ("Su servidor no recibe avisos", "Your server is not accepting webhooks")
            }
            Self::WebhookExhausted => ("Un aviso no se entregó", "A webhook was not delivered"),
            Self::LinkRefusedForCredits => (
                "Un pagador no pudo confirmar por falta de créditos",
                "A payer could not confirm because of a lack of credits",
            ),
            Self::LinkMoneyUnclaimed => (
                "Llegó dinero a un enlace que ya terminó",
                "Money arrived for a link that had already ended",
            ),
            Self::PaymentContested => {
                ("Un pago puede ser uno o dos", "This may be one payment or two")
            }
            Self::SameBankPayment => {
                ("Un pago espera su decisión", "A payment is waiting for your decision")
            }
            Self::LowBalance => ("Quedan pocos créditos", "Few credits are left"),
            Self::CreditsExhausted => ("Se acabaron los créditos", "Your credits have run out"),
            Self::SignInAttempts => {
                ("Intentos de entrar a su cuenta", "Attempts to sign in to your account")
            }
            Self::BankRefusesCredentials => (
                "El banco no acepta las credenciales de su cuenta",
                "The bank does not accept your account's credentials",
            ),
            Self::MailGivenUp => {
                ("Un correo no se pudo entregar", "An email could not be delivered")
            }
            Self::RateMissing => {
                ("Falta la tasa de cambio para un enlace", "There is no exchange rate for a link")
            }
            Self::AmountUnpayable => (
                "El monto de un enlace no se puede pagar en bolívares",
                "A link's amount cannot be paid in bolívares",
            ),
            Self::PaymentOutsideRate => (
                "Un pago a otra tasa espera su decisión",
                "A payment at another rate is waiting for your decision",
            ),
            Self::RateInDoubt => {
                ("La tasa que rige está en duda", "The current exchange rate is in doubt")
            }
            Self::StatementRowUnread => (
                "Filas del estado de cuenta no se pudieron leer",
                "Some rows of the bank statement could not be read",
            ),
            Self::ShortReferences => (
                "Demasiadas referencias cortas en una cuenta",
                "Too many short references on an account",
            ),
            Self::SubscriptionCanceled => {
                ("Su cliente anuló su suscripción", "Your customer cancelled their subscription")
            }
            Self::LinkRefusedByPlan => (
                "Un pagador no pudo confirmar por su plan",
                "A payer could not confirm because of your plan",
            ),
        };
        pick(titles, language)
    }

    /// Returns where more is to be seen: the path of an operation.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            Self::WebhookFailing | Self::WebhookExhausted => "/v1/webhooks/deliveries",
            Self::LinkRefusedForCredits
            | Self::LinkMoneyUnclaimed
            | Self::SameBankPayment
            | Self::RateMissing
            | Self::RateInDoubt
            | Self::AmountUnpayable
            | Self::PaymentOutsideRate => "/v1/paymentlink",
            Self::PaymentContested | Self::BankRefusesCredentials | Self::StatementRowUnread => {
                "/me/usersbank"
            }
            Self::LinkRefusedByPlan => "/me/plan",
            Self::ShortReferences => "/v1/verifications",
            Self::SubscriptionCanceled => "/me/subscriptions",
            Self::LowBalance | Self::CreditsExhausted => "/me",
            Self::SignInAttempts => "/v1/audit",
            Self::MailGivenUp => "/v1/employees",
        }
    }

    const fn texts(self) -> Texts {
        match self {
            Self::WebhookFailing => (
                "{subject} no recibió un aviso{why}. Se repite durante dos días: revise que esa \
                 dirección responda con 2xx en 10 segundos.",
                "{subject} did not accept a webhook{why}. It is retried for two days: check that the endpoint \
                 responds with 2xx within 10 seconds.",
            ),
            Self::WebhookExhausted => (
                "{subject} no recibió un aviso y ya no se intenta más{why}. Si era de un enlace de \
                 pago, consulte el enlace y atienda el pedido a mano.",
                "{subject} did not accept a webhook, and it will not be retried{why}. If it was for a payment link, \
                 check the link and handle the order manually.",
            ),
            Self::LinkRefusedForCredits => (
                "Un pagador no pudo confirmar su pago porque no alcanzan los créditos o el límite \
                 del mes. Agregue créditos o suba el límite: el enlace sigue pendiente y el \
                 pagador puede intentarlo de nuevo.",
                "A payer could not confirm their payment because there are not enough credits, or not enough is left \
                 of the monthly limit. Add credits or raise the limit. The link is still pending, and the payer can \
                 try again.",
            ),
            Self::LinkMoneyUnclaimed => (
                "Llegó otro pago para un enlace que ya tenía su fin, y quedó sin usar. Búsquelo en \
                 los movimientos de la cuenta y acuerde con quien pagó si se devuelve.",
                "Another payment arrived for a link that had already ended, and was left unused. Find it in the \
                 account's movements and agree with the payer whether to refund it.",
            ),
            Self::PaymentContested => (
                "El banco mostró dos veces la misma referencia con el mismo monto, y dice otra cosa de \
                 quien pagó, de su banco o del día. Puede ser un solo pago, y no se da por bueno dos \
                 veces. Mire la cuenta en el banco; si hay un enlace de pago por ese monto, puede \
                 aceptar el movimiento a mano.",
                "The bank showed the same reference twice for the same amount, with a different payer, payer's bank \
                 or day. It may be a single payment, and it is not confirmed twice. Check the account at the bank. \
                 If there is a payment link for that amount, you can accept the movement manually.",
            ),
            Self::SameBankPayment => (
                "Alguien dice haber pagado un enlace desde el mismo banco de su cuenta, y hay un pago sin \
                 usar de esa cédula por ese monto. El banco no lo muestra con la referencia del \
                 comprobante, así que nadie más puede confirmarlo: si es ese, acepte el movimiento en \
                 el enlace.",
                "Someone says they paid a link from the same bank as your account, and there is an unused payment \
                 with that document for that amount. The bank does not show it under the reference on the receipt, \
                 so nobody else can confirm it: if it is the right one, accept the movement on the link.",
            ),
            Self::LowBalance => LOW_BALANCE,
            Self::CreditsExhausted => CREDITS_EXHAUSTED,
            Self::SignInAttempts => SIGN_IN_ATTEMPTS,
            Self::BankRefusesCredentials => BANK_REFUSES_CREDENTIALS,
            Self::MailGivenUp => MAIL_GIVEN_UP,
            Self::RateMissing => RATE_MISSING,
            Self::RateInDoubt => RATE_IN_DOUBT,
            Self::StatementRowUnread => STATEMENT_ROW_UNREAD,
            Self::AmountUnpayable => AMOUNT_UNPAYABLE,
            Self::PaymentOutsideRate => PAYMENT_OUTSIDE_RATE,
            Self::LinkRefusedByPlan => LINK_REFUSED_BY_PLAN,
            Self::ShortReferences => SHORT_REFERENCES,
            Self::SubscriptionCanceled => SUBSCRIPTION_CANCELED,
        }
    }
}

const fn pick((es, en): Texts, language: Language) -> &'static str {
    match language {
        Language::Es => es,
        Language::En => en,
    }
}
