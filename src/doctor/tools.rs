//! Tools that ask services outside: whether each that the settings want is set up whole.

use super::messages;
use super::report::DoctorCheck;
use crate::config::{Config, SearchService, Secrets};

/// What is half set up; nothing about what is off or whole.
pub(super) fn half_set_up(config: &Config, secrets: &Secrets) -> Vec<DoctorCheck> {
    let web = &config.tools.web;
    let search = match web.search {
        SearchService::Brave if secrets.brave_key.is_none() => Some(messages::search_lacks_key()),
        SearchService::Searxng if web.searxng_url.is_none() => Some(messages::search_lacks_address()),
        _ => None,
    };
    search.into_iter().collect()
}
