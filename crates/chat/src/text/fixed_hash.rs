//! A number for something, the same in every run: for tables of what was said, and for spreading keys over a few places. Start at
//! [`fixed_hash`].

use std::hash::{DefaultHasher, Hash, Hasher as _};

/// With fixed keys, which anybody knows: whoever may choose what is put in can make two things share a number.
pub fn fixed_hash(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}
