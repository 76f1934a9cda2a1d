//! How many requests run at once.
//!
//! Owns a limit that may be raised and lowered while requests run: one that is lowered ends none of them, and lets
//! nobody in until enough have ended. Must not know what a request is. Start reading at [`Permits`].

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The limit, and who is let in under it, in the order they came.
#[derive(Debug)]
pub(super) struct Permits {
    free: Arc<Semaphore>,
    limit: Arc<Mutex<Limit>>,
}

#[derive(Debug)]
struct Limit {
    most: usize,
    /// So many more run than there may; each that ends takes its place along.
    too_many: usize,
}

/// The right to run one request, given back when it is dropped.
#[derive(Debug)]
pub(super) struct Permit {
    place: Option<OwnedSemaphorePermit>,
    limit: Arc<Mutex<Limit>>,
}

impl Permits {
    /// At most `most` at once; at least one may.
    pub(super) fn new(most: u32) -> Self {
        let most = places(most);
        let limit = Limit { most, too_many: 0 };
        Self { free: Arc::new(Semaphore::new(most)), limit: Arc::new(Mutex::new(limit)) }
    }

    /// Waits for a place.
    pub(super) async fn acquire(&self) -> Permit {
        // Nobody closes it, so there always is one.
        let place = Arc::clone(&self.free).acquire_owned().await.ok();
        Permit { place, limit: Arc::clone(&self.limit) }
    }

    /// From now on at most `most` at once.
    pub(super) fn set_most(&self, most: u32) {
        let most = places(most);
        let mut limit = self.limit.lock().unwrap_or_else(PoisonError::into_inner);
        if most >= limit.most {
            let more = most - limit.most;
            let covered = more.min(limit.too_many);
            limit.too_many -= covered;
            self.free.add_permits(more - covered);
        } else {
            let fewer = limit.most - most;
            limit.too_many += fewer - self.free.forget_permits(fewer);
        }
        limit.most = most;
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        // Given back under the lock, so that a limit that is lowered at this moment counts it either way.
        let mut limit = self.limit.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(place) = self.place.take() else { return };
        if limit.too_many > 0 {
            limit.too_many -= 1;
            place.forget();
        }
    }
}

fn places(most: u32) -> usize {
    usize::try_from(most).unwrap_or(usize::MAX).clamp(1, Semaphore::MAX_PERMITS)
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, Clone)]
    enum Step {
        Enter,
        Leave(usize),
        Limit(u32),
    }

    fn a_step() -> impl Strategy<Value = Step> {
        prop_oneof![
            4 => Just(Step::Enter),
            3 => (0usize..8).prop_map(Step::Leave),
            2 => (1u32..6).prop_map(Step::Limit),
        ]
    }

    proptest! {
        #[test]
        fn whatever_the_limit_was_nobody_enters_beyond_what_it_is_and_no_place_is_lost(
            steps in prop::collection::vec(a_step(), 1..60),
        ) {
            let permits = Permits::new(3);
            let (mut inside, mut most) = (Vec::new(), 3);
            for step in steps {
                match step {
                    Step::Enter => {
                        let entered = permits.acquire().now_or_never();
                        prop_assert_eq!(entered.is_some(), inside.len() < most, "{} of {}", inside.len(), most);
                        inside.extend(entered);
                    }
                    Step::Leave(nth) if !inside.is_empty() => drop(inside.remove(nth % inside.len())),
                    Step::Leave(_) => {}
                    Step::Limit(limit) => {
                        permits.set_most(limit);
                        most = limit as usize;
                    }
                }
            }
        }
    }
}
