//! `GET /v1/statistics`

use app::statistics::{OfCurrency, Part, Question, Tallies, show};
use axum::extract::State;
use axum::response::Response;
use domain::access::ShowStatistics;
use domain::money::Bolivars;
use domain::refusal::{Problem, Refusal};
use domain::statistics::{DAYS, GroupBy, Period, Tally, known_sum};
use domain::time::{CaracasDate, Timestamp};
use http::{Method, Uri};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, answer};

use crate::operation::{Endpoint, Group, Parameter, Query, WireForm, one_of};
use crate::wire::{Shown, day, invalid, parameter, say};

const WORDS: [&str; 10] = [
    "hour",
    "day",
    "month",
    "bank",
    "payer_bank",
    "client",
    "key",
    "person",
    "currency",
    "subscription",
];

#[derive(Serialize, JsonSchema)]
struct StatisticsAnswer<'a> {
    message: &'static str,
    /// El primer día del período, en Caracas. / The first day of the period, in Caracas.
    from: Shown<CaracasDate>,
    /// Su último día. / Its last day.
    to: Shown<CaracasDate>,
    /// El período anterior, que tiene los mismos días. / The period before, which has as many days.
    previous_from: Shown<CaracasDate>,
    /// El último día del período anterior. / The last day of the period before.
    previous_to: Shown<CaracasDate>,
    /// Por qué se agrupan los pagos. / What the payments are grouped by.
    #[schemars(extend("enum" = WORDS))]
    group_by: &'static str,
    /// Si es de dinero real, o de pruebas. / Whether it is about money, or about the sandbox.
    livemode: bool,
    /// Si el período no tiene ningún pago real y sí de prueba, que se piden con `livemode=false`. / Whether the period has
    /// no real payment but has test payments, which `livemode=false` asks for.
    has_test_payments: bool,
    /// Cada moneda aparte: nunca se suman entre sí. / Each currency for itself: they are never added up.
    statistics: Vec<CurrencySums<'a>>,
    /// Si una moneda tiene más grupos que los que se muestran. / Whether a currency has more groups than are told of.
    has_more: bool,
}

/// Los pagos de una moneda: los nuevos, cada uno en el día en que se verificó. / The payments of one currency: new
/// ones, each on the day on which it was verified.
#[derive(Serialize, JsonSchema)]
struct CurrencySums<'a> {
    /// La moneda de los precios. / The currency of the prices.
    currency: &'static str,
    #[serde(flatten)]
    sums: Sums,
    /// Lo mismo del período anterior. / The same of the period before.
    previous: Sums,
    /// Los grupos que tienen pagos. / The groups that have payments.
    groups: Vec<GroupSums<'a>>,
    /// Si tiene más de mil grupos; se muestran los de mayores sumas. / Whether it has more than a thousand groups;
    /// those of the greatest sums are told of.
    has_more: bool,
}

/// Los pagos de un grupo. / The payments of a group.
#[derive(Serialize, JsonSchema)]
struct GroupSums<'a> {
    /// El instante en que empieza la hora, el día, el mes, el código del banco del pagador o de la moneda, o el id de la
    /// cuenta, del cliente, de la llave, de la persona o de la suscripción; `null` para los pagos sin ninguno. / The
    /// instant at which the hour begins, the day, the month, the code of the payer's bank or of the currency, or the id of
    /// the account, client, key, person or subscription; null for payments without one.
    id: Option<&'a str>,
    /// El nombre de la cuenta, el cliente, la llave, la persona o la suscripción; `null` de una suscripción para quien no
    /// puede ver las suscripciones, y de lo que ya no es de su cliente para la gente de este. / The name of the account,
    /// client, key, person or subscription; null of a subscription for callers who may not see subscriptions, and for a
    /// client's people of what is not their client's any more.
    name: Option<&'a str>,
    /// Solo de una suscripción, y para quien puede verla. / Only of a subscription, for callers who may see it.
    #[serde(rename = "productName", skip_serializing_if = "Option::is_none")]
    product_name: Option<&'a str>,
    /// Solo de una suscripción, y para quien puede verla. / Only of a subscription, for callers who may see it.
    #[serde(rename = "clientName", skip_serializing_if = "Option::is_none")]
    client_name: Option<&'a str>,
    #[serde(flatten)]
    sums: Sums,
    /// Lo mismo del período anterior; de un día, el día que está tantos días antes como tiene el período. / The same of
    /// the period before; of a day, the day that lies as many days before it as the period has.
    previous: Sums,
}

#[derive(Serialize, JsonSchema)]
struct Sums {
    /// Cuántos pagos son. / How many payments there are.
    count: i64,
    /// Lo que se cobró, en la moneda del precio; `null` si pasa de 10 billones. / What was priced, in the currency of the
    /// price; null where it is more than 10 trillion.
    sum: Option<f64>,
    /// Al centésimo más cercano; `null` donde no hay ningún pago, o no se sabe la suma. / To the nearest hundredth; null
    /// where there is no payment, or the sum is not known.
    mean: Option<f64>,
    /// Lo que el banco acreditó por ellos, en bolívares; `null` si pasa de 10 billones. / What the bank credited for
    /// them, in bolívares; null where it is more than 10 trillion.
    received: Option<f64>,
}

impl From<Tally> for Sums {
    fn from(tally: Tally) -> Self {
        let number = |hundredths| Bolivars::from_hundredths(hundredths).to_number();
        Self {
            count: tally.count,
            sum: known_sum(tally.sum).map(number),
            mean: tally.mean().map(number),
            received: known_sum(tally.received).map(number),
        }
    }
}

impl<'a> CurrencySums<'a> {
    fn of(of: &'a OfCurrency) -> Self {
        let Tallies { now, before } = of.tallies;
        let group = |part: &'a Part| GroupSums {
            id: part.id.as_deref(),
            name: part.name.as_deref(),
            product_name: part.subscribed.as_ref().map(|of| of.product.as_str()),
            client_name: part.subscribed.as_ref().map(|of| of.customer.as_str()),
            sums: part.tallies.now.into(),
            previous: part.tallies.before.into(),
        };
        Self {
            currency: of.currency.as_str(),
            sums: now.into(),
            previous: before.into(),
            groups: of.groups.iter().map(group).collect(),
            has_more: of.has_more,
        }
    }
}

/// Query of the statistics. A day that the caller left out is derived from today.
struct Asked {
    from: Option<CaracasDate>,
    to: Option<CaracasDate>,
    group_by: GroupBy,
    livemode: bool,
}

impl Query for Asked {
    fn parameters() -> Vec<Parameter> {
        let day = CaracasDate::schema;
        vec![
            parameter(
                "from",
                "El primer día en Caracas; sin él, el período tiene 30 días.",
                "The first day, in Caracas; without it, the period has 30 days.",
                day(),
            ),
            parameter(
                "to",
                "El último día en Caracas; sin él, hoy. A lo más 400 días; por hora, banco del pagador o suscripción, 31.",
                "The last day, in Caracas; without it, today. At most 400 days; by hour, payer's bank or subscription, 31.",
                day(),
            ),
            parameter(
                "group_by",
                "Por qué se agrupan; sin él, por día.",
                "What they are grouped by; without it, by day.",
                one_of(&WORDS),
            )
            .or_empty(),
            parameter(
                "livemode",
                "`false` muestra los pagos de prueba en vez de los reales.",
                "`false` shows payments of the sandbox instead of real ones.",
                json!({ "type": "boolean", "default": true }),
            )
            .or_empty(),
        ]
    }

    fn read(uri: &Uri) -> Result<Self, Refusal> {
        let word = web::query::find(uri, "group_by").filter(|word| !word.is_empty());
        let group_by = word.map_or(Ok(GroupBy::default()), |word| {
            GroupBy::parse(&word).ok_or_else(|| invalid("group_by", Problem::one_of(&WORDS)))
        })?;
        let livemode = match web::query::find(uri, "livemode").as_deref() {
            None | Some("" | "true") => true,
            Some("false") => false,
            Some(_) => return Err(invalid("livemode", Problem::one_of(&["true", "false"]))),
        };
        Ok(Self { from: day(uri, "from")?, to: day(uri, "to")?, group_by, livemode })
    }
}

impl Asked {
    /// The period that is meant at `now`.
    fn period(&self, now: Timestamp) -> Result<Period, Refusal> {
        let days = |days| i32::try_from(days).unwrap_or(i32::MAX) - 1;
        let to = self.to.unwrap_or_else(|| CaracasDate::of(now));
        let from = self.from.unwrap_or_else(|| to.plus_days(-days(DAYS)));
        if from > to {
            return Err(invalid("from", ("no debe ser después de `to`", "must not be after `to`")));
        }
        let period = Period { from, to };
        let most = self.group_by.days_max();
        if period.days() > most {
            let problem = Problem::made(
                format!("pasa de los {most} días antes de `to`: pida un período más corto"),
                format!("is more than {most} days before `to`: ask for a shorter period"),
            );
            return Err(invalid("from", problem));
        }
        Ok(period)
    }
}

pub(crate) fn endpoint() -> Endpoint {
    let sums = |count: i64, sum: f64| json!({ "count": count, "sum": sum, "mean": 150.75, "received": sum });
    let mut group = sums(2, 301.5);
    group["id"] = json!("2026-11-20");
    group["name"] = json!(null);
    group["previous"] = sums(1, 150.75);
    let mut currency = group.clone();
    currency["currency"] = json!("VEF");
    currency["groups"] = json!([group]);
    currency["has_more"] = json!(false);
    currency.as_object_mut().map(|fields| (fields.remove("id"), fields.remove("name")));
    Endpoint::strict::<ShowStatistics, _, _>(Method::GET, "/v1/statistics", handle)
        .does(
            Group::Payments,
            "Suma los pagos verificados por primera vez, cada moneda aparte, con los del período anterior; para la gente de un cliente, los de sus llaves y su gente.",
            "Adds up payments that were verified for the first time, each currency for itself, with those of the period before; for a client's people those of its keys and people.",
        )
        .query::<Asked>()
        .answers::<StatisticsAnswer<'_>>(json!({
            "message": "estadísticas",
            "from": "2026-11-01",
            "to": "2026-11-30",
            "previous_from": "2026-10-02",
            "previous_to": "2026-10-31",
            "group_by": "day",
            "livemode": true,
            "has_test_payments": false,
            "statistics": [currency],
            "has_more": false,
        }))
}

async fn handle(
    admitted: Admitted<ShowStatistics>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let asked = Asked::read(&uri)?;
    let period = asked.period(admitted.0.now)?;
    let Asked { group_by, livemode, .. } = asked;
    let question = Question { period, group_by, livemode };
    let found = show(&state.app, &admitted.0, question).await?;
    let before = period.before();
    answer::json(&StatisticsAnswer {
        message: say(admitted.language(), "estadísticas", "statistics"),
        from: Shown(period.from),
        to: Shown(period.to),
        previous_from: Shown(before.from),
        previous_to: Shown(before.to),
        group_by: group_by.as_str(),
        livemode,
        has_test_payments: found.has_test_payments,
        statistics: found.currencies.iter().map(CurrencySums::of).collect(),
        has_more: found.has_more(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_micros(1_795_651_200_000_000);

    fn period(query: &str) -> Result<(String, String), Refusal> {
        let uri = format!("/a?{query}").parse::<Uri>().unwrap();
        let Period { from, to } = Asked::read(&uri)?.period(NOW)?;
        Ok((from.to_string(), to.to_string()))
    }

    #[test]
    fn days_that_nobody_said_follow_from_today() {
        let days = |query| period(query).unwrap();
        let both = |from: &str, to: &str| (from.to_owned(), to.to_owned());
        assert_eq!(days(""), both("2026-10-27", "2026-11-25"));
        assert_eq!(days("to=2026-01-30"), both("2026-01-01", "2026-01-30"));
        assert_eq!(days("from=2026-11-01"), both("2026-11-01", "2026-11-25"));
        assert_eq!(days("from=2025-01-01&to=2026-02-04"), both("2025-01-01", "2026-02-04"));
    }

    #[test]
    fn what_cannot_be_asked_is_reported() {
        for (query, field) in [
            ("from=x", "from"),
            ("to=2026-13-01", "to"),
            ("from=2026-11-27", "from"),
            ("from=2025-01-01&to=2026-02-05", "from"),
            ("from=2026-10-25&group_by=hour", "from"),
            ("from=2026-10-25&group_by=payer_bank", "from"),
            ("from=2026-10-25&group_by=subscription", "from"),
            ("group_by=year", "group_by"),
            ("livemode=1", "livemode"),
        ] {
            let Err(Refusal::Validation(details)) = period(query) else { panic!("{query}") };
            assert_eq!(details[0].field, field, "{query}");
        }
    }

    #[test]
    fn the_words_are_those_of_the_domain() {
        assert_eq!(GroupBy::ALL.map(GroupBy::as_str), WORDS);
    }
}
