//! What the familiar's tools can do on Discord.
//!
//! Owns Discord's limits and permissions for each, and the question to whoever has to confirm it. Must not know why
//! something is done. Start reading at [`DiscordActions`].

mod calls;
mod confirm;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serenity::all::{
    Attachment, ChannelId, ChannelType, CreateAllowedMentions, CreateAttachment, CreateMessage, CreatePoll,
    CreatePollAnswer, CreateThread, Embed, Emoji, GuildChannel, GuildId, Message, MessageFlags, Permissions,
    ReactionType,
};

use super::adapter::cached_channel;
use super::how_to_forget::forget_by_command;
use super::intake;
use super::link::{Connected, DiscordLink};
use super::members::user;
use super::messages;
use super::permissions::{InThread, PIN_MESSAGES_NAME};
use super::refused::{Refused, await_discord};
use super::sending::{self, channel_of, check, guild_of, nonced, with_retries};
use super::standing::Standing;
use crate::domain::{Author, MessageId, Place};
use crate::session::{
    Confirmation, POLL_ANSWER_CHARS, POLL_ANSWERS, POLL_HOURS, POLL_QUESTION_CHARS, PlaceAction,
    PlaceActions, PostedFile, Proposed, THREAD_NAME_CHARS, ToolError,
};
use crate::text::defuse::without_invitations;
use crate::text::short::{beginning, one_line};
use crate::text::unicode;

/// The largest file that Discord takes from a bot in any server.
const FILE_MAX_BYTES: usize = 10 << 20;

/// Emoji of a server's own that are named when one was asked for that is not among them.
const EMOJI_NAMED: usize = 30;

/// Does things in Discord's channels, threads and direct messages.
#[derive(Debug)]
pub(super) struct DiscordActions {
    pub link: DiscordLink,
}

/// A place where something is to be done.
struct ActionPlace {
    there: Arc<Connected>,
    guild: Option<GuildId>,
    channel: ChannelId,
}

fn cannot_use(why: impl Into<String>) -> ToolError {
    ToolError::Arguments(why.into())
}

#[async_trait]
impl PlaceActions for DiscordActions {
    async fn may(&self, place: &Place, who: &Author, action: &PlaceAction) -> Result<(), ToolError> {
        is_taken_by_discord(action)?;
        let here = self.here_for(place, action)?;
        match action {
            PlaceAction::React { .. } => {
                here.needs(who, &[ActionPermission::ReadHistory, ActionPermission::React]).await?
            }
            PlaceAction::Poll { .. } => {
                here.needs(who, &[ActionPermission::Speak, ActionPermission::Polls]).await?
            }
            PlaceAction::Pin { .. } => {
                here.bot_needs(&[ActionPermission::ReadHistory])?;
                here.asker_needs(who, here.channel, &[VIEW, PINS]).await?
            }
            PlaceAction::Thread { .. } => here.may_open_thread(who).await?,
            PlaceAction::Post { file: Some(_), .. } => {
                here.needs(who, &[ActionPermission::Speak, ActionPermission::Files]).await?
            }
            // It may say anything at all where it is spoken to, and everybody may have their own forgotten.
            PlaceAction::Post { file: None, .. } | PlaceAction::OfferToForget => {
                here.bot_needs(&[ActionPermission::Speak])?
            }
            PlaceAction::PlaySound { .. } => {
                let (_, call) = here.shared_call(who)?;
                here.asker_needs(who, call, &SOUNDS).await?
            }
            PlaceAction::JoinCall => here.call_to_join(who).map(drop)?,
            PlaceAction::LeaveCall => here.call_to_leave(who).map(drop)?,
        }
        Ok(())
    }

    async fn manages(&self, place: &Place, who: &Author) -> bool {
        let Ok(here) = self.here(place) else { return false };
        here.guild.is_some() && here.asker_needs(who, here.channel, &[VIEW, MANAGES]).await.is_ok()
    }

    async fn act(&self, place: &Place, who: &Author, action: PlaceAction) -> Result<String, ToolError> {
        self.may(place, who, &action).await?;
        let here = self.here_for(place, &action)?;
        match action {
            PlaceAction::React { message, emoji } => here.react(&message, &emoji).await,
            PlaceAction::Poll { question, answers, hours, several } => {
                here.polls(&self.link, poll_message(&question, &answers, hours, several)).await
            }
            PlaceAction::Pin { message } => here.pin(&message).await,
            PlaceAction::Thread { from, name } => {
                let thread = here.opens_thread(from.as_ref(), name.trim()).await?;
                Ok(format!("the thread is open: <#{thread}>"))
            }
            PlaceAction::Post { text, file } => here.posts(&text, file).await,
            PlaceAction::OfferToForget => {
                here.send(&self.link, forget_by_command(self.link.tongue_in(place))).await?;
                Ok("a button to have things forgotten is there now; whoever wants it presses it".to_owned())
            }
            PlaceAction::PlaySound { name } => here.plays(who, &name).await,
            PlaceAction::JoinCall => here.joins(who).await,
            PlaceAction::LeaveCall => here.leaves(who).await,
        }
    }

    async fn picture(&self, place: &Place, message: &MessageId) -> Result<Option<String>, ToolError> {
        let here = self.here(&place.of_message(message))?;
        let asks = here.there.http.get_message(here.channel, message_of(message)?);
        let found = await_discord("Read Message History", asks).await?;
        // "What is this?" may be said in reply to the picture.
        let Some(adapter) = here.there.adapter() else { return Ok(None) };
        for message in [Some(&found), found.referenced_message.as_deref()].into_iter().flatten() {
            let takes_in = adapter.takes_in(&here.there.cache, here.guild, message.author.id);
            if let Some(picture) = picture_of(message)
                && takes_in.await
            {
                return Ok(Some(picture.to_owned()));
            }
        }
        Ok(None)
    }

    fn fits_a_question(&self, what: &Proposed) -> bool {
        messages::tools::fits_a_question(what)
    }

    async fn confirms(&self, ask: Confirmation) -> bool {
        confirm::confirms(&self.link, ask).await
    }

    fn link(&self, place: &Place, message: &MessageId) -> Option<String> {
        let place = place.of_message(message);
        let channel = channel_of(&place).ok()?;
        let guild = guild_of(&place).map_or_else(|| "@me".to_owned(), |guild| guild.to_string());
        let message = message_of(message).ok()?;
        Some(format!("https://discord.com/channels/{guild}/{channel}/{message}"))
    }
}

impl DiscordActions {
    /// Opens a thread for whoever asks, from a message where there is one; which.
    pub(super) async fn opens_thread(
        &self,
        place: &Place,
        who: &Author,
        from: Option<&MessageId>,
        name: &str,
    ) -> Result<ChannelId, Refused> {
        let here = self.here(place)?;
        here.may_open_thread(who).await?;
        here.opens_thread(from, name.trim()).await
    }

    /// Opens a thread for a talk of its own that goes on from a message; where it has one already, that.
    pub(super) async fn opens_aside(
        &self,
        place: &Place,
        from: &MessageId,
        name: &str,
    ) -> Result<ChannelId, Refused> {
        let here = self.here(place)?;
        here.takes_threads()?;
        let needed = [VIEW, ActionPermission::Threads.permission(InThread::No), InThread::Yes.to_speak()];
        let standing =
            here.guild.and_then(|guild| Standing::of_cached(&here.there.cache, guild, here.channel));
        or_lacks(standing.map_or_else(Vec::new, |standing| standing.missing(&needed)))?;
        match here.opens_thread(Some(from), name).await {
            // It goes by the number of its message.
            Err(Refused::HasThread) => Ok(ChannelId::new(message_of(from)?.get())),
            opened => opened,
        }
    }

    /// Where something is done: with a message, where that stands.
    fn here_for(&self, place: &Place, action: &PlaceAction) -> Result<ActionPlace, Refused> {
        match action {
            PlaceAction::React { message, .. } | PlaceAction::Pin { message } => {
                self.here(&place.of_message(message))
            }
            _ => self.here(place),
        }
    }

    fn here(&self, place: &Place) -> Result<ActionPlace, Refused> {
        let there = self.link.connected().ok_or(Refused::NotConnected)?;
        let channel = channel_of(place).map_err(|error| Refused::Said(error.to_string()))?;
        Ok(ActionPlace { there, guild: guild_of(place), channel })
    }
}

impl DiscordLink {
    /// Opens a thread in a channel for whoever runs the bot, who needs no leave of the server's; which.
    ///
    /// # Errors
    /// Why there is none, in words.
    pub async fn open_thread(&self, place: &Place, name: &str) -> Result<crate::domain::ChannelId, String> {
        let opens = async {
            if !has_chars(name, THREAD_NAME_CHARS) {
                return Err(Refused::Said(format!(
                    "a thread's name has 1 to {THREAD_NAME_CHARS} characters"
                )));
            }
            let here = DiscordActions { link: self.clone() }.here(place)?;
            here.takes_threads()?;
            here.opens_thread(None, name.trim()).await
        };
        opens.await.map(|thread| thread.get().into()).map_err(|refused| refused.to_string())
    }
}

/// What is needed everywhere.
const VIEW: (Permissions, &str) = (Permissions::VIEW_CHANNEL, "View Channel");

/// What whoever wants a pin needs. Serenity does not know the permission for pins alone, so it cannot be seen who has it:
/// whoever may take away messages of others may have one pinned.
const PINS: (Permissions, &str) = (Permissions::MANAGE_MESSAGES, "Manage Messages");

/// What whoever manages a channel has.
const MANAGES: (Permissions, &str) = (Permissions::MANAGE_CHANNELS, "Manage Channels");

/// What is needed in a call for the server's sounds.
const SOUNDS: [(Permissions, &str); 2] =
    [(Permissions::SPEAK, "Speak"), (Permissions::USE_SOUNDBOARD, "Use Soundboard")];

/// What is needed for something, with its name on Discord's own settings page.
#[derive(Debug, Clone, Copy)]
enum ActionPermission {
    Speak,
    ReadHistory,
    React,
    Polls,
    Threads,
    Files,
}

impl ActionPermission {
    fn permission(self, in_thread: InThread) -> (Permissions, &'static str) {
        match self {
            Self::Speak => in_thread.to_speak(),
            Self::ReadHistory => (Permissions::READ_MESSAGE_HISTORY, "Read Message History"),
            Self::React => (Permissions::ADD_REACTIONS, "Add Reactions"),
            Self::Polls => (Permissions::SEND_POLLS, "Create Polls"),
            Self::Threads => (Permissions::CREATE_PUBLIC_THREADS, "Create Public Threads"),
            Self::Files => (Permissions::ATTACH_FILES, "Attach Files"),
        }
    }
}

fn is_taken_by_discord(action: &PlaceAction) -> Result<(), ToolError> {
    match action {
        PlaceAction::React { emoji, .. } => reads_as_emoji(emoji),
        PlaceAction::Poll { question, answers, hours, .. } => fits_poll(question, answers, *hours),
        PlaceAction::Thread { name, .. } if !has_chars(name, THREAD_NAME_CHARS) => {
            Err(cannot_use(format!("a thread's name has 1 to {THREAD_NAME_CHARS} characters")))
        }
        PlaceAction::Post { text, file } => fits_post(text, file.as_ref()),
        _ => Ok(()),
    }
}

fn has_chars(text: &str, most: usize) -> bool {
    (1..=most).contains(&text.trim().chars().count())
}

fn fits_poll(question: &str, answers: &[String], hours: u16) -> Result<(), ToolError> {
    if !has_chars(question, POLL_QUESTION_CHARS) {
        return Err(cannot_use(format!("a poll's question has 1 to {POLL_QUESTION_CHARS} characters")));
    }
    if !POLL_ANSWERS.contains(&answers.len()) {
        let (least, most) = (POLL_ANSWERS.start(), POLL_ANSWERS.end());
        return Err(cannot_use(format!("a poll has {least} to {most} answers")));
    }
    if answers.iter().any(|answer| !has_chars(answer, POLL_ANSWER_CHARS)) {
        return Err(cannot_use(format!("a poll's answer has 1 to {POLL_ANSWER_CHARS} characters")));
    }
    if !POLL_HOURS.contains(&hours) {
        let (least, most) = (POLL_HOURS.start(), POLL_HOURS.end());
        return Err(cannot_use(format!("a poll is open for {least} to {most} hours")));
    }
    Ok(())
}

fn fits_post(text: &str, file: Option<&PostedFile>) -> Result<(), ToolError> {
    if file.is_none() || !text.trim().is_empty() {
        check(text).map_err(ToolError::broken)?;
    }
    match file {
        Some(file) if file.bytes.is_empty() => Err(ToolError::broken("the file is empty")),
        Some(file) if file.bytes.len() > FILE_MAX_BYTES => Err(ToolError::broken(format!(
            "the file is larger than {} MiB, which is all Discord takes",
            FILE_MAX_BYTES >> 20
        ))),
        _ => Ok(()),
    }
}

/// The name in `:name:`.
fn own_name(emoji: &str) -> Option<&str> {
    let name = emoji.trim().strip_prefix(':')?.strip_suffix(':')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then_some(name)
}

/// Which emoji there are Discord knows best; what is plainly a word is no emoji.
fn reads_as_emoji(emoji: &str) -> Result<(), ToolError> {
    let emoji = emoji.trim();
    let is_sign = !emoji.is_empty()
        && !emoji.is_ascii()
        && emoji.chars().count() <= 16
        && !emoji.chars().any(|c| c.is_alphabetic() || c.is_whitespace() || c.is_control());
    // A digit in a box and a flag are made of plain characters.
    if own_name(emoji).is_some() || is_sign {
        return Ok(());
    }
    Err(cannot_use("give one emoji itself, such as 👍, or :name: of one of the server's own"))
}

/// What somebody had it write, in at most so many characters: without ways into other servers, as its replies are, and
/// without what cannot be seen.
fn posted_words(text: &str, most: usize) -> String {
    let text = unicode::visible(text.trim());
    beginning(&without_invitations(&text), most).to_owned()
}

fn poll_message(question: &str, answers: &[String], hours: u16, several: bool) -> CreateMessage {
    let answer = |answer: &String| CreatePollAnswer::new().text(posted_words(answer, POLL_ANSWER_CHARS));
    let open_for = Duration::from_secs(u64::from(hours) * 60 * 60);
    let poll = CreatePoll::new()
        .question(posted_words(question, POLL_QUESTION_CHARS))
        .answers(answers.iter().map(answer).collect())
        .duration(open_for);
    CreateMessage::new().poll(if several { poll.allow_multiselect() } else { poll })
}

fn message_of(id: &MessageId) -> Result<serenity::all::MessageId, Refused> {
    sending::message_of(id).ok_or_else(|| Refused::Said("that is no message of Discord's".to_owned()))
}

/// `Ok` where nothing is missing.
fn or_lacks(missing: Vec<&'static str>) -> Result<(), Refused> {
    if missing.is_empty() { Ok(()) } else { Err(Refused::BotLacks(missing)) }
}

impl ActionPlace {
    /// What both the bot and whoever asks need.
    async fn needs(&self, who: &Author, needs: &[ActionPermission]) -> Result<(), Refused> {
        self.bot_needs(needs)?;
        self.asker_needs(who, self.channel, &self.permissions(needs)).await
    }

    fn bot_needs(&self, needs: &[ActionPermission]) -> Result<(), Refused> {
        // Alone with somebody there are no permissions.
        let Some(guild) = self.guild else { return Ok(()) };
        // Where it is not known, Discord says so.
        let standing = Standing::of_cached(&self.there.cache, guild, self.channel);
        or_lacks(standing.map_or_else(Vec::new, |standing| standing.missing(&self.permissions(needs))))
    }

    fn permissions(&self, needs: &[ActionPermission]) -> Vec<(Permissions, &'static str)> {
        let is_thread = self.known_channel().is_some_and(|channel| intake::is_thread(&channel));
        let in_thread = if is_thread { InThread::Yes } else { InThread::No };
        [VIEW].into_iter().chain(needs.iter().map(|need| need.permission(in_thread))).collect()
    }

    /// Nobody has the bot do what they may not do there themselves. Where it cannot be known what they may, they may not.
    async fn asker_needs(
        &self,
        who: &Author,
        channel: ChannelId,
        wanted: &[(Permissions, &'static str)],
    ) -> Result<(), Refused> {
        // Alone with somebody there are no permissions.
        let Some(guild) = self.guild else { return Ok(()) };
        let standing = self.asker_standing(who, guild, channel).await.ok_or(Refused::AskerUnseen)?;
        let missing = standing.missing(wanted);
        if missing.is_empty() { Ok(()) } else { Err(Refused::AskerLacks(missing)) }
    }

    async fn may_open_thread(&self, who: &Author) -> Result<(), Refused> {
        self.takes_threads()?;
        self.needs(who, &[ActionPermission::Speak, ActionPermission::Threads]).await
    }

    async fn asker_standing(&self, who: &Author, guild: GuildId, channel: ChannelId) -> Option<Standing> {
        let adapter = self.there.adapter()?;
        let member = adapter.members.member(guild, user(&who.account)?).await?;
        let channel = cached_channel(&self.there.cache, guild, channel)?;
        Standing::of_member(&*self.there.cache.guild(guild)?, &member, &channel)
    }

    fn known_channel(&self) -> Option<GuildChannel> {
        cached_channel(&self.there.cache, self.guild?, self.channel)
    }

    fn takes_threads(&self) -> Result<(), Refused> {
        let takes = match (self.guild, self.known_channel()) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(_), Some(channel)) => matches!(channel.kind, ChannelType::Text | ChannelType::News),
        };
        if takes { Ok(()) } else { Err(Refused::NoThreadsHere) }
    }

    async fn react(&self, message: &MessageId, emoji: &str) -> Result<String, ToolError> {
        let message = message_of(message)?;
        let reaction = match own_name(emoji) {
            Some(name) => self.own_emoji(name).await?,
            None => ReactionType::Unicode(emoji.trim().to_owned()),
        };
        let put = self.there.http.create_reaction(self.channel, message, &reaction);
        await_discord("Add Reactions", put).await?;
        Ok(format!("{} stands under that message now", emoji.trim()))
    }

    /// One of the server's own emoji, by its name.
    async fn own_emoji(&self, name: &str) -> Result<ReactionType, ToolError> {
        let Some(guild) = self.guild else {
            return Err(ToolError::broken("there are no emoji of a server's own here"));
        };
        let known = self.there.cache.guild(guild).map(|guild| guild.emojis.values().cloned().collect());
        let mut known: Vec<Emoji> = known.unwrap_or_default();
        if emoji_named(&known, name).is_none() {
            // It may be newer than what the gateway told.
            known = await_discord("View Channel", self.there.http.get_emojis(guild)).await?;
        }
        if let Some(emoji) = emoji_named(&known, name) {
            let (animated, id, name) = (emoji.animated, emoji.id, Some(emoji.name.clone()));
            return Ok(ReactionType::Custom { animated, id, name });
        }
        let mut names: Vec<String> =
            known.iter().filter(|emoji| emoji.available).map(|emoji| format!(":{}:", emoji.name)).collect();
        names.sort();
        names.truncate(EMOJI_NAMED);
        let there_are = if names.is_empty() { "none".to_owned() } else { names.join(" ") };
        Err(cannot_use(format!("this server has no :{name}:; of its own it has {there_are}")))
    }

    /// Posts something of the familiar's that pings nobody; once, however often it has to be tried.
    async fn send(&self, link: &DiscordLink, message: CreateMessage) -> Result<(), ToolError> {
        let message = nonced(message).allowed_mentions(CreateAllowedMentions::new().replied_user(false));
        let posted = with_retries(|| link.post(&self.there.http, self.channel, &message)).await;
        posted.map(drop).map_err(ToolError::broken)
    }

    async fn polls(&self, link: &DiscordLink, poll: CreateMessage) -> Result<String, ToolError> {
        self.send(link, poll).await?;
        Ok("the poll is open; Discord counts and shows the votes".to_owned())
    }

    async fn pin(&self, message: &MessageId) -> Result<String, ToolError> {
        let message = message_of(message)?;
        await_discord(PIN_MESSAGES_NAME, self.there.http.pin_message(self.channel, message, None)).await?;
        Ok("it is pinned".to_owned())
    }

    async fn opens_thread(&self, from: Option<&MessageId>, name: &str) -> Result<ChannelId, Refused> {
        let http = &self.there.http;
        let thread = CreateThread::new(posted_words(&one_line(name), THREAD_NAME_CHARS));
        let opened = match from {
            Some(message) => {
                let made = http.create_thread_from_message(self.channel, message_of(message)?, &thread, None);
                await_discord("Create Public Threads", made).await?
            }
            None => {
                let is_news = self.known_channel().is_some_and(|channel| channel.kind == ChannelType::News);
                let kind = if is_news { ChannelType::NewsThread } else { ChannelType::PublicThread };
                await_discord(
                    "Create Public Threads",
                    http.create_thread(self.channel, &thread.kind(kind), None),
                )
                .await?
            }
        };
        Ok(opened.id)
    }

    async fn posts(&self, text: &str, file: Option<PostedFile>) -> Result<String, ToolError> {
        let mut message =
            nonced(CreateMessage::new()).allowed_mentions(CreateAllowedMentions::new().replied_user(false));
        if !text.trim().is_empty() {
            message = message.content(without_invitations(text));
        }
        if text.contains("://") {
            message = message.flags(MessageFlags::SUPPRESS_EMBEDS);
        }
        if let Some(PostedFile { name, bytes }) = file {
            message = message.add_file(CreateAttachment::bytes(bytes, file_name(&name)));
        }
        let posted = with_retries(|| self.channel.send_message(&self.there.http, message.clone())).await;
        posted.map_err(ToolError::broken)?;
        Ok("it is posted".to_owned())
    }
}

/// The first picture of a message: a file of its own or of what it forwards, or what a link shows.
fn picture_of(message: &Message) -> Option<&str> {
    let forwarded = message.message_snapshots.iter().flat_map(|snapshot| &snapshot.attachments);
    let is_picture = |file: &&Attachment| {
        file.content_type.as_deref().is_some_and(|kind| kind.trim_start().starts_with("image/"))
    };
    let file = message.attachments.iter().chain(forwarded).find(is_picture);
    fn embed_words(embed: &Embed) -> Option<&str> {
        let image = embed.image.as_ref().map(|image| image.url.as_str());
        image.or_else(|| Some(embed.thumbnail.as_ref()?.url.as_str()))
    }
    file.map(|file| file.url.as_str()).or_else(|| message.embeds.iter().find_map(embed_words))
}

/// The name of a file, and nothing of a path.
fn file_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain: String = unicode::visible(last).chars().filter(|c| !c.is_control()).collect();
    let plain = plain.trim().trim_start_matches('.');
    if plain.is_empty() { "file".to_owned() } else { plain.chars().take(100).collect() }
}

/// Of several that differ in the size of letters the one that is meant.
fn emoji_named<'a>(known: &'a [Emoji], name: &str) -> Option<&'a Emoji> {
    let usable = || known.iter().filter(|emoji| emoji.available);
    usable()
        .find(|emoji| emoji.name == name)
        .or_else(|| usable().find(|emoji| emoji.name.eq_ignore_ascii_case(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_plainly_a_word_is_no_emoji() {
        for good in ["👍", " 🤐 ", "👩‍🚀", "1️⃣", "🇧🇪", ":pell_wave:", "❤️"] {
            assert!(reads_as_emoji(good).is_ok(), "{good}");
        }
        for bad in ["", "thumbs up", ":)", "::", ":a b:", "1", "ok", "да", "👍 👍", &"👍".repeat(17)]
        {
            assert!(reads_as_emoji(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_poll_is_as_discord_takes_it() {
        let answers =
            |count: usize| -> Vec<String> { (0..count).map(|number| format!("answer {number}")).collect() };
        assert!(fits_poll(&"q".repeat(300), &answers(10), 768).is_ok());
        assert!(fits_poll("Tea?", &["y".repeat(55), "n".to_owned()], 1).is_ok());
        let whys = [
            fits_poll(" ", &answers(2), 1),
            fits_poll(&"q".repeat(301), &answers(2), 1),
            fits_poll("q", &answers(1), 1),
            fits_poll("q", &answers(11), 1),
            fits_poll("q", &["y".repeat(56), "n".to_owned()], 1),
            fits_poll("q", &["y".to_owned(), " ".to_owned()], 1),
            fits_poll("q", &answers(2), 0),
            fits_poll("q", &answers(2), 769),
        ];
        let whys: Vec<String> = whys.map(|why| why.unwrap_err().to_string()).to_vec();
        let told: Vec<&str> =
            whys.iter().map(|why| why.trim_start_matches("the arguments cannot be used: ")).collect();
        assert_eq!(
            told,
            [
                "a poll's question has 1 to 300 characters",
                "a poll's question has 1 to 300 characters",
                "a poll has 2 to 10 answers",
                "a poll has 2 to 10 answers",
                "a poll's answer has 1 to 55 characters",
                "a poll's answer has 1 to 55 characters",
                "a poll is open for 1 to 768 hours",
                "a poll is open for 1 to 768 hours",
            ]
        );
    }

    #[test]
    fn a_posted_file_has_a_plain_name_and_a_bound() {
        assert_eq!(file_name("../../etc/pass\u{202e}wd.txt"), "passwd.txt");
        assert_eq!(file_name("C:\\x\\.env"), "env");
        assert_eq!(file_name(" / "), "file");
        let file = |len: usize| PostedFile { name: "a".to_owned(), bytes: vec![0; len] };
        assert!(fits_post("", Some(&file(1))).is_ok());
        for (text, file) in [("", None), ("", Some(file(0))), ("a", Some(file(FILE_MAX_BYTES + 1)))] {
            assert!(fits_post(text, file.as_ref()).is_err(), "{text}");
        }
        assert!(
            fits_post("\u{27e6}fc: Rules\u{27e7}", Some(&file(1))).is_err(),
            "nor may the prompt leak here"
        );
    }
}
