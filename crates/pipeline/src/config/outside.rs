//! `[tools.web]` and `[tools.images]`: which services outside are asked.

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

/// What makes pictures.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct ImagesConfig {
    /// A server with OpenAI's interface that makes pictures for the tool `image_make`, up to and without
    /// `/images/generations`. Empty: none.
    #[schemars(url)]
    pub base_url: Option<String>,
    /// The model there. Empty: none.
    #[schemars(length(max = 200))]
    pub model: Option<String>,
    /// Pictures that are made in one day (UTC) at most.
    #[schemars(range(min = 0, max = 10_000))]
    pub per_day: u32,
    /// US dollars that one costs, for the account of costs. Unset: not known.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub price_usd: Option<f64>,
    /// Whether the server itself holds back what is not for everybody. Where it does not, pictures are made in age-restricted
    /// channels only. Unset: OpenAI's does, no other is taken to.
    pub moderated: Option<bool>,
}
