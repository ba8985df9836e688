//! What keys may do, in words: each permission with what it opens.

use domain::language::Language;
use domain::permissions::{Permission, Permissions};
use domain::refusal::Refusal;
use web::FormBody;

use crate::dashboard::choice::Choice;

texts! {
    /// What pages say of permissions.
    PermissionTexts {
        title: "Qué puede hacer", "What it may do";
        hint: "Marque solo lo que su sistema necesita. Sin permisos, la llave no sirve para nada.", "Tick only what your system needs. Without permissions the key is good for nothing.";
        may_not: "No puede", "May not";
        nothing: "Esta llave no puede hacer nada: no tiene permisos.", "This key can do nothing: it has no permissions.";
        choose: "Elegir permisos", "Choose permissions";
        fixed: "Los permisos son los fijos de un cliente: vincular cuentas y ver movimientos y avisos del banco, solo de él; y verificar pagos y crear enlaces, si los tiene permitidos.", "The permissions are a client's fixed ones: linking accounts and seeing movements and the bank's notices, of that client alone; and verifying payments and making links, where that client is let.";
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
                "Asking the bank about a payment, and seeing verifications. It spends credits.",
            ),
        ),
        Permission::PaymentLinks => (
            ("Enlaces de pago", "Crear, ver, cambiar y anular enlaces de pago."),
            ("Payment links", "Making, seeing, changing and calling off payment links."),
        ),
        Permission::Subscriptions => (
            ("Suscripciones", "Crear y ver suscripciones."),
            ("Subscriptions", "Making and seeing subscriptions."),
        ),
        Permission::BankAccountsManage => (
            (
                "Vincular cuentas",
                "Vincular cuentas bancarias, cambiar su clave y enviarlas a la papelera.",
            ),
            (
                "Link bank accounts",
                "Linking bank accounts, changing their secret and moving them to the trash.",
            ),
        ),
        Permission::Movements => (
            ("Ver movimientos", "Ver lo que entró en las cuentas, según el banco."),
            ("See movements", "Seeing what came into the accounts, as the bank shows it."),
        ),
        Permission::Notifications => (
            ("Ver avisos del banco", "Ver los pagos que el banco avisa por su cuenta."),
            ("See the bank's notices", "Seeing the payments that the bank tells of by itself."),
        ),
        Permission::Statistics => (
            ("Ver estadísticas", "Ver sumas de todos los pagos por día, banco, cliente o llave."),
            ("See statistics", "Seeing sums of all payments by day, bank, client or key."),
        ),
        Permission::Integrations => (
            ("Ver integraciones", "Ver las llaves y el secreto con que se firman los webhooks."),
            ("See integrations", "Seeing the keys, and the secret that webhooks are signed with."),
        ),
        Permission::ApiKeys => (
            ("Emitir llaves", "Crear otras llaves que no pueden más que ella. Delo con cuidado."),
            ("Issue keys", "Making other keys that may do no more than it. Give it with care."),
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
