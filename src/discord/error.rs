//! Why the bot could not be brought online.

/// A failure that no amount of waiting mends. Everything else is waited out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DiscordError {
    /// Discord does not know the token.
    #[error(
        "Discord does not accept the bot token. Copy it again from \
         https://discord.com/developers/applications (your application, Bot, Reset Token) into DISCORD_TOKEN"
    )]
    WrongToken,
    /// The gateway closed with 4014.
    #[error(
        "Discord refuses the Message Content intent. Switch on \"Message Content Intent\" at \
         https://discord.com/developers/applications/{} (Bot, Privileged Gateway Intents), then start again. With discord.presence = true \
         \"Presence Intent\" and \"Server Members Intent\" are needed too",
        .application.map_or_else(String::new, |id| format!("{id}/bot"))
    )]
    IntentsDenied {
        /// The application, where the token tells.
        application: Option<u64>,
    },
    /// Discord, or what stands in `discord.api_base`, refuses to let the bot in.
    #[error("Discord refuses the connection: {0}")]
    Refused(String),
}
