//! One line of the log for each request, and a word to its [`Observer`](crate::Observer).

use app::caller_id;
use app::refusals::note_rank;
use domain::refusal::{Code, Refusal};
use http::{Method, StatusCode};

use crate::AppState;
use crate::observer::AccessLine;
use crate::request_state::{Asking, RequestState};

/// Status in the log of a request whose caller was gone before the answer: the number that proxies use for it.
const CALLER_GONE: u16 = 499;

/// The line of a request that is under way. Written when it is answered, or else when it is
/// dropped, which is what happens when the caller hangs up.
pub(crate) struct Pending {
    state: AppState,
    request_state: RequestState,
    method: Method,
    route: Option<axum::extract::MatchedPath>,
    is_written: bool,
}

impl Pending {
    pub(crate) fn new(
        state: AppState,
        request_state: RequestState,
        method: Method,
        route: Option<axum::extract::MatchedPath>,
    ) -> Self {
        Self { state, request_state, method, route, is_written: false }
    }

    /// The request that it is about.
    pub(crate) fn request_state(&self) -> &RequestState {
        &self.request_state
    }

    /// Notes a refusal that is for the audit trail.
    pub(crate) fn refused(&self, refusal: &Refusal) {
        if let Some(Asking { caller, entry }) = self.request_state.asking() {
            note_rank(&self.state.app, (caller, *entry), self.request_state.context(), refusal);
        }
    }

    pub(crate) fn answered(&mut self, status: StatusCode, code: Option<Code>) {
        self.write(status.as_u16(), code);
    }

    fn write(&mut self, status: u16, code: Option<Code>) {
        self.is_written = true;
        let context = self.request_state.context();
        let asking = self.request_state.asking();
        let caller = asking.map(|asking| caller_id(&asking.caller));
        let employee = asking.and_then(|asking| asking.caller.employee());
        let employee = employee.map(|employee| employee.to_string());
        let line = AccessLine {
            method: self.method.as_str(),
            route: self.route.as_ref().map_or("-", |route| route.as_str()),
            status,
            code,
            caller: caller.as_deref(),
            employee: employee.as_deref(),
            statements: context.meter.statements(),
            waits: context.meter.waits(),
            store_us: context.meter.store_micros(),
            total: self.state.app.clock.now().since(context.received),
            request_id: &context.request_id,
        };
        tracing::info!(
            target: "access",
            method = line.method,
            route = line.route,
            status = line.status,
            code = line.code.map(Code::as_str),
            caller = line.caller,
            employee = line.employee,
            statements = line.statements,
            waits = line.waits,
            store_us = line.store_us,
            total_us = u64::try_from(line.total.as_micros()).unwrap_or(u64::MAX),
            request_id = line.request_id,
        );
        if let Some(observer) = &self.state.shared.settings.observer {
            observer.answered(&line);
        }
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if !self.is_written {
            self.write(CALLER_GONE, None);
        }
    }
}
