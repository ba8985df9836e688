//! Why a verification ended as it did, and what to do now: one text for every end.

use domain::language::Language;
use domain::matching::SameBank;
use domain::time::Timestamp;
use domain::verification::{Failed, State};

use crate::dashboard::reader::{Reader, Takes};
use crate::dashboard::written::hour;

use super::steps::{
    ALREADY, AMBIGUOUS, ASKING, CONTESTED, IN_REVIEW, LINK_CLOSED, NOT_FOUND, NOT_FOUND_OF_LINK,
    OTHER_AMOUNT, OTHER_AMOUNT_OF_LINK, OUTGOING, OUTSIDE_RATE, REJECTED, REPEAT, SAME_BANK,
    SAME_BANK_CLAIMED, SAME_BANK_OF_LINK, Steps, TOO_SHORT, UNHEARD, UNHEARD_OF_LINK,
};

/// Which rule decided, and what to do about it.
#[derive(Clone, Debug)]
pub(super) struct Explanation {
    pub(super) why: String,
    pub(super) now: Vec<String>,
    /// Whether a person may accept the payment for the link.
    pub(super) is_to_be_accepted: bool,
    /// The headline, where it is more than a reason.
    pub(super) headline: Option<String>,
    /// The class of the stylesheet, where it is not that of the state: what is new is green once.
    pub(super) class: Option<&'static str>,
}

/// The way in which the payment of a verification is reported to people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum News {
    /// Reported as new by this page alone.
    New,
    /// Reported by this page, and no money.
    Test,
    /// Reported then, to the person who looks or to somebody else.
    Reported { at: Timestamp, is_own: bool },
    /// Left by a person to the next caller, and reported to none yet.
    Left,
    /// Claimed by a link that it paid then: new to nobody who asks for it by hand.
    PaidLink { at: Timestamp },
    /// Reported to nobody yet, or not within a day.
    Unreported { is_own: bool },
}

/// Facts that an explanation may name.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// The first and the last day that were searched.
    pub(super) days: (String, String),
    /// The amount that was asked for.
    pub(super) amount: Option<String>,
    /// The amount that the bank shows.
    pub(super) bank_amount: Option<String>,
    /// How many digits were typed.
    pub(super) digits: usize,
    /// Whether the payment had been claimed before by another verification.
    pub(super) is_repeat: bool,
    /// Whether the movement was distinguished by who paid.
    pub(super) is_by_payer: bool,
    /// The report of its payment, where it claimed one for a caller or a person.
    pub(super) report: Option<News>,
    /// Says whether a person accepted the movement as a payment.
    pub(super) is_accepted: bool,
    /// Whether it is a payer's check of a link.
    pub(super) is_of_link: bool,
    /// Whether the bank shows the very amount, at a time when no rate that made it owed was held.
    pub(super) is_outside_rate: bool,
}

/// The explanation of a verification that stands so.
pub(super) fn explain(
    state: State,
    failed: Option<&Failed>,
    facts: &Facts,
    (reader, at, language): (&Reader, Timestamp, Language),
) -> Explanation {
    let report = facts.report.filter(|_| state == State::Confirmed && failed.is_none());
    let (why, now) = match failed {
        None if state == State::Confirmed => match report {
            Some(report) => (reported(report, facts, at), NOTHING),
            None => confirmed(facts),
        },
        None => (asking(), ASKING),
        Some(Failed::NotFound { same_bank: Some(found) }) => match found {
            SameBank::Claimed => (same_bank_claimed(facts), SAME_BANK_CLAIMED),
            SameBank::Unclaimed if facts.is_of_link => (waits(facts, reader), SAME_BANK_OF_LINK),
            SameBank::Unclaimed => (same_bank(facts), SAME_BANK),
        },
        Some(Failed::NotFound { .. }) if facts.is_of_link => (not_found(facts), NOT_FOUND_OF_LINK),
        Some(Failed::NotFound { .. }) => (not_found(facts), NOT_FOUND),
        Some(Failed::OtherAmount(_)) if facts.is_outside_rate => (outside_rate(), OUTSIDE_RATE),
        Some(Failed::OtherAmount(_)) if facts.is_of_link => {
            (other_amount(facts), OTHER_AMOUNT_OF_LINK)
        }
        Some(Failed::OtherAmount(_)) => (other_amount(facts), OTHER_AMOUNT),
        Some(Failed::Outgoing) => (outgoing(), OUTGOING),
        Some(Failed::TooShort) => (too_short(), TOO_SHORT),
        Some(Failed::Ambiguous { digits_needed }) => ambiguous(*digits_needed, facts),
        Some(Failed::AlreadyReconciled) => (already(), ALREADY),
        Some(Failed::NeedsReview(_)) => (in_review(), IN_REVIEW),
        Some(Failed::LinkClosed) => (link_closed(), LINK_CLOSED),
        Some(Failed::RejectedCredentials) => (rejected(), REJECTED),
        Some(Failed::Unheard | Failed::Expired) if facts.is_of_link => (unheard(), UNHEARD_OF_LINK),
        Some(Failed::Unheard | Failed::Expired) => (unheard(), UNHEARD),
    };
    let is_to_be_accepted = now.iter().any(|step| step.takes == Takes::AcceptingPayments);
    let now = now.iter().map(|step| reader.advise(step, language)).collect();
    let class = match (report, facts.is_repeat) {
        (Some(News::New) | None, false) => None,
        _ => Some("warn"),
    };
    let headline = report.map(|report| headline(report, at, language));
    Explanation { why: picked(why, language), now, is_to_be_accepted, headline, class }
}

fn headline(report: News, now: Timestamp, language: Language) -> String {
    let (es, en) = match report {
        News::New => ("Pago confirmado: es dinero nuevo", "Payment confirmed: it is new money"),
        News::Test => {
            ("Pago de prueba confirmado: no es dinero", "Test payment confirmed: this is not money")
        }
        News::Reported { at, is_own } => {
            let (es, en) = match is_own {
                true => ("Ya se le dijo", "You were told"),
                false => {
                    ("Ya se le dijo a quien lo pidió,", "The person who requested it was told")
                }
            };
            return format!("{} {}", language.pick(es, en), hour(at, now, language));
        }
        News::Left => {
            ("Pago aceptado: lo confirma su sistema", "Payment accepted: your system confirms it")
        }
        News::PaidLink { at } => {
            let said = language.pick("Pagó un enlace", "It paid a link");
            return format!("{said} {}", hour(at, now, language));
        }
        News::Unreported { is_own: true } => (
            "Pago confirmado: pregunte antes de entregar",
            "Payment confirmed: ask before handing anything over",
        ),
        News::Unreported { is_own: false } => (
            "Pago confirmado para quien lo pidió",
            "Payment confirmed for the person who requested it",
        ),
    };
    language.pick(es, en).to_owned()
}

fn reported(report: News, facts: &Facts, now: Timestamp) -> Both {
    match report {
        News::New => {
            let ((es, en), _) = confirmed(facts);
            (
                format!("{es} Esto se dice una sola vez."),
                format!("{en} This message is shown only once."),
            )
        }
        News::Test => (
            "La cuenta es de prueba: nadie ha pagado. No entregue nada por esto.".to_owned(),
            "This is a test account: nobody has paid. Do not hand anything over.".to_owned(),
        ),
        News::Reported { at, is_own } => {
            let (es, en) = (hour(at, now, Language::Es), hour(at, now, Language::En));
            match is_own {
                true => (
                    format!("El pago está confirmado, y {es} se le dijo en esta página que era dinero nuevo. No entregue otra vez por el mismo pago. Si usted no lo vio, pregunte en la caja quién lo abrió."),
                    format!("The payment is confirmed, and you were told {en} on this page that it was new money. Do not hand anything over again for the same payment. If you did not see that, ask at the till who opened it."),
                ),
                false => (
                    format!("El pago está confirmado, y {es} se le dijo a quien lo pidió que era dinero nuevo. No entregue otra vez por el mismo pago."),
                    format!("The payment is confirmed, and the person who requested it was told {en} that it was new money. Do not hand anything over again for the same payment."),
                ),
            }
        }
        News::PaidLink { at } => {
            let (es, en) = (hour(at, now, Language::Es), hour(at, now, Language::En));
            (
                format!("El banco muestra el pago, y {es} pagó un enlace de pago: es dinero de ese enlace y de nada más. No entregue otra cosa por él."),
                format!("The bank shows the payment, and {en} it paid a payment link: the money belongs to that link only. Do not hand anything else over for it."),
            )
        }
        News::Left => (
            "Una persona aceptó el pago y lo dejó para su sistema: la próxima verificación por la API lo recibe como nuevo. No entregue por esta página.".to_owned(),
            "A person accepted the payment and left it for your system: the next verification through the API receives it as new. Do not hand anything over based on this page.".to_owned(),
        ),
        News::Unreported { is_own: true } => (
            "El banco muestra el pago, y en un día nadie llegó a ver aquí que era nuevo. Compruebe que no se haya entregado ya.".to_owned(),
            "The bank shows the payment, and for a day nobody saw here that it was new. Make sure that nothing has already been handed over for it.".to_owned(),
        ),
        News::Unreported { is_own: false } => (
            "El banco muestra el pago, y quedó reservado para quien lo pidió, que todavía no lo ha visto. Entrega esa persona, cuando abra esta página.".to_owned(),
            "The bank shows the payment, and it is reserved for the person who requested it, who has not seen it yet. That person hands over the goods after opening this page.".to_owned(),
        ),
    }
}

type Both = (String, String);

/// No step: nothing is left to do.
const NOTHING: Steps = &[];

fn picked((es, en): Both, language: Language) -> String {
    match language {
        Language::Es => es,
        Language::En => en,
    }
}

fn confirmed(facts: &Facts) -> (Both, Steps) {
    if facts.is_repeat {
        let es = "El banco muestra este pago, y ya estaba verificado de antes: no es dinero nuevo.";
        let en =
            "The bank shows this payment, and it had already been verified: it is not new money.";
        return ((es.into(), en.into()), REPEAT);
    }
    let (es, en) = if facts.is_accepted {
        (
            "El banco mostró este movimiento, nadie lo había usado, y una persona lo aceptó como pago.",
            "The bank showed this movement, nobody had used it, and a person accepted it as a payment.",
        )
    } else if facts.is_by_payer {
        (
            "El banco muestra un pago del mismo banco con ese pagador, monto y día, y quedó reservado para esta verificación.",
            "The bank shows a payment from the same bank with that payer, amount and day, and it is reserved for this verification.",
        )
    } else {
        (
            "El banco muestra un movimiento con esa referencia, nadie lo había usado, y quedó reservado para esta verificación.",
            "The bank shows a movement with that reference, nobody had used it, and it is reserved for this verification.",
        )
    };
    ((es.into(), en.into()), &[])
}

fn asking() -> Both {
    let es = "El banco todavía no responde. La búsqueda sigue sola, y esta página se vuelve a cargar hasta que termine.";
    let en = "The bank has not responded yet. The search continues automatically, and this page refreshes until it finishes.";
    (es.into(), en.into())
}

fn not_found(facts: &Facts) -> Both {
    let (from, to) = &facts.days;
    let es = format!(
        "El banco respondió y no muestra ningún movimiento con esa referencia entre el {from} y el {to}."
    );
    let en = format!(
        "The bank responded and shows no movement with that reference between {from} and {to}."
    );
    (es, en)
}

fn too_short() -> Both {
    let es =
        "Son muy pocos dígitos para decir qué pago es, o si lo hay: podría ser el de otra persona.";
    let en = "There are too few digits to tell which payment this is, or whether there is one: it could belong to someone else.";
    (es.into(), en.into())
}

fn same_bank(facts: &Facts) -> Both {
    let (from, to) = &facts.days;
    let es = format!(
        "Ningún movimiento tiene esa referencia entre el {from} y el {to}, pero hay un pago del mismo banco con ese pagador, monto y día. El banco lo lista con otra referencia."
    );
    let en = format!(
        "No movement has that reference between {from} and {to}, but there is a payment from the same bank with that payer, amount and day. The bank lists it under a different reference."
    );
    (es, en)
}

fn same_bank_claimed(facts: &Facts) -> Both {
    let (from, to) = &facts.days;
    let es = format!(
        "Ningún movimiento tiene esa referencia entre el {from} y el {to}. Hay un pago del mismo banco con ese pagador, monto y día, y ya se confirmó con otra referencia."
    );
    let en = format!(
        "No movement has that reference between {from} and {to}. There is a payment from the same bank with that payer, amount and day, and it has already been confirmed with a different reference."
    );
    (es, en)
}

fn waits(facts: &Facts, reader: &Reader) -> Both {
    let (from, to) = &facts.days;
    let (who, by) = match reader.may(Takes::AcceptingPayments) {
        true => ("usted lo acepte", "you to accept it"),
        false => ("lo acepte quien puede", "someone with permission to accept it"),
    };
    let es = format!(
        "Ningún movimiento tiene esa referencia entre el {from} y el {to}, pero llegó un pago del mismo banco por ese monto, de ese pagador. El banco lo lista con otra referencia, así que espera a que {who}."
    );
    let en = format!(
        "No movement has that reference between {from} and {to}, but a payment from the same bank arrived for that amount from that payer. The bank lists it under a different reference, so it is waiting for {by}."
    );
    (es, en)
}

fn other_amount(facts: &Facts) -> Both {
    let asked = facts.amount.as_deref().unwrap_or("—");
    match &facts.bank_amount {
        Some(bank) => (
            format!("La referencia existe, pero el banco muestra {bank} y se pidió {asked}."),
            format!(
                "The reference exists, but the bank shows {bank} and the amount requested was {asked}."
            ),
        ),
        None => (
            format!("La referencia existe, pero el banco muestra otro monto que {asked}."),
            format!("The reference exists, but the bank shows a different amount from {asked}."),
        ),
    }
}

fn outside_rate() -> Both {
    let es = "El banco muestra el pago por ese monto, pero se hizo cuando ese monto no se debía: la tasa que lo daba no estaba fijada a esa hora.";
    let en = "The bank shows a payment for that amount, but it was made when that amount was not owed: the exchange rate behind it was not held at that time.";
    (es.into(), en.into())
}

fn outgoing() -> Both {
    let es = "La referencia es de dinero que salió de su cuenta, no de un pago que entró.";
    let en = "The reference is for money that left your account, not for a payment received.";
    (es.into(), en.into())
}

fn ambiguous(needed: u32, facts: &Facts) -> (Both, Steps) {
    let is_typed = usize::try_from(needed).is_ok_and(|needed| needed <= facts.digits);
    if is_typed {
        let es = "Hay más de un movimiento que puede ser este pago, y los dígitos no alcanzan para distinguirlos. No se elige ninguno a ciegas.";
        let en = "More than one movement may be this payment, and the digits are not enough to tell them apart. None is chosen by guesswork.";
        return ((es.into(), en.into()), CONTESTED);
    }
    let es = format!(
        "Varios movimientos terminan igual. Con {needed} dígitos de la referencia se distinguen."
    );
    let en = format!(
        "Several movements end in the same digits. {needed} digits of the reference tell them apart."
    );
    ((es, en), AMBIGUOUS)
}

fn already() -> Both {
    let es = "Este pago ya se había usado antes: otra verificación lo reservó, o el banco lo da por conciliado.";
    let en = "This payment had already been used: another verification reserved it, or the bank reports it as reconciled.";
    (es.into(), en.into())
}

fn in_review() -> Both {
    let es = "El servicio se restauró desde una copia, y este pago es de antes: pudo haberse usado después de la copia.";
    let en = "The service was restored from a copy, and this payment is from before: it may have been used after the copy.";
    (es.into(), en.into())
}

fn link_closed() -> Both {
    let es = "El pago apareció cuando el enlace ya había terminado, así que no lo pagó.";
    let en = "The payment appeared after the link had ended, so it did not pay the link.";
    (es.into(), en.into())
}

fn rejected() -> Both {
    let es = "El banco rechazó el usuario o la clave de su cuenta, así que no se pudo preguntar.";
    let en = "The bank rejected the user name or key of your account, so it could not be asked.";
    (es.into(), en.into())
}

fn unheard() -> Both {
    let es = "El banco no respondió a tiempo. Esto no dice nada del pago: puede haber llegado.";
    let en = "The bank did not respond in time. This says nothing about the payment: it may have arrived.";
    (es.into(), en.into())
}

#[cfg(test)]
mod tests {
    use domain::money::Bolivars;
    use domain::review::ReviewWindow;

    use super::*;

    const NOW: Timestamp = Timestamp::from_micros(0);

    #[test]
    fn every_end_says_why_and_what_to_do() {
        let facts = Facts { digits: 6, ..Facts::default() };
        let reader = Reader::default();
        let ends = [
            Failed::NotFound { same_bank: None },
            Failed::NotFound { same_bank: Some(SameBank::Unclaimed) },
            Failed::NotFound { same_bank: Some(SameBank::Claimed) },
            Failed::OtherAmount(Bolivars::from_hundredths(100)),
            Failed::Outgoing,
            Failed::TooShort,
            Failed::Ambiguous { digits_needed: 8 },
            Failed::Ambiguous { digits_needed: 6 },
            Failed::AlreadyReconciled,
            Failed::NeedsReview(ReviewWindow { since: NOW, until: NOW }),
            Failed::LinkClosed,
            Failed::RejectedCredentials,
            Failed::Unheard,
            Failed::Expired,
        ];
        let mut whys = Vec::new();
        for failed in &ends {
            for language in Language::ALL {
                let said = explain(failed.state(), Some(failed), &facts, (&reader, NOW, language));
                assert!(!said.why.is_empty() && !said.now.is_empty(), "{failed:?}");
                whys.push(said.why);
            }
        }
        whys.sort_unstable();
        whys.dedup();
        // Silence and its end are the same to people.
        assert_eq!(whys.len(), 2 * (ends.len() - 1));
    }

    #[test]
    fn the_right_amount_at_the_wrong_time_is_no_other_amount() {
        let failed = Failed::OtherAmount(Bolivars::from_hundredths(100));
        let facts = Facts { is_of_link: true, is_outside_rate: true, ..Facts::default() };
        for (language, words) in [(Language::Es, "la tasa"), (Language::En, "exchange rate")] {
            let said =
                explain(State::Refused, Some(&failed), &facts, (&Reader::default(), NOW, language));
            assert!(said.why.contains(words) && !said.now.is_empty(), "{}", said.why);
        }
    }

    #[test]
    fn a_payment_within_the_bank_waits_where_it_is_for_a_link() {
        let failed = Failed::NotFound { same_bank: Some(SameBank::Unclaimed) };
        let facts = Facts { is_of_link: true, ..Facts::default() };
        let may = Reader::who_may(&[Takes::AcceptingPayments]);
        for (reader, language, why, now) in [
            (&may, Language::Es, "espera a que usted", "acéptelo"),
            (&may, Language::En, "waiting for you", "accept it"),
            (&Reader::default(), Language::Es, "lo acepte quien puede", "pida al titular"),
            (&Reader::default(), Language::En, "someone with permission", "ask the owner"),
        ] {
            let said = explain(State::NotFound, Some(&failed), &facts, (reader, NOW, language));
            assert!(said.why.contains(why) && said.is_to_be_accepted, "{}", said.why);
            assert!(said.now.join(" ").contains(now), "{:?}", said.now);
        }
    }

    #[test]
    fn nobody_is_advised_to_do_what_it_may_not() {
        let facts = Facts { digits: 6, ..Facts::default() };
        for is_of_link in [false, true] {
            let facts = Facts { is_of_link, ..facts.clone() };
            for failed in [
                Failed::NotFound { same_bank: None },
                Failed::NotFound { same_bank: Some(SameBank::Unclaimed) },
                Failed::NotFound { same_bank: Some(SameBank::Claimed) },
                Failed::OtherAmount(Bolivars::from_hundredths(100)),
                Failed::Ambiguous { digits_needed: 6 },
                Failed::LinkClosed,
                Failed::RejectedCredentials,
            ] {
                let (state, reader) = (failed.state(), Reader::default());
                let said = explain(state, Some(&failed), &facts, (&reader, NOW, Language::Es));
                let said = said.now.join(" ");
                assert!(
                    said.contains("pida al titular") || said.contains("Pida al titular"),
                    "{said}"
                );
                assert!(!said.contains("{who}") && !said.contains("acéptelo"), "{said}");
            }
        }
    }

    #[test]
    fn a_repeat_is_no_new_money() {
        let facts = Facts { is_repeat: true, ..Facts::default() };
        let said = explain(State::Confirmed, None, &facts, (&Reader::default(), NOW, Language::Es));
        assert!(said.why.contains("no es dinero nuevo"));
    }
}
