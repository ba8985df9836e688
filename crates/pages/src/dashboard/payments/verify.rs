//! `GET` and `POST /app/payments/verify`: a person has a reference looked for.

use app::Error;
use app::verification::{Confirmed, ReportedIn, VerifyRequest, verify};
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::{Operation, Verify};
use domain::ids::{BankId, ClientId, VerificationId};
use domain::language::Language;
use domain::links::{Currency, Price};
use domain::matching::{MovementKind, Query};
use domain::money::Bolivars;
use domain::payer::{AccountNumber, BankCode, Document, Phone};
use domain::reference::TypedReference;
use domain::refusal::Refusal;
use domain::text::Text;
use domain::time::CaracasDate;
use http::{StatusCode, Uri};
use web::{AppState, Failure, FormBody, NotTaken, Posted, Signed};

use super::{asked, outcome, tabs};
use crate::checkout::see;
use crate::dashboard::choice::{Choice, accounts, of_accounts};
use crate::dashboard::earlier::Makes;
use crate::dashboard::fields::FormFields;
use crate::dashboard::form::{FormState, once};
use crate::dashboard::frame::Frame;
use crate::dashboard::integrations::Tab;
use crate::dashboard::money::amount;
use crate::dashboard::route::PageRoute;
use crate::dashboard::test_mode;
use crate::page::of_template;
use crate::written;

pub(super) const PATH_VERIFY: &str = "/app/payments/verify";

const VERIFICATION: Makes = Makes {
    path: |id| outcome::path_of(VerificationId::from_bytes(id)),
    see: ("Ver esa verificación", "View that verification"),
    lost: None,
};

texts! {
    VerifyTexts {
        title: "Verificar un pago", "Verify payment";
        lead: "El banco dice en segundos si el dinero llegó. Se cobra un crédito solo si aparece y es nuevo.", "The bank says within seconds whether the money arrived. You are charged one credit only if the payment is found and new.";
        reference: "Referencia", "Reference";
        reference_hint: "Los últimos seis dígitos o más, como están en el comprobante.", "The last six digits or more, as shown on the receipt.";
        amount: "Monto en bolívares", "Amount in bolívares";
        amount_hint: "Vacío: cualquier monto. Escríbalo si lo sabe: así nadie pasa un pago menor.", "Empty: any amount. Enter it if you know it, so that a smaller payment cannot pass as this one.";
        account: "Cuenta que recibió", "Receiving account";
        day: "Día del pago", "Payment date";
        day_hint: "Vacío: los últimos días.", "Empty: the latest days.";
        more: "Quién pagó", "Payer";
        phone: "Teléfono", "Phone";
        phone_hint: "Como 04141234567. Algunos bancos lo necesitan.", "For example, 04141234567. Some banks require it.";
        document: "Documento", "Document";
        document_hint: "Como V12345678.", "For example, V12345678.";
        bank_origin: "Código del banco", "Bank code";
        bank_origin_hint: "Cuatro dígitos, como 0102.", "Four digits, such as 0102.";
        payer_account: "Cuenta", "Account";
        payer_account_hint: "Veinte dígitos, si fue una transferencia.", "Twenty digits, if it was a transfer.";
        kind: "Tipo de pago", "Payment type";
        any: "Cualquiera", "Any";
        movil: "Pago móvil", "Pago móvil";
        transfer: "Transferencia", "Transfer";
        c2p: "C2P", "C2P";
        source: "Para qué es", "Description";
        source_hint: "La venta, la caja o el pedido. Solo para usted.", "The sale, the till or the order. For your own reference.";
        verify: "Verificar", "Verify";
        no_account: "Para verificar hace falta una cuenta de banco vinculada.", "To verify payments, you need a linked bank account.";
        to_accounts: "Ver las cuentas", "View accounts";
        repeated: "Pago confirmado, pero ya se había verificado antes", "Payment confirmed, but it had already been verified";
        repeated_text: "No entregue dos veces por el mismo pago.", "Do not hand anything over twice for the same payment.";
        another: "Verificar otro pago", "Verify another payment";
    }
}

#[derive(Template)]
#[template(path = "dashboard/payments/verify.html")]
struct VerifyPage {
    f: Frame,
    t: &'static VerifyTexts,
    tabs: Vec<Tab>,
    form: FormState,
    accounts: Vec<Choice>,
    kinds: Vec<Choice>,
    is_more_open: bool,
    once: String,
    repeated: Option<Repeated>,
}

/// A payment that somebody else had verified before, whose question the person does not see.
struct Repeated {
    is_test: bool,
    amount: String,
    reference: String,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::page::<Verify, _, _>(PATH_VERIFY, view),
        PageRoute::form::<Verify, _, _>(PATH_VERIFY, ask)
            .takes(&[
                "user_bank_id",
                "bank_reference",
                "amount",
                "fecha_pago",
                "phone_pagador",
                "dni_pagador",
                "bank_origin",
                "cuentaPagador",
                "movement_type",
                "source_name",
            ])
            .labelled(|language| {
                let t = VerifyTexts::of(language);
                vec![
                    ("bank_reference", t.reference),
                    ("amount", t.amount),
                    ("fecha_pago", t.day),
                    ("phone_pagador", t.phone),
                    ("dni_pagador", t.document),
                    ("bank_origin", t.bank_origin),
                    ("cuentaPagador", t.payer_account),
                    ("source_name", t.source),
                ]
            }),
    ]
}

async fn view(
    signed: Signed<Verify>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    // What another page has filled in.
    let value = |name| asked(&uri, name).unwrap_or_default();
    let form = FormState::with(&[
        ("bank_reference", &value("bank_reference")),
        ("amount", &value("amount")),
        ("user_bank_id", &value("user_bank_id")),
        ("fecha_pago", &value("fecha_pago")),
    ]);
    Ok(of_template(&page(&state, &signed, &uri, form).await?, StatusCode::OK))
}

async fn page<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    uri: &Uri,
    form: FormState,
) -> Result<VerifyPage, Failure> {
    let language = signed.language();
    let t = VerifyTexts::of(language);
    let linked = accounts(&state.app, signed).await?;
    let more = ["phone_pagador", "dni_pagador", "bank_origin", "cuentaPagador", "movement_type"];
    let is_more = |name: &&str| !form.value(name).is_empty() || form.problem(name).is_some();
    Ok(VerifyPage {
        f: Frame::of(&state.app, signed, uri, t.title).await?,
        t,
        tabs: tabs(signed, PATH_VERIFY),
        accounts: of_accounts(linked.iter().filter(|one| one.takes_links())),
        kinds: kinds(t),
        is_more_open: more.iter().any(is_more),
        form,
        once: once(&state.app, signed.caller()),
        repeated: None,
    })
}

fn kinds(t: &VerifyTexts) -> Vec<Choice> {
    let choice = |kind: MovementKind| match kind {
        MovementKind::Generic => Choice::new("", t.any),
        MovementKind::MovilPay => Choice::new(kind.as_str(), t.movil),
        MovementKind::Transfer => Choice::new(kind.as_str(), t.transfer),
        MovementKind::C2p => Choice::new(kind.as_str(), t.c2p),
    };
    MovementKind::ALL.into_iter().map(choice).collect()
}

async fn ask(
    State(state): State<AppState>,
    uri: Uri,
    Posted { signed, form }: Posted<Verify>,
) -> Result<Response, NotTaken> {
    let language = signed.language();
    let request = read(&form).and_then(|request| {
        test_mode::check_account(&signed.test_mode, request.bank)?;
        Ok(request)
    });
    let answered = match request {
        Ok(request) => {
            let slot = form.slot(&signed.act);
            verify(&state.app, &signed.act, request, slot, Kept::written).await
        }
        Err(refusal) => Err(refusal.into()),
    };
    match answered {
        Ok(answered) => match Kept::read(&answered.body) {
            // Its page says whether the money is new: once, and what is true whenever it is looked at again.
            Some(kept) if signed.caller().sees_made_for(kept.client) => {
                Ok(see(&outcome::path_of(kept.verification)))
            }
            kept => {
                let mut page = page(&state, &signed, &uri, FormState::default()).await?;
                let is_test = signed.test_mode.is_all_test();
                page.repeated = kept.map(|kept| kept.shown(is_test, language));
                Ok(of_template(&page, StatusCode::OK))
            }
        },
        // Its page is loaded again until the bank has answered.
        Err(Error::Refused(Refusal::BankSearching { verification })) => {
            Ok(see(&outcome::path_of(verification)))
        }
        Err(error) => {
            let again = VERIFICATION.again((&state, &signed), &form, error).await?;
            let page = page(&state, &signed, &uri, again).await?;
            Ok(of_template(&page, page.form.status))
        }
    }
}

/// The payment that a form has found, as it is kept for the same form sent twice. Nothing of it says that it is new.
struct Kept {
    /// The verification that claimed it, and the client that asked for that.
    verification: VerificationId,
    client: Option<ClientId>,
    hundredths: i64,
    reference: String,
}

impl Kept {
    /// A line for each.
    fn written(confirmed: &Confirmed) -> Vec<u8> {
        let payment = &confirmed.whole.payment;
        let client = payment.client.map(|client| client.to_string()).unwrap_or_default();
        let hundredths = payment.amount.hundredths();
        let (verification, reference) = (payment.verification, &payment.reference);
        format!("{verification}\n{client}\n{hundredths}\n{reference}").into_bytes()
    }

    fn read(kept: &[u8]) -> Option<Self> {
        let mut lines = std::str::from_utf8(kept).ok()?.splitn(4, '\n');
        let verification = lines.next()?.parse().ok()?;
        let client = match lines.next()? {
            "" => None,
            client => Some(client.parse().ok()?),
        };
        let hundredths = lines.next()?.parse().ok()?;
        Some(Self { verification, client, hundredths, reference: lines.next()?.to_owned() })
    }

    fn shown(self, is_test: bool, language: Language) -> Repeated {
        let price = Price { hundredths: self.hundredths, currency: Currency::Vef };
        let amount = written::price(price, language);
        Repeated { is_test, amount, reference: self.reference }
    }
}

fn read(form: &FormBody) -> Result<VerifyRequest, Refusal> {
    let mut fields = FormFields::of(form);
    let bank = fields.required("user_bank_id", str::parse::<BankId>);
    let reference = fields.required("bank_reference", TypedReference::pasted);
    let amount = fields.optional("amount", amount).map(Bolivars::from_hundredths);
    let paid_on: Option<CaracasDate> = fields.day("fecha_pago");
    let phone = fields.optional("phone_pagador", Phone::parse);
    let document = fields.optional("dni_pagador", Document::parse);
    let bank_origin = fields.optional("bank_origin", BankCode::parse);
    let account = fields.optional("cuentaPagador", AccountNumber::parse);
    let unknown = ("no es uno de los tipos", "is not one of the types");
    let kind = fields.optional("movement_type", |text| MovementKind::parse(text).ok_or(unknown));
    let source = fields.optional("source_name", Text::<0, 120>::parse);
    let all = || {
        let query = Query {
            amount,
            phone,
            document,
            bank_origin,
            account,
            paid_on,
            kind: kind.unwrap_or_default(),
            ..Query::new(reference?)
        };
        Some(VerifyRequest {
            bank: bank?,
            query,
            source_name: source.map(Text::into_string),
            reported_in: ReportedIn::Page,
        })
    };
    let request = all();
    fields.made(request)
}
