//! `[voice]`: what it does in a call besides being talked over.

use std::time::Duration;

use super::choice::choice_enum;
use super::error::Problem;
use super::read::View;
use super::schema::{Key, Kind};

pub(super) const KEYS: &[Key] = &[
    Key {
        path: "voice.answer_ahead",
        kind: Kind::Flag,
        doc: "Begin an answer while somebody may still be speaking, and throw it away if they go on.",
    },
    Key {
        path: "voice.speak_ahead",
        kind: Kind::Choice(SpeakAhead::CHOICES),
        doc: "Whether the first phrase of an answer that is begun early is also spoken early, unheard, to be ready at once.",
    },
    Key {
        path: "voice.answer_within",
        kind: Kind::Seconds(3.0, 120.0),
        doc: "How long the first word of an answer may take in a call before the call's chat is told that none comes.",
    },
    Key {
        path: "voice.wake_window",
        kind: Kind::Seconds(0.0, 3600.0),
        doc: "In calls it answers only who says its name, and whoever it answered for so long after that; it does not join in by \
              itself then. 0: it also answers what is meant for it without its name.",
    },
    Key {
        path: "voice.push_to_talk",
        kind: Kind::Flag,
        doc: "Notice who pushes a button to talk, and answer them as soon as they let go.",
    },
    Key {
        path: "voice.fillers",
        kind: Kind::Texts,
        doc: "What it says when nothing was to be heard for more than a second after somebody spoke to it, in turn. Empty: \
              nothing.",
    },
    Key {
        path: "voice.nods",
        kind: Kind::Texts,
        doc: "What it lets hear, in turn, in the pauses of somebody who has spoken to it for more than six seconds and is not \
              finished; at most once in twelve seconds. Empty: nothing.",
    },
    Key {
        path: "voice.transcript",
        kind: Kind::Flag,
        doc: "Write into the call's own chat what it hears of those who agreed, and what was heard of its replies.",
    },
    Key {
        path: "voice.transcript_days",
        kind: Kind::Count(0, 3650),
        doc: "After so many days transcripts are deleted from the chat; looked after at each start and call, and once a day. 0: never.",
    },
    Key {
        path: "voice.channel_status",
        kind: Kind::Flag,
        doc: "Say in the status of the voice channel that it listens there, where the bot may set it and nobody else's stands.",
    },
    Key {
        path: "voice.joining_notice",
        kind: Kind::Prose(300),
        doc: "What it says behind its greeting when it joins a call, so that nobody has to read to know that it listens. \
              Empty: nothing; the call's chat is told in any case.",
    },
    Key {
        path: "voice.follow_grace",
        kind: Kind::Seconds(0.0, 3600.0),
        doc: "How long it stays in a call after whoever called it in has left.",
    },
    Key {
        path: "voice.alone_timeout",
        kind: Kind::Seconds(1.0, 86_400.0),
        doc: "How long it stays in a call in which nobody is.",
    },
    Key {
        path: "voice.quiet_timeout",
        kind: Kind::Seconds(60.0, 604_800.0),
        doc: "How long it stays in a call in which nobody whom it hears says anything, nor writes in the call's chat.",
    },
];

choice_enum! {
    /// Whether the first phrase of an early answer is spoken before it is known whether the answer is wanted.
    pub enum SpeakAhead {
        Never = "never", "only once it is wanted";
        Free = "free", "where the voice costs nothing";
        Always = "always", "also where it is paid for in vain if they go on";
    }
}

impl SpeakAhead {
    /// Whether to, with a voice that costs money or does not.
    #[must_use]
    pub fn may(self, costs: bool) -> bool {
        match self {
            Self::Never => false,
            Self::Free => !costs,
            Self::Always => true,
        }
    }
}

/// How it is in a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallConfig {
    /// Whether answers are begun early.
    pub answer_ahead: bool,
    /// Whether their first phrase is spoken early as well.
    pub speak_ahead: SpeakAhead,
    /// How long the first word of an answer may take; 3 s to two minutes.
    pub answer_within: Duration,
    /// For how long after its answer somebody need not say its name again; `None` where its name is not needed.
    pub wake_window: Option<Duration>,
    /// Whether who pushes a button to talk is waited for less.
    pub push_to_talk: bool,
    /// What covers a slow model.
    pub fillers: Vec<String>,
    /// What shows that it listens.
    pub nods: Vec<String>,
    /// Whether the channel's status says that it listens.
    pub channel_status: bool,
    /// Whether what is said is written into the call's chat.
    pub transcript: bool,
    /// How long transcripts stand in the chat; zero for as long as nobody deletes them.
    pub transcript_kept: Duration,
    /// What it says on joining besides its greeting; may be empty.
    pub joining_notice: String,
    /// How long it stays after whom it follows; up to an hour.
    pub follow_grace: Duration,
    /// How long it stays alone; a second to a day.
    pub alone_timeout: Duration,
    /// How long it stays where nothing is said; a minute to a week.
    pub quiet_timeout: Duration,
}

impl CallConfig {
    pub(super) fn resolve(view: View<'_>) -> Result<Self, Problem> {
        Ok(Self {
            answer_ahead: view.flag("voice.answer_ahead")?,
            speak_ahead: view.choice("voice.speak_ahead", SpeakAhead::from_word)?,
            answer_within: view.seconds("voice.answer_within")?,
            wake_window: Some(view.seconds("voice.wake_window")?).filter(|window| !window.is_zero()),
            push_to_talk: view.flag("voice.push_to_talk")?,
            fillers: view.texts("voice.fillers")?,
            nods: view.texts("voice.nods")?,
            channel_status: view.flag("voice.channel_status")?,
            transcript: view.flag("voice.transcript")?,
            transcript_kept: Duration::from_secs(u64::from(view.count("voice.transcript_days")?) * 86_400),
            joining_notice: view.text("voice.joining_notice")?,
            follow_grace: view.seconds("voice.follow_grace")?,
            alone_timeout: view.seconds("voice.alone_timeout")?,
            quiet_timeout: view.seconds("voice.quiet_timeout")?,
        })
    }
}
