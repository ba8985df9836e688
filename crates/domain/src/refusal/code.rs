//! The list of error codes. The documents are made from it.

use std::fmt;

use crate::language::Language;

macro_rules! codes {
    ($($name:ident $status:literal $text:literal, $es:literal, $en:literal;)+) => {
        /// Code of a refusal, by which a caller decides. A code never changes its name, its status or its meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code {
            $(#[doc = $en] $name,)+
        }

        impl Code {
            /// Every code, by status.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// Its name on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)+ }
            }

            /// The HTTP status that goes with it.
            #[must_use]
            pub const fn status(self) -> u16 {
                match self { $(Self::$name => $status,)+ }
            }

            /// Returns the code's meaning, for people, where nothing more is known. Codes that callers match by text
            /// begin with their fixed phrase in every language.
            #[must_use]
            pub const fn meaning(self, language: Language) -> &'static str {
                match (self, language) {
                    $((Self::$name, Language::Es) => $es, (Self::$name, Language::En) => $en,)+
                }
            }
        }
    };
}

impl Code {
    /// The code of that name, as a store kept it.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str() == name)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

codes! {
    BadRequest 400 "BAD_REQUEST",
        "No se entiende la solicitud. Revise el JSON y los parámetros.",
        "The request cannot be read. Check its JSON and its parameters.";
    ValidationError 400 "VALIDATION_ERROR",
        "Hay campos que corregir.",
        "Some fields must be corrected.";
    PaymentAmountNotValid 400 "PAYMENT_AMOUNT_NOT_VALID",
        "payment amount not valid: el banco muestra esa referencia con otro monto.",
        "payment amount not valid: the bank shows that reference with another amount.";
    PaymentReferenceTooShort 400 "PAYMENT_REFERENCE_TOO_SHORT",
        "Esa referencia es muy corta: envíe seis de sus dígitos o más; o al menos cuatro, con el monto y el teléfono o \
         el documento de quien pagó.",
        "That reference is too short: send six of its digits or more; or four at least, with the amount and the payer's \
         phone or document.";
    MovementTypeRequired 400 "MOVEMENT_TYPE_REQUIRED",
        "Falta movement_type: este banco necesita saber cómo se pagó.",
        "movement_type is missing: this bank needs to know how it was paid.";
    InvalidMovementType 400 "INVALID_MOVEMENT_TYPE",
        "movement_type is not available for this bank: use otro de los que ofrece la cuenta.",
        "movement_type is not available for this bank: use another one that the account offers.";
    IsNotPositivePayment 400 "IS_NOT_POSITIVE_PAYMENT",
        "Esa referencia es de un movimiento que salió de la cuenta, no de un pago recibido.",
        "That reference is of a movement that left the account, not of a payment received.";
    IsNotPositiveAmount 400 "IS_NOT_POSITIVE_AMOUNT",
        "El monto debe ser mayor que cero.",
        "The amount must be above zero.";
    UnknownPermission 400 "UNKNOWN_PERMISSION",
        "No existe un permiso con ese nombre.",
        "There is no permission of that name.";
    AccountNotInClient 400 "ACCOUNT_NOT_IN_CLIENT",
        "Una de las cuentas bancarias no existe o no pertenece al cliente. Revise user_banks.",
        "One of the bank accounts does not exist or is not the client's. Check user_banks.";
    WebhookUrlNotAllowed 400 "WEBHOOK_URL_NOT_ALLOWED",
        "No se permite esa URL de webhook: debe ser http o https y apuntar a una dirección pública.",
        "That webhook URL is not allowed: it must be http or https and lead to a public address.";
    InvalidPhone 400 "INVALID_PHONE",
        "El teléfono no es un móvil venezolano, como 04141234567.",
        "The phone is not a Venezuelan mobile number, such as 04141234567.";
    InvalidBankProvider 400 "INVALID_BANK_PROVIDER",
        "Ese bank_provider no está disponible en esta instalación.",
        "That bank_provider is not available in this installation.";
    C2pNotSupported 400 "C2P_NOT_SUPPORTED",
        "El vuelto y el C2P no están disponibles.",
        "Change and C2P are not available.";
    UserBanckBadPassword 400 "USER_BANCK_BAD_PASSWORD",
        "El banco rechaza el usuario o la clave de la cuenta. Actualícelos y repita la consulta.",
        "The bank refuses the account's user or password. Update them and ask again.";
    UserBanckPasswordExpired 400 "USER_BANCK_PASSWORD_EXPIRED",
        "La clave de la cuenta venció en el banco. Renuévela allí y actualícela aquí.",
        "The account's password has expired at the bank. Renew it there and update it here.";
    UserBanckBlocked 400 "USER_BANCK_BLOCKED",
        "El banco bloqueó el usuario de la cuenta. Desbloquéelo en el banco.",
        "The bank has blocked the account's user. Unblock it at the bank.";
    UserBankIsDisabled 400 "USER_BANK_IS_DISABLED",
        "La cuenta bancaria está desactivada. Actívela para verificar pagos en ella.",
        "The bank account is disabled. Enable it to verify payments on it.";
    Unauthorized 401 "UNAUTHORIZED",
        "Hace falta una llave o una sesión válida.",
        "A valid key or session is needed.";
    SecondFactorRequired 401 "SECOND_FACTOR_REQUIRED",
        "Falta el código del segundo factor. Envíelo en code.",
        "The code of the second factor is missing. Send it in code.";
    NotEnoughCredits 402 "NOT_ENOUGH_CREDITS",
        "No hay créditos suficientes. El titular debe recargar.",
        "There are not enough credits. The owner must buy more.";
    Forbidden 403 "FORBIDDEN",
        "No tiene autorización para esto.",
        "You are not authorised to do this.";
    StepUpRequired 403 "STEP_UP_REQUIRED",
        "Confirme que es usted: envíe un código de su segundo factor a POST /auth/step-up y repita la solicitud en los \
         diez minutos siguientes.",
        "Confirm that it is you: send a code of your second factor to POST /auth/step-up and repeat the request within \
         ten minutes.";
    UserIsNotActive 403 "USER_IS_NOT_ACTIVE",
        "La cuenta del titular no está activa. Comuníquese con el administrador del servicio.",
        "The owner's account is not active. Contact the administrator of the service.";
    ClientIsNotActive 403 "CLIENT_IS_NOT_ACTIVE",
        "El cliente no está activo. El titular puede activarlo.",
        "The client is not active. The owner can activate it.";
    PlanIsNotActive 403 "PLAN_IS_NOT_ACTIVE",
        "El plan del titular no está activo. Renuévelo para continuar.",
        "The owner's plan is not active. Renew it to go on.";
    ApiKeyIsNotActive 403 "API_KEY_IS_NOT_ACTIVE",
        "La llave está desactivada. El titular puede activarla.",
        "The key is deactivated. The owner can activate it.";
    OwnerSessionRequired 403 "OWNER_SESSION_REQUIRED",
        "Solo el titular puede hacer esto, con su sesión: inicie sesión en POST /auth/login.",
        "Only the owner can do this, with a session: sign in at POST /auth/login.";
    DefaultKeyScopeFixed 403 "DEFAULT_KEY_SCOPE_FIXED",
        "El alcance de la llave predeterminada no se puede cambiar. Cree otra llave.",
        "The scope of the default key cannot be changed. Create another key.";
    KeyScopeRestricted 403 "KEY_SCOPE_RESTRICTED",
        "Una llave limitada a ciertas cuentas o a un tope mensual no puede hacer esto. Use la \
         sesión del titular o una llave sin esos límites.",
        "A key limited to some accounts or by a monthly limit cannot do this. Use the owner's \
         session or a key without those limits.";
    PermissionsNotConfigured 403 "PERMISSIONS_NOT_CONFIGURED",
        "La llave no tiene permisos. El titular debe configurarlos.",
        "The key has no permissions. The owner must configure them.";
    BankAccountLimitReached 403 "BANK_ACCOUNT_LIMIT_REACHED",
        "Se alcanzó el máximo de cuentas bancarias del plan.",
        "The plan's greatest number of bank accounts is reached.";
    ApiKeyMonthlyCreditLimitExceeded 403 "API_KEY_MONTHLY_CREDIT_LIMIT_EXCEEDED",
        "La llave alcanzó su límite mensual de créditos.",
        "The key has reached its monthly credit limit.";
    ClientMonthlyCreditLimitExceeded 403 "CLIENT_MONTHLY_CREDIT_LIMIT_EXCEEDED",
        "El cliente alcanzó su cuota mensual de créditos.",
        "The client has reached its monthly credit quota.";
    NotFound 404 "NOT_FOUND",
        "No existe o no está a su alcance.",
        "It does not exist or is out of your reach.";
    PaymentNotFound 404 "PAYMENT_NOT_FOUND",
        "payment not found: el banco todavía no lo muestra y aún puede aparecer. Revise los datos \
         y repita la consulta en unos minutos.",
        "payment not found: the bank does not show it yet, and it may still appear. Check the \
         details and ask again in a few minutes.";
    MethodNotSupport 405 "METHOD_NOT_SUPPORT",
        "Esta ruta no acepta ese método.",
        "This path does not take that method.";
    Conflict 409 "CONFLICT",
        "Esto ya se hizo o se contradice con lo que hay.",
        "This was done before or contradicts what there is.";
    CreditLimitInherited 409 "CREDIT_LIMIT_INHERITED",
        "El límite de esta llave es la cuota de su cliente. Cambie la cuota del cliente.",
        "This key's limit is the quota of its client. Change the client's quota.";
    ClientPermissionsFixed 409 "CLIENT_PERMISSIONS_FIXED",
        "Los permisos de una llave de cliente son fijos: no envíe permissions.",
        "The permissions of a client's key are fixed: send no permissions.";
    DefaultKeyFixed 409 "DEFAULT_KEY_FIXED",
        "La llave predeterminada conserva sus permisos, no vence y no se puede eliminar.",
        "The default key keeps its permissions, does not expire and cannot be deleted.";
    PaymentReferenceAmbiguous 409 "PAYMENT_REFERENCE_AMBIGUOUS",
        "Varios pagos coinciden con esa referencia. Envíe más dígitos.",
        "Several payments fit that reference. Send more digits.";
    PaymentAlreadyExists 409 "PAYMENT_ALREADY_EXISTS",
        "El banco indica que este pago ya fue conciliado.",
        "The bank says that this payment was conciliated before.";
    PaymentNeedsReview 409 "PAYMENT_NEEDS_REVIEW",
        "Este pago es de antes de que el servicio se restaurara desde una copia, y pudo haberse verificado ya. El comercio \
         debe revisarlo, y aceptarlo si nadie lo ha usado.",
        "This payment is from before the service was restored from a copy, and may have been verified already. The \
         merchant must look at it, and accept it if nobody has used it.";
    RateNotAvailable 409 "RATE_NOT_AVAILABLE",
        "No se conoce la tasa de esa moneda, así que no se sabe cuánto se debe en bolívares.",
        "No rate of that currency is known, so that the amount owed in bolívares is not either.";
    RenovationIsAlreadyPaid 409 "RENOVATION_IS_ALREADY_PAID",
        "Ese período de la suscripción ya está pagado.",
        "That period of the subscription is paid already.";
    RequestInProgress 409 "REQUEST_IN_PROGRESS",
        "La misma solicitud todavía está en curso. Repítala en unos segundos.",
        "The same request is still running. Repeat it in a few seconds.";
    UserBankAlreadyExists 409 "USER_BANK_ALREADY_EXISTS",
        "Esa cuenta bancaria ya está vinculada.",
        "That bank account is linked already.";
    PayloadTooLarge 413 "PAYLOAD_TOO_LARGE",
        "El cuerpo de la solicitud supera los 256 KiB.",
        "The body of the request is over 256 KiB.";
    UnsupportedMediaType 415 "UNSUPPORTED_MEDIA_TYPE",
        "Envíe el cuerpo como application/json.",
        "Send the body as application/json.";
    IdempotencyKeyReused 422 "IDEMPOTENCY_KEY_REUSED",
        "Esa Idempotency-Key ya se usó con otro cuerpo. Use una nueva para cada solicitud.",
        "That Idempotency-Key was used with another body. Use a new one for each request.";
    RequestLimitReached 429 "REQUEST_LIMIT_REACHED",
        "too many requests: demasiadas solicitudes. Espere lo que indica Retry-After.",
        "too many requests: wait as long as Retry-After says.";
    BankTooManyRequests 429 "BANK_TOO_MANY_REQUESTS",
        "El banco limita las consultas. Espere un momento y repítala.",
        "The bank limits how often it is asked. Wait a moment and ask again.";
    PasswordChangeTryTooFrequent 429 "PASSWORD_CHANGE_TRY_TOO_FREQUENT",
        "La clave se cambió hace muy poco. Espere antes de cambiarla de nuevo.",
        "The password was changed too recently. Wait before changing it again.";
    InternalServerError 500 "INTERNAL_SERVER_ERROR",
        "Falló el servicio. Repita la solicitud; si persiste, informe el request_id.",
        "The service failed. Repeat the request; if it goes on, report the request_id.";
    BankNotAvailable 503 "BANK_NOT_AVAILABLE",
        "El banco no responde por ahora; esto no dice nada del pago. Repita la consulta en unos \
         minutos.",
        "The bank does not answer for now; this says nothing of the payment. Ask again in a few \
         minutes.";
    ServiceUnavailable 503 "SERVICE_UNAVAILABLE",
        "El servicio está ocupado. Repita la solicitud en unos segundos.",
        "The service is busy. Repeat the request in a few seconds.";
}
