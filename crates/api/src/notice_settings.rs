//! `GET` and `PUT /v1/notices/settings`

use app::Precondition;
use app::notice_settings::{self, Choice, RuleChange};
use axum::extract::State;
use axum::response::Response;
use domain::access::{SetNoticeSettings, ShowNoticeSettings};
use domain::language::Language;
use domain::money::Credits;
use domain::notices::{EVERY_MAX, EVERY_MIN, Kind as NoticeKind, Rule, Settings};
use domain::refusal::{Problem, Refusal};
use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use web::{Admitted, AppState, Failure, Fields, JsonBody, answer};

use crate::operation::{
    Endpoint, Group, Int, Kind, NullOr, Optional, Request, Required, TextKind, beside, one_of,
    request, shown,
};
use crate::wire::{Object, say};

const PATH: &str = "/v1/notices/settings";

request! {
    /// Language and balance must be there, so that a slip in a name takes nothing back.
    struct NoticeChoices {
        /// El idioma de los correos. / The language of the mails.
        language: Required<Spoken>,
        /// Por debajo de cuántos créditos se le avisa al titular que quedan pocos; `null` es nunca. / Below how many
        /// credits the owner is told that few are left; `null` is never.
        low_balance_below: NullOr<Int<1, { Credits::MAX.get() }>>,
        /// Qué tipos van por correo, y cada cuánto a lo sumo. El tipo que no está queda como estaba. / Which kinds go
        /// by mail, and how often at the most. A kind that is not there stays as it is.
        rules: Optional<Rules>,
    }
}

/// A language of the service.
struct Spoken;

impl TextKind for Spoken {
    type Value = Language;

    fn parse(text: &str) -> Result<Language, Problem> {
        let problem = Problem::of("debe ser es o en", "must be es or en");
        Language::parse(text).ok_or(problem)
    }

    fn schema() -> Value {
        one_of(&Language::ALL.map(Language::as_str))
    }
}

/// Rules of kinds of notices.
struct Rules;

#[derive(Deserialize)]
struct TypedRule {
    kind: String,
    mail: bool,
    at_most_every_minutes: u32,
}

impl Kind for Rules {
    type Value = Vec<Rule>;

    fn read(fields: &mut Fields, name: &str, raw: &RawValue) -> Option<Vec<Rule>> {
        let sent = serde_json::from_str::<Vec<&RawValue>>(raw.get()).unwrap_or_default();
        let mut sent = sent.iter().enumerate();
        let rule = ["kind", "mail", "at_most_every_minutes"];
        if sent.any(|(place, one)| fields.has_unknown(&format!("{name}[{place}]"), one, &rule)) {
            return None;
        }
        let Ok(typed) = serde_json::from_str::<Vec<Object<TypedRule>>>(raw.get()) else {
            let problem = (
                "debe ser una lista de reglas con kind, mail y at_most_every_minutes",
                "must be a list of rules with kind, mail and at_most_every_minutes",
            );
            return fields.problem(name, problem);
        };
        let mut rules: Vec<Rule> = Vec::new();
        for Object(TypedRule { kind, mail, at_most_every_minutes: every }) in typed {
            let Some(kind) = NoticeKind::parse(&kind) else {
                let problem = ("tiene un aviso que no existe", "has a notice that there is not");
                return fields.problem(name, problem);
            };
            if rules.iter().any(|rule| rule.kind == kind) {
                let problem = ("tiene un aviso dos veces", "has a notice twice");
                return fields.problem(name, problem);
            }
            if !(EVERY_MIN..=EVERY_MAX).contains(&every) {
                let problem = (
                    "at_most_every_minutes debe estar entre 5 y 10080",
                    "at_most_every_minutes must be between 5 and 10080",
                );
                return fields.problem(name, problem);
            }
            rules.push(Rule { kind, mail, every });
        }
        Some(rules)
    }

    fn schema() -> Value {
        json!({
            "type": "array",
            "items": {
                "type": "object",
                "required": ["kind", "mail", "at_most_every_minutes"],
                "additionalProperties": false,
                "properties": {
                    "kind": one_of(&NoticeKind::ALL.map(NoticeKind::as_str)),
                    "mail": { "type": "boolean" },
                    "at_most_every_minutes": {
                        "type": "integer", "minimum": EVERY_MIN, "maximum": EVERY_MAX,
                    },
                },
            },
        })
    }
}

#[derive(Serialize, JsonSchema)]
struct NoticeSettingsAnswer {
    message: &'static str,
    /// El idioma de los correos: `es` o `en`. / The language of the mails: `es` or `en`.
    language: &'static str,
    /// Por debajo de cuántos créditos se avisa de que quedan pocos; `null` es nunca. / Below how many credits it is
    /// told that few are left; `null` is never.
    low_balance_below: Option<i64>,
    /// Una regla por cada tipo de aviso. / A rule for each kind of notice.
    rules: Vec<WireRule>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "NoticeRule")]
struct WireRule {
    /// El tipo de aviso. / The kind of notice.
    kind: &'static str,
    /// Si los avisos de ese tipo le llegan al titular por correo, donde el servicio manda correo. / Whether notices of
    /// the kind go to the owner by mail, where the service sends mail.
    mail: bool,
    /// Cada cuántos minutos, a lo sumo, sale un correo de ese tipo. / In how many minutes one mail of the kind is sent,
    /// at most.
    at_most_every_minutes: u32,
}

pub(crate) fn show_endpoint() -> Endpoint {
    Endpoint::strict::<ShowNoticeSettings, _, _>(Method::GET, PATH, show)
        .does(
            Group::Owner,
            "Muestra qué avisos le llegan al titular por correo.",
            "Shows which notices the owner is told of by mail.",
        )
        .answers::<NoticeSettingsAnswer>(example("ajustes de los avisos"))
}

pub(crate) fn set_endpoint() -> Endpoint {
    Endpoint::strict::<SetNoticeSettings, _, _>(Method::PUT, PATH, set)
        .does(
            Group::Owner,
            "Elige qué avisos le llegan al titular por correo, y cada cuánto.",
            "Chooses which notices the owner is told of by mail, and how often.",
        )
        .takes::<NoticeChoices>(json!({
            "language": "es",
            "low_balance_below": 50,
            "rules": [{ "kind": "webhook_failing", "mail": true, "at_most_every_minutes": 120 }],
        }))
        .answers::<NoticeSettingsAnswer>(example("ajustes guardados"))
}

fn example(message: &str) -> Value {
    json!({
        "message": message,
        "language": "es",
        "low_balance_below": 50,
        "rules": [
            { "kind": "webhook_failing", "mail": true, "at_most_every_minutes": 120 },
            { "kind": "low_balance", "mail": true, "at_most_every_minutes": 1440 },
        ],
    })
}

async fn show(
    admitted: Admitted<ShowNoticeSettings>,
    State(state): State<AppState>,
) -> Result<Response, Failure> {
    let settings = notice_settings::show(&state.app, &admitted.0).await?;
    answer_of(say(admitted.language(), "ajustes de los avisos", "settings of notices"), &settings)
}

async fn set(
    admitted: Admitted<SetNoticeSettings>,
    State(state): State<AppState>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let shows = async { shown(show(Admitted(admitted.also()?), State(state.clone())), "").await };
    let body = beside::<NoticeChoices>(body, shows).await?;
    let settings =
        notice_settings::set(&state.app, &admitted.0, parse(&body)?, Precondition::none()).await?;
    answer_of(say(admitted.language(), "ajustes guardados", "settings kept"), &settings)
}

fn answer_of(message: &'static str, settings: &Settings) -> Result<Response, Failure> {
    let rule = |rule: &Rule| WireRule {
        kind: rule.kind.as_str(),
        mail: rule.mail,
        at_most_every_minutes: rule.every,
    };
    answer::json(&NoticeSettingsAnswer {
        message,
        language: settings.language.as_str(),
        low_balance_below: settings.low_balance_below.map(Credits::get),
        rules: settings.rules().iter().map(rule).collect(),
    })
}

fn parse(body: &JsonBody) -> Result<Choice, Refusal> {
    let NoticeChoices { language, low_balance_below, rules } = NoticeChoices::read(body)?;
    Ok(Choice {
        language: Some(language),
        low_balance_below: Some(low_balance_below.map(Credits::new)),
        rules: rules.unwrap_or_default().into_iter().map(RuleChange::from).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_chosen_is_read_and_bounded() {
        let parsed = |json: &'static str| parse(&JsonBody::from(json));
        let choice = parsed(
            r#"{"language": "en", "low_balance_below": null,
                "rules": [{"kind": "low_balance", "mail": false, "at_most_every_minutes": 5}]}"#,
        );
        let rule = Rule { kind: NoticeKind::LowBalance, mail: false, every: 5 };
        let wanted = Choice {
            language: Some(Language::En),
            low_balance_below: Some(None),
            rules: vec![rule.into()],
        };
        assert_eq!(choice.unwrap(), wanted);
        assert_eq!(parsed(r#"{"language": "es", "low_balance_below": 1}"#).unwrap().rules, []);
        for (json, count) in [
            ("{}", 2),
            (r#"{"language": "pt", "low_balance_below": 0}"#, 2),
            (r#"{"language": "es", "low_balance_below": 1, "rules": {}}"#, 1),
            (
                r#"{"language": "es", "low_balance_below": 1, "rules": [{"kind": "low_balance"}]}"#,
                1,
            ),
            (
                r#"{"language": "es", "low_balance_below": 1,
                    "rules": [{"kind": "rain", "mail": true, "at_most_every_minutes": 5}]}"#,
                1,
            ),
            (
                r#"{"language": "es", "low_balance_below": 1,
                    "rules": [{"kind": "low_balance", "mail": true, "at_most_every_minutes": 4}]}"#,
                1,
            ),
            (
                r#"{"language": "es", "low_balance_below": 1, "rules":
                    [{"kind": "low_balance", "mail": true, "at_most_every_minutes": 5},
                     {"kind": "low_balance", "mail": true, "at_most_every_minutes": 5}]}"#,
                1,
            ),
        ] {
            let Err(Refusal::Validation(details)) = parsed(json) else { panic!("{json}") };
            assert_eq!(details.len(), count, "{json}");
        }
    }
}
