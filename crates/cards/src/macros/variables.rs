//! What a card remembers by itself: `{{setvar::mood::calm}}` and its kin (cards-and-lore 2.5).
//!
//! Owns the values and their bounds; must not know where they are stored. Start at [`Variables`].

use std::collections::BTreeMap;

use parking_lot::Mutex;

/// Variables of one conversation; more are not set.
const MOST: usize = 200;

/// Bytes of a name and of a value; longer ones are not set.
const NAME_BYTES: usize = 100;
const VALUE_BYTES: usize = 2_000;

/// The variables of one conversation, by name. Names of `{{$global}}` ones keep their sign.
#[derive(Debug, Default)]
pub struct Variables(Mutex<BTreeMap<String, String>>);

impl Variables {
    /// As they were stored.
    #[must_use]
    pub fn new(values: BTreeMap<String, String>) -> Self {
        Self(Mutex::new(values))
    }

    /// All of them, as they stand.
    #[must_use]
    pub fn values(&self) -> BTreeMap<String, String> {
        self.0.lock().clone()
    }

    /// A value; empty for one that was never set.
    pub(super) fn get(&self, name: &str) -> String {
        self.0.lock().get(name).cloned().unwrap_or_default()
    }

    /// Sets a value, within bounds.
    pub(super) fn set(&self, name: &str, value: &str) {
        let mut values = self.0.lock();
        let fits = !name.is_empty() && name.len() <= NAME_BYTES && value.len() <= VALUE_BYTES;
        if fits && (values.len() < MOST || values.contains_key(name)) {
            values.insert(name.to_owned(), value.to_owned());
        }
    }

    /// Adds to a number, or writes behind a text. Gives the new value.
    pub(super) fn add(&self, name: &str, more: &str) -> String {
        let old = self.get(name);
        let number = |text: &str| if text.trim().is_empty() { Ok(0.0) } else { text.trim().parse::<f64>() };
        match (number(&old), number(more)) {
            (Ok(old), Ok(more)) if (old + more).is_finite() => self.set(name, &(old + more).to_string()),
            _ => self.set(name, &format!("{old}{more}")),
        }
        self.get(name)
    }
}
