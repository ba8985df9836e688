//! The simulator as programs and tests hold it: its books, its time, and its way out.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::payer::AccountNumber;
use domain::time::Timestamp;
use serde_json::Value;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::books::{Books, Delivery, Refused};
use crate::courier;
use crate::faults::{Fault, Faults};
use crate::payment::{Account, NewPayment, Payment};
use crate::rates::{RATES_MAX, RateBoard};
use crate::runtime::{Runtime, Time};

/// A simulator of banks. Clones are one simulator.
#[derive(Clone)]
pub struct Simulator(Arc<Inner>);

struct Inner {
    books: Mutex<Books>,
    runtime: Runtime,
    /// Notified when something becomes due that was not.
    due_changed: Notify,
    /// Held by the task that delivers, so that one that waits for it finds everything delivered.
    delivering: tokio::sync::Mutex<()>,
    stop: CancellationToken,
}

impl Simulator {
    pub(crate) fn new(runtime: Runtime, stop: CancellationToken) -> Self {
        Self(Arc::new(Inner {
            books: Mutex::default(),
            runtime,
            due_changed: Notify::new(),
            delivering: tokio::sync::Mutex::new(()),
            stop,
        }))
    }

    /// Opens an account, or changes one that is there.
    ///
    /// # Errors
    /// [`Refused`] where its bank is not simulated or there are too many.
    pub fn add_account(&self, account: Account) -> Result<(), Refused> {
        self.books().open(account)
    }

    /// Makes a payment. Its notice, where there is to be one, goes out when it is posted.
    ///
    /// # Errors
    /// [`Refused`] where there is no such account, or no room.
    pub fn add_payment(&self, new: NewPayment) -> Result<Arc<Payment>, Refused> {
        let payment = self.books().pay(new, self.now())?;
        self.0.due_changed.notify_one();
        Ok(payment)
    }

    /// A payment, with the outcomes of its notices, the oldest first.
    ///
    /// # Errors
    /// [`Refused::NoSuchPayment`].
    pub fn payment(&self, number: u64) -> Result<(Arc<Payment>, Vec<Delivery>), Refused> {
        self.books().payment(number)
    }

    /// The newest payments with a number below, of one account or of all, so many at most.
    #[must_use]
    pub fn newest_payments(
        &self,
        account: Option<&AccountNumber>,
        below: u64,
        count: usize,
    ) -> Vec<(Arc<Payment>, Vec<Delivery>)> {
        self.books().newest(account, below, count)
    }

    /// Sends the notice of a payment, perhaps once more, and waits for the outcome.
    ///
    /// # Errors
    /// [`Refused`] where there is nothing to notify of, or nobody to notify.
    pub async fn push(&self, number: u64) -> Result<Delivery, Refused> {
        let notice = self.books().notice(number, self.now())?;
        Ok(courier::deliver(self, number, notice).await)
    }

    /// Returns when every notice that is due by now has been delivered or has failed.
    pub async fn deliver_due(&self) {
        let _turn = self.0.delivering.lock().await;
        courier::deliver_due(self).await;
    }

    /// Sets a fault for calls about an account, or for all calls; `None` ends it.
    ///
    /// # Errors
    /// [`Refused::NoSuchAccount`].
    pub fn set_fault(
        &self,
        account: Option<AccountNumber>,
        fault: Option<Fault>,
    ) -> Result<(), Refused> {
        let mut books = self.books();
        if account.as_ref().is_some_and(|account| !books.has(account)) {
            return Err(Refused::NoSuchAccount);
        }
        books.faults.set(account, fault);
        Ok(())
    }

    /// Makes the address of exchange rates return these from now on, right or wrong; `None`: a rate of the day.
    ///
    /// # Errors
    /// [`Refused::TooManyRates`].
    pub fn set_rates(&self, rates: Option<Vec<Value>>) -> Result<(), Refused> {
        if rates.as_ref().is_some_and(|rates| rates.len() > RATES_MAX) {
            return Err(Refused::TooManyRates);
        }
        self.books().rates.given = rates;
        Ok(())
    }

    /// Sets a fault of the address of exchange rates; `None` ends it.
    pub fn set_rates_fault(&self, fault: Option<Fault>) {
        self.books().rates.faults.set(None, fault);
    }

    /// The address of exchange rates.
    #[must_use]
    pub fn rates(&self) -> RateBoard {
        self.books().rates.clone()
    }

    /// How often the address of exchange rates was asked.
    #[must_use]
    pub fn rates_asked(&self) -> u64 {
        self.books().rates.asked
    }

    /// The faults that are set.
    #[must_use]
    pub fn faults(&self) -> Faults {
        self.books().faults.clone()
    }

    /// How often each of the bank's own calls came, by the last word of its path, whatever the
    /// outcome.
    #[must_use]
    pub fn calls(&self) -> BTreeMap<&'static str, u64> {
        self.books().calls()
    }

    /// Returns the time at the bank.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.0.runtime.time.now()
    }

    pub(crate) fn time(&self) -> &Time {
        &self.0.runtime.time
    }

    pub(crate) fn runtime(&self) -> &Runtime {
        &self.0.runtime
    }

    pub(crate) fn stop(&self) -> &CancellationToken {
        &self.0.stop
    }

    pub(crate) async fn due_changed(&self) {
        self.0.due_changed.notified().await;
    }

    /// The books. Nobody keeps them over a wait.
    pub(crate) fn books(&self) -> MutexGuard<'_, Books> {
        self.0.books.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Simulator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Simulator")
    }
}
