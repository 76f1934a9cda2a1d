//! What people plainly say of themselves, and what they then set right: found by the form of a sentence, without a model.
//! Only what can hardly be meant otherwise; the rest is for a model that understands. Must not know who said it, nor what is
//! noted already. Start at [`statements`].

mod clauses;
mod correct;
mod forms;
mod joke;
mod plain;
mod said;
mod sentence;
mod slots;
mod state;
mod words;

pub use correct::{Correction, Nearness, correction};
pub use joke::is_taken_back;
pub use plain::Statement;
pub use said::Sentence;
pub use sentence::{message_sentences, said_to};
pub use slots::StatedReading;
pub use state::{asks_to_keep_secret, statements};
pub use words::kin_phrases;
