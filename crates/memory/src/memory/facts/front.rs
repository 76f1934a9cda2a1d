//! Front matter: what a file says about itself before its text begins.

use familiar_cards::text::{FrontMatter, front_matter};
use serde::Deserialize;

use crate::domain::{AccountId, Audience, InvalidId};

/// What a file says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Front {
    /// Who may see what it says, where a line says nothing else. Without a word on it, the operator wrote it: canon.
    pub audience: Audience,
    /// Other names of what it is about.
    pub aliases: Vec<String>,
    /// Other accounts of the person it is about.
    pub accounts: Vec<AccountId>,
    /// Whether it counts at all (lorebook entries can be switched off).
    pub is_enabled: bool,
}

/// Why a file is left alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    #[error("its front matter is not closed")]
    NotClosed,
    /// It is neither TOML nor YAML, or not of the right kinds.
    #[error("its front matter cannot be read: {0}")]
    FrontMatter(String),
    /// The audience, or an account, is none.
    #[error("{0}")]
    Audience(#[from] InvalidId),
}

#[derive(Debug, Default, Deserialize)]
struct WrittenFrontMatter {
    audience: Option<String>,
    #[serde(default)]
    aliases: Vec<String>,
    #[serde(default)]
    accounts: Vec<String>,
    enabled: Option<bool>,
}

impl Front {
    fn of(written: WrittenFrontMatter) -> Result<Self, Unreadable> {
        let audience = match written.audience.as_deref().map(str::trim) {
            None => Audience::Canon,
            Some(word) => word.parse()?,
        };
        Ok(Self {
            audience,
            aliases: written.aliases,
            accounts: written
                .accounts
                .iter()
                .map(|account| account.trim().parse())
                .collect::<Result<_, _>>()?,
            is_enabled: written.enabled.unwrap_or(true),
        })
    }
}

/// Front matter between `---` (YAML) or `+++` (TOML) lines, and where the text after it begins. Whatever raises a doubt
/// about who may see the file makes it unreadable.
pub(super) fn split_note(file: &str) -> Result<(Front, usize), Unreadable> {
    let start = if file.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let text = &file[start..];
    for fence in ["---", "+++"] {
        match front_matter(text, fence) {
            // A rule or a list is no front matter at all.
            FrontMatter::Missing => {}
            FrontMatter::Unclosed => return Err(Unreadable::NotClosed),
            FrontMatter::Closed { fields, body } => {
                let written = text[fields].replace("\r\n", "\n");
                return Ok((Front::of(read_front_matter(fence, &written)?)?, start + body));
            }
        }
    }
    Ok((Front::of(WrittenFrontMatter::default())?, start))
}

fn read_front_matter(fence: &str, written: &str) -> Result<WrittenFrontMatter, Unreadable> {
    if fence == "+++" {
        toml::from_str(written).map_err(|error| Unreadable::FrontMatter(error.to_string()))
    } else if written.trim().is_empty() {
        Ok(WrittenFrontMatter::default())
    } else {
        serde_saphyr::from_str(written).map_err(|error| Unreadable::FrontMatter(error.to_string()))
    }
}
