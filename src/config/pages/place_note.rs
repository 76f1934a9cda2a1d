//! `places/*.md`: what one server or one person has settled with the familiar (specs mechanisms A19, layer 2.5; A30).

use std::sync::Arc;

use super::condition::Condition;
use super::front::Page;
use super::section::lasting;
use crate::config::error::ConfigError;
use crate::config::read::View;
use crate::config::schema::{Key, Kind};
use crate::domain::{AccountId, Audience, GuildId, Place};

/// The settings of a place's file.
pub(in crate::config) const KEYS: &[Key] = &[
    Key { path: "enabled", kind: Kind::Flag, doc: "`false` switches it off. Unset: `true`." },
    Key {
        path: "max_tokens",
        kind: Kind::Count(10, 100_000),
        doc: "The most it may take; paragraphs that do not fit are left out whole. Unset: what its layer \
              (`author_note`) has room for.",
    },
    Key {
        path: "from_chat",
        kind: Kind::Flag,
        doc: "Whether these are people's words rather than yours. They are then quoted at the end of the prompt and \
              never instruct. Unset: `false`.",
    },
];

/// What was settled with those who are in a place.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaceNote {
    /// The name of its file, without `.md`.
    pub name: Arc<str>,
    /// With whom, and so who may be told.
    pub audience: Audience,
    /// The most it may take, in tokens.
    pub max_tokens: Option<u32>,
    /// Whether people's words are in it.
    pub is_from_chat: bool,
    /// Whether it reads the same in every prompt.
    pub is_steady: bool,
    /// The text, macros still raw.
    pub text: Arc<str>,
}

impl PlaceNote {
    /// Reads one; `None` where it is switched off.
    pub(super) fn read(name: &str, page: &Page) -> Result<Option<Self>, ConfigError> {
        let Some(audience) = audience_of(name) else {
            let what = format!(
                "`{name}.md` names no place; call it guild-<server id>.md, dm-<user id>.md or dm-operator.md"
            );
            return Err(page.conflict("enabled", what));
        };
        if page.is_off() {
            return Ok(None);
        }
        let view = View::new(&page.front);
        Ok(Some(Self {
            name: Arc::from(name),
            audience,
            max_tokens: view.optional_count("max_tokens")?,
            is_from_chat: view.optional_flag("from_chat")?.unwrap_or(false),
            is_steady: lasting(&Condition::always(), &page.text).is_ok(),
            text: Arc::from(page.text.as_str()),
        }))
    }

    /// Whether it is about those who are in `place`: a server's in all of its channels, a person's in their direct
    /// messages.
    #[must_use]
    pub fn is_for(&self, place: &Place) -> bool {
        match &self.audience {
            Audience::Guild(guild) => place.guild.as_ref() == Some(guild),
            audience => *audience == place.audience,
        }
    }
}

fn audience_of(name: &str) -> Option<Audience> {
    let digits = |id: &str| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    match name.split_once('-')? {
        ("guild", id) if digits(id) => GuildId::new(id).ok().map(Audience::Guild),
        ("dm", "operator") => Some(Audience::Dm(AccountId::operator())),
        ("dm", id) => id.parse().ok().map(|user| Audience::Dm(AccountId::discord(user))),
        _ => None,
    }
}
