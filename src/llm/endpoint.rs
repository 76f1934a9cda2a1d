//! Where requests go, and which fields the server there understands.

use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};

/// OpenRouter's base URL.
pub(crate) const OPENROUTER: &str = "https://openrouter.ai/api/v1";

/// Shown to OpenRouter as the calling application.
const APP_TITLE: &str = "Familiar-Connect";
/// OpenRouter tells applications apart by it; the project has no address of its own, so it is one that never resolves.
const APP_URL: &str = "https://familiar-connect.invalid/";

/// Which extras a server understands beyond the common chat-completions fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Dialect {
    /// OpenRouter: routing, sticky sessions, usage with cost, cache markers.
    OpenRouter,
    /// OpenAI itself.
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
    /// As configured.
    pub url: String,
    /// What is wrong with it.
    pub reason: String,
}

/// A server, the key for it and the way to speak to it.
#[derive(Debug, Clone)]
pub(crate) struct Endpoint {
    base: String,
    host: String,
    loopback: bool,
    key: SecretString,
    dialect: Dialect,
}

impl Endpoint {
    /// Reads a base URL as people write it: a trailing slash or a pasted `/chat/completions` is taken off.
    ///
    /// # Errors
    /// When it is not an http(s) URL with a host.
    pub(crate) fn new(base_url: &str, key: Option<SecretString>) -> Result<Self, BadBaseUrl> {
        let bad = |reason: &str| BadBaseUrl { url: base_url.to_owned(), reason: reason.to_owned() };
        let trimmed = base_url.trim().trim_end_matches('/');
        let trimmed = trimmed.strip_suffix("/chat/completions").unwrap_or(trimmed).trim_end_matches('/');
        let url = Url::parse(trimmed).map_err(|error| bad(&error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(bad("it must begin with http:// or https://"));
        }
        let host = url.host_str().ok_or_else(|| bad("it names no host"))?.to_owned();
        let loopback = host == "localhost"
            || host.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
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
        self.dialect = Dialect::Local;
        self
    }

    pub(crate) fn base_url(&self) -> &str {
        &self.base
    }

    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    pub(crate) fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// On this machine: proxies and certificate stores must not stand in the way.
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
        if self.dialect == Dialect::OpenRouter {
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

/// A relay of OpenRouter is recognised by its path or by the key it is given.
fn dialect_of(host: &str, path: &str, key: &str) -> Dialect {
    if host == "openrouter.ai"
        || host.ends_with(".openrouter.ai")
        || path == "/api/v1"
        || key.starts_with("sk-or-")
    {
        Dialect::OpenRouter
    } else if host == "api.openai.com" {
        Dialect::OpenAi
    } else {
        Dialect::Compatible
    }
}

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
        assert_eq!(endpoint(OPENROUTER, None).dialect(), Dialect::OpenRouter);
        assert_eq!(endpoint("http://127.0.0.1:9/api/v1", None).dialect(), Dialect::OpenRouter);
        assert_eq!(endpoint("http://relay/v1", Some("sk-or-v1-x")).dialect(), Dialect::OpenRouter);
        assert_eq!(endpoint("https://api.openai.com/v1", None).dialect(), Dialect::OpenAi);
        assert_eq!(endpoint("http://127.0.0.1:9/v1", None).dialect(), Dialect::Compatible);
        assert_eq!(endpoint("http://127.0.0.1:9/v1", None).local().dialect(), Dialect::Local);
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
