//! What asks for a code or the password before something that needs a proof: the form that was sent, to be sent again with
//! it.

use askama::Template;
use axum::response::Response;
use domain::language::Language;
use http::StatusCode;
use web::{Again, AskedProof, FORM_TOKEN, OF_PROOF, STEP_UP_HELD, is_secret};

use super::again::typed;
use super::assets::ASSETS;
use super::form::FormState;
use super::texts::FrameTexts;
use crate::page::of_template;

texts! {
    StepUpTexts {
        title: "Confirme que es usted", "Confirm your identity";
        why: "Lo que pidió es delicado. Muestre un código de su segundo factor para seguir.", "This is a sensitive action. Enter a two-step verification code to continue.";
        why_password: "Lo que pidió es delicado y hace más de diez minutos que usted escribió su contraseña. Escríbala otra vez para seguir.", "This is a sensitive action, and you entered your password more than ten minutes ago. Enter it again to continue.";
        wrong: "Ese código no es correcto, ya se usó o venció.", "That code is incorrect, has already been used or has expired.";
        wrong_password: "Esa no es su contraseña.", "That is not your password.";
        typed: "Lo que pidió", "What you requested";
        not_me: "Si no fue usted quien lo pidió, no siga: salga y cambie su contraseña.", "If you did not request this, do not continue: sign out and change your password.";
        kept: "Lo que pidió no se perdió: sigue cuando confirme.", "Your request is not lost: it continues once you confirm.";
        go_on: "Seguir", "Continue";
        back: "No seguir", "Do not continue";
    }
}

#[derive(Template)]
#[template(path = "dashboard/step_up.html")]
struct StepUpPage<'a> {
    f: &'static FrameTexts,
    t: &'static StepUpTexts,
    css: &'static str,
    icon: &'static str,
    title: &'static str,
    why: &'static str,
    /// Whether the person shows a code; else the password.
    is_code: bool,
    proof_field: &'static str,
    action: &'a str,
    /// What was typed, and the secrets among it, sealed.
    carried: Vec<(String, String)>,
    /// What people have typed, and what its field is called: nobody confirms what somebody else has left there unseen.
    typed: Vec<(&'static str, String)>,
    /// The field of a file, which is chosen again.
    file: Option<&'a str>,
    form_token: &'a str,
    form: FormState,
}

/// The page that asks for a code, or for the password of a person who has no codes.
pub(crate) fn asked(here: &str, again: Option<&Again>, language: Language) -> Response {
    let t = StepUpTexts::of(language);
    let asked = again.map_or(AskedProof::Code, |again| again.asked);
    let (why, wrong) = match asked {
        AskedProof::Code => (t.why, t.wrong),
        AskedProof::Password => (t.why_password, t.wrong_password),
    };
    let is_wrong = again.is_some_and(|again| again.is_proof_wrong);
    let form = FormState::default();
    let form = if is_wrong { form.with_problem(asked.field(), wrong) } else { form };
    let carried = again.map(carried).unwrap_or_default();
    let page = StepUpPage {
        f: FrameTexts::of(language),
        t,
        css: &ASSETS.css,
        icon: &ASSETS.icon,
        title: t.title,
        why,
        is_code: asked == AskedProof::Code,
        proof_field: asked.field(),
        action: here,
        typed: typed(here, &carried, language),
        carried,
        file: again.and_then(|again| again.form.file_field()),
        form_token: again
            .and_then(|again| again.form_token.as_ref())
            .map_or("", |token| token.expose()),
        form,
    };
    of_template(&page, StatusCode::FORBIDDEN)
}

/// The fields that wait for the proof. A secret that is empty is no secret, and the form asks for the same with it.
fn carried(again: &Again) -> Vec<(String, String)> {
    let is_ours = |name: &str| name == FORM_TOKEN || OF_PROOF.contains(&name);
    let is_plain =
        |(name, value): &(String, String)| !is_ours(name) && (!is_secret(name) || value.is_empty());
    let held = again.held.as_ref().map(|held| (STEP_UP_HELD.to_owned(), held.clone()));
    again.form.pairs().into_iter().filter(is_plain).chain(held).collect()
}
