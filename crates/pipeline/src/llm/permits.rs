//! How many requests a model server is asked at once.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The limit, and who is let in under it, in the order they came.
#[derive(Debug)]
pub(super) struct Permits {
    free: Arc<Semaphore>,
    limit: Arc<Mutex<SlotLimit>>,
}

#[derive(Debug)]
struct SlotLimit {
    most: usize,
    /// So many more run than there may; each that ends takes its place along.
    too_many: usize,
}

/// The right to run one request, given back when it is dropped.
#[derive(Debug)]
pub(super) struct Permit {
    place: Option<OwnedSemaphorePermit>,
    limit: Arc<Mutex<SlotLimit>>,
}

impl Permits {
    /// At most `most` at once; at least one may.
    pub(super) fn new(most: u32) -> Self {
        let most = queue_places(most);
        let limit = SlotLimit { most, too_many: 0 };
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
        let most = queue_places(most);
        let mut limit = self.limit.lock();
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
        let mut limit = self.limit.lock();
        let Some(place) = self.place.take() else { return };
        if limit.too_many > 0 {
            limit.too_many -= 1;
            place.forget();
        }
    }
}

fn queue_places(most: u32) -> usize {
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
