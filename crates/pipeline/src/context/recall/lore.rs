//! The world's books (A12): an entry that a question is about, although no key of it was said.

use std::sync::Arc;

use async_trait::async_trait;
use tokio::task::spawn_blocking;

use super::query::{AS_THEY_WERE_SAID, QueryClass, RecallQuery};
use super::{Found, RecallError, RecallSource};
use crate::config::LiveConfig;
use crate::context::providers::{Addressee, character_macros};
use crate::domain::{Audience, Visible};
use crate::familiar::{LiveCharacter, LiveLore, LorePage};
use familiar_cards::macros::Moment;

/// What an entry counts that the question names: as surely meant as anything can be.
const NAMED: f32 = 0.9;

/// Entries of one answer; what fits a question worse than the third is not what was meant.
const PAGES: usize = 3;

/// Searches the lorebooks. Lore is canon: everybody may know it.
#[derive(Debug)]
pub struct LoreSource {
    pub lore: Arc<LiveLore>,
    /// For whom the macros are filled in.
    pub character: Arc<LiveCharacter>,
    pub config: Arc<LiveConfig>,
}

/// How an entry is named in provenance, whichever way it came into a prompt.
pub(in crate::context) fn entry_key(book: &str, uid: u32) -> String {
    format!("lore/{book}/{uid}")
}

/// Whether a find of this key is an entry.
pub(in crate::context) fn is_lore(key: &str) -> bool {
    key.starts_with("lore/")
}

/// Whether what a find is from is this entry: its key, and its title behind a space. A book may have a space in its name.
pub(in crate::context) fn is_of_entry(from: &str, key: &str) -> bool {
    from.strip_prefix(key).is_some_and(|title| title.is_empty() || title.starts_with(' '))
}

#[async_trait]
impl RecallSource for LoreSource {
    fn name(&self) -> &'static str {
        "lore"
    }

    fn weight(&self, class: QueryClass) -> f32 {
        match class {
            QueryClass::Fact => 0.7,
            QueryClass::Person | QueryClass::Relation => 0.6,
            QueryClass::Time => 0.3,
        }
    }

    /// A book is searched sentence by sentence already.
    fn takes(&self, query: &RecallQuery) -> bool {
        query.weight >= AS_THEY_WERE_SAID
    }

    async fn search(&self, query: &RecallQuery, _visible: &Visible) -> Result<Vec<Found>, RecallError> {
        let library = self.lore.current().await;
        if library.is_empty() || query.terms.is_empty() {
            return Ok(Vec::new());
        }
        let character = self.character.current();
        let user = Addressee::named(self.config.current().render.user_fallback.clone());
        let id = self.config.home().id().to_string();
        let circumstances = &query.circumstances;
        // What is found twice reads the same.
        let moment =
            Moment::new(circumstances.now.to_zoned(circumstances.tz.clone()), String::new(), String::new());
        let (text, most) = (query.text.clone(), circumstances.most.min(PAGES));
        let pages = spawn_blocking(move || {
            let names = [character.spoken_name(), character.name.as_str(), id.as_str()];
            let expand = |text: &str| character_macros(&character, &user, &moment, text);
            library.look_up(&text, &names, most, &expand)
        });
        Ok(pages.await?.into_iter().map(lore_find).collect())
    }
}

fn lore_find(page: LorePage) -> Found {
    let key = entry_key(&page.book, page.uid);
    let source = format!("{key} {}", page.name);
    Found::known(key, page.content, Audience::Canon, source, page.nearness.min(NAMED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_known_by_its_key_whatever_its_book_is_called() {
        let key = entry_key("Old Harbour", 3);
        assert!(is_of_entry(&format!("{key} The bell"), &key) && is_of_entry(&key, &key));
        assert!(!is_of_entry(&format!("{} The bell", entry_key("Old Harbour", 31)), &key));
    }
}
