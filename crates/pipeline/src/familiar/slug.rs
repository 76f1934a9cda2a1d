//! Folder and file names from names in any script.
//!
//! Owns the slug rule of cards-and-lore 1.5. Must not know the disk. Start at [`slug`].

use crate::domain::FamiliarId;

const MAX_CHARS: usize = 64;

/// A familiar's id from its name: NFKC, lower case, letters and digits of any script kept, everything else `-`,
/// at most 64 characters. `None` when nothing is left or what is left is reserved.
pub fn slug(name: &str) -> Option<FamiliarId> {
    FamiliarId::new(familiar_cards::text::slug(name, MAX_CHARS)).ok()
}

/// The same id with a number behind it, within the length.
pub(crate) fn numbered_id(id: &FamiliarId, number: u32) -> Option<FamiliarId> {
    let tail = format!("-{number}");
    let room = MAX_CHARS - tail.len();
    let base: String = id.as_str().chars().take(room).collect();
    FamiliarId::new(format!("{}{tail}", base.trim_end_matches('-'))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_any_script_make_ids() {
        for (name, id) in [
            ("爱", "爱"),
            ("New:TSF", "new-tsf"),
            ("Gloria, PA", "gloria-pa"),
            ("City Explorer (Story)", "city-explorer-story"),
            ("../../etc/passwd", "etc-passwd"),
            ("C:\\Windows", "c-windows"),
            ("Ｆｕｌｌｗｉｄｔｈ", "fullwidth"),
            ("नमस्ते", "नमस्ते"),
            ("Zoë", "zoë"),
        ] {
            assert_eq!(slug(name).unwrap().as_str(), id, "{name}");
        }
    }

    #[test]
    fn names_without_a_letter_or_reserved_make_none() {
        for name in ["", "...", "/", "CON", "nul", "🙂"] {
            assert!(slug(name).is_none(), "{name}");
        }
    }

    #[test]
    fn long_names_are_cut_and_numbering_stays_within() {
        let id = slug(&"x".repeat(200)).unwrap();
        assert_eq!(id.as_str().chars().count(), 64);
        assert_eq!(numbered_id(&id, 12).unwrap().as_str().chars().count(), 64);
    }
}
