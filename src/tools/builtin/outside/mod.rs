//! Tools that look outside: pages, searches, the weather.
//!
//! What they bring is somebody else's, so it is quoted, and nothing is done after it in the same turn that nobody confirmed.
//! Start reading at [`all`].

mod fresh;
mod page;
mod service;
mod weather;
mod web;

use std::sync::Arc;

use secrecy::SecretString;

pub use service::ServiceAddresses;

use crate::config::LiveConfig;
use crate::net::Outside;
use crate::tools::tool::{AnyTool, any};
use fresh::Fresh;
use service::Services;

/// What tools that look outside work with.
#[derive(Debug, Clone, Default)]
pub struct OutsideParts {
    /// The way to the open internet; none of these tools are there without it.
    pub way: Option<Outside>,
    /// Where the services are.
    pub services: ServiceAddresses,
    /// The key for Brave's search.
    pub brave_key: Option<SecretString>,
}

impl OutsideParts {
    /// By the names that this machine knows, and with these keys.
    pub fn of(brave_key: Option<SecretString>) -> Self {
        let way = Outside::new().inspect_err(|error| tracing::warn!("nothing outside can be asked: {error}"));
        Self { way: way.ok(), services: ServiceAddresses::default(), brave_key }
    }
}

/// All of them, in the order they are offered.
pub(super) fn all(parts: &OutsideParts, config: &Arc<LiveConfig>) -> Vec<Arc<dyn AnyTool>> {
    let Some(way) = &parts.way else { return Vec::new() };
    let fresh = Arc::new(Fresh::new());
    let services = match Services::new(parts) {
        Ok(services) => Arc::new(services),
        Err(error) => {
            tracing::warn!("nothing outside can be asked: {error}");
            return Vec::new();
        }
    };
    vec![
        any(web::WebFetch { way: way.clone(), fresh: Arc::clone(&fresh) }),
        any(web::WebSearch {
            config: Arc::clone(config),
            services: Arc::clone(&services),
            fresh: Arc::clone(&fresh),
        }),
        any(weather::Weather { services, fresh }),
    ]
}

#[cfg(test)]
mod tests;
