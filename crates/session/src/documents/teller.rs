//! Who tells in words what is in bytes that are no text: what a picture shows, what is said in a voice message.

use std::fmt::{self, Debug};
use std::future::Future;
use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;

use super::pictures::{PictureKind, PictureTold};
use crate::domain::AccountId;

/// Who tells what a picture shows.
pub type Seer = Teller<(PictureKind, Vec<u8>), PictureTold>;

/// Who tells what somebody says in a voice message.
pub type Hearer = Teller<(Vec<u8>, AccountId), String>;

/// Somebody who tells in words what is in `A`. Who that is, whoever puts the program together says.
#[derive(Clone)]
pub struct Teller<A, W> {
    is_there: Arc<dyn Fn() -> bool + Send + Sync>,
    tells: Arc<Tells<A, W>>,
}

type Tells<A, W> = dyn Fn(A) -> BoxFuture<'static, Result<W, String>> + Send + Sync;

impl<A: 'static, W: 'static> Teller<A, W> {
    /// `is_there` says whether there is anybody now; `tells` fails in words for the model, where it cannot be made out.
    pub fn of<T: Send + Sync + 'static, F: Future<Output = Result<W, String>> + Send + 'static>(
        who: Arc<T>,
        is_there: impl Fn(&T) -> bool + Send + Sync + 'static,
        tells: impl Fn(Arc<T>, A) -> F + Send + Sync + 'static,
    ) -> Self {
        let asked = Arc::clone(&who);
        Self {
            is_there: Arc::new(move || is_there(&who)),
            tells: Arc::new(move |what| tells(Arc::clone(&asked), what).boxed()),
        }
    }

    pub(super) fn is_there(&self) -> bool {
        (self.is_there)()
    }

    pub(super) async fn words_of(&self, what: A) -> Result<W, String> {
        (self.tells)(what).await
    }
}

impl<A, W> Debug for Teller<A, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Teller").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use parking_lot::Mutex;

    use super::*;

    #[tokio::test]
    async fn who_tells_is_asked_as_it_is_now() {
        let words = Arc::new(Mutex::new(None::<String>));
        let teller: Teller<u8, String> = Teller::of(
            Arc::clone(&words),
            |words| words.lock().is_some(),
            |words, what| async move {
                let words = words.lock().clone();
                words.map(|words| format!("{words} {what}")).ok_or_else(|| "nobody is there".to_owned())
            },
        );
        assert!(!teller.is_there());
        assert_eq!(teller.words_of(1).await, Err("nobody is there".to_owned()));
        *words.lock() = Some("this is".to_owned());
        assert!(teller.clone().is_there());
        assert_eq!(teller.words_of(2).await, Ok("this is 2".to_owned()));
    }
}
