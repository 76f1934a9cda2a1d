//! Tools that ask services outside: whether each that the settings want is set up whole, and what makes pictures is there.

use std::sync::Arc;
use std::time::Duration;

use super::messages;
use super::report::DoctorCheck;
use crate::config::{Config, LiveConfig, SearchService, Secrets};
use crate::llm::NetworkUse;

/// What is half set up or not there; nothing about what is off or whole.
pub(super) async fn half_set_up(
    config: &Arc<LiveConfig>,
    secrets: &Secrets,
    reach: NetworkUse,
    deadline: Duration,
) -> Vec<DoctorCheck> {
    let config = config.current();
    search(&config, secrets).into_iter().chain(images(&config, reach, deadline).await).collect()
}

fn search(config: &Config, secrets: &Secrets) -> Option<DoctorCheck> {
    let web = &config.tools.web;
    match web.search {
        SearchService::Brave if secrets.brave_key.is_none() => Some(messages::search_lacks_key()),
        SearchService::Searxng if web.searxng_url.is_none() => Some(messages::search_lacks_address()),
        _ => None,
    }
}

async fn images(config: &Config, reach: NetworkUse, deadline: Duration) -> Option<DoctorCheck> {
    let images = &config.tools.images;
    match (&images.base_url, &images.model) {
        (None, None) => None,
        (Some(_), None) => Some(messages::images_lack("tools.images.model")),
        (None, Some(_)) => Some(messages::images_lack("tools.images.base_url")),
        (Some(_), Some(_)) if reach == NetworkUse::Offline => None,
        (Some(base), Some(_)) => {
            // Whatever it answers, it is there.
            let asked = async { reqwest::Client::builder().build()?.get(base).send().await };
            match tokio::time::timeout(deadline, asked).await {
                Ok(Ok(_)) => None,
                Ok(Err(_)) | Err(_) => Some(messages::images_unreachable(base)),
            }
        }
    }
}
