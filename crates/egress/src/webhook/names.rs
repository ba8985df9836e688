//! Looking names up, by the system, which knows more than name servers do and has no way but to
//! block.

use std::future::Future;
use std::io;
use std::net::{IpAddr, ToSocketAddrs};
use std::pin::Pin;
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// How many names are looked up at once: each takes a thread, of which the process has not many.
const AT_ONCE_MAX: usize = 32;

/// The addresses of a name, from whoever knows.
pub(super) type Resolve = Arc<dyn Fn(String) -> Resolving + Send + Sync>;

/// What a [`Resolve`] answers.
pub(super) type Resolving = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// Asks the system.
pub(super) fn by_the_system() -> Resolve {
    bounded(AT_ONCE_MAX, look_up)
}

/// Has `look_up`, which blocks, go on so often at once and no more. It keeps its place until it is
/// over, also where nobody waits for it any more, since it keeps its thread for as long.
fn bounded(
    at_once: usize,
    look_up: impl Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync + 'static,
) -> Resolve {
    let (places, look_up) = (Arc::new(Semaphore::new(at_once)), Arc::new(look_up));
    Arc::new(move |name| {
        let (places, look_up) = (Arc::clone(&places), Arc::clone(&look_up));
        Box::pin(async move {
            let place = places.acquire_owned().await.map_err(io::Error::other)?;
            let work = move || {
                let _place = place;
                look_up(&name)
            };
            spawn_blocking(work).await.map_err(io::Error::other)?
        })
    })
}

fn look_up(name: &str) -> io::Result<Vec<IpAddr>> {
    let mut addresses: Vec<IpAddr> =
        (name, 0).to_socket_addrs()?.map(|address| address.ip()).collect();
    addresses.dedup();
    Ok(addresses)
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, mpsc};

    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn a_look_up_has_its_place_until_it_is_over_whoever_has_given_it_up() {
        let (told, began) = mpsc::channel();
        let (go, gate) = mpsc::channel::<()>();
        let gate = Mutex::new(gate);
        let resolve = bounded(2, move |name: &str| {
            told.send(name.to_owned()).unwrap();
            gate.lock().unwrap().recv().unwrap();
            Ok(Vec::new())
        });
        for name in ["a.example", "b.example"] {
            assert!(resolve(name.to_owned()).now_or_never().is_none());
            assert_eq!(began.recv().unwrap(), name);
        }
        let mut third = resolve("c.example".to_owned());
        assert!((&mut third).now_or_never().is_none());
        assert!(began.try_recv().is_err(), "both places are taken");
        for _ in 0..3 {
            go.send(()).unwrap();
        }
        assert_eq!(third.await.unwrap(), Vec::<IpAddr>::new());
        assert_eq!(began.recv().unwrap(), "c.example");
    }

    #[tokio::test]
    async fn the_system_knows_this_machine() {
        let found = by_the_system()("localhost".to_owned()).await.unwrap();
        assert!(!found.is_empty() && found.iter().all(IpAddr::is_loopback), "{found:?}");
    }
}
