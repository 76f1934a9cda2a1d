//! The window, brought up beside everything else. That it does not open stops nothing.

use std::sync::Arc;

use super::App;
use super::health::Health;
use crate::config::Secrets;
use crate::trace::logging::LogLines;
use crate::window::{Assistants, Doorway, SetupParts, Window, WindowError, WindowParts};

impl App {
    /// Opens the window where the settings want it, at the port that is open already where it is the right one; `None` where
    /// they do not. It is closed before the app is stopped.
    ///
    /// # Errors
    /// When it could not be opened; everything else works without it.
    pub async fn open_window(
        &self,
        user_name: String,
        secrets: &Secrets,
        setup: SetupParts,
        assistants: Option<Assistants>,
        doorway: Option<Doorway>,
        log: LogLines,
    ) -> Result<Option<Window>, WindowError> {
        if !self.config.current().window.enabled {
            return Ok(None);
        }
        let parts = WindowParts {
            session: self.session.clone(),
            history: Arc::clone(&self.history),
            memory: Arc::clone(&self.memory),
            traces: Arc::clone(&self.traces),
            graph: Arc::clone(&self.graph),
            pairing: Arc::clone(&self.pairing),
            world: Arc::clone(&self.world),
            eraser: Arc::clone(&self.eraser),
            health: Arc::new(Health::of(self, secrets, &setup, log)),
            character: Arc::clone(&self.character),
            config: Arc::clone(&self.config),
            clock: Arc::clone(&self.clock),
            discord: self.discord.clone(),
            engines: Arc::clone(&self.engines),
            calls: Arc::clone(&self.calls),
            user_name,
            token: secrets.window_token.clone(),
            address_file: self.config.home().window_file(),
            setup,
            assistants,
        };
        Window::open(parts, doorway).await.map(Some)
    }
}
