//! What is said about who somebody is in play.

use crate::domain::{NoPersona, Persona};
use crate::text::defuse::defuse;
use crate::text::short::shortened;

/// Characters of a persona that are shown: two of them fit into one answer.
const SHOWN_CHARS: usize = 700;

/// A persona as its player reads it.
fn told(persona: &Persona) -> String {
    let name = defuse(&persona.name);
    match persona.description.as_str() {
        "" => format!("**{name}**."),
        description => format!("**{name}**: {}", shortened(&defuse(description), SHOWN_CHARS)),
    }
}

/// It was set.
pub(in crate::discord) fn persona_set(persona: &Persona, everywhere: bool) -> String {
    let (place, ends) = match everywhere {
        true => ("Wherever you have set no other, you are now", "`/persona clear everywhere:True`"),
        false => ("Here you are now", "`/persona clear`"),
    };
    format!("{place} {}\nPeople who talk here may learn it from the replies. {ends} ends it.", told(persona))
}

/// It was not.
pub(in crate::discord) fn no_persona(why: NoPersona) -> String {
    format!("That cannot be: {why}.")
}

pub(in crate::discord) fn too_many_personas() -> String {
    "You are somebody in as many places as can be. Clear one with `/persona clear` there, or set one for everywhere."
        .to_owned()
}

/// Who somebody is here, and everywhere else.
pub(in crate::discord) fn persona_shown(here: Option<&Persona>, everywhere: Option<&Persona>) -> String {
    match (here, everywhere) {
        (None, _) => "You are yourself here. `/persona set` makes you somebody else in play.".to_owned(),
        (Some(here), Some(everywhere)) if here != everywhere => {
            format!("Here you are {}\nElsewhere you are {}", told(here), told(everywhere))
        }
        (Some(here), _) => format!("Here you are {}", told(here)),
    }
}

/// It was cleared, and who they are here now.
pub(in crate::discord) fn persona_cleared(was_set: bool, still: Option<&Persona>) -> String {
    let done = if was_set { "It is cleared." } else { "There was none to clear." };
    match still {
        Some(persona) => {
            format!("{done} Here you are {}\n`/persona clear everywhere:True` ends that.", told(persona))
        }
        None => format!("{done} You are yourself here."),
    }
}
