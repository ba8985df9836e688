//! What a payment becomes in the extract: the credit itself, the commission that the bank takes
//! for it, and now and then the credit once more.
//!
//! The bank does some of this without a rule that anybody knows. Here the payment's number
//! decides, so that a run of a test is like the last one.

use std::time::Duration;

use domain::money::Bolivars;
use domain::time::{CaracasDate, Timestamp};

use super::CODE;
use super::written::{national, padded};
use crate::payment::{Kind, Payer, Payment};

/// Number of consecutive pagos móviles, one of which has no commission beside it: 29 of 421 in one count.
const COMMISSION_MISSING_EVERY: u64 = 14;

/// Number of consecutive payments, one of which is shown twice.
const REPEATED_EVERY: u64 = 5;

/// Number of consecutive rows, one of which shows a small amount with a point.
const POINT_EVERY: u64 = 2;

/// Below this, in hundredths, amounts were seen with a point.
const POINT_BELOW: i64 = 100_000;

/// How many digits a reference of the extract has.
const REFERENCE_DIGITS: usize = 13;

/// How many digits at the end a commission shares with its payment.
const SHARED_DIGITS: usize = 8;

/// Prefix that the bank puts before the receipt's digits: as many of its last digits as there is room for.
const PREFIX: &str = "00509";

/// The same for commissions.
const COMMISSION_PREFIX: &str = "00731";

/// Prefix of the reference of a payment from the same bank. The rest of the reference is the payment's own number.
const INTERNAL_PREFIX: &str = "06772";

/// The width that the first name is filled up to, as in any record of fixed width.
const NAME_WIDTH: usize = 10;

/// The commission on a pago móvil of commerce: 1.5 %, and 2 bolívares at least (BCV, Gaceta
/// Oficial 43.231).
const COMMISSION_PER_THOUSAND: i64 = 15;
const COMMISSION_MIN: i64 = 200;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A row of the extract.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// Where rows are continued from; no two have the same.
    pub(crate) number: u64,
    pub(crate) reference: String,
    pub(crate) description: &'static str,
    /// Its day and hour are those of the payment, however late it is posted.
    pub(crate) paid_at: Timestamp,
    pub(crate) posts_at: Timestamp,
    /// Where it stands among the rows of its day: at that instant's place.
    pub(crate) stands_at: Timestamp,
    /// Below zero where it left the account.
    pub(crate) amount: Bolivars,
    pub(crate) is_with_point: bool,
    /// Whether its amount is written so that nobody can read it.
    pub(crate) is_unreadable: bool,
    pub(crate) remark: String,
    /// Whether this is a row again that is there already, and moved no money.
    pub(crate) is_repeated: bool,
}

impl Row {
    /// The day that it is of.
    pub(crate) fn day(&self) -> CaracasDate {
        CaracasDate::of(self.paid_at)
    }
}

/// The rows of a payment, numbered from there on.
pub(crate) fn rows(payment: &Payment, first: u64) -> Vec<Row> {
    let reference = reference(payment);
    let is_at_its_hour = payment.oddities.at_its_hour.unwrap_or(false);
    let stands_at = if is_at_its_hour { payment.paid_at } else { payment.posts_at };
    let row = |reference: String, amount: Bolivars, description, remark| Row {
        number: 0,
        reference,
        description,
        paid_at: payment.paid_at,
        posts_at: payment.posts_at,
        stands_at,
        amount,
        is_with_point: false,
        is_unreadable: false,
        remark,
        is_repeated: false,
    };
    let credit = Row {
        is_unreadable: payment.oddities.unreadable.unwrap_or(false),
        ..row(reference.clone(), payment.amount, description(payment.kind), remark(payment))
    };
    let mut rows = vec![credit.clone()];
    if has_commission(payment) {
        let twin = format!("{COMMISSION_PREFIX}{}", ending(&reference, SHARED_DIGITS));
        let remark = "COMISION PAGOMOVIL RECIBIDO".to_owned();
        rows.push(row(twin, commission(payment.amount), "COMISION PAGO MOVIL", remark));
    }
    if payment.oddities.repeated.unwrap_or(payment.number.is_multiple_of(REPEATED_EVERY)) {
        rows.push(Row { is_repeated: true, ..credit.clone() });
    }
    if let Some(again) = &payment.oddities.again {
        let earlier = |at: Timestamp| at.minus(DAY * again.days_before.into());
        let payer = Payer {
            bank: again.bank.clone().unwrap_or_else(|| payment.payer.bank.clone()),
            ..payment.payer.clone()
        };
        rows.push(Row {
            is_repeated: true,
            paid_at: earlier(payment.paid_at),
            stands_at: earlier(stands_at),
            remark: remark(&Payment { payer, ..payment.clone() }),
            ..credit
        });
    }
    for (row, number) in rows.iter_mut().zip(first..) {
        row.number = number;
        let is_small = row.amount.hundredths().abs() < POINT_BELOW;
        row.is_with_point = is_small && number.is_multiple_of(POINT_EVERY);
    }
    rows
}

/// The reference in the extract. A payment from the same bank has one that the payer has never seen.
fn reference(payment: &Payment) -> String {
    if payment.kind == Kind::PagoMovil && payment.payer.bank.as_str() == CODE {
        // A prime that does not divide the modulus: numbers differ as long as payments do.
        let own = payment.number.wrapping_mul(48_271).wrapping_add(10_000_019) % 100_000_000;
        return format!("{INTERNAL_PREFIX}{own:08}");
    }
    let receipt = format!("{:0>SHARED_DIGITS$}", payment.reference.digits());
    let receipt = ending(&receipt, REFERENCE_DIGITS - 1);
    format!("{}{receipt}", ending(PREFIX, REFERENCE_DIGITS - receipt.len()))
}

fn description(kind: Kind) -> &'static str {
    match kind {
        Kind::PagoMovil => "PAGO MOVIL RECIBIDO",
        Kind::Transfer => "TRANSFERENCIA RECIBIDA",
    }
}

fn remark(payment: &Payment) -> String {
    if let Some(remark) = &payment.oddities.remark {
        return remark.as_str().to_owned();
    }
    let Payer { bank, phone, document, name } = &payment.payer;
    let is_internal = bank.as_str() == CODE;
    match payment.kind {
        Kind::PagoMovil if is_internal => {
            format!("PAGOMOVIL BDV {} {}", padded(document), filled_up(name.as_str()))
        }
        Kind::PagoMovil => format!("PAGOMOVIL OTROS BANCOS {bank} {}", national(phone)),
        Kind::Transfer if is_internal => {
            format!("TRANSF RECIBIDA BDV {} {}", padded(document), filled_up(name.as_str()))
        }
        Kind::Transfer => format!("PAGO RECIBIDO OTROS BANCOS {bank} {document}"),
    }
}

/// The name in capitals, with the gap that fields of fixed width leave after the first one.
fn filled_up(name: &str) -> String {
    let name = name.to_uppercase();
    let (first, rest) = name.split_once(' ').unwrap_or((&name, ""));
    format!("{first:<NAME_WIDTH$} {rest}").trim_end().to_owned()
}

fn has_commission(payment: &Payment) -> bool {
    let usual =
        payment.kind == Kind::PagoMovil && !payment.number.is_multiple_of(COMMISSION_MISSING_EVERY);
    payment.oddities.commission.unwrap_or(usual)
}

fn commission(amount: Bolivars) -> Bolivars {
    let part = amount.hundredths() / 1_000 * COMMISSION_PER_THOUSAND
        + amount.hundredths() % 1_000 * COMMISSION_PER_THOUSAND / 1_000;
    Bolivars::from_hundredths(part.max(COMMISSION_MIN)).negated()
}

/// The last so many of `digits`, which are ASCII, or all.
fn ending(digits: &str, count: usize) -> &str {
    digits.split_at(digits.len().saturating_sub(count)).1
}
