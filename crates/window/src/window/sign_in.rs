//! Who may come in: an address that works once, the operator's own token, and the sessions that either of them begins.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use tokio_util::sync::CancellationToken;

use crate::clock::{SharedClock, Uses};
use crate::home::write_atomic;

/// So many browsers are signed in at a time; with one more, the oldest is signed out.
const SESSIONS_MAX: usize = 16;

/// So long a browser stays signed in while the program runs.
const SESSION_LIFE: SignedDuration = SignedDuration::from_hours(7 * 24);

/// So many wrong tokens are looked at in a minute.
const WRONG_MAX: u32 = 10;

const MINUTE: Duration = Duration::from_secs(60);

/// A browser that is signed in.
#[derive(Debug, Clone)]
pub(super) struct Session {
    /// What the browser holds, hashed: the memory of the program is no place for it.
    id: [u8; 32],
    since: Timestamp,
    /// Stands in every form of this browser's pages, and nowhere else.
    pub csrf: String,
    /// Cancelled when it is signed out.
    pub ended: CancellationToken,
}

/// What became of a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Entered {
    /// The browser is to hold this from now on.
    In(String),
    Wrong,
    /// Too many wrong ones came before it: it was not looked at.
    NotNow,
}

/// The tokens and sessions of one run of the program.
#[derive(Debug)]
pub(super) struct SignIns {
    /// `http://127.0.0.1:8737`
    origin: String,
    file: Mutex<PathBuf>,
    clock: SharedClock,
    operator: Option<SecretString>,
    once: Mutex<String>,
    sessions: Mutex<Vec<Session>>,
    /// Wrong tokens of people, and of assistants: neither shuts the other out.
    wrong: Mutex<Uses<Guesser, Timestamp>>,
}

/// Who gave a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Guesser {
    Person,
    Assistant,
}

impl SignIns {
    pub(super) fn new(
        origin: String,
        file: PathBuf,
        operator: Option<SecretString>,
        clock: SharedClock,
    ) -> Self {
        Self {
            origin,
            file: Mutex::new(file),
            operator,
            once: Mutex::new(random_token()),
            sessions: Mutex::default(),
            wrong: Mutex::new(Uses::new(MINUTE, 2)),
            clock,
        }
    }

    /// Where the window is.
    pub(super) fn address(&self) -> String {
        format!("{}/", self.origin)
    }

    /// The address that signs in once.
    pub(super) fn opening_address(&self) -> String {
        format!("{}/?token={}", self.origin, self.once.lock())
    }

    pub(super) fn has_operator_token(&self) -> bool {
        self.operator.is_some()
    }

    /// Writes down the address that signs in next, for whoever may read the familiar's folder. Blocks.
    pub(super) fn write_down(&self) -> std::io::Result<()> {
        write_atomic(&self.file(), self.opening_address() + "\n")
    }

    pub(super) fn file(&self) -> PathBuf {
        self.file.lock().clone()
    }

    /// Where the address is written down from now on.
    pub(super) fn moves_to(&self, file: PathBuf) {
        *self.file.lock() = file;
    }

    /// Signs a browser in. The session is always a new one: what the browser held before counts for nothing.
    pub(super) fn enter(&self, token: &str) -> Entered {
        let now = self.clock.now();
        let is_once = {
            let mut once = self.once.lock();
            let is_once = same(token, &once);
            if is_once {
                *once = random_token();
            }
            is_once
        };
        // Nobody guesses an address, so that nobody keeps it from its owner by guessing.
        if !is_once && let Err(refused) = self.operators(token) {
            return refused;
        }
        let id = random_token();
        let session = Session {
            id: hash_of_token(&id),
            since: now,
            csrf: random_token(),
            ended: CancellationToken::new(),
        };
        let mut sessions = self.sessions.lock();
        if sessions.len() >= SESSIONS_MAX {
            sessions.remove(0).ended.cancel();
        }
        sessions.push(session);
        Entered::In(id)
    }

    /// Whether this is the operator's token, which is looked at only so often where it is wrong.
    ///
    /// # Errors
    /// [`Entered::Wrong`] or [`Entered::NotNow`].
    pub(super) fn operators(&self, token: &str) -> Result<(), Entered> {
        self.looked_at(Guesser::Person, || {
            self.operator.as_ref().is_some_and(|own| same(token, own.expose_secret()))
        })
    }

    /// Whether an assistant's token is this, which is looked at only so often where it is wrong.
    ///
    /// # Errors
    /// As [`Self::operators`].
    pub(super) fn assistants(&self, token: &str, own: &SecretString) -> Result<(), Entered> {
        self.looked_at(Guesser::Assistant, || same(token, own.expose_secret()))
    }

    fn looked_at(&self, guesser: Guesser, is_right: impl FnOnce() -> bool) -> Result<(), Entered> {
        let (now, mut wrong) = (self.clock.now(), self.wrong.lock());
        if wrong.used(&guesser, now).is_some_and(|used| used.amount >= f64::from(WRONG_MAX)) {
            return Err(Entered::NotNow);
        }
        if is_right() {
            return Ok(());
        }
        wrong.spend(guesser, 1.0, now);
        Err(Entered::Wrong)
    }

    /// The session that a browser says it has.
    pub(super) fn session(&self, id: &str) -> Option<Session> {
        let (id, now) = (hash_of_token(id), self.clock.now());
        let mut sessions = self.sessions.lock();
        sessions.retain(|session| {
            let is_fresh = now.duration_since(session.since) < SESSION_LIFE;
            if !is_fresh {
                session.ended.cancel();
            }
            is_fresh
        });
        sessions.iter().find(|session| bool::from(session.id.ct_eq(&id))).cloned()
    }

    pub(super) fn leave(&self, session: &Session) {
        session.ended.cancel();
        self.sessions.lock().retain(|known| known.id != session.id);
    }
}

impl Session {
    /// Whether a form comes from a page of this browser.
    pub(super) fn sent(&self, csrf: &str) -> bool {
        same(csrf, &self.csrf)
    }
}

/// Writes the address down that signs in next.
pub(super) async fn write_down(sign_ins: &Arc<SignIns>) -> std::io::Result<()> {
    let sign_ins = Arc::clone(sign_ins);
    tokio::task::spawn_blocking(move || sign_ins.write_down()).await.map_err(std::io::Error::other)?
}

/// 256 random bits, as they may stand in an address.
fn random_token() -> String {
    BASE64_URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>())
}

fn hash_of_token(text: &str) -> [u8; 32] {
    Sha256::digest(text).into()
}

/// In the same time wherever they differ, and however long they are.
fn same(one: &str, other: &str) -> bool {
    hash_of_token(one).ct_eq(&hash_of_token(other)).into()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::clock::ManualClock;

    fn sign_ins(operator: Option<&str>) -> (SignIns, ManualClock) {
        let clock = ManualClock::at("2026-03-01T20:00:00Z".parse().unwrap());
        let origin = "http://127.0.0.1:8737".to_owned();
        let operator = operator.map(|token| SecretString::from(token.to_owned()));
        (SignIns::new(origin, PathBuf::new(), operator, Arc::new(clock.clone())), clock)
    }

    fn token(sign_ins: &SignIns) -> String {
        sign_ins.opening_address().split_once("?token=").unwrap().1.to_owned()
    }

    fn comes_in(sign_ins: &SignIns) -> String {
        match sign_ins.enter(&token(sign_ins)) {
            Entered::In(id) => id,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_address_signs_in_once_and_the_next_one_is_another() {
        let (sign_ins, _) = sign_ins(None);
        let first = token(&sign_ins);
        let id = comes_in(&sign_ins);
        assert_eq!(sign_ins.enter(&first), Entered::Wrong);
        assert!(sign_ins.session(&id).is_some() && sign_ins.session("").is_none());
        assert_ne!(comes_in(&sign_ins), id);
    }

    #[test]
    fn the_operators_token_signs_in_as_often_as_one_likes() {
        let (sign_ins, _) = sign_ins(Some("twenty letters at least"));
        for _ in 0..3 {
            assert!(matches!(sign_ins.enter("twenty letters at least"), Entered::In(_)));
        }
        assert_eq!(sign_ins.enter("twenty letters at leas"), Entered::Wrong);
        assert_eq!(sign_ins.enter(""), Entered::Wrong);
    }

    #[test]
    fn after_ten_wrong_tokens_only_the_address_opens_for_a_minute() {
        let own = "twenty letters at least";
        let (sign_ins, clock) = sign_ins(Some(own));
        for _ in 0..10 {
            assert_eq!(sign_ins.enter("guess"), Entered::Wrong);
        }
        assert_eq!(sign_ins.enter(own), Entered::NotNow, "which might be guessed");
        comes_in(&sign_ins);
        clock.advance(std::time::Duration::from_secs(60));
        assert!(matches!(sign_ins.enter(own), Entered::In(_)));
    }

    #[test]
    fn sessions_end_by_hand_by_age_and_by_number() {
        let (sign_ins, clock) = sign_ins(None);
        let id = comes_in(&sign_ins);
        let session = sign_ins.session(&id).unwrap();
        sign_ins.leave(&session);
        assert!(session.ended.is_cancelled() && sign_ins.session(&id).is_none());

        let ids: Vec<String> = (0..=SESSIONS_MAX).map(|_| comes_in(&sign_ins)).collect();
        assert!(sign_ins.session(&ids[0]).is_none() && sign_ins.session(&ids[1]).is_some());
        clock.advance(std::time::Duration::from_secs(7 * 24 * 3600));
        assert!(ids.iter().all(|id| sign_ins.session(id).is_none()));
    }

    #[test]
    fn a_form_of_one_session_is_none_of_another() {
        let (sign_ins, _) = sign_ins(None);
        let [one, other] =
            [comes_in(&sign_ins), comes_in(&sign_ins)].map(|id| sign_ins.session(&id).unwrap());
        assert!(one.sent(&one.csrf) && !one.sent(&other.csrf) && !one.sent(""));
    }
}
