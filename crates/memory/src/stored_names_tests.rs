//! The names under which values of enums lie in databases and notes: whoever renames a value in the code has to keep its
//! name there.

use std::str::FromStr;

use crate::domain::{ChannelMode, Deed, PlaceKind, Platform, ReminderKind, Slot, Stance};
use crate::graph::{EdgeKind, NodeKind};
use crate::memory::facts::FactKind;

/// What was stored is read, and written again as it was.
fn are_kept<T: FromStr + Into<&'static str>>(names: &str) {
    for name in names.split(' ') {
        let Ok(value) = name.parse::<T>() else { panic!("{name:?} is stored, and not read any more") };
        let written: &'static str = value.into();
        assert_eq!(written, name);
    }
}

#[test]
fn names_that_are_stored_are_read_and_written_as_they_were() {
    are_kept::<Platform>("discord terminal");
    are_kept::<PlaceKind>("guild_text thread forum_post dm terminal");
    are_kept::<ChannelMode>("full_rp text_conversation_rp imitate_voice");
    are_kept::<Slot>(
        "main_prose post_process_style reasoning_context history_summary memory_search memory_writer interjection_decision \
         mood_eval",
    );
    are_kept::<Stance>("agrees likes thanks against");
    are_kept::<Deed>("liked disliked asked_anew cut_off corrected deleted taken_up passed_over");
    are_kept::<ReminderKind>("reminder timer open_loop");
    are_kept::<FactKind>("fact claim promise preference correction ability lesson");
    are_kept::<NodeKind>("person topic episode note fact lore message alias learning label");
    are_kept::<EdgeKind>(
        "mentions contains links about derived_from contradicts related_to part_of called talks_about expert_in helped \
         agreed_with talked_with answered close_to quarrelled_with synthesized_into shown reads",
    );
}
