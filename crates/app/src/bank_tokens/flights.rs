//! The flights that are under way in this process, one for each account and its credentials.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bank::Token;
use domain::ids::{BankId, OwnerId};
use domain::verification::Failure;
use futures_util::future::{BoxFuture, Shared, WeakShared};
use store::bank_tokens::Reached;

/// A flight, which goes on while anybody waits for it.
pub(super) type SharedFlight = Shared<FlightFuture>;

/// Future of a flight: obtains a token, and returns it to all who wait.
pub(super) type FlightFuture = BoxFuture<'static, Result<Token, Failure>>;

/// The flights of this process that obtain tokens of banks.
#[derive(Default)]
pub struct TokenFlights(Mutex<Flights>);

#[derive(Default)]
struct Flights {
    /// How many have begun, which is the number of the latest.
    begun: u64,
    /// Each takes itself out when it ends, however it does.
    under_way: HashMap<(OwnerId, BankId), UnderWay>,
}

struct UnderWay {
    number: u64,
    /// By which it asks. What it brings says nothing of others.
    credentials: Vec<u8>,
    flight: WeakShared<FlightFuture>,
}

impl fmt::Debug for TokenFlights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TokenFlights").field(&self.lock().under_way.len()).finish()
    }
}

/// Flight that a question waits for.
pub(super) enum Joined<T> {
    /// Its own flight.
    Own(SharedFlight),
    /// One that another question began, and what its own would have been made from.
    Other(SharedFlight, T),
}

impl TokenFlights {
    /// The flight that is under way for the account by these credentials, or else the one that `begin` makes from
    /// `input` under the number that it is given. Nothing of it is run here.
    pub(super) fn join<T>(
        &self,
        Reached { owner, bank, credentials }: Reached<'_>,
        input: T,
        begin: impl FnOnce(u64, T) -> SharedFlight,
    ) -> Joined<T> {
        let mut flights = self.lock();
        let found = flights.under_way.get(&(owner, bank));
        let same = found.filter(|found| found.credentials == credentials);
        if let Some(flight) = same.and_then(|found| found.flight.upgrade()) {
            return Joined::Other(flight, input);
        }
        flights.begun += 1;
        let number = flights.begun;
        let credentials = credentials.to_vec();
        // Nothing may fail from here on: a flight that is dropped locks the flights, too.
        let flight = begin(number, input);
        if let Some(weak) = flight.downgrade() {
            flights.under_way.insert((owner, bank), UnderWay { number, credentials, flight: weak });
        }
        Joined::Own(flight)
    }

    /// Takes that flight out, unless another has taken its place.
    pub(super) fn end(&self, owner: OwnerId, bank: BankId, number: u64) {
        let mut flights = self.lock();
        if flights.under_way.get(&(owner, bank)).is_some_and(|found| found.number == number) {
            flights.under_way.remove(&(owner, bank));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Flights> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
