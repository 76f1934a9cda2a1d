//! What the rims are given of a running program.
//!
//! Must not know what they do with it. Start at [`App::connect_discord`].

use std::sync::Arc;

use secrecy::SecretString;

use super::App;
use super::vitals::ModelVitals;
use crate::config::Secrets;
use crate::discord::{CallDeps, CallHost, DiscordDeps, DiscordLink, DiscordOutbox};
use crate::domain::Platform;

impl App {
    /// Lets replies go out to Discord, and gives what the connection works with. `host` holds its calls.
    #[must_use]
    pub fn connect_discord(
        &self,
        token: SecretString,
        secrets: &Secrets,
        host: Arc<dyn CallHost>,
    ) -> DiscordDeps {
        let link = DiscordLink::new();
        let outbox = DiscordOutbox::new(link.clone());
        self.session.connect(Platform::Discord, Arc::new(outbox));
        DiscordDeps {
            token,
            api_base: secrets.discord_api_base.clone(),
            link,
            session: Arc::new(self.session.clone()),
            config: Arc::clone(&self.config),
            traces: Arc::clone(&self.traces),
            character: Arc::clone(&self.character),
            pairing: Arc::clone(&self.pairing),
            world: Arc::clone(&self.world),
            memory: Arc::clone(&self.memory),
            eraser: Arc::clone(&self.eraser),
            vitals: Arc::new(ModelVitals(Arc::clone(&self.models))),
            calls: Some(CallDeps { host, times: None }),
        }
    }
}
