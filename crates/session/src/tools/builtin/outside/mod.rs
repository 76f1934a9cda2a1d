//! Tools that look outside: pages, searches, the weather, pictures.
//!
//! What they bring is somebody else's, so it is quoted, and nothing is done after it in the same turn that nobody confirmed.
//! Start reading at [`outside_tools`].

mod fresh;
mod pictures;
mod service;
mod weather;
mod web;

use std::sync::Arc;

use secrecy::SecretString;

pub(in crate::tools) use pictures::Pictures;
pub use pictures::VisionServer;
pub use service::ServiceAddresses;

use crate::config::{LiveConfig, Secrets};
use crate::llm::UsageLedger;
use crate::net::Outside;
use crate::tools::tool::{AnyTool, Reads, any, reads};
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
    /// The key for what makes pictures.
    pub images_key: Option<SecretString>,
    /// Where a model is that sees.
    pub vision: Option<VisionServer>,
    /// Where pictures are counted; none are made or described without.
    pub ledger: Option<Arc<UsageLedger>>,
}

impl OutsideParts {
    /// By the names that this machine knows, and with the keys that there are.
    pub fn of(secrets: &Secrets, vision: Option<VisionServer>, ledger: Arc<UsageLedger>) -> Self {
        let way = Outside::new().inspect_err(|error| tracing::warn!("nothing outside can be asked: {error}"));
        Self {
            way: way.ok(),
            services: ServiceAddresses::default(),
            brave_key: secrets.brave_key.clone(),
            images_key: secrets.images_key.clone(),
            vision,
            ledger: Some(ledger),
        }
    }
}

/// For fuzzing: one for each of [`outside_tools`].
pub(super) const READERS: [Reads; 5] = [
    reads::<web::WebFetch>,
    reads::<web::WebSearch>,
    reads::<weather::Weather>,
    reads::<pictures::ImageDescribe>,
    reads::<pictures::ImageMake>,
];

/// What is asked by these tools, and who tells what pictures show, where there is anybody.
#[derive(Debug, Clone)]
pub(in crate::tools) struct OutsideServices {
    services: Arc<Services>,
    pub(in crate::tools) pictures: Option<Arc<Pictures>>,
}

impl OutsideServices {
    /// `None` where nothing can be asked.
    pub(in crate::tools) fn of(parts: &OutsideParts, config: &Arc<LiveConfig>) -> Option<Self> {
        parts.way.as_ref()?;
        let services =
            Services::new(parts).inspect_err(|error| tracing::warn!("nothing outside can be asked: {error}"));
        let services = Arc::new(services.ok()?);
        let pictures = parts.vision.clone().zip(parts.ledger.clone()).map(|(server, ledger)| {
            Arc::new(Pictures::new(Arc::clone(config), Arc::clone(&services), server, ledger))
        });
        Some(Self { services, pictures })
    }
}

/// All of them, in the order they are offered.
pub(super) fn outside_tools(
    parts: &OutsideParts,
    asked: Option<OutsideServices>,
    config: &Arc<LiveConfig>,
) -> Vec<Arc<dyn AnyTool>> {
    let (Some(way), Some(OutsideServices { services, pictures })) = (&parts.way, asked) else {
        return Vec::new();
    };
    let fresh = Arc::new(Fresh::new());
    let mut all = vec![
        any(web::WebFetch { way: way.clone(), fresh: Arc::clone(&fresh) }),
        any(web::WebSearch {
            config: Arc::clone(config),
            services: Arc::clone(&services),
            fresh: Arc::clone(&fresh),
        }),
        any(weather::Weather { services: Arc::clone(&services), fresh }),
    ];
    let Some(ledger) = &parts.ledger else { return all };
    if let Some(pictures) = pictures {
        all.push(any(pictures::ImageDescribe { way: way.clone(), pictures }));
    }
    all.push(any(pictures::ImageMake {
        config: Arc::clone(config),
        way: way.clone(),
        services,
        key: parts.images_key.clone(),
        ledger: Arc::clone(ledger),
    }));
    all
}

#[cfg(test)]
mod tests;
