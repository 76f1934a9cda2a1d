//! `[discord]`: how the familiar behaves on Discord.

use std::time::Duration;

use super::choice::choice_enum;
use super::error::Problem;
use super::read::View;
use super::schema::{Key, Kind};

pub(super) const KEYS: &[Key] = &[
    Key {
        path: "discord.api_base",
        kind: Kind::Address,
        doc: "A proxy in front of Discord's REST API. Empty: Discord itself.",
    },
    Key {
        path: "discord.dm_allowlist",
        kind: Kind::Ids,
        doc: "The user ids that may always talk to the familiar in direct messages.",
    },
    Key {
        path: "discord.strangers",
        kind: Kind::Choice(Strangers::CHOICES),
        doc: "What becomes of direct messages from anybody else.",
    },
    Key {
        path: "discord.operators",
        kind: Kind::Ids,
        doc: "The user ids of those who run the familiar: what they say is the operator's. Empty: only whoever is at the \
              keyboard of its machine.",
    },
    Key {
        path: "discord.reply_reference",
        kind: Kind::Flag,
        doc: "Post replies as Discord replies, with the arrow to the message they answer. Where several people asked at once they \
              always are.",
    },
    Key {
        path: "discord.show_spending",
        kind: Kind::Flag,
        doc: "Tell everybody who uses `/status` what was spent today. Operators are told in any case.",
    },
    Key {
        path: "discord.show_prompt",
        kind: Kind::Flag,
        doc: "Let people read the card, the lore and what was looked up in the record of a turn of theirs (`/context`).",
    },
    Key {
        path: "discord.answer_bots",
        kind: Kind::Flag,
        doc: "Listen to other bots too. Two bots that answer each other never stop by themselves.",
    },
    Key {
        path: "discord.read_back",
        kind: Kind::Count(0, 5000),
        doc: "After a start, and whenever Discord has forgotten the session: how many messages of each place that is read \
              are read that were said meanwhile, the newest. Messages; 0 reads none.",
    },
    Key {
        path: "discord.answer_missed_within_s",
        kind: Kind::Seconds(0.0, 86_400.0),
        doc: "What was said to the familiar while it was not there is still answered if it is no older than this. \
              0 answers none of it.",
    },
    Key {
        path: "discord.presence",
        kind: Kind::Flag,
        doc: "Know who joins and what members play. Needs \"Presence Intent\" and \"Server Members Intent\" switched on \
              for the application; holds from the next start on.",
    },
];

choice_enum! {
    /// What becomes of direct messages from people who are on no list (specs mechanisms M13).
    pub enum Strangers {
        Members = "members", "whoever is on a server in which it reads may write to it, anybody else is told once a day that they are not read";
        Refuse = "refuse", "they are told once a day that they are not read";
        SmallTalk = "small_talk", "they are answered in short, so often, without tools, and nothing is noted about them";
    }
}

/// How the familiar behaves on Discord.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscordConfig {
    /// A REST proxy; `None` for Discord itself.
    pub api_base: Option<String>,
    /// Who may write direct messages, as user ids.
    pub dm_allowlist: Vec<u64>,
    /// What becomes of direct messages from others.
    pub strangers: Strangers,
    /// Who runs the familiar, as user ids.
    pub operators: Vec<u64>,
    /// Whether replies point at what they answer.
    pub reply_reference: bool,
    /// Whether everybody may see what was spent.
    pub show_spending: bool,
    /// Whether people may read the card and the lore in the record of their turn.
    pub show_prompt: bool,
    /// Whether bots are listened to.
    pub answer_bots: bool,
    /// How many messages that were said while nobody listened are read of each place.
    pub read_back: u32,
    /// How old a message may be that was said to the familiar while nobody listened and is still answered.
    pub answer_missed_within: Duration,
    /// Whether the gateway is asked for presences and members, which are privileged.
    pub presence: bool,
}

impl DiscordConfig {
    pub(super) fn resolve(view: View<'_>) -> Result<Self, Problem> {
        Ok(Self {
            api_base: view.optional_text("discord.api_base")?,
            dm_allowlist: view.ids("discord.dm_allowlist")?,
            strangers: view.choice("discord.strangers", Strangers::from_word)?,
            operators: view.ids("discord.operators")?,
            reply_reference: view.flag("discord.reply_reference")?,
            show_spending: view.flag("discord.show_spending")?,
            show_prompt: view.flag("discord.show_prompt")?,
            answer_bots: view.flag("discord.answer_bots")?,
            read_back: view.count("discord.read_back")?,
            answer_missed_within: view.seconds("discord.answer_missed_within_s")?,
            presence: view.flag("discord.presence")?,
        })
    }
}
