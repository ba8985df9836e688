//! A session that is written: its row, and the end of the one that the same browser had before.

use domain::access::Login;
use domain::browser::Program;
use domain::ids::{ActorId, AuditId, EmployeeId, OwnerId, SessionId};
use domain::session::Session;
use domain::session_cookie::{CookieHash, SessionCookie};
use domain::time::Timestamp;
use store::fault::Fault;
use store::tx::Tx;
use store::{Lane, audit, session_browsers, sessions, sign_in_networks};

use crate::{Act, App};

/// Everything that is written of a session that is opened.
pub(super) struct Opening {
    pub(super) owner: OwnerId,
    pub(super) employee: Option<EmployeeId>,
    pub(super) person: ActorId,
    pub(super) id: SessionId,
    pub(super) session: Session,
    pub(super) cookie: Option<CookieHash>,
    /// The program that signs in.
    pub(super) program: Program,
    /// The network that signs in, which is known from then on.
    pub(super) network: Option<String>,
    /// The session of the same owner that the browser had.
    pub(super) former: Option<Former>,
    pub(super) entry: audit::Entry,
}

impl Opening {
    /// Writes it. It has a proof where a code was shown.
    pub(super) fn write(&self, tx: &mut Tx<'_>, is_proved: bool) -> Result<(), Fault> {
        let (owner, id, now) = (self.owner, self.id, self.session.created_at);
        let address = self.entry.address.as_deref();
        sessions::insert(tx, (owner, self.employee), id, (&self.session, is_proved), address)?;
        if let Some(cookie) = self.cookie {
            sessions::set_cookie(tx, owner, id, cookie)?;
        }
        if self.program != Program::default() {
            session_browsers::set_program(tx, owner, id, self.program)?;
        }
        if let Some(network) = &self.network {
            sign_in_networks::note(tx, (owner, self.person), network, now)?;
        }
        audit::insert(tx, owner, &self.entry, now)?;
        match &self.former {
            Some(former) => former.end(tx, now),
            None => Ok(()),
        }
    }
}

/// The session that a browser had before somebody signed in with it.
pub(super) struct Former {
    cookie: SessionCookie,
    entry: audit::Entry,
}

impl Former {
    fn of(app: &App, act: &Act<Login>, cookie: &SessionCookie) -> Self {
        let entry = audit::Entry {
            id: AuditId::new(&*app.ids, act.now),
            actor: cookie.session.to_string(),
            employee: None,
            action: "EndSession",
            subject: cookie.session.to_string(),
            address: act.request.address_shown(),
        };
        Self { cookie: cookie.clone(), entry }
    }

    /// Returns what a browser had, as a session of that owner, or as one of another.
    pub(super) fn split(
        app: &App,
        act: &Act<Login>,
        (cookie, owner): (Option<&SessionCookie>, OwnerId),
    ) -> (Option<Self>, Option<Self>) {
        let former = cookie.map(|cookie| Self::of(app, act, cookie));
        match former {
            Some(former) if former.cookie.owner == owner => (Some(former), None),
            elsewhere => (None, elsewhere),
        }
    }

    /// Ends it, if it is open and has that cookie.
    fn end(&self, tx: &mut Tx<'_>, now: Timestamp) -> Result<(), Fault> {
        let Self { cookie, entry } = self;
        let found = sessions::lock(tx, cookie.owner, cookie.session)?;
        let Some((_, employee)) = found else { return Ok(()) };
        if session_browsers::end_of_cookie(tx, cookie, now)? {
            let entry = audit::Entry { employee, ..entry.clone() };
            audit::insert(tx, cookie.owner, &entry, now)?;
        }
        Ok(())
    }

    /// Ends that of another owner. The browser has forgotten it in any case: where the store fails, it goes on until it is
    /// over, and its owner can end it.
    pub(super) async fn end_elsewhere(self, app: &App, act: &Act<Login>) {
        let (owner, now) = (self.cookie.owner, act.now);
        let write = move |tx: &mut Tx<'_>| self.end(tx, now);
        if let Err(error) = app.store.write(act.meter(), Lane::Admission, owner, write).await {
            tracing::warn!(?error, "the session that a browser had before goes on");
        }
    }
}
