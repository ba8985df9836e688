//! Pictures are drawn one after the other, beside the threads that answer requests: each may take a second and more
//! than a hundred megabytes, so that many at once would take the machine. Who waits stands in a line that has an end.

use std::fmt;
use std::sync::Arc;

use domain::logo::{LogoKind, Size, UnfitPicture};
use domain::refusal::Refusal;
use tokio::sync::Semaphore;

use super::redraw::redraw;
use crate::Error;

/// How many are drawn at once. [`super::redraw::PIXEL_BYTES_MAX`] bounds what one of them takes.
const AT_ONCE: usize = 1;

/// How many may stand in the line, the one being served among them. Each has its file with it.
const LINE_MAX: usize = 16;

/// A picture as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// How it is written.
    pub kind: LogoKind,
    /// How large it is.
    pub size: Size,
    /// Its file: nothing but the picture.
    pub bytes: Vec<u8>,
}

/// Why a picture was not drawn, though nobody knows whether it could be.
#[derive(Debug, thiserror::Error)]
enum DrawingError {
    /// The process ends.
    #[error("the drawing of a picture was interrupted")]
    Cut,
}

/// Draws pictures.
pub struct Drawing {
    places: Arc<Semaphore>,
    line: Semaphore,
}

impl Default for Drawing {
    fn default() -> Self {
        Self { places: Arc::new(Semaphore::new(AT_ONCE)), line: Semaphore::new(LINE_MAX) }
    }
}

impl Drawing {
    /// Draws the picture of a file anew; or says why it is none that is taken.
    ///
    /// # Errors
    /// Too many wait, or the process ends.
    pub async fn draw(
        &self,
        file: impl AsRef<[u8]> + Send + 'static,
    ) -> Result<Result<Drawn, UnfitPicture>, Error> {
        let cut = || Error::Internal(Box::new(DrawingError::Cut));
        let _waiting = self.line.try_acquire().map_err(|_| Refusal::ServiceUnavailable)?;
        let place = Arc::clone(&self.places).acquire_owned().await.map_err(|_| cut())?;
        let work = move || {
            // Kept to the end, also where nobody waits for it any more.
            let _place = place;
            redraw(file.as_ref())
        };
        match tokio::task::spawn_blocking(work).await {
            Ok(drawn) => Ok(drawn),
            // A decoder that lost its way is no reason to fail: its file makes no sense.
            Err(error) if error.is_panic() => {
                tracing::warn!("a decoder of pictures panicked");
                Ok(Err(UnfitPicture::Broken))
            }
            Err(_) => Err(cut()),
        }
    }
}

impl fmt::Debug for Drawing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drawing").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn the_line_has_an_end_and_who_hangs_up_leaves_it() {
        let drawing = Drawing::default();
        let all = u32::try_from(AT_ONCE).unwrap();
        let held = drawing.places.acquire_many(all).await.unwrap();
        let draw = || Box::pin(drawing.draw("no picture"));
        let mut waiting: Vec<_> = (0..LINE_MAX).map(|_| draw()).collect();
        assert!(waiting.iter_mut().all(|one| one.now_or_never().is_none()));
        let crowded = draw().await.unwrap_err();
        assert!(matches!(crowded, Error::Refused(Refusal::ServiceUnavailable)), "{crowded:?}");
        drop(waiting.pop());
        let mut last = draw();
        assert!((&mut last).now_or_never().is_none());
        drop((held, waiting));
        assert_eq!(last.await.unwrap(), Err(UnfitPicture::OtherKind));
    }
}
