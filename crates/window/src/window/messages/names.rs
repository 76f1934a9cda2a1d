//! What places are called that have no name, and who may see something.

use crate::domain::{BondId, GuildId};

pub(in crate::window) fn place_without_name(kind: &str, channel: &str) -> String {
    match (kind, channel) {
        ("terminal", "window") => "This window".to_owned(),
        ("terminal", _) => "The terminal".to_owned(),
        ("dm", _) => format!("Direct messages {channel}"),
        _ => channel.to_owned(),
    }
}

/// A place where one person is alone with the familiar.
pub(in crate::window) fn alone_with(name: &str) -> String {
    format!("Direct messages with {name}")
}

/// Who may see something.
pub(in crate::window) const EVERYBODY: &str = "everybody";

pub(in crate::window) const ONLY_YOU: &str = "only you";

pub(in crate::window) const ONLY_THIS_TALK: &str = "only you, and only in the talk it was said in";

pub(in crate::window) fn only(name: &str) -> String {
    format!("only {name}")
}

pub(in crate::window) fn everybody_on(server: Option<&String>, guild: &GuildId) -> String {
    match server {
        Some(server) => format!("everybody on {server}"),
        None => format!("everybody on server {guild}"),
    }
}

pub(in crate::window) fn whoever_is_in(channel: &str) -> String {
    format!("whoever is in {channel}")
}

pub(in crate::window) fn whoever_is_in_restricted(channel: &str) -> String {
    format!("whoever is in {channel}, which is age-restricted")
}

pub(in crate::window) fn paired_by(bond: &BondId) -> String {
    format!("the places that {bond} pairs")
}
