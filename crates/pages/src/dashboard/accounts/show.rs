//! `GET /app/accounts/{bank_id}`

use app::accounts::{Field, Linked};
use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{
    ChangeBankSecret, ListBankAccounts, ListClients, MoveBankAccount, Operation, RotatePushSecret,
    SetAccountSettings, ShowAccountSettings, TrashBankAccount,
};
use domain::matching::Rule;
use domain::refusal::Refusal;
use http::Uri;
use web::{AppState, Failure, Signed};

use super::{AccountsTexts, bank_id, client, path_of, settings, standing};
use crate::dashboard::choice::Choice;
use crate::dashboard::form::{FormState, once};
use crate::dashboard::frame::Frame;
use crate::dashboard::route::PageRoute;
use crate::dashboard::test_mode;
use crate::dashboard::written::instant;
use crate::page::of_template;
use crate::written;

texts! {
    ShowTexts {
        bank: "Banco", "Bank";
        number: "Número", "Number";
        phone: "Pago móvil", "Pago móvil";
        document: "Cédula o RIF", "Cédula or RIF";
        linked: "Vinculada", "Linked on";
        settings: "Ajustes", "Settings";
        holder: "Nombre del titular", "Account holder's name";
        holder_hint: "Como lo muestra el banco. Los pagadores lo ven.", "As the bank shows it. Payers can see it.";
        same_bank: "Aceptar pagos dentro del mismo banco por cédula, monto y día", "Accept payments within the same bank by cédula, amount and day";
        same_bank_hint: "Solo por la API: si el cliente pagó desde este mismo banco, el recibo trae otra referencia que el banco no muestra.", "Through the API only: if the customer paid from this same bank, the receipt has a different reference, which the bank does not show.";
        short: "Aceptar referencias de cuatro o cinco dígitos con el monto", "Accept references of four or five digits with the amount";
        short_hint: "Solo por la API. Con tan pocos dígitos y el mismo monto se puede tomar por suyo el pago de otro cliente: con 500 cobros al día, uno de cada veinte termina igual que otro.", "Through the API only. With so few digits and the same amount, another customer's payment can be mistaken for this one: with 500 payments a day, one in twenty ends in the same digits as another.";
        save: "Guardar", "Save";
        saved: "Guardado.", "Saved.";
        secret: "Cambiar la clave del banco", "Change bank key";
        secret_text: "Se prueba con el banco antes de guardarla: la de ahora sigue hasta que la nueva funcione.", "It is tested with the bank before it is saved: the current key stays in use until the new one works.";
        secret_label: "Clave nueva", "New bank key";
        try_it: "Probar y guardar", "Test and save";
        push: "Clave nueva para los avisos del banco", "New secret for bank notifications";
        push_text: "La de ahora deja de servir al instante. La nueva se muestra una sola vez.", "The current secret stops working immediately. The new one is shown only once.";
        push_sure: "Sí, la clave de ahora deja de servir", "Yes, the current secret stops working";
        push_do: "Crear clave nueva", "Create new secret";
        client: "De quién es", "Assigned to";
        client_text: "El cliente ve solo lo que llegue desde que la cuenta es suya.", "The client only sees what arrives after the account is assigned to them.";
        ours: "Del titular", "The owner";
        client_sure: "Sí, la cuenta pasa a ser de quien elegí", "Yes, assign the account to my selection";
        move_it: "Mover", "Move";
        trash: "Mandar a la papelera", "Move to trash";
        trash_text: "Cotejo olvida cómo entrar a la cuenta y deja de preguntar por ella. Los pagos verificados quedan, y nadie puede usarlos otra vez.", "Cotejo forgets how to access the account and stops asking the bank about it. Verified payments are kept, and nobody can use them again.";
        trash_confirm: "Escriba el nombre de la cuenta para confirmar", "Enter the account's name to confirm";
        dangers: "Con cuidado", "Sensitive actions";
    }
}

#[derive(Template)]
#[template(path = "dashboard/accounts/show.html")]
struct ShowPage {
    f: Frame,
    t: &'static ShowTexts,
    path: String,
    id: String,
    name: String,
    is_test: bool,
    state: (&'static str, &'static str),
    bank: String,
    number: Option<String>,
    phone: Option<String>,
    document: Option<String>,
    linked: String,
    form: FormState,
    once: String,
    /// What may be chosen: the holder's name, payments within the bank, and short references.
    settings: Option<(bool, bool, bool)>,
    has_secret: bool,
    has_push: bool,
    clients: Vec<Choice>,
    may_trash: bool,
    is_saved: bool,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![PageRoute::page::<ListBankAccounts, _, _>("/app/accounts/{bank_id}", view)]
}

async fn view(
    signed: Signed<ListBankAccounts>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
) -> Result<Response, Failure> {
    show(&state, &signed, &uri, &id, None).await
}

/// The page of an account that a form on it has failed for.
pub(super) async fn again<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    uri: &Uri,
    id: &str,
    form: FormState,
) -> Result<Response, Failure> {
    show(state, signed, uri, id, Some(form)).await
}

/// The account of that id, among those that the person signed in reaches.
pub(super) async fn find<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    id: &str,
) -> Result<Linked, Failure> {
    let id = bank_id(id)?;
    let listed = app::accounts::list(&state.app, &signed.also::<ListBankAccounts>()?).await?;
    let found = listed.into_iter().find(|linked| linked.account.id == id);
    Ok(found.ok_or(Refusal::UserBankNotFound)?)
}

async fn show<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    uri: &Uri,
    id: &str,
    form: Option<FormState>,
) -> Result<Response, Failure> {
    let language = signed.language();
    let (t, a) = (ShowTexts::of(language), AccountsTexts::of(language));
    let linked = find(state, signed, id).await?;
    if let Some(instead) = test_mode::instead(state, signed, uri, linked.is_test).await? {
        return Ok(instead);
    }
    let account = &linked.account;
    let chosen = match signed.also::<ShowAccountSettings>() {
        Ok(act) => Some(app::accounts::show_settings(&state.app, &act, account.id).await?),
        Err(_) => None,
    };
    let bank = linked.bank;
    let choices = (
        bank.is_some_and(|bank| !bank.credentials.is_empty()),
        bank.is_some_and(|bank| bank.same_bank().is_some()),
        bank.is_some_and(|bank| bank.rule != Rule::Exact),
    );
    let may_set = signed.may::<SetAccountSettings>() && (choices.0 || choices.1 || choices.2);
    let pushes = app::accounts::platforms(&state.app).iter().any(|platform| {
        platform.pushes && bank.is_some_and(|bank| platform.bank.provider == bank.provider)
    });
    let (facts, is_whole) = (linked.facts.as_ref(), signed.caller().sees_account_numbers());
    let form = form.unwrap_or_default();
    let page = ShowPage {
        f: Frame::of(&state.app, signed, uri, account.description.clone()).await?,
        t,
        path: path_of(account.id),
        id: account.id.to_string(),
        name: account.description.clone(),
        is_test: linked.is_test,
        state: standing(&linked, a),
        bank: bank.map_or_else(|| linked.wire_name.clone(), |bank| bank.platform.to_owned()),
        number: facts.map(|facts| match is_whole {
            true => facts.number.as_str().to_owned(),
            false => facts.number.masked(),
        }),
        phone: facts.and_then(|facts| facts.phone.as_ref()).map(written::phone),
        document: facts
            .filter(|_| is_whole)
            .and_then(|facts| facts.document.as_ref())
            .map(written::document),
        linked: instant(account.created_at),
        once: once(&state.app, signed.caller()),
        settings: (chosen.is_some() && may_set).then_some(choices),
        has_secret: signed.may::<ChangeBankSecret>()
            && bank.is_some_and(|bank| bank.credential_in(Field::Password).is_some()),
        // One that asks for a code is offered: it asks then.
        has_push: pushes && signed.may::<RotatePushSecret>(),
        clients: clients(state, signed, &linked, t).await?,
        may_trash: signed.may::<TrashBankAccount>(),
        form: form.or(settings::kept(&chosen.unwrap_or_default())).or(client::kept(account.client)),
        is_saved: web::query::find(uri, "saved").is_some(),
    };
    Ok(of_template(&page, page.form.status))
}

/// Lists whose the account may be, where the person signed in may move it; else nobody.
async fn clients<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    linked: &Linked,
    t: &ShowTexts,
) -> Result<Vec<Choice>, Failure> {
    let act = match signed.also::<ListClients>() {
        Ok(act) if signed.may::<MoveBankAccount>() => act,
        _ => return Ok(Vec::new()),
    };
    let listed = app::clients::names(&state.app, &act).await?;
    if listed.is_empty() {
        return Ok(Vec::new());
    }
    // The client that has it now is among them, however many came since: a choice that shows another would move it.
    let present = linked.account.client;
    let missing = present.filter(|id| listed.iter().all(|(client, _)| client != id));
    let missing = missing.map(|id| (id, id.to_string()));
    let others = missing.into_iter().chain(listed);
    let others = others.map(|(id, name)| Choice::new(id.to_string(), name));
    Ok(std::iter::once(Choice::new("", t.ours)).chain(others).collect())
}
