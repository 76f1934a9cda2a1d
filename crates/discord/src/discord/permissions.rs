//! What the bot asks Discord for: gateway intents, the invite link, and what it needs in one channel.
//!
//! Owns the three lists and nothing that acts on them. Must not know commands or sessions. Start reading at
//! [`invite_link`].

use serenity::all::{GatewayIntents, Permissions};

/// What the gateway is asked to send. `MESSAGE_CONTENT` is privileged: it must be switched on for the
/// application in the developer portal, or Discord closes the connection with 4014; so are presences and members, which
/// are asked for only where they are wanted.
///
/// `presence`: it is to be known who joins and what members do.
pub(super) fn intents(presence: bool) -> GatewayIntents {
    let usual = GatewayIntents::GUILDS
        | GatewayIntents::GUILD_MESSAGES
        | GatewayIntents::GUILD_MESSAGE_TYPING
        | GatewayIntents::GUILD_MESSAGE_REACTIONS
        | GatewayIntents::GUILD_VOICE_STATES
        | GatewayIntents::DIRECT_MESSAGES
        | GatewayIntents::DIRECT_MESSAGE_TYPING
        | GatewayIntents::DIRECT_MESSAGE_REACTIONS
        | GatewayIntents::MESSAGE_CONTENT;
    if presence { usual | GatewayIntents::GUILD_PRESENCES | GatewayIntents::GUILD_MEMBERS } else { usual }
}

/// What the bot needs where it is to talk. Reading history is needed to answer a message by reference; nothing
/// is asked for that is not used.
pub(super) fn needed_permissions() -> Permissions {
    Permissions::VIEW_CHANNEL
        | Permissions::SEND_MESSAGES
        | Permissions::SEND_MESSAGES_IN_THREADS
        | Permissions::READ_MESSAGE_HISTORY
        | Permissions::CONNECT
        | Permissions::SPEAK
}

/// The part of [`needed_permissions`] that `granted` lacks, in the words of Discord's own settings page. In a thread the
/// permission to send is another one than in a channel.
pub(super) fn missing(granted: Permissions, in_thread: InThread) -> Vec<&'static str> {
    let history = (Permissions::READ_MESSAGE_HISTORY, "Read Message History");
    lacking(granted, &[(Permissions::VIEW_CHANNEL, "View Channel"), in_thread.to_speak(), history])
}

/// The names of what is wanted and not granted.
pub(super) fn lacking(granted: Permissions, wanted: &[(Permissions, &'static str)]) -> Vec<&'static str> {
    let lacking = wanted.iter().filter(|(permission, _)| !granted.contains(*permission));
    lacking.map(|(_, name)| *name).collect()
}

/// What the bot needs in a voice channel, and `granted` lacks, in the words of Discord's own settings page.
pub(super) fn missing_in_call(granted: Permissions) -> Vec<&'static str> {
    let wanted = [
        (Permissions::VIEW_CHANNEL, "View Channel"),
        (Permissions::CONNECT, "Connect"),
        (Permissions::SPEAK, "Speak"),
        // Who is listened to is told there.
        (Permissions::SEND_MESSAGES, "Send Messages"),
    ];
    lacking(granted, &wanted)
}

/// Whether a place is a thread or forum post.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InThread {
    Yes,
    No,
}

impl InThread {
    /// The permission to send there, with its name.
    pub(super) fn to_speak(self) -> (Permissions, &'static str) {
        match self {
            Self::Yes => (Permissions::SEND_MESSAGES_IN_THREADS, "Send Messages in Threads"),
            Self::No => (Permissions::SEND_MESSAGES, "Send Messages"),
        }
    }
}

/// Who may pin messages. Serenity does not know this permission, so what is granted of it is not known either: Discord has to
/// be asked.
const PIN_MESSAGES: u64 = 1 << 51;

/// Its name on Discord's own settings page.
pub(super) const PIN_MESSAGES_NAME: &str = "Pin Messages";

/// What its tools need besides: an operator who takes one away takes away what it is for, and nothing else.
fn wanted_permissions() -> u64 {
    let known = Permissions::ADD_REACTIONS
        | Permissions::ATTACH_FILES
        | Permissions::CREATE_PUBLIC_THREADS
        | Permissions::SEND_POLLS
        | Permissions::USE_SOUNDBOARD;
    known.bits() | PIN_MESSAGES
}

/// The link that adds the bot to a server with exactly the permissions it uses.
///
/// `application` is the application's id, which for every bot made since 2016 is also the bot user's id.
pub fn invite_link(application: u64) -> String {
    format!(
        "https://discord.com/oauth2/authorize?client_id={application}&scope=bot+applications.commands&permissions={}",
        needed_permissions().bits() | wanted_permissions()
    )
}

/// The application id inside a bot token: its first part is the id in base64. `None` when the token does not look
/// like one; nothing is asked of the network.
pub fn application_of(token: &secrecy::SecretString) -> Option<u64> {
    use base64::Engine as _;
    use secrecy::ExposeSecret as _;

    let token = token.expose_secret().trim();
    let head = token.strip_prefix("Bot ").unwrap_or(token).split('.').next()?;
    let bytes = base64::engine::general_purpose::STANDARD_NO_PAD.decode(head.trim_end_matches('=')).ok()?;
    std::str::from_utf8(&bytes).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_invite_link_asks_for_exactly_what_is_used() {
        assert_eq!(
            invite_link(42),
            "https://discord.com/oauth2/authorize?client_id=42&scope=bot+applications.commands&permissions=2819457054510144"
        );
        assert_eq!(needed_permissions().iter_names().count(), 6);
        assert!(!needed_permissions().contains(Permissions::ADMINISTRATOR));
    }

    #[test]
    fn only_one_privileged_intent_is_used_unless_presence_is_wanted() {
        let privileged = |presence| intents(presence) & GatewayIntents::privileged();
        assert_eq!(privileged(false), GatewayIntents::MESSAGE_CONTENT);
        assert_eq!(privileged(true), GatewayIntents::privileged());
    }

    #[test]
    fn missing_permissions_are_named_as_in_the_settings_page() {
        let granted = Permissions::VIEW_CHANNEL | Permissions::SEND_MESSAGES;
        assert_eq!(missing(granted, InThread::No), ["Read Message History"]);
        assert_eq!(missing(granted, InThread::Yes), ["Send Messages in Threads", "Read Message History"]);
        assert!(missing(needed_permissions(), InThread::Yes).is_empty());
    }

    #[test]
    fn the_application_is_read_from_the_token() {
        let token = secrecy::SecretString::from("MTIzNDU2Nzg5MDEyMzQ1Njc4.x.y");
        assert_eq!(application_of(&token), Some(123_456_789_012_345_678));
        assert_eq!(application_of(&secrecy::SecretString::from("nonsense")), None);
    }
}
