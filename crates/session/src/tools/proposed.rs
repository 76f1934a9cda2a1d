//! What a tool would do, for whoever has to confirm it: with all that matters, and in English where nobody says it in their
//! language. Start reading at [`Proposed`].

use std::fmt::{self, Display};

use schemars::JsonSchema;
use serde::Deserialize;

/// How often something is to come again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Every {
    Daily,
    Weekdays,
    Weekly,
    Monthly,
    Yearly,
}

/// Which message something is done to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MeantMessage {
    /// What whoever asks has just written.
    Asked,
    /// Another of theirs, by its words.
    Theirs(String),
    Own(String),
    Of {
        whom: String,
        words: String,
    },
}

/// What would be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proposed {
    /// In the words of whoever made the tool.
    Told(String),
    /// A tool of a connected program, with its arguments.
    Connected {
        program: String,
        tool: String,
        arguments: String,
    },
    React {
        emoji: String,
        under: MeantMessage,
    },
    Poll {
        hours: u16,
        question: String,
        answers: Vec<String>,
        /// People may choose more than one of them.
        several: bool,
    },
    Pin(MeantMessage),
    Thread {
        name: String,
        under: Option<MeantMessage>,
    },
    OfferToForget,
    JoinCall,
    LeaveCall,
    PlaySound(String),
    Remind {
        words: String,
        when: String,
        again: Option<Every>,
    },
    /// To everybody in the place, again and again.
    Announce {
        words: String,
        when: String,
        again: Option<Every>,
    },
    Timer {
        minutes: i64,
        seconds: i64,
        label: Option<String>,
    },
    KeepInMind(String),
    /// A reminder or timer is taken back.
    Cancel(String),
    /// What was open is done with.
    Close(String),
    BetterMood,
    WorseMood,
    Note {
        words: String,
        about: Option<String>,
    },
    OpenPage(String),
    OpenPicture(String),
    MakePicture(String),
}

impl Display for Every {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Daily => "every day",
            Self::Weekdays => "every weekday",
            Self::Weekly => "every week",
            Self::Monthly => "every month",
            Self::Yearly => "every year",
        })
    }
}

impl Display for MeantMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Asked => f.write_str("your message"),
            Self::Theirs(words) => write!(f, "your message “{words}”"),
            Self::Own(words) => write!(f, "my message “{words}”"),
            Self::Of { whom, words } => write!(f, "the message of {whom}: “{words}”"),
        }
    }
}

/// As in "shall I …?".
impl Display for Proposed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Told(words) => f.write_str(words),
            Self::Connected { program, tool, arguments } => {
                write!(f, "have {program} do {tool:?} with {arguments}")
            }
            Self::React { emoji, under } => write!(f, "put {emoji} under {under}"),
            Self::Poll { hours, question, answers, several } => {
                let several = if *several { ", of which people may choose several" } else { "" };
                write!(f, "open a poll for {hours} h: “{question}” ({}{several})", answers.join(" / "))
            }
            Self::Pin(message) => write!(f, "pin {message}"),
            Self::Thread { name, under: None } => write!(f, "open the thread “{name}”"),
            Self::Thread { name, under: Some(under) } => write!(f, "open the thread “{name}” under {under}"),
            Self::OfferToForget => f.write_str("show a button that forgets what people said"),
            Self::JoinCall => f.write_str("come into your call and listen to you there"),
            Self::LeaveCall => f.write_str("leave the call"),
            Self::PlaySound(name) => write!(f, "play the sound “{name}” in the call"),
            Self::Remind { words, when, again } => {
                write!(f, "remind you of “{words}” ({when}{})", and(*again))
            }
            Self::Announce { words, when, again } => {
                write!(f, "announce “{words}” to everybody here ({when}{})", and(*again))
            }
            Self::Timer { minutes, seconds, label } => {
                write!(f, "set a timer of {}", time_span(*minutes, *seconds))?;
                label.iter().try_for_each(|label| write!(f, " for “{label}”"))
            }
            Self::KeepInMind(words) => write!(f, "keep in mind “{words}”"),
            Self::Cancel(words) => write!(f, "cancel the reminder “{words}”"),
            Self::Close(words) => write!(f, "note that “{words}” is done with"),
            Self::BetterMood => f.write_str("let my mood become better"),
            Self::WorseMood => f.write_str("let my mood become worse"),
            Self::Note { words, about: None } => write!(f, "note “{words}”"),
            Self::Note { words, about: Some(about) } => write!(f, "note “{words}” about “{about}”"),
            Self::OpenPage(address) => write!(f, "open {address}"),
            Self::OpenPicture(address) => write!(f, "open the picture at {address}"),
            Self::MakePicture(words) => write!(f, "make and post a picture: {words}"),
        }
    }
}

fn and(again: Option<Every>) -> String {
    again.map(|again| format!(", {again}")).unwrap_or_default()
}

/// "1 min 30 s".
pub(super) fn time_span(minutes: i64, seconds: i64) -> String {
    match (minutes, seconds) {
        (0, seconds) => format!("{seconds} s"),
        (minutes, 0) => format!("{minutes} min"),
        (minutes, seconds) => format!("{minutes} min {seconds} s"),
    }
}
