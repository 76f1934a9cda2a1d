//! `[window]`: where the page in a browser is served, and when it comes up by itself.

use std::net::IpAddr;

use schemars::JsonSchema;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;

/// The shortest token an operator may set, in characters.
pub const OPERATOR_TOKEN_CHARS: usize = 20;

/// The page in a browser at which the operator talks with the familiar and sees what it did. Read at a start.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct WindowConfig {
    /// Serve it with `familiar run`; `familiar window` prints the address to open.
    pub enabled: bool,
    /// The port. Where another program has it, any free one is taken. 0: any free one.
    #[schemars(range(min = 0, max = 65_535))]
    pub port: u16,
    /// The address that it is served at. One that others can reach wants `FAMILIAR_WINDOW_TOKEN` in `.env`: whoever
    /// has that token sees everything. What is sent is not encrypted.
    pub address: IpAddr,
    /// When it opens in a browser by itself: only where somebody sits at a terminal of a desktop, never over SSH.
    pub open_browser: OpenBrowser,
}

impl WindowConfig {
    /// Whether it has to stay closed: others could reach it, and no token of the operator's keeps them out.
    pub fn lacks_token(&self, token: Option<&SecretString>) -> bool {
        !self.address.is_loopback() && !token.is_some_and(is_operator_token)
    }
}

/// Whether it is too long to be guessed.
pub fn is_operator_token(token: &SecretString) -> bool {
    token.expose_secret().chars().count() >= OPERATOR_TOKEN_CHARS
}

/// When the window comes up in a browser without being asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OpenBrowser {
    /// where nobody lives yet, to choose somebody
    FirstRun,
    /// each time the program starts
    EveryStart,
    /// its address is only printed
    Never,
}
