//! Where requests go, which fields the server there understands, what binds a request's cache at each provider, and where
//! its markers go (memory 3.1). The layout of a prompt says with [`ChatMessage::cache_breakpoint`] what comes again; this
//! file says what of it the provider is told.

use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};

use crate::domain::{CacheFigures, CachedBy, ChatMessage};
use crate::net::is_on_this_machine;

pub(crate) const OPENROUTER: &str = "https://openrouter.ai/api/v1";

/// Shown to OpenRouter as the calling application.
const APP_TITLE: &str = "Familiar-Connect";
/// OpenRouter tells applications apart by it; the project has no address of its own, so it is one that never resolves.
const APP_URL: &str = "https://familiar-connect.invalid/";

/// Which extras a server understands beyond the common chat-completions fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ServerDialect {
    /// OpenRouter: routing, sticky sessions, usage with cost, cache markers.
    OpenRouter,
    OpenAi,
    /// Some other server named in the configuration.
    Compatible,
    /// A server found on this machine: gets the common fields only.
    Local,
}

/// A base URL that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{url:?} is not a usable base URL: {reason}")]
pub struct BadBaseUrl {
    pub url: String,
    pub reason: String,
}

/// A server, the key for it and the way to speak to it.
#[derive(Debug, Clone)]
pub(crate) struct Endpoint {
    base: String,
    host: String,
    loopback: bool,
    key: SecretString,
    dialect: ServerDialect,
}

impl Endpoint {
    /// Reads a base URL as people write it: a trailing slash or a pasted `/chat/completions` is taken off.
    pub(crate) fn new(base_url: &str, key: Option<SecretString>) -> Result<Self, BadBaseUrl> {
        let bad = |reason: &str| BadBaseUrl { url: base_url.to_owned(), reason: reason.to_owned() };
        let trimmed = base_url.trim().trim_end_matches('/');
        let trimmed = trimmed.strip_suffix("/chat/completions").unwrap_or(trimmed).trim_end_matches('/');
        let url = Url::parse(trimmed).map_err(|error| bad(&error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(bad("it must begin with http:// or https://"));
        }
        let host = url.host_str().ok_or_else(|| bad("it names no host"))?.to_owned();
        let loopback = is_on_this_machine(&url);
        // Keys are pasted into files with a line break behind them.
        let key =
            key.map(|key| SecretString::from(key.expose_secret().trim().to_owned())).unwrap_or_default();
        let dialect = dialect_of(&host, url.path(), key.expose_secret());
        let base = if host == "openrouter.ai" && url.path() == "/" {
            OPENROUTER.to_owned()
        } else {
            trimmed.to_owned()
        };
        Ok(Self { base, host, loopback, key, dialect })
    }

    /// The same server spoken to with the common fields only.
    pub(crate) fn local(mut self) -> Self {
        self.dialect = ServerDialect::Local;
        self
    }

    pub(crate) fn base_url(&self) -> &str {
        &self.base
    }

    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    pub(crate) fn dialect(&self) -> ServerDialect {
        self.dialect
    }

    pub(crate) fn is_loopback(&self) -> bool {
        self.loopback
    }

    pub(crate) fn has_key(&self) -> bool {
        !self.key.expose_secret().is_empty()
    }

    /// What every request to it carries.
    pub(crate) fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if self.has_key()
            && let Ok(mut value) = HeaderValue::from_str(&format!("Bearer {}", self.key.expose_secret()))
        {
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        if self.dialect == ServerDialect::OpenRouter {
            headers.insert(HeaderName::from_static("http-referer"), HeaderValue::from_static(APP_URL));
            headers.insert(HeaderName::from_static("x-title"), HeaderValue::from_static(APP_TITLE));
        }
        headers
    }

    /// Where something of it is.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// Takes the key out of words that will be shown.
    pub(crate) fn redact(&self, words: &str) -> String {
        let key = self.key.expose_secret();
        if key.is_empty() { words.to_owned() } else { words.replace(key, "[key]") }
    }
}

/// Whether it is OpenRouter itself, and no relay of it.
pub(crate) fn is_openrouter(host: &str) -> bool {
    host == "openrouter.ai" || host.ends_with(".openrouter.ai")
}

/// The host of the server at a base URL, where that is not OpenRouter itself: a relay of it has keys of its own.
pub fn other_host(base_url: &str) -> Option<String> {
    Endpoint::new(base_url, None).ok().map(|endpoint| endpoint.host).filter(|host| !is_openrouter(host))
}

/// What every key of OpenRouter begins with.
const OPENROUTER_KEY_BEGINS: &str = "sk-or-";

/// Whether a key may be one for the server at that base URL, OpenRouter where none is named, as far as its form tells: all but
/// OpenRouter give out keys of any form.
pub fn may_be_key_for(base_url: Option<&str>, key: &SecretString) -> bool {
    base_url.and_then(other_host).is_some() || key.expose_secret().starts_with(OPENROUTER_KEY_BEGINS)
}

/// A relay of OpenRouter is recognised by its path or by the key it is given.
fn dialect_of(host: &str, path: &str, key: &str) -> ServerDialect {
    if is_openrouter(host) || path == "/api/v1" || key.starts_with(OPENROUTER_KEY_BEGINS) {
        ServerDialect::OpenRouter
    } else if host == "api.openai.com" {
        ServerDialect::OpenAi
    } else {
        ServerDialect::Compatible
    }
}

/// A model's name without its route: `model:nitro` and `model:free` are the same model, unless a list says otherwise.
pub(crate) fn without_route(model: &str) -> &str {
    model.split_once(':').map_or(model, |(plain, _)| plain)
}

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
    pub(crate) fn of(model: &str, dialect: ServerDialect) -> Self {
        let name = model.trim_start_matches('~');
        // A relay that knows a model by OpenRouter's name wants OpenRouter's markers.
        let (markers, minimum) = match dialect {
            ServerDialect::Local => (None, 0),
            ServerDialect::OpenAi => (Some(Markers::Itself), OPENAI_MINIMUM),
            ServerDialect::OpenRouter | ServerDialect::Compatible => family(name),
        };
        let is_openai = match dialect {
            ServerDialect::OpenAi => true,
            ServerDialect::OpenRouter => name.starts_with("openai/"),
            ServerDialect::Compatible | ServerDialect::Local => false,
        };
        Self {
            markers,
            minimum,
            takes_session: dialect == ServerDialect::OpenRouter,
            takes_cache_key: is_openai,
        }
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
    let mut numbers = without_route(model)
        .split(['-', '.'])
        .skip_while(|part| part.parse::<u32>().is_err())
        .map_while(|part| part.parse::<u32>().ok().filter(|number| *number < 100));
    (numbers.next().unwrap_or(u32::MAX), numbers.next().unwrap_or(0))
}

#[cfg(test)]
mod cache_rules_tests;

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(url: &str, key: Option<&str>) -> Endpoint {
        Endpoint::new(url, key.map(|key| SecretString::from(key.to_owned()))).unwrap()
    }

    #[test]
    fn base_urls_are_read_as_people_write_them() {
        for written in
            ["http://h/v1", "http://h/v1/", " http://h/v1/chat/completions ", "http://h/v1/chat/completions/"]
        {
            assert_eq!(endpoint(written, None).base_url(), "http://h/v1", "{written}");
        }
        assert_eq!(endpoint("https://openrouter.ai", None).base_url(), OPENROUTER);
        for bad in ["", "localhost:1234", "ftp://h/v1", "not a url"] {
            assert!(Endpoint::new(bad, None).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_dialect_follows_host_path_and_key() {
        assert_eq!(endpoint(OPENROUTER, None).dialect(), ServerDialect::OpenRouter);
        assert_eq!(endpoint("http://127.0.0.1:9/api/v1", None).dialect(), ServerDialect::OpenRouter);
        assert_eq!(endpoint("http://relay/v1", Some("sk-or-v1-x")).dialect(), ServerDialect::OpenRouter);
        assert_eq!(endpoint("https://api.openai.com/v1", None).dialect(), ServerDialect::OpenAi);
        assert_eq!(endpoint("http://127.0.0.1:9/v1", None).dialect(), ServerDialect::Compatible);
        assert_eq!(endpoint("http://127.0.0.1:9/v1", None).local().dialect(), ServerDialect::Local);
    }

    #[test]
    fn the_key_goes_into_one_sensitive_header_and_out_of_words() {
        let with_key = endpoint("http://h/v1", Some("sk-secret"));
        assert_eq!(with_key.headers()[AUTHORIZATION], "Bearer sk-secret");
        assert!(with_key.headers()[AUTHORIZATION].is_sensitive());
        assert_eq!(with_key.redact("bad key sk-secret!"), "bad key [key]!");
        assert!(!format!("{with_key:?}").contains("sk-secret"));
        assert!(endpoint("http://h/v1", None).headers().is_empty());
        assert!(endpoint("http://h/v1", Some(" ")).headers().is_empty());
        assert_eq!(endpoint("http://h/v1", Some("sk-x\n")).headers()[AUTHORIZATION], "Bearer sk-x");
    }

    #[test]
    fn loopback_is_recognised_in_all_spellings() {
        for url in ["http://localhost:1/v1", "http://127.0.0.1:1/v1", "http://[::1]:1/v1"] {
            assert!(endpoint(url, None).is_loopback(), "{url}");
        }
        assert!(!endpoint("http://192.168.0.4/v1", None).is_loopback());
    }
}
