//! What was brought from outside a while ago, so that asking for the same again costs nothing (A4).

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use quick_cache::sync::Cache;

use crate::domain::Audience;
use crate::text::short::counted;
use crate::tools::tool::ToolContext;

/// Finds that are kept.
const KEPT: usize = 64;

/// For so long they are fresh.
const FRESH: Duration = Duration::from_secs(3600);

/// Finds by whom they were brought for and what was asked. Who is in another place learns nothing of it, not even that it
/// was asked there.
#[derive(Debug)]
pub(super) struct Fresh(Cache<(Audience, String), Arc<FreshPage>>);

#[derive(Debug)]
struct FreshPage {
    at: Timestamp,
    text: String,
}

impl Fresh {
    pub(super) fn new() -> Self {
        Self(Cache::new(KEPT))
    }

    /// What was brought within the last hour, with how long ago that was.
    pub(super) fn find(&self, context: &ToolContext, asked: &str) -> Option<String> {
        let key = (context.place.audience.clone(), asked.to_owned());
        let find = self.0.get(&key)?;
        let age = context.now.duration_since(find.at);
        if age.is_negative() || age.unsigned_abs() > FRESH {
            self.0.remove(&key);
            return None;
        }
        Some(format!("Brought {} and not asked for anew.\n{}", how_long_ago(age), find.text))
    }

    /// Lets go of everything.
    pub(super) fn clear(&self) {
        self.0.clear();
    }

    pub(super) fn keep(&self, context: &ToolContext, asked: &str, text: &str) {
        let find = FreshPage { at: context.now, text: text.to_owned() };
        self.0.insert((context.place.audience.clone(), asked.to_owned()), Arc::new(find));
    }
}

fn how_long_ago(age: SignedDuration) -> String {
    match age.as_mins() {
        0 => "just now".to_owned(),
        minutes => format!("{} ago", counted(minutes.unsigned_abs(), "minute")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{ChannelId, Place};
    use crate::tools::builtin::tests::context;

    #[test]
    fn a4_what_was_brought_within_the_hour_is_told_with_its_age_there_and_nowhere_else() {
        let in_place = |audience| context(Place { audience, ..Place::terminal(ChannelId::from(1)) });
        let fresh = Fresh::new();
        let mut here = in_place(Audience::Guild(9.into()));
        fresh.keep(&here, "a", "The find.");
        assert_eq!(fresh.find(&here, "a").unwrap(), "Brought just now and not asked for anew.\nThe find.");
        assert_eq!(fresh.find(&here, "b"), None);
        assert_eq!(fresh.find(&in_place(Audience::Private(2.into())), "a"), None);
        here.now += SignedDuration::from_mins(59);
        assert!(fresh.find(&here, "a").unwrap().starts_with("Brought 59 minutes ago"));
        here.now += SignedDuration::from_mins(2);
        assert_eq!(fresh.find(&here, "a"), None);
    }
}
