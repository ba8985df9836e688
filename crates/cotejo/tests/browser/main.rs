//! The payer's page and the dashboard in a real browser: Debian's Chromium, driven by the journeys beside this file.
//!
//! Service and bank are in the test's own process and are spoken to by HTTP alone, in a time that the
//! journeys stop and push on, so that a slow bank or an hour that passes keeps nobody waiting. A
//! journey says what it finds wrong and ends with a failure; what it saw is in pictures below `target`.
#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

mod part;
mod stage;

use crate::part::{play_parts, play_parts_in_turn};
use crate::stage::{Hands, play, play_by};

#[test]
fn a_payer_pays_and_the_page_turns_by_itself() {
    play("live", "es");
}

#[test]
fn a_payer_who_reads_english_pays_too() {
    play("live", "en");
}

#[test]
fn a_payer_pays_where_no_script_runs() {
    play("plain", "es");
}

#[test]
fn a_payer_pays_by_keyboard_alone() {
    play("keyboard", "es");
}

#[test]
fn a_payer_pays_a_link_in_dollars() {
    play("dollars", "es");
}

#[test]
fn a_payer_who_reads_english_pays_a_link_in_dollars() {
    play("dollars", "en");
}

#[test]
fn every_state_is_shown_on_a_small_phone() {
    play("states", "es");
}

#[test]
fn a_payer_who_leaves_or_loses_the_line_finds_the_truth() {
    play("return", "es");
}

#[test]
fn a_payer_sees_pays_and_cancels_a_subscription() {
    play("subscription", "es");
}

#[test]
fn a_payer_who_reads_english_sees_pays_and_cancels_a_subscription() {
    play("subscription", "en");
}

#[test]
fn a_subscription_is_paid_paused_and_canceled_by_its_merchant() {
    play("recurring", "es");
}

#[test]
fn a_subscription_is_paid_paused_and_canceled_by_its_merchant_where_no_script_runs() {
    play_by(Hands::Plain, "recurring", "en");
}

#[test]
fn a_period_in_dollars_is_paid_at_the_rate_that_its_link_held() {
    play("dollar_cycle", "es");
}

#[test]
fn a_period_in_dollars_is_paid_at_the_rate_that_its_link_held_where_no_script_runs() {
    play_by(Hands::Plain, "dollar_cycle", "en");
}

#[test]
fn a_receipt_is_kept_from_the_payers_phone() {
    play("receipt", "es");
}

#[test]
fn a_receipt_is_kept_from_the_payers_phone_where_no_script_runs() {
    play_by(Hands::Plain, "receipt", "en");
}

#[test]
fn somebody_confirms_another_address() {
    play("address", "es");
}

#[test]
fn somebody_who_reads_english_confirms_another_address() {
    play("address", "en");
}

#[test]
fn the_reference_of_the_api_is_read_on_any_screen() {
    play("reference", "es");
}

#[test]
fn the_reference_of_the_api_is_read_in_english_too() {
    play("reference", "en");
}

#[test]
fn the_first_visit_leads_to_a_first_payment() {
    play_by(Hands::Touch, "first", "es");
}

#[test]
fn the_first_visit_leads_to_a_first_payment_by_keyboard_alone() {
    play_by(Hands::Keys, "first", "es");
}

#[test]
fn the_first_visit_leads_to_a_first_payment_where_no_script_runs() {
    play_by(Hands::Plain, "first", "en");
}

#[test]
fn a_key_runs_into_its_limit_which_is_raised() {
    play_by(Hands::Touch, "keys", "es");
}

#[test]
fn a_key_runs_into_its_limit_which_is_raised_by_keyboard_alone() {
    play_by(Hands::Keys, "keys", "en");
}

#[test]
fn a_key_runs_into_its_limit_which_is_raised_where_no_script_runs() {
    play_by(Hands::Plain, "keys", "es");
}

#[test]
fn an_account_is_linked_a_link_is_paid_and_its_webhook_is_sent_again() {
    play_by(Hands::Touch, "sale", "es");
}

#[test]
fn an_account_is_linked_a_link_is_paid_and_its_webhook_is_sent_again_by_keyboard_alone() {
    play_by(Hands::Keys, "sale", "es");
}

#[test]
fn an_account_is_linked_a_link_is_paid_and_its_webhook_is_sent_again_where_no_script_runs() {
    play_by(Hands::Plain, "sale", "en");
}

#[test]
fn the_first_page_hears_of_payments_and_says_when_it_does_not() {
    play("alive", "es");
}

#[test]
fn the_dashboard_is_read_on_any_screen() {
    play_parts("dashboard", "es");
}

#[test]
fn the_dashboard_is_read_in_english_too() {
    play_parts("dashboard", "en");
}

#[test]
fn what_comes_in_the_middle_of_something_is_read_on_any_screen() {
    play_parts_in_turn("midway");
}

#[test]
fn an_employee_is_invited_and_sees_what_is_within_reach() {
    play_parts_in_turn("people");
}

#[test]
fn a_clients_person_sees_what_is_the_clients() {
    play_parts_in_turn("client");
}
