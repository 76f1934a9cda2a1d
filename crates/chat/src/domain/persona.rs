//! Who somebody is in play.

use serde::{Deserialize, Serialize};

use super::AccountId;
use crate::text::short::one_line;
use crate::text::unicode::visible;

/// Characters of a persona's name.
pub const PERSONA_NAME_CHARS: usize = 60;

/// Characters of what is told about a persona.
pub const PERSONA_CHARS: usize = 1_000;

/// Who somebody is in play: what they say of it themselves, which nobody has looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Persona {
    /// One line of 1 to [`PERSONA_NAME_CHARS`] characters.
    pub name: String,
    /// At most [`PERSONA_CHARS`] characters; may be empty.
    pub description: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoPersona {
    #[error("a persona needs a name")]
    Nameless,
    #[error("a persona's name has at most {PERSONA_NAME_CHARS} characters")]
    LongName,
    /// Whoever is called so would be taken for them.
    #[error("somebody else is called that here, or the character is")]
    Taken,
    #[error("what is told about a persona has at most {PERSONA_CHARS} characters")]
    LongDescription,
}

impl Persona {
    /// A persona of these words, without what nobody can see in them.
    ///
    /// # Errors
    /// Where it has no name, or more words than it may.
    pub fn new(name: &str, description: &str) -> Result<Self, NoPersona> {
        let name = one_line(&visible(name)).trim().to_owned();
        let description = visible(description.trim()).into_owned();
        if name.is_empty() {
            return Err(NoPersona::Nameless);
        }
        if name.chars().count() > PERSONA_NAME_CHARS {
            return Err(NoPersona::LongName);
        }
        if description.chars().count() > PERSONA_CHARS {
            return Err(NoPersona::LongDescription);
        }
        Ok(Self { name, description })
    }
}

/// Somebody who takes part, and who they are in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InPlay {
    pub account: AccountId,
    /// What whoever plays it is called.
    pub player: String,
    pub persona: Persona,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_persona_has_a_name_of_one_line_and_bounds() {
        let made = Persona::new(" Captain\n Va\u{200b}ne ", " Retired. ").unwrap();
        assert_eq!((made.name.as_str(), made.description.as_str()), ("Captain Vane", "Retired."));
        assert_eq!(Persona::new(" \u{200b}\n", "x"), Err(NoPersona::Nameless));
        assert_eq!(Persona::new(&"é".repeat(61), ""), Err(NoPersona::LongName));
        assert_eq!(Persona::new("Vane", &"é".repeat(1_001)), Err(NoPersona::LongDescription));
    }
}
