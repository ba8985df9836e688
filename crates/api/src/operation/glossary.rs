//! Fields that mean the same wherever they are answered. What a field means in one shape alone is its doc comment, which
//! comes first.

use serde_json::Value;

/// Names of fields, each with its meaning in Spanish and in English.
const FIELDS: &[(&str, &str, &str)] = &[
    (
        "message",
        "Lo que se hizo, en una frase para personas; un programa no decide por ella.",
        "What was done, in a sentence for people; no program decides by it.",
    ),
    // Lists
    ("page", "El número de esta página, desde 1.", "The number of this page, from 1 on."),
    ("limit", "Cuántos caben en una página.", "How many fit on a page."),
    ("total", "Cuántos hay en todas las páginas.", "How many there are on all pages."),
    // Things
    ("id", "Su id, que no cambia nunca.", "Its id, which never changes."),
    ("name", "Su nombre, para personas.", "Its name, for people."),
    (
        "description",
        "Para qué es, en palabras de quien lo creó.",
        "What it is for, in the words of whoever made it.",
    ),
    ("is_active", "Si puede usar el servicio.", "Whether it may use the service."),
    (
        "livemode",
        "Si el dinero existe: `false` en lo del banco de prueba.",
        "Whether the money exists: `false` in what is of the test bank.",
    ),
    ("created_at", "Cuándo se creó.", "When it was created."),
    ("updated_at", "Cuándo cambió por última vez.", "When it last changed."),
    ("began_at", "Cuándo empezó.", "When it began."),
    (
        "ended_at",
        "Cuándo terminó; `null` mientras no termine.",
        "When it ended; `null` until it does.",
    ),
    (
        "expires_at",
        "Hasta cuándo sirve; `null` es para siempre.",
        "Until when it is good; `null` is for ever.",
    ),
    (
        "error_code",
        "El código del rechazo; `null` donde no se rechazó.",
        "The code of the refusal; `null` where it was not refused.",
    ),
    (
        "trouble",
        "Por qué no llegó; `null` donde no falló nada.",
        "Why it did not arrive; `null` where nothing failed.",
    ),
    // What they belong to
    ("user_id", "El titular.", "The owner."),
    (
        "user_bank_id",
        "La cuenta bancaria que recibe el dinero.",
        "The bank account that receives the money.",
    ),
    ("payment_link_id", "El enlace de pago de que se trata.", "The payment link that it is about."),
    // Money
    (
        "amount",
        "Con dos decimales a lo sumo, en la moneda que dice `currency`; si no dice ninguna, en bolívares.",
        "With at most two decimals, in the currency that `currency` says; in bolívares, if it says none.",
    ),
    (
        "currency",
        "El código de la moneda; `VEF` es el bolívar.",
        "The code of the currency; `VEF` is the bolívar.",
    ),
    ("credit_cost", "Los créditos que costó.", "The credits that it cost."),
    (
        "monthly_credit_limit",
        "Créditos de un mes de Caracas; `null` es sin límite.",
        "Credits of a month of Caracas; `null` is no limit.",
    ),
    // Payments
    (
        "bank_reference_id",
        "La referencia completa, como la tiene el banco.",
        "The whole reference, as the bank has it.",
    ),
    ("reference", "La referencia, como la dio el banco.", "The reference, as the bank gave it."),
    (
        "movement_date",
        "La fecha y hora del banco; la medianoche de Caracas donde solo dice el día.",
        "The bank's date and time; midnight in Caracas where it says the day alone.",
    ),
    (
        "movement_type",
        "La forma de pago por la que se preguntó, como `GENERIC`.",
        "The kind of payment that was asked about, such as `GENERIC`.",
    ),
    (
        "matched_by",
        "Si lo encontró su referencia, o quién pagó, cuánto y qué día.",
        "Whether its reference found it, or who paid, how much and on which day.",
    ),
    ("confirmed_status", "Siempre `true`.", "Always `true`."),
    ("details", "Siempre vacía.", "Always empty."),
    (
        "cedula_pagador",
        "El documento de quien pagó; `null` donde no se dijo.",
        "The payer's document; `null` where it was not said.",
    ),
    (
        "telefono_pagador",
        "El teléfono de quien pagó; vacío donde no se dijo.",
        "The payer's phone; empty where it was not said.",
    ),
    (
        "fecha_pago",
        "El día del pago; vacío donde no se dijo.",
        "The day of the payment; empty where it was not said.",
    ),
    (
        "banco_origen",
        "El código del banco de quien pagó; vacío donde no se dijo.",
        "The code of the payer's bank; empty where it was not said.",
    ),
    (
        "cuenta_pagador",
        "La cuenta de quien pagó; vacía donde no se dijo.",
        "The payer's account; empty where it was not said.",
    ),
    ("invoice_number", "Siempre vacío.", "Always empty."),
    // Payment links
    (
        "webhook_url",
        "Adónde se avisa de su final; `null` donde no se avisa.",
        "Where its end is told; `null` where it is not.",
    ),
    ("webhook_method", "Siempre `POST`.", "Always `POST`."),
    (
        "status_detail",
        "Por qué no se pagará, para personas; no está donde no se sabe.",
        "Why it will not be paid, for people; absent where that is not known.",
    ),
    (
        "redirect_url",
        "Adónde sigue quien pagó; `null` donde no sigue.",
        "Where the payer goes on; `null` where nowhere.",
    ),
    (
        "with_subscription_id",
        "La suscripción por cuyo período se paga; `null` si no es por una.",
        "The subscription whose period it pays; `null` if it is for none.",
    ),
    (
        "payment_link_origin",
        "`dashboard` donde se creó en el panel; si no, `api`.",
        "`dashboard` where it was made in the dashboard, else `api`.",
    ),
    (
        "rate_exchange",
        "Bolívares por unidad de su moneda; `null` mientras no se sostenga ninguna tasa.",
        "Bolívares for one unit of its currency; `null` as long as no rate is held.",
    ),
    (
        "rate_expiration_time",
        "Cuántos minutos se sostiene una tasa.",
        "How many minutes a rate holds.",
    ),
    (
        "rate_updated_at",
        "Desde cuándo se sostiene esa tasa; `null` donde no hay ninguna.",
        "Since when that rate holds; `null` where there is none.",
    ),
    (
        "expiration_time",
        "Cuántos minutos sirve; -1 es para siempre.",
        "How many minutes it is good for; -1 is for ever.",
    ),
    // Rates
    (
        "source",
        "De quién es la tasa, como se les dice a los pagadores.",
        "Whose rate it is, as payers are told.",
    ),
    (
        "rate_rule",
        "`by_value_date`: rige la de la última fecha valor que ya llegó; `by_publication`: la de la última publicada.",
        "`by_value_date`: that of the latest value date that has come serves; `by_publication`: that of the latest one \
         published.",
    ),
    // Webhooks
    (
        "webhook_secret",
        "El secreto con que se firman los webhooks; guárdelo como una clave.",
        "The secret that webhooks are signed with; keep it like a password.",
    ),
    (
        "clock",
        "El reloj del receptor; `null` donde no dijo la hora.",
        "The receiver's clock; `null` where it did not say the time.",
    ),
];

/// Describes each field of a shape that says nothing of itself and means what it means everywhere.
pub(super) fn describe(shape: &mut Value) {
    match shape {
        Value::Object(words) => {
            if let Some(Value::Object(fields)) = words.get_mut("properties") {
                for (name, field) in fields {
                    describe_field(name, field);
                }
            }
            words.values_mut().for_each(describe);
        }
        Value::Array(items) => items.iter_mut().for_each(describe),
        _ => {}
    }
}

fn describe_field(name: &str, field: &mut Value) {
    let Value::Object(words) = field else { return };
    // What has a shape of its own is described there.
    if words.contains_key("$ref") || words.contains_key("description") {
        return;
    }
    if let Some((_, es, en)) = FIELDS.iter().find(|(known, ..)| *known == name) {
        words.insert("description".to_owned(), format!("{es} / {en}").into());
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;

    #[test]
    fn a_field_is_described_by_itself_by_its_shape_or_by_its_name() {
        let mut shape = json!({ "properties": {
            "page": { "type": "integer" },
            "name": { "type": "string", "description": "Otro. / Another." },
            "clock": { "$ref": "#/components/schemas/ReceiverClock" },
            "list": { "items": { "properties": { "page": {}, "made_up": {} } } },
        } });
        describe(&mut shape);
        let page = "El número de esta página, desde 1. / The number of this page, from 1 on.";
        assert_eq!(
            shape,
            json!({ "properties": {
                "page": { "type": "integer", "description": page },
                "name": { "type": "string", "description": "Otro. / Another." },
                "clock": { "$ref": "#/components/schemas/ReceiverClock" },
                "list": { "items": { "properties": { "page": { "description": page }, "made_up": {} } } },
            } })
        );
    }

    #[test]
    fn a_name_has_one_meaning() {
        let names: BTreeSet<&str> = FIELDS.iter().map(|(name, ..)| *name).collect();
        assert_eq!(names.len(), FIELDS.len());
    }
}
