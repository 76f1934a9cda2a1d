//! A scene as it is written: who is there, where, what happens, and what is expected of it.
//!
//! Owns the keys of the file. Must not know how a scene is read or played. Start reading at [`Scene`].

use std::ops::Deref;
use std::path::PathBuf;
use std::time::Duration;

use jiff::SignedDuration;
use jiff::civil::{DateTime, Time};
use serde::{Deserialize, Deserializer, de};
use toml::Spanned;

use crate::domain::ModelErrorClass;

/// The largest file of a scene, in bytes.
pub const SCENE_BYTES_MAX: u64 = 256 * 1024;

/// How many steps a scene has at most.
pub const STEPS_MAX: usize = 500;

/// How many people a scene has at most, and how many places.
pub const PEOPLE_MAX: usize = 100;

/// Alone with whoever does something.
pub(super) const DM: &str = "dm";

/// The familiar, where a message or somebody is named.
pub(super) const FAMILIAR: &str = "familiar";

/// Where everything happens in a scene that names no place.
pub(super) const ONLY_PLACE: &str = "#general";

/// What the program itself can have to say, by its names in scenes.
pub(super) const NOTICES: [&str; 9] = [
    "model_failed",
    "not_stored",
    "too_much_at_once",
    "cut_short",
    "keeps_quiet",
    "joins_in_again",
    "prompt_too_large",
    "message_too_long",
    "kept_back",
];

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    pub title: String,
    /// What it is about, for whoever reads it.
    pub about: Option<String>,
    /// The language in which people talk, as `en`; for lists.
    pub language: Option<String>,
    /// Which of the bundled characters plays; otherwise whoever is asked for, or Pell.
    pub familiar: Option<String>,
    /// A card beside the file that plays instead.
    pub card: Option<PathBuf>,
    /// When it begins, by the clock of the settings' time zone.
    pub begins: Option<Spanned<SceneBegins>>,
    /// Why it is known not to come true.
    pub known_miss: Option<String>,
    /// What the model says where nothing else is left for it to say.
    pub otherwise: Option<String>,
    /// What it does at which hours, in the place of its own `schedule.md`.
    pub schedule: Option<String>,
    /// Keys of `character.toml`, over those of the familiar.
    #[serde(default)]
    pub settings: toml::Table,
    #[serde(default)]
    pub people: Vec<ScenePerson>,
    #[serde(default)]
    pub places: Vec<ScenePlace>,
    #[serde(default)]
    pub steps: Vec<Spanned<SceneStep>>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScenePerson {
    pub name: Spanned<String>,
    /// The name of the account, beside the one that is shown.
    pub username: Option<String>,
    /// The number of the account, for settings that name it; otherwise one of the scene's own.
    pub id: Option<u64>,
    #[serde(default)]
    pub role: PersonRole,
    /// The numbers of roles that they have.
    #[serde(default)]
    pub roles: Vec<u64>,
    /// The language they speak, for whoever reads it.
    pub language: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PersonRole {
    /// Whoever runs the familiar.
    Operator,
    /// Somebody of the servers.
    #[default]
    Member,
    /// Somebody who is on none of them.
    Stranger,
    /// Another program.
    Bot,
}

/// Somewhere: a channel of a server unless it says otherwise.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScenePlace {
    pub name: Spanned<String>,
    /// The number of the channel, for settings that name it.
    pub id: Option<u64>,
    /// The server; where none is named, the one that all places have.
    pub server: Option<String>,
    /// The channel or forum that this is a thread or post of.
    pub under: Option<Spanned<String>>,
    /// A post of a forum rather than a thread.
    #[serde(default)]
    pub forum: bool,
    /// Not everybody of the server sees it.
    #[serde(default)]
    pub closed: bool,
    #[serde(default)]
    pub nsfw: bool,
    /// Whether it reads there; a thread is read where its channel is.
    pub read: Option<bool>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SceneStep {
    /// What later steps call this message.
    pub id: Option<Spanned<String>>,
    pub who: Option<Spanned<String>>,
    /// Where; otherwise where the step before was. `dm` is alone with whoever does it.
    #[serde(rename = "in")]
    pub place: Option<Spanned<String>>,
    /// So long after the step before, whatever is under way. Otherwise all of that ends first, and five seconds pass.
    pub after: Option<Spanned<Length>>,
    /// At this time, or at this moment.
    pub at: Option<Spanned<SceneTime>>,
    pub says: Option<String>,
    /// Says this aloud in the call of the place, word by word.
    pub aloud: Option<String>,
    /// Comes into the call of the place, in which it is from the first of them on.
    pub joins_call: bool,
    pub leaves_call: bool,
    /// The message that this one answers: an `id`, a name for their newest message, or `familiar`.
    pub replies_to: Option<Spanned<String>>,
    /// Files that the message has.
    pub files: Vec<SceneFile>,
    pub types: bool,
    /// Puts this emoji under the message that `to` names.
    pub reacts: Option<String>,
    pub to: Option<Spanned<String>>,
    /// Changes this message, so that it reads as `says`.
    pub edits: Option<Spanned<String>>,
    /// Takes this message back.
    pub deletes: Option<Spanned<String>>,
    /// Comes to the server of the place.
    pub joins: bool,
    pub leaves: bool,
    /// Wants nothing of theirs read from now on.
    pub opts_out: bool,
    /// Lets it be read again.
    pub opts_in: bool,
    /// Pairs being alone with it with the server of this place.
    pub pairs_with: Option<Spanned<String>>,
    /// Lets it begin to speak by itself there.
    pub lets_begin: bool,
    /// Lets it learn from what they do with its replies.
    pub lets_learn: bool,
    /// Presses a button of what is asked there before something is done.
    pub presses: Option<ScenePress>,
    /// Has the conversation begin anew there.
    pub resets: bool,
    /// Has one of the card's greetings said there.
    pub greets: bool,
    /// What the model says from now on, one for each time that it is asked for an answer.
    pub answers: Vec<ScriptedAnswer>,
    /// What is to have come of it before the next step.
    pub expect: Option<Spanned<Expect>>,
}

impl SceneStep {
    /// What somebody does in it, in words, where it is not plain talk. In a scene that can be played that is one thing at most.
    pub(super) fn deeds(&self) -> Vec<String> {
        let marked = [
            (self.types, "types"),
            (self.joins_call, "joins the call"),
            (self.leaves_call, "leaves the call"),
            (self.joins, "joins"),
            (self.leaves, "leaves"),
            (self.opts_out, "opts out"),
            (self.opts_in, "opts in"),
            (self.lets_begin, "lets it begin to speak"),
            (self.lets_learn, "lets it learn"),
        ];
        let marked = marked.into_iter().filter(|(does, _)| *does).map(|(_, what)| what.to_owned());
        let says = self.says.as_deref().unwrap_or_default();
        let to = self.to.as_ref().map(|to| to.get_ref().as_str()).unwrap_or_default();
        let told = [
            self.aloud.as_ref().map(|words| format!("says aloud: {words}")),
            self.presses.map(|press| match press {
                ScenePress::Yes => "presses yes".to_owned(),
                ScenePress::No => "presses no".to_owned(),
            }),
            self.edits.as_ref().map(|edited| format!("edits {}: {says}", edited.get_ref())),
            self.deletes.as_ref().map(|deleted| format!("deletes {}", deleted.get_ref())),
            self.reacts.as_ref().map(|emoji| format!("reacts {emoji} to {to}")),
            self.pairs_with.as_ref().map(|with| format!("pairs direct messages with {}", with.get_ref())),
        ];
        marked.chain(told.into_iter().flatten()).collect()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScenePress {
    Yes,
    No,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SceneFile {
    pub name: String,
    /// `image`, `file`, `audio`, `video`, `embed`, `sticker`, `poll` or `forwarded`.
    pub kind: String,
    pub text: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ScriptedAnswer {
    /// How long it takes to the first word.
    pub after: Duration,
    pub act: ScriptedAct,
}

/// What it does when it is asked.
#[derive(Debug, Clone, PartialEq)]
pub enum ScriptedAct {
    Says(String),
    /// Says so much and is cut at its limit of tokens.
    IsCutAfter(String),
    Fails(ModelErrorClass),
    /// Calls a tool, with these arguments.
    Calls(String, serde_json::Value),
}

/// How long the model thinks where a scene does not say.
const THINKS: Duration = Duration::from_millis(800);

/// An answer as it is written: words, or a table.
#[derive(Deserialize)]
#[serde(untagged)]
enum WrittenAnswer {
    Words(String),
    Table(AnswerTable),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerTable {
    says: Option<String>,
    after: Option<Length>,
    fails: Option<ModelErrorClass>,
    calls: Option<String>,
    #[serde(default)]
    with: serde_json::Map<String, serde_json::Value>,
    #[serde(default)]
    is_cut: bool,
}

impl<'de> Deserialize<'de> for ScriptedAnswer {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let wrong = || {
            de::Error::custom(
                "an answer is a text, or a table with one of `says`, `fails` and `calls`; `after` is how long it takes, \
                 `is_cut` that `says` ends at the limit of tokens, `with` what a tool is called with",
            )
        };
        let table = match WrittenAnswer::deserialize(from).map_err(|_| wrong())? {
            WrittenAnswer::Words(words) => {
                return Ok(Self { after: THINKS, act: ScriptedAct::Says(words) });
            }
            WrittenAnswer::Table(table) => table,
        };
        let act = match (table.says, table.fails, table.calls) {
            (Some(words), None, None) if table.is_cut => ScriptedAct::IsCutAfter(words),
            (Some(words), None, None) => ScriptedAct::Says(words),
            (None, Some(class), None) => ScriptedAct::Fails(class),
            (None, None, Some(tool)) => ScriptedAct::Calls(tool, table.with.into()),
            _ => return Err(wrong()),
        };
        Ok(Self { after: table.after.map_or(THINKS, |after| after.0), act })
    }
}

/// What is expected. What is not named is not looked at.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Expect {
    /// Whether it says anything there.
    pub speaks: Option<bool>,
    /// Whether the message is taken in at all.
    pub heard: Option<bool>,
    /// Words of the reason why it spoke or stayed silent, as the x-ray gives it.
    pub why: Option<String>,
    /// Where it says it, if not where the step is.
    #[serde(rename = "in")]
    pub place: Option<Spanned<String>>,
    /// Words that are in what it says.
    pub posts: Texts,
    pub posts_not: Texts,
    /// Words of what somebody is asked to confirm there.
    pub asks: Texts,
    pub asks_not: Texts,
    /// In how many messages it says it.
    pub messages: Option<usize>,
    pub answered: Option<Spanned<String>>,
    /// What the program itself says, by its name.
    pub notice: Option<Spanned<String>>,
    /// How often the model is asked for an answer.
    pub asked: Option<usize>,
    /// Words that are in the last prompt.
    pub prompt: Texts,
    /// Words that are in none.
    pub prompt_not: Texts,
    /// Words of messages that are stored of the place.
    pub stored: Texts,
    pub stored_not: Texts,
    /// Words that stand in its notes.
    pub notes: Texts,
    pub notes_not: Texts,
    /// Names of lore entries that are called up.
    pub lore: Texts,
    pub lore_not: Texts,
    /// Tools that the model is offered.
    pub offers: Texts,
    pub offers_not: Texts,
    /// Words of what a tool that it called said.
    pub told: Texts,
}

/// Texts, written as one or as a list.
#[derive(Debug, Clone, Default)]
pub struct Texts(Vec<String>);

impl Deref for Texts {
    type Target = [String];
    fn deref(&self) -> &[String] {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "a text or a list of texts")]
        enum WrittenTexts {
            One(String),
            More(Vec<String>),
        }
        Ok(Self(match WrittenTexts::deserialize(from)? {
            WrittenTexts::One(one) => vec![one],
            WrittenTexts::More(more) => more,
        }))
    }
}

/// A length of time: `90 s`, `10 min`, `26 h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Length(pub Duration);

impl<'de> Deserialize<'de> for Length {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let written = String::deserialize(from)?;
        let read = written.parse::<SignedDuration>().ok().and_then(|length| Duration::try_from(length).ok());
        let length = read.filter(|length| *length <= LONGEST);
        length.map(Self).ok_or_else(|| {
            de::Error::custom(format!(
                "{written:?} is no length of time; write it as \"90 s\", \"10 min\" or \"26 h\", a month at most"
            ))
        })
    }
}

/// The longest wait.
const LONGEST: Duration = Duration::from_secs(31 * 24 * 60 * 60);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SceneBegins(pub DateTime);

impl<'de> Deserialize<'de> for SceneBegins {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let written = String::deserialize(from)?;
        written.parse().map(Self).map_err(|_| {
            de::Error::custom(format!("{written:?} is no date and time; write it as \"2026-03-02 20:00\""))
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SceneTime {
    /// The next time that it is so late.
    Time(Time),
    Moment(DateTime),
}

impl<'de> Deserialize<'de> for SceneTime {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let written = String::deserialize(from)?;
        let time = || Time::strptime("%H:%M", &written).ok().map(Self::Time);
        let moment = || written.parse().ok().map(Self::Moment);
        time().or_else(moment).ok_or_else(|| {
            de::Error::custom(format!(
                "{written:?} is no moment; write a time as \"21:30\", a date with it as \"2026-03-02 21:30\""
            ))
        })
    }
}
