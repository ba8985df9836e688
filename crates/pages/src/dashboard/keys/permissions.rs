//! What keys may do, in words: each permission with what it opens.

use domain::language::Language;
use domain::permissions::{Permission, Permissions};
use domain::refusal::Refusal;
use web::FormBody;

use crate::dashboard::choice::Choice;

texts! {
    /// What pages say of permissions.
    PermissionTexts {
        title: "Qué puede hacer", "Permissions";
        hint: "Marque solo lo que su sistema necesita. Sin permisos, la llave no sirve para nada.", "Select only what your system needs. Without permissions, the API key cannot do anything.";
        may_not: "No puede", "Cannot";
        nothing: "Esta llave no puede hacer nada: no tiene permisos.", "This API key cannot do anything: it has no permissions.";
        choose: "Elegir permisos", "Choose permissions";
        fixed: "Los permisos son los fijos de un cliente: vincular cuentas y ver movimientos y avisos del banco, solo de él; y verificar pagos y crear enlaces, si los tiene permitidos.", "The permissions are a client's fixed ones: link accounts and view movements and bank notifications, for that client only; and verify payments and create links, if the client is allowed to.";
    }
}

/// Returns what a key may do, in words, and what that opens.
pub(super) const fn texts_of(
    permission: Permission,
    language: Language,
) -> (&'static str, &'static str) {
    let (es, en) = match permission {
        Permission::PaymentVerifications => (
            (
                "Verificar pagos",
                "Preguntar al banco por un pago y ver las verificaciones. Gasta créditos.",
            ),
            (
                "Verify payments",
                "Ask the bank about a payment and view verifications. Uses credits.",
            ),
        ),
        Permission::PaymentLinks => (
            ("Enlaces de pago", "Crear, ver, cambiar y anular enlaces de pago."),
            ("Payment links", "Create, view, edit and cancel payment links."),
        ),
        Permission::Subscriptions => (
            ("Suscripciones", "Crear y ver suscripciones."),
            ("Subscriptions", "Create and view subscriptions."),
        ),
        Permission::BankAccountsManage => (
            (
                "Vincular cuentas",
                "Vincular cuentas bancarias, cambiar su clave y enviarlas a la papelera.",
            ),
            (
                "Link bank accounts",
                "Link bank accounts, change their bank key and move them to the trash.",
            ),
        ),
        Permission::Movements => (
            ("Ver movimientos", "Ver lo que entró en las cuentas, según el banco."),
            ("View movements", "View what came into the accounts, as the bank shows it."),
        ),
        Permission::Notifications => (
            ("Ver avisos del banco", "Ver los pagos que el banco avisa por su cuenta."),
            ("View bank notifications", "View payments that the bank notifies on its own."),
        ),
        Permission::Statistics => (
            ("Ver estadísticas", "Ver sumas de todos los pagos por día, banco, cliente o llave."),
            ("View statistics", "View totals of all payments by day, bank, client or API key."),
        ),
        Permission::Integrations => (
            ("Ver integraciones", "Ver las llaves y el secreto con que se firman los webhooks."),
            ("View integrations", "View API keys and the secret that signs webhooks."),
        ),
        Permission::ApiKeys => (
            ("Emitir llaves", "Crear otras llaves que no pueden más que ella. Delo con cuidado."),
            (
                "Create API keys",
                "Create other API keys that cannot do more than this one. Grant it with care.",
            ),
        ),
    };
    match language {
        Language::Es => es,
        Language::En => en,
    }
}

/// Every permission, to be ticked.
pub(super) fn choices(language: Language) -> Vec<Choice> {
    let choice = |permission: Permission| {
        let (text, more) = texts_of(permission, language);
        let more = format!("{more} ({permission})");
        Choice { more, ..Choice::new(permission.as_str(), text) }
    };
    Permission::ALL.into_iter().map(choice).collect()
}

/// Reads the permissions that a form has ticked.
pub(super) fn ticked(form: &FormBody) -> Result<Permissions, Refusal> {
    let names = form.fields("permissions");
    Ok(names.iter().map(|name| Permission::parse(name)).collect::<Result<_, _>>()?)
}
