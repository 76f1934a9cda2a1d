//! `[tools.web]`: which services outside are asked.

use schemars::JsonSchema;
use serde::Deserialize;

/// What is looked up on the web, beside pages, which are read by their addresses.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct WebConfig {
    /// Who searches the web for the tool `web_search`, which is not there without.
    pub search: SearchService,
    /// SearXNG: where it is, up to and without `/search`. It must give JSON (`search.formats` of its settings).
    #[schemars(url)]
    pub searxng_url: Option<String>,
}

/// Who searches the web.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchService {
    /// nobody
    Off,
    /// a SearXNG of your own
    Searxng,
    /// Brave, with the key in `BRAVE_SEARCH_API_KEY`
    Brave,
}
