//! Reading pages, whatever is on them.

use domain::time::CaracasDate;
use proptest::prelude::*;
use serde_json::json;

use super::super::extract::read_page;
use super::{NOON, credit, page};

proptest! {
    /// A day and an hour of the extract are those of Caracas, whatever day it is in Greenwich.
    #[test]
    fn an_hour_of_the_extract_is_an_hour_of_its_day_in_caracas(
        days in 16_923..60_000_i64,
        at_an_edge: bool,
        minute in prop_oneof![0..1_440_u32, Just(0), Just(1_439), 1_190..1_210_u32],
        form in 0..5_u8,
    ) {
        let mut day = CaracasDate::from_days(days).unwrap();
        // To the last of its month.
        while at_an_edge && !day.plus_days(1).to_string().ends_with("-01") {
            day = day.plus_days(1);
        }
        let (hour, rest) = (minute / 60, minute % 60);
        let iso = day.to_string();
        let parts: Vec<&str> = iso.split('-').collect();
        let [year, month, date] = parts[..] else { panic!("a date has three parts") };
        let (fecha, hora) = match form {
            0 => (iso.clone(), json!(format!("{hour:02}{rest:02}"))),
            1 => (format!("{date}/{month}/{year}"), json!(format!("{hour:02}:{rest:02}"))),
            2 => (format!("{year}{month}{date}"), json!(format!("{hour:02}{rest:02}59"))),
            // The bank's zeros get lost where it writes a number.
            3 if hour > 0 => (iso.clone(), json!(hour * 100 + rest)),
            _ => (String::new(), json!(format!("{hour:02}{rest:02}"))),
        };
        let mut row = credit("0000012912345", "42.50");
        (row["fecha"], row["hora"]) = (json!(fecha), hora);
        let page = read_page(200, page(&json!([row])).as_bytes(), day).unwrap();
        let seen = &page.rows[0];
        prop_assert_eq!(seen.paid_on, day);
        let paid_at = seen.paid_at.unwrap();
        prop_assert_eq!(CaracasDate::of(paid_at), day);
        prop_assert_eq!(paid_at.since(day.start()).as_secs(), u64::from(minute) * 60);
    }

    /// Whatever a bank sends, reading it ends, and what is not a page is no empty day.
    #[test]
    fn no_answer_breaks_the_reading(status in 100..600_u16, body in ".{0,200}") {
        let day = CaracasDate::of(NOON);
        prop_assert!(read_page(status, body.as_bytes(), day).is_err());
        let framed = format!("{{\"code\":\"1000\",\"data\":{{\"movs\":[{body}]}}}}");
        drop(read_page(status, framed.as_bytes(), day));
    }

    /// Text that hides in any field of a row is never taken for more than it is.
    #[test]
    fn no_row_breaks_the_reading(fields in proptest::collection::vec(".{0,16}", 6)) {
        let row = json!({
            "referencia": fields[0], "fecha": fields[1], "hora": fields[2], "mov": "CREDITO",
            "importe": fields[3], "nroMov": fields[4], "observacion": fields[5],
        });
        let day = CaracasDate::of(NOON);
        let page = read_page(200, page(&json!([row])).as_bytes(), day).unwrap();
        prop_assert!(page.rows.iter().all(|seen| seen.amount.is_positive()));
    }
}
