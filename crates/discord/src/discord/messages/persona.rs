//! What is said about who somebody is in play.

use super::say::{said, sentences};
use super::{Tongue, case_name};
use crate::domain::{NoPersona, PERSONA_CHARS, PERSONA_NAME_CHARS, Persona};
use crate::text::defuse::defuse;
use crate::text::short::shortened;

/// Characters of a persona that are shown: two of them fit into one answer.
const SHOWN_CHARS: usize = 700;

sentences! {
    too_many_personas();
}

/// A persona as its player reads it.
fn persona_line(to: Tongue, persona: &Persona) -> String {
    let name = defuse(&persona.name).into_owned();
    match persona.description.as_str() {
        "" => said!(to, persona, name, description = "none"),
        words => said!(to, persona, name, description = shortened(&defuse(words), SHOWN_CHARS)),
    }
}

pub(in crate::discord) fn persona_set(to: Tongue, persona: &Persona, everywhere: bool) -> String {
    let persona = persona_line(to, persona);
    if everywhere { said!(to, persona_set_everywhere, persona) } else { said!(to, persona_set, persona) }
}

pub(in crate::discord) fn no_persona(to: Tongue, why: NoPersona) -> String {
    said!(to, no_persona, why = case_name(why), name_chars = PERSONA_NAME_CHARS, chars = PERSONA_CHARS)
}

/// Who somebody is here, and everywhere else.
pub(in crate::discord) fn persona_shown(
    to: Tongue,
    here: Option<&Persona>,
    everywhere: Option<&Persona>,
) -> String {
    let Some(here) = here else { return said!(to, persona_yourself) };
    let mut shown = said!(to, persona_here, persona = persona_line(to, here));
    if let Some(everywhere) = everywhere.filter(|everywhere| *everywhere != here) {
        shown.push('\n');
        shown.push_str(&said!(to, persona_elsewhere, persona = persona_line(to, everywhere)));
    }
    shown
}

/// It was cleared, and who they are here now.
pub(in crate::discord) fn persona_cleared(to: Tongue, was_set: bool, still: Option<&Persona>) -> String {
    match still {
        Some(persona) => {
            let cleared = said!(to, persona_cleared_still, was_set, persona = persona_line(to, persona));
            format!("{cleared}\n{}", said!(to, persona_clear_everywhere))
        }
        None => said!(to, persona_cleared, was_set),
    }
}
