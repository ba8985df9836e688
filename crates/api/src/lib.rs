//! The JSON API: one file for each operation, with its wire types, its handler and its tests.
//!
//! | operation | route | file |
//! | --- | --- | --- |
//! | sign in | `POST /auth/login` | [`login`] |
//! | go on with a session | `POST /auth/refresh` | [`refresh`] |
//! | sign out | `POST /auth/logout` | [`logout`] |
//! | issue a key | `POST /auth/api-key` | [`create_key`] |
//! | list keys | `GET /me/api-keys` | [`list_keys`] |
//! | show a key | `GET /api-keys/{api_key_id}` | [`show_key`] |
//! | rotate the default key | `POST /v1/api-keys/default/rotate` | [`rotate_default_key`] |
//! | rotate a key | `POST /v1/api-keys/{api_key_id}/rotate` | [`rotate_key`] |
//! | replace a key's scope | `PUT /v1/api-keys/{api_key_id}/scope` | [`set_key_scope`] |
//! | change a key | `PATCH /v1/api-keys/{api_key_id}` | [`change_key`] |
//! | revoke a key | `DELETE /v1/api-keys/{api_key_id}` | [`revoke_key`] |
//! | who am I | `GET /me` | [`me`] |
//! | show a limit | `GET /v1/api-keys/{api_key_id}/credit-limit` | [`show_credit_limit`] |
//! | set a limit | `PUT /v1/api-keys/{api_key_id}/credit-limit` | [`set_credit_limit`] |
//! | set a client's quota | `PUT /v1/clients/{client_id}/credit-limit` | [`set_client_credit_limit`] |
//! | activity of a key | `GET /v1/api-keys/{api_key_id}/activity` | [`activity`] |
//! | verify a payment | `POST /userbankpayment/{bank_id}/betaserio` | [`verify`] |
//! | show a verification | `GET /v1/verifications/{verification_id}` | [`show_verification`] |
//! | link a bank account | `POST /usersbank` | [`link_account`] |
//! | list banks | `GET /v1/platforms` | [`list_platforms`] |
//! | trash a bank account | `DELETE /usersbank/{bank_id}/to-trash` | [`trash_account`] |
//! | change a bank's secret | `PUT /v1/usersbank/{bank_id}/change-secret` | [`change_bank_secret`] |
//! | settings of an account | `GET`, `PUT /v1/usersbank/{bank_id}/settings` | [`account_settings`] |
//! | secret of webhooks | `GET /me/webhook-secret` | [`show_webhook_secret`] |
//! | another secret of webhooks | `POST /me/webhook-secret/rotate` | [`rotate_webhook_secret`] |
//! | another push secret | `POST /v1/usersbank/{bank_id}/push-secret/rotate` | [`rotate_push_secret`] |
//! | a bank's notice | `POST /hooks/bank/{provider}/{bank_id}` | [`take_bank_notice`] |
//! | movements of an account | `GET /movements/{bank_id}` | [`list_movements`] |
//! | notices of banks | `GET /v1/bank-pay-notifications` | [`list_notifications`] |
//! | notices to the owner | `GET /v1/notices` | [`list_notices`] |
//! | list deliveries of webhooks | `GET /v1/webhooks/deliveries` | [`list_deliveries`] |
//! | events, for who missed them | `GET /v1/webhooks/events` | [`list_events`] |
//! | show a delivery | `GET /v1/webhooks/deliveries/{delivery_id}` | [`show_delivery`] |
//! | send a webhook again | `POST /v1/webhooks/deliveries/{delivery_id}/redeliver` | [`redeliver`] |
//! | send again what failed | `POST /v1/webhooks/redeliveries` | [`redeliver_failed`] |
//! | how far that is | `GET /v1/webhooks/redeliveries/{redelivery_id}` | [`show_redelivery`] |
//! | try a receiver out | `POST /v1/webhooks/test` | [`test_webhook`] |
//! | check a receiver | `POST /v1/webhooks/check` | [`check_receiver`] |
//! | proof of a delivery | `GET /v1/webhooks/deliveries/{delivery_id}/evidence` | [`show_evidence`] |
//! | list bank accounts | `GET /me/usersbank` | [`list_accounts`] |
//! | make a payment link | `POST /v1/paymentlink` | [`create_link`] |
//! | show a payment link | `GET /paymentlink/{payment_link_id}/info` | [`show_link`] |
//! | change a payment link | `PATCH /paymentlink/{payment_link_id}/patch` | [`change_link`] |
//! | list payment links | `POST /me/payment-links` | [`list_links`] |
//! | pay a link with a movement | `POST /v1/paymentlink/{payment_link_id}/accept` | [`accept_link`] |
//! | settings of links | `GET`, `PUT /v1/payment-link-settings` | [`link_settings`] |
//! | what payers are told of the owner | `GET`, `PUT /v1/profile` | [`profile`] |
//! | endpoint of the owner | `GET`, `PUT /v1/webhooks/endpoint` | [`webhook_endpoint`] |
//! | end, stop, resume a link | `POST /v1/paymentlink/{payment_link_id}/cancel`, … | [`end_link`] |
//!
//! Paths and methods come from the table of operations, which also says who may call: an operation
//! that is not in it cannot be routed.

mod accept_link;
mod account_settings;
mod activity;
mod change_bank_secret;
mod change_key;
mod change_link;
mod check_receiver;
mod create_key;
mod create_link;
mod end_link;
mod link_account;
mod link_settings;
mod list_accounts;
mod list_deliveries;
mod list_events;
mod list_keys;
mod list_links;
mod list_movements;
mod list_notices;
mod list_notifications;
mod list_platforms;
mod login;
mod logout;
mod me;
mod pay_out_change;
mod profile;
mod redeliver;
mod redeliver_failed;
mod refresh;
mod revoke_key;
mod rotate_default_key;
mod rotate_key;
mod rotate_push_secret;
mod rotate_webhook_secret;
mod set_client_credit_limit;
mod set_credit_limit;
mod set_key_scope;
mod show_credit_limit;
mod show_delivery;
mod show_evidence;
mod show_key;
mod show_link;
mod show_redelivery;
mod show_verification;
mod show_webhook_secret;
mod take_bank_notice;
mod test_webhook;
mod trash_account;
mod verify;
mod webhook_endpoint;
mod wire;

use axum::Router;
use axum::handler::Handler;
use axum::routing::{delete, get, patch, post, put};
use domain::access::{
    AcceptLink, CancelLink, ChangeBankSecret, ChangeKey, ChangeLink, CheckReceiver, CreateKey,
    CreateLink, LinkBankAccount, ListBankAccounts, ListDeliveries, ListEvents, ListLinks,
    ListMovements, ListMyKeys, ListNotices, ListNotifications, ListPlatforms, Login, Logout, Me,
    Method, NextInvoiceNumber, Operation, PayOutChange, PayOutChangeOfAccount, Redeliver,
    RedeliverFailed, RefreshSession, RejectLink, ResumeLink, RevokeKey, RotateDefaultKey,
    RotateKey, RotatePushSecret, RotateWebhookSecret, SetAccountSettings, SetClientCreditLimit,
    SetCreditLimit, SetKeyScope, SetLinkSettings, SetProfile, SetWebhookEndpoint,
    ShowAccountSettings, ShowActivity, ShowCreditLimit, ShowDelivery, ShowEvidence, ShowKey,
    ShowLink, ShowLinkSettings, ShowMyActivity, ShowProfile, ShowRedelivery, ShowVerification,
    ShowWebhookEndpoint, ShowWebhookSecret, StopLink, TakeBankNotice, TestWebhook,
    TrashBankAccount, Verify,
};
use web::AppState;
use web::rim::Rim;

/// Every route of the API, with everything around them.
pub fn router(state: AppState) -> Router {
    let routes = Routes(Router::new())
        .serve::<Login, _, _>(login::handle)
        .serve::<RefreshSession, _, _>(refresh::handle)
        .serve::<Logout, _, _>(logout::handle)
        .serve::<CreateKey, _, _>(create_key::handle)
        .serve::<ListMyKeys, _, _>(list_keys::handle)
        .serve::<ShowKey, _, _>(show_key::handle)
        .serve::<Me, _, _>(me::handle)
        .serve::<RotateDefaultKey, _, _>(rotate_default_key::handle)
        .serve::<RotateKey, _, _>(rotate_key::handle)
        .serve::<SetKeyScope, _, _>(set_key_scope::handle)
        .serve::<ChangeKey, _, _>(change_key::handle)
        .serve::<RevokeKey, _, _>(revoke_key::handle)
        .serve::<ShowCreditLimit, _, _>(show_credit_limit::handle)
        .serve::<SetCreditLimit, _, _>(set_credit_limit::handle)
        .serve::<SetClientCreditLimit, _, _>(set_client_credit_limit::handle)
        .serve::<ShowActivity, _, _>(activity::of_key)
        .serve::<ShowMyActivity, _, _>(activity::of_session)
        .serve::<Verify, _, _>(verify::handle)
        .serve::<ShowVerification, _, _>(show_verification::handle)
        .serve::<PayOutChange, _, _>(pay_out_change::handle::<PayOutChange>)
        .serve::<PayOutChangeOfAccount, _, _>(pay_out_change::handle::<PayOutChangeOfAccount>)
        .serve::<NextInvoiceNumber, _, _>(pay_out_change::handle::<NextInvoiceNumber>)
        .serve::<LinkBankAccount, _, _>(link_account::handle)
        .serve::<ListPlatforms, _, _>(list_platforms::handle)
        .serve::<TrashBankAccount, _, _>(trash_account::handle)
        .serve::<ChangeBankSecret, _, _>(change_bank_secret::handle)
        .serve::<ShowAccountSettings, _, _>(account_settings::show)
        .serve::<SetAccountSettings, _, _>(account_settings::set)
        .serve::<RotatePushSecret, _, _>(rotate_push_secret::handle)
        .serve::<RotateWebhookSecret, _, _>(rotate_webhook_secret::handle)
        .serve::<TakeBankNotice, _, _>(take_bank_notice::handle)
        .serve::<ListMovements, _, _>(list_movements::handle)
        .serve::<ListNotifications, _, _>(list_notifications::handle)
        .serve::<ListNotices, _, _>(list_notices::handle)
        .serve::<ShowWebhookSecret, _, _>(show_webhook_secret::handle)
        .serve::<ListDeliveries, _, _>(list_deliveries::handle)
        .serve::<ListEvents, _, _>(list_events::handle)
        .serve::<ShowDelivery, _, _>(show_delivery::handle)
        .serve::<Redeliver, _, _>(redeliver::handle)
        .serve::<RedeliverFailed, _, _>(redeliver_failed::handle)
        .serve::<ShowRedelivery, _, _>(show_redelivery::handle)
        .serve::<TestWebhook, _, _>(test_webhook::handle)
        .serve::<CheckReceiver, _, _>(check_receiver::handle)
        .serve::<ShowEvidence, _, _>(show_evidence::handle)
        .serve::<ListBankAccounts, _, _>(list_accounts::handle)
        .serve::<CreateLink, _, _>(create_link::handle)
        .serve::<ShowLink, _, _>(show_link::handle)
        .serve::<ChangeLink, _, _>(change_link::handle)
        .serve::<ListLinks, _, _>(list_links::handle)
        .serve::<CancelLink, _, _>(end_link::cancel)
        .serve::<StopLink, _, _>(end_link::stop)
        .serve::<ResumeLink, _, _>(end_link::resume)
        .serve::<RejectLink, _, _>(end_link::reject)
        .serve::<AcceptLink, _, _>(accept_link::handle)
        .serve::<ShowLinkSettings, _, _>(link_settings::show)
        .serve::<SetLinkSettings, _, _>(link_settings::set)
        .serve::<ShowProfile, _, _>(profile::show)
        .serve::<SetProfile, _, _>(profile::set)
        .serve::<ShowWebhookEndpoint, _, _>(webhook_endpoint::show)
        .serve::<SetWebhookEndpoint, _, _>(webhook_endpoint::set);
    routes.0.layer(Rim::new(state.clone())).with_state(state)
}

/// Routes whose paths and methods are those of the table.
struct Routes(Router<AppState>);

impl Routes {
    fn serve<O: Operation, H: Handler<T, AppState>, T: 'static>(self, handler: H) -> Self {
        let method = match O::METHOD {
            Method::Get => get(handler),
            Method::Post => post(handler),
            Method::Put => put(handler),
            Method::Patch => patch(handler),
            Method::Delete => delete(handler),
        };
        Self(self.0.route(O::PATH, method))
    }
}

#[cfg(test)]
mod tests;
