//! Whether the servers that give it tools can be started and reached, and what they have.

use std::sync::Arc;
use std::time::Duration;

use super::report::DoctorCheck;
use super::{Environment, messages};
use crate::config::{LiveConfig, Secrets};
use crate::llm::NetworkUse;
use crate::mcp::check_up;

/// How long a server may take from its start until it has said what it has.
const WITHIN: Duration = Duration::from_secs(5);

/// Starts each of them for a moment.
pub(super) async fn servers(
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
