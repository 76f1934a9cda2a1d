//! What is forgotten while a reply is on its way: it may be said to its end, and is not remembered where it holds any of it
//! (contradiction 16).
//!
//! Must not know whose wish it was. Start reading at [`ForgetBarrier`].

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::sync::{Mutex, MutexGuard};

use crate::domain::StoredId;
use crate::history::SaidWords;
use crate::text::echo::Echoes;

/// What is forgotten, as far as conversations hold it.
#[derive(Debug, Clone, Default)]
pub struct Gone {
    /// Stored turns that are no more.
    pub turns: Arc<BTreeSet<StoredId>>,
    /// What all of it said.
    pub words: Arc<Echoes>,
    /// By what it was chosen.
    pub said: Arc<Vec<SaidWords>>,
}

/// Shared by a conversation and the turn it runs. Nothing is forgotten between the turn's look at it and its reply being
/// stored: either the look finds it, or whoever forgets finds the reply.
#[derive(Debug, Clone, Default)]
pub(super) struct ForgetBarrier(Arc<Mutex<Vec<Gone>>>);

impl ForgetBarrier {
    /// Something is being forgotten. Returns when a reply that is just being stored is stored.
    pub(super) async fn forgets(&self, gone: &Gone) {
        self.0.lock().await.push(gone.clone());
    }

    /// What was forgotten so far; nothing more is until the look is over.
    pub(super) async fn look(&self) -> Look<'_> {
        Look(self.0.lock().await)
    }
}

pub(super) struct Look<'a>(MutexGuard<'a, Vec<Gone>>);

impl Look<'_> {
    /// Whether nothing was forgotten: only then what was made of the prompt may be kept.
    pub(super) fn is_clear(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a reply may be remembered: all that it answers still stands, it repeats nothing of what is gone, and it holds
    /// no words that were named. A short one repeats too little to be known by that, and whom it is about nobody asks: where
    /// in doubt one reply less is remembered.
    pub(super) fn may_keep(&self, answers: &[StoredId], reply: &str) -> bool {
        let is_touched = |gone: &Gone| {
            answers.iter().any(|turn| gone.turns.contains(turn))
                || gone.words.are_in(reply)
                || gone.said.iter().any(|said| said.is_told_in(reply))
        };
        !self.0.iter().any(is_touched)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::AccountId;

    #[tokio::test]
    async fn contradiction_16_a_reply_to_what_is_forgotten_and_one_that_repeats_it_are_not_kept() {
        let forget_barrier = ForgetBarrier::default();
        assert!(forget_barrier.look().await.may_keep(&[StoredId(1)], "my cat is called Biscuit"));
        let mut words = Echoes::default();
        words.take("my cat is called Biscuit, and she bites");
        let turns = Arc::new([StoredId(1)].into());
        forget_barrier.forgets(&Gone { turns, words: Arc::new(words), ..Gone::default() }).await;
        let look = forget_barrier.look().await;
        assert!(!look.is_clear());
        assert!(look.may_keep(&[StoredId(2)], "The ferry is late."));
        assert!(!look.may_keep(&[StoredId(2), StoredId(1)], "The ferry is late."));
        assert!(!look.may_keep(&[StoredId(2)], "So: my cat is called Biscuit!"));
    }

    #[tokio::test]
    async fn contradiction_16_a_reply_that_holds_what_was_named_is_not_kept_however_short() {
        let forget_barrier = ForgetBarrier::default();
        let alice = AccountId::discord(1);
        let said = vec![SaidWords::By(alice.clone()), SaidWords::with(alice, "the cats")];
        forget_barrier.forgets(&Gone { said: Arc::new(said), ..Gone::default() }).await;
        let look = forget_barrier.look().await;
        assert!(!look.may_keep(&[StoredId(2)], "A cat."));
        assert!(look.may_keep(&[StoredId(2)], "The ferry is late."));
    }

    #[tokio::test]
    async fn contradiction_16_nothing_is_forgotten_while_a_reply_is_being_stored() {
        let forget_barrier = ForgetBarrier::default();
        let look = forget_barrier.look().await;
        let gone = Gone::default();
        let mut forgets = Box::pin(forget_barrier.forgets(&gone));
        assert!(futures::poll!(&mut forgets).is_pending());
        drop(look);
        forgets.await;
        assert!(!forget_barrier.look().await.is_clear());
    }
}
