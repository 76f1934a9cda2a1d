//! What binds a request's cache at each provider, and where its markers go (specs memory 3.1).
//!
//! Owns the table of provider families and the placing of markers. Must not know what a prompt means: the layout says
//! with [`ChatMessage::cache_breakpoint`] what comes again, this room says what of it the provider is told. Start
//! reading at [`CacheRules::of`], then [`CacheRules::plan`].

use super::endpoint::Dialect;
use crate::domain::{CacheFigures, CachedBy, ChatMessage};

/// Anthropic takes up to this many explicit markers.
const MOST_MARKERS: usize = 4;

/// A marker finds what an earlier request marked up to some twenty blocks before it; two less leave room for "some".
const LOOKBACK: usize = 18;

/// Messages between two resting places of a marker that is only found where it stood before. Fewer would be written
/// more often, more would leave more unread by the cache.
const RESTING_STEP: usize = 16;

/// How explicit markers count at a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Markers {
    /// They do not: the provider caches by itself.
    Itself,
    /// Several; each also finds what was marked a little before it.
    Moving,
    /// Only the last one, and only where the request before had it too.
    Resting,
}

/// What binds the cache of one model behind one server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CacheRules {
    /// `None` where nothing is known of a cache.
    markers: Option<Markers>,
    /// The shortest beginning that is kept, in tokens; 0 where the provider names none.
    minimum: u32,
    /// The receiver keeps a conversation on one upstream by `session_id`.
    pub(crate) takes_session: bool,
    /// The receiver keeps a conversation on one machine by `prompt_cache_key`.
    pub(crate) takes_cache_key: bool,
}

/// How large a request is, in the model's own tokens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PromptSizes<'a> {
    /// Each message, by our count.
    pub(crate) messages: &'a [u32],
    /// What stands in front of the first message on the wire, by our count: the tools.
    pub(crate) before: u32,
    /// The model's tokens for one of ours.
    pub(crate) ratio: f64,
}

impl PromptSizes<'_> {
    /// The beginning that ends with a message.
    fn up_to(&self, end: usize) -> u32 {
        let counted =
            self.messages.iter().take(end + 1).fold(self.before, |sum, one| sum.saturating_add(*one));
        let scaled = (f64::from(counted) * self.ratio).round();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to u32 first")]
        let scaled = scaled.clamp(0.0, f64::from(u32::MAX)) as u32;
        scaled
    }
}

/// Where a request's markers go, and what that comes to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct CachePlan {
    /// Positions of the marked messages, in order.
    pub(crate) marked: Vec<usize>,
    /// For the trace; `None` where nothing comes again or no cache is known.
    pub(crate) figures: Option<CacheFigures>,
}

impl CacheRules {
    /// The rules for a model, by its name on the wire, behind a server.
    pub(crate) fn of(model: &str, dialect: Dialect) -> Self {
        let name = model.trim_start_matches('~');
        // A relay that knows a model by OpenRouter's name wants OpenRouter's markers.
        let (markers, minimum) = match dialect {
            Dialect::Local => (None, 0),
            Dialect::OpenAi => (Some(Markers::Itself), OPENAI_MINIMUM),
            Dialect::OpenRouter | Dialect::Compatible => family(name),
        };
        let is_openai = match dialect {
            Dialect::OpenAi => true,
            Dialect::OpenRouter => name.starts_with("openai/"),
            Dialect::Compatible | Dialect::Local => false,
        };
        Self { markers, minimum, takes_session: dialect == Dialect::OpenRouter, takes_cache_key: is_openai }
    }

    /// Chooses the markers of a request.
    pub(crate) fn plan(&self, messages: &[ChatMessage], sizes: &PromptSizes<'_>) -> CachePlan {
        let Some(markers) = self.markers else { return CachePlan::default() };
        let mut ends = messages.iter().enumerate().filter(|(_, m)| m.cache_breakpoint).map(|(at, _)| at);
        let Some(first) = ends.next() else { return CachePlan::default() };
        let newest = ends.next_back().unwrap_or(first);
        let up_to = |end| sizes.up_to(end);
        let mut marked = match markers {
            Markers::Itself => Vec::new(),
            Markers::Moving => moving(first, newest),
            Markers::Resting => vec![newest - (newest - first) % RESTING_STEP],
        };
        // A marker on words that are too few is ignored without a word, and nothing can be marked that has none.
        marked.retain(|at| {
            up_to(*at) >= self.minimum && messages.get(*at).is_some_and(|m| !m.content.is_empty())
        });
        let figures = CacheFigures {
            by: if markers == Markers::Itself { CachedBy::Itself } else { CachedBy::Markers },
            marked: marked.iter().map(|at| up_to(*at)).collect(),
            repeatable_tokens: up_to(newest),
            minimum_tokens: self.minimum,
        };
        CachePlan { marked, figures: Some(figures) }
    }
}

/// The stable block, the newest message that comes again, and between them as many as it takes for the next request to
/// find this one, however much is said in between: up to [`MOST_MARKERS`], each within the lookback of the next.
fn moving(first: usize, newest: usize) -> Vec<usize> {
    let mut marked: Vec<usize> = std::iter::successors(Some(newest), |at| at.checked_sub(LOOKBACK))
        .take_while(|at| *at > first)
        .take(MOST_MARKERS - 1)
        .collect();
    marked.push(first);
    marked.reverse();
    marked
}

/// OpenAI keeps beginnings from this many tokens on.
const OPENAI_MINIMUM: u32 = 1_024;

/// How a model behind OpenRouter is cached, and from how many tokens on.
fn family(name: &str) -> (Option<Markers>, u32) {
    let Some((vendor, model)) = name.split_once('/') else { return (None, 0) };
    match vendor {
        "anthropic" => (Some(Markers::Moving), anthropic_minimum(model)),
        "google" if model.starts_with("gemini") => {
            (Some(Markers::Resting), if model.contains("flash") { 1_024 } else { 4_096 })
        }
        "openai" => (Some(Markers::Itself), OPENAI_MINIMUM),
        "deepseek" | "x-ai" | "moonshotai" | "groq" | "z-ai" => (Some(Markers::Itself), 0),
        _ => (None, 0),
    }
}

/// The shortest beginning a Claude model keeps. One that is not in the table is taken to need the most.
fn anthropic_minimum(model: &str) -> u32 {
    let version = version(model);
    let is = |line: &str| model.contains(line);
    if is("haiku") {
        if version < (4, 0) { 2_048 } else { 4_096 }
    } else if is("sonnet") && version <= (4, 6) || is("opus") && version <= (4, 1) {
        1_024
    } else {
        4_096
    }
}

/// `claude-opus-4.1`, `claude-3-5-haiku` and `claude-sonnet-4-20250514` alike: the first numbers that are no date.
fn version(model: &str) -> (u32, u32) {
    let plain = model.split_once(':').map_or(model, |(plain, _)| plain);
    let mut numbers = plain
        .split(['-', '.'])
        .skip_while(|part| part.parse::<u32>().is_err())
        .map_while(|part| part.parse::<u32>().ok().filter(|number| *number < 100));
    (numbers.next().unwrap_or(u32::MAX), numbers.next().unwrap_or(0))
}

#[cfg(test)]
mod tests;
