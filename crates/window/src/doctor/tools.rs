//! Tools that ask services outside: whether each that the settings want is set up whole, and what makes pictures is there;
//! and whether the servers that give it tools can be started and reached, and what they have.

use std::sync::Arc;
use std::time::Duration;

use super::report::DoctorCheck;
use super::{Environment, messages};
use crate::config::{Config, LiveConfig, SearchService, Secrets};
use crate::llm::NetworkUse;
use crate::mcp::check_up;

/// What is half set up or not there; nothing about what is off or whole.
pub(super) async fn half_set_up(
    config: Option<&Arc<LiveConfig>>,
    secrets: &Secrets,
    reach: NetworkUse,
    deadline: Duration,
) -> Vec<DoctorCheck> {
    let Some(config) = config.map(|config| config.current()) else { return Vec::new() };
    search_service(&config, secrets).into_iter().chain(images(&config, reach, deadline).await).collect()
}

fn search_service(config: &Config, secrets: &Secrets) -> Option<DoctorCheck> {
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

/// How long a server may take from its start until it has said what it has.
const WITHIN: Duration = Duration::from_secs(5);

/// Starts each of them for a moment.
pub(super) async fn mcp_servers(
    config: Option<&Arc<LiveConfig>>,
    secrets: &Secrets,
    environment: Environment,
    reach: NetworkUse,
) -> Vec<DoctorCheck> {
    let Some(config) = config else { return Vec::new() };
    let current = config.current();
    let off = current.mcp.iter().filter(|(_, settings)| !settings.enabled);
    let mut checks: Vec<DoctorCheck> = off.map(|(name, _)| messages::server_switched_off(name)).collect();
    // One that lacks what `.env` would tell it would only complain.
    if reach == NetworkUse::Offline || environment == Environment::Unknown {
        let wanted = current.mcp.iter().filter(|(_, settings)| settings.enabled);
        checks.extend(wanted.map(|(name, _)| messages::server_not_tried(name)));
        return checks;
    }
    for found in check_up(&current.mcp, secrets, WITHIN).await {
        checks.extend(found.unset.iter().map(|variable| messages::variable_unset(&found.name, variable)));
        checks.push(match &found.outcome {
            Ok(has) => messages::server_connected(&found.name, has),
            Err(why) => messages::server_away(&found.name, why),
        });
    }
    checks
}
