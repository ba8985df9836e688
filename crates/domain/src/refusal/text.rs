//! What people read, in two languages.
//!
//! Most refusals say what their code means; those that know more say it.

use std::time::Duration;

use super::{BadCredentials, Detail, LimitFacts, Refusal, plan, team};
use crate::ids::ClientId;
use crate::language::Language::{self, En, Es};
use crate::matching::SameBank;
use crate::permissions::Permission;
use crate::time::CaracasDate;
use crate::webhooks::Trouble;

impl Refusal {
    /// The text for people. Where callers match texts, it begins with the fixed phrase that they
    /// match, in every language.
    #[must_use]
    pub fn message(&self, language: Language) -> String {
        let text = team::message(self, language).or_else(|| plan::message(self, language));
        if let Some(text) = text {
            return text;
        }
        let meaning = self.code().meaning(language);
        match self {
            Self::Unauthorized(reason) => credentials(*reason, language).to_owned(),
            Self::LoginFailed => login_failed(language).to_owned(),
            Self::SecondFactor(refusal) => refusal.message(language).to_owned(),
            Self::PermissionMissing(permission) => match language {
                Es => format!("La llave no tiene el permiso {permission}. El titular puede darlo."),
                En => format!("The key lacks the permission {permission}. The owner can grant it."),
            },
            Self::ClientPermissionMissing(permission) => client_lacks(*permission, language),
            Self::UserBankNotFound => not_found("user_bank", language),
            Self::NotFound(noun) => not_found(noun, language),
            Self::RouteNotFound => route_not_found(language).to_owned(),
            Self::Validation(details) | Self::BadRequest(details) => {
                with_fields(meaning, details, language)
            }
            Self::UnknownPermission { given, right } => unknown_permission(given, *right, language),
            Self::KeyCreditLimit(facts) | Self::ClientCreditLimit(facts) => {
                format!("{meaning} {}", usage(facts, language))
            }
            Self::NotEnoughCredits { available: Some(available) } => match language {
                Es => format!("{meaning} Disponibles: {available}."),
                En => format!("{meaning} Available: {available}."),
            },
            Self::ReferenceAmbiguous { digits_needed } => match language {
                Es => format!("{meaning} Hacen falta los últimos {digits_needed}."),
                En => format!("{meaning} The last {digits_needed} are needed."),
            },
            Self::PaymentNotFound { same_bank: Some(found) } => {
                format!("{meaning} {}", same_bank(*found, language))
            }
            Self::BankSearching { .. } => choose(
                language,
                "El banco tarda en responder y la consulta sigue en curso; esto no dice nada del \
                 pago. Repita la misma solicitud en unos segundos, o consulte \
                 GET /v1/verifications/{verification_id}.",
                "The bank is slow to answer and the search goes on; this says nothing of the \
                 payment. Repeat the same request in a few seconds, or see \
                 GET /v1/verifications/{verification_id}.",
            )
            .to_owned(),
            Self::Conflict { id } => conflict(id, language),
            Self::Overtaken { fields } => overtaken(fields, language),
            Self::ReceiptIsVoid => receipt_is_void(language).to_owned(),
            Self::BankProviderNotOffered { offered } => with_offered(meaning, offered, language),
            Self::WebhookUrlNotAllowed(trouble) => with_reason(meaning, *trouble, language),
            Self::KeyLimit { limit } => key_limit(*limit, language),
            Self::ClientLimit { limit } => client_limit(*limit, language),
            Self::ClientNameTaken(client) => client_name_taken(*client, language),
            Self::AccountInUse => account_in_use(language).to_owned(),
            Self::Movement(refusal) => refusal.message(language),
            Self::PaymentContested { .. } => payment_contested(language).to_owned(),
            Self::Lineage(refusal) => refusal.message(language),
            Self::Link(refusal) => refusal.message(language).to_owned(),
            Self::Subscription(refusal) => refusal.message(language).to_owned(),
            Self::NoRoom => no_room(language).to_owned(),
            Self::ReachChanged => reach_changed(language).to_owned(),
            Self::TooManyRequests { retry_after } => too_many(*retry_after, language),
            _ => meaning.to_owned(),
        }
    }
}

fn conflict(made: &str, language: Language) -> String {
    match language {
        Es => format!("Esta solicitud ya se atendió y creó {made}. Su respuesta no se repite."),
        En => format!("This request was answered and made {made}. The answer is not repeated."),
    }
}

const fn receipt_is_void(language: Language) -> &'static str {
    choose(
        language,
        "El comprobante ya estaba anulado, por otro motivo, y eso no cambia.",
        "The receipt was void before, for another reason, and that does not change.",
    )
}

fn same_bank(found: SameBank, language: Language) -> &'static str {
    match found {
        SameBank::Unclaimed => same_bank_unclaimed(language),
        SameBank::Claimed => choose(
            language,
            "La cuenta recibió, desde el mismo banco, un pago de esa persona por ese monto y en esa fecha, y ya se \
             confirmó con otra referencia: véalo en los pagos antes de entregar.",
            "The account did receive, from within the same bank, a payment of that person, of that amount and day, and \
             it was confirmed by another reference: see it in the payments before you hand anything over.",
        ),
    }
}

fn same_bank_unclaimed(language: Language) -> &'static str {
    choose(
        language,
        "La cuenta sí recibió, desde el mismo banco, un pago sin usar de esa persona por ese monto y en esa fecha: el \
         banco no lo muestra con la referencia del comprobante. Si es de un enlace de pago, acéptelo en el enlace; si \
         no, véalo en los movimientos, o active same_bank_by_payer en la cuenta para confirmarlos así.",
        "The account did receive, from within the same bank, an unused payment of that person, of that amount and day: \
         the bank does not show it under the receipt's reference. Where it is for a payment link, accept it on the link; \
         otherwise see the movements, or switch on same_bank_by_payer for the account to have such payments confirmed.",
    )
}

fn unknown_permission(given: &str, right: Option<Permission>, language: Language) -> String {
    let said = match language {
        Es => format!("No existe el permiso {given:?}."),
        En => format!("There is no permission {given:?}."),
    };
    let names = Permission::ALL.map(Permission::as_str).join(", ");
    match (right, language) {
        (Some(right), Es) => format!("{said} Use {right}. Existen: {names}."),
        (Some(right), En) => format!("{said} Use {right}. There are: {names}."),
        (None, Es) => format!("{said} Existen: {names}."),
        (None, En) => format!("{said} There are: {names}."),
    }
}

/// Returns the text for a permission that a client lacks. What a client's keys and people may do is fixed but for
/// payments, which are the owner's to allow.
fn client_lacks(permission: Permission, language: Language) -> String {
    use Permission::{PaymentLinks, PaymentVerifications};
    let is_of_payments = matches!(permission, PaymentVerifications | PaymentLinks);
    match (is_of_payments, language) {
        (true, Es) => format!(
            "Los pagos no están habilitados para este cliente, y {permission} va con ellos. Los \
             habilita el titular, en el cliente."
        ),
        (true, En) => format!(
            "Payments are not enabled for this client, and {permission} goes with them. The owner \
             enables them, for the client."
        ),
        (false, Es) => format!(
            "Un cliente no puede tener el permiso {permission}: ni sus llaves ni su gente. Use la \
             sesión del titular o una llave suya que no sea de un cliente."
        ),
        (false, En) => format!(
            "A client cannot have the permission {permission}: neither its keys nor its people. Use \
             the owner's session or a key of the owner's that is not a client's."
        ),
    }
}

const fn no_room(language: Language) -> &'static str {
    choose(
        language,
        "El servicio no puede guardar nada: su disco está lleno. No se hizo nada. Avise a quien lo \
         opera, y repita la solicitud cuando haya espacio.",
        "The service cannot keep anything: its disk is full. Nothing was done. Tell whoever runs it, \
         and repeat the request when there is room.",
    )
}

const fn reach_changed(language: Language) -> &'static str {
    choose(
        language,
        "Lo que esta credencial puede hacer acaba de cambiar. No se hizo nada. Mande la misma solicitud otra vez, \
         enseguida.",
        "What this credential may do has just changed. Nothing was done. Send the same request again, right away.",
    )
}

const fn route_not_found(language: Language) -> &'static str {
    choose(
        language,
        "route not found: aquí no se atiende esa dirección. Revise la ruta.",
        "route not found: nothing is served at that address. Check the path.",
    )
}

fn with_offered(meaning: &str, offered: &[String], language: Language) -> String {
    let names = offered.join(", ");
    match (names.as_str(), language) {
        ("", Es) => format!("{meaning} No hay ninguno."),
        ("", En) => format!("{meaning} There is none."),
        (names, Es) => format!("{meaning} Disponibles: {names}."),
        (names, En) => format!("{meaning} Available: {names}."),
    }
}

fn with_reason(meaning: &str, trouble: Trouble, language: Language) -> String {
    let word = choose(language, "Motivo", "Reason");
    format!("{meaning} {word}: {}.", trouble.text(language))
}

pub(super) const fn choose(language: Language, es: &'static str, en: &'static str) -> &'static str {
    match language {
        Es => es,
        En => en,
    }
}

const fn login_failed(language: Language) -> &'static str {
    choose(
        language,
        "El correo o la contraseña no son correctos.",
        "E-mail or password are not right.",
    )
}

const fn payment_contested(language: Language) -> &'static str {
    choose(
        language,
        "Más de un pago puede ser ese, o el banco lo mostró con otros datos de quien pagó, y más \
         dígitos no lo aclaran. Revise el monto, la fecha y quién pagó; si están bien, decide el \
         titular, mirando la cuenta en el banco.",
        "More than one payment may be that one, or the bank has shown it with other details of the \
         payer, and more digits do not help. Check the amount, the date and who paid; if they are \
         right, the owner decides, by looking at the account at the bank.",
    )
}

fn overtaken(fields: &[String], language: Language) -> String {
    let fields = fields.join(", ");
    match language {
        Es => format!(
            "Otra persona lo cambió mientras tanto: {fields}. No se guardó nada; cargue la página otra vez."
        ),
        En => format!(
            "Somebody else changed it meanwhile: {fields}. Nothing was saved; load the page again."
        ),
    }
}

const fn credentials(reason: BadCredentials, language: Language) -> &'static str {
    match reason {
        BadCredentials::Missing => choose(
            language,
            "Falta la credencial. Envíe Authorization: Bearer <llave> o appKey: <llave>.",
            "The credential is missing. Send Authorization: Bearer <key> or appKey: <key>.",
        ),
        BadCredentials::Malformed => choose(
            language,
            "La cabecera Authorization debe tener la forma Bearer <llave>.",
            "The header Authorization must have the form Bearer <key>.",
        ),
        BadCredentials::Different => choose(
            language,
            "Authorization y appKey traen credenciales distintas. Envíe una sola.",
            "Authorization and appKey hold different credentials. Send only one.",
        ),
        BadCredentials::Unknown => choose(
            language,
            "La llave o la sesión no existe o fue revocada.",
            "The key or session does not exist or was revoked.",
        ),
    }
}

fn not_found(noun: &str, language: Language) -> String {
    match language {
        Es => {
            format!("{noun} not found: no existe o no está a su alcance. Revise el identificador.")
        }
        En => format!("{noun} not found: it does not exist or is out of your reach. Check the id."),
    }
}

fn with_fields(meaning: &str, details: &[Detail], language: Language) -> String {
    let Some(first) = details.first() else { return meaning.to_owned() };
    let mut fields = first.field.clone();
    for detail in details.iter().skip(1) {
        fields.push_str(", ");
        fields.push_str(&detail.field);
    }
    match language {
        Es => format!("{meaning} Campos: {fields}."),
        En => format!("{meaning} Fields: {fields}."),
    }
}

fn usage(facts: &LimitFacts, language: Language) -> String {
    let LimitFacts { limit, used, resets_at, .. } = facts;
    let day = CaracasDate::of(*resets_at);
    match language {
        Es => {
            format!("Usados: {used} de {limit}. Se renueva el {day}; el titular puede cambiarlo.")
        }
        En => format!("Used: {used} of {limit}. It resets on {day}; the owner can change it."),
    }
}

fn key_limit(limit: i64, language: Language) -> String {
    match language {
        Es => format!("Ya hay {limit} llaves, el máximo. Revoque una que no use."),
        En => format!("There are {limit} keys already, the most. Revoke one not in use."),
    }
}

fn client_limit(limit: i64, language: Language) -> String {
    match language {
        Es => format!("El titular ya tiene {limit} clientes, el máximo."),
        En => format!("The owner has {limit} clients already, the most."),
    }
}

fn client_name_taken(client: ClientId, language: Language) -> String {
    match language {
        Es => format!(
            "El cliente {client} ya se llama así. A dos clientes del mismo nombre los distingue su documento: indique el \
             de cada uno, o use otro nombre."
        ),
        En => format!(
            "The client {client} has that name already. Two clients of one name are told apart by their documents: \
             give the document of each, or use another name."
        ),
    }
}

const fn account_in_use(language: Language) -> &'static str {
    choose(
        language,
        "El cliente de esta cuenta tiene en ella una verificación en curso o un enlace de pago pendiente. Espere a que \
         terminen o cancele los enlaces, y repita.",
        "The client of this account has a verification that goes on or a pending payment link on it. Wait until they \
         end or cancel the links, and repeat.",
    )
}

fn too_many(wait: Duration, language: Language) -> String {
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    match language {
        Es => format!("too many requests: demasiadas solicitudes. Espere {seconds} s."),
        En => format!("too many requests: wait {seconds} s."),
    }
}
