//! The terminal as a place to talk: the operator at the keyboard, one-to-one with the familiar.
//!
//! Owns reading lines, showing replies as they stream, and the few commands of a terminal. Must not know models or
//! Discord. Start reading at [`converse`].

mod confirm;
mod editor;
mod keyboard;
mod memory;
mod messages;
mod outbox;
mod repair;
mod screen;
mod wrap;

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use parking_lot::Mutex;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use self::confirm::{NextLineQuestion, TerminalActions, YesOrNo};
use self::keyboard::Pressed;
use crate::clock::SharedClock;
use crate::config::{LiveConfig, quiet_until};
use crate::domain::{
    Author, ChannelId, InboundEvent, InboundMessage, Place, Platform, StoredTurn, TokenEncoding, TurnId,
};
use crate::erase::{Eraser, ForgetWhat};
use crate::familiar::{LiveCharacter, names_of};
use crate::history::{Beginning, History, HistoryError, RecentQuery, Visible};
use crate::home::Commands;
use crate::identity::Pairing;
use crate::memory::Memory;
use crate::session::{
    GoBack, GreetError, GreetingCame, MESSAGE_CHARS_MAX, SessionHandle, SpokeUp, SubmitError, WentBack,
    own_message_id,
};
use crate::text::forgetting::asks_to_forget;
use crate::text::phrases::{Folded, Languages};
use crate::text::short::{one_line, shortened};
use crate::text::tongue::{Tongue, told_language};
use crate::trace::{Rights, TraceStore, render};

pub use editor::Typed;
pub use keyboard::{CtrlC, Keyboard};
pub use memory::show_fetching;
pub use messages::{
    NOTHING_TO_GO_ON_WITH, NOTHING_TO_RESET, RESET_SINCE, begins_anew, counted_parts, facts_going,
    nothing_to_go_back_to, notice_words, reset_undone, unknown_command,
};
pub use outbox::TerminalOutbox;
pub use screen::{Dress, Screen};

/// So many messages of the last talk are shown at a start.
const LAST_TALK: u32 = 6;

/// So much of each of them, in characters.
const LAST_TALK_CHARS: usize = 200;

/// What a conversation in the terminal needs.
#[derive(Debug)]
pub struct TerminalParts {
    pub session: SessionHandle,
    /// For the greeting that opens a first conversation.
    pub history: Arc<History>,
    pub traces: Arc<TraceStore>,
    /// Its name stands in front of its lines.
    pub character: Arc<LiveCharacter>,
    pub memory: Arc<Memory>,
    pub eraser: Arc<Eraser>,
    pub pairing: Arc<Pairing>,
    pub config: Arc<LiveConfig>,
    pub clock: SharedClock,
    /// What the operator is called.
    pub user_name: String,
    pub opening: Opening,
    /// A line that was typed before there was anybody to talk with.
    pub typed: Option<String>,
}

/// How a first conversation in the terminal begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    Greeting,
    /// With nothing: a service has no reader, and the greeting is kept for whoever talks here first.
    Silence,
}

/// How a conversation in the terminal ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The input is at its end.
    InputClosed,
    /// The operator said goodbye.
    Quit,
    /// The program was asked to stop.
    Stopped,
}

/// Talks until the input ends, the operator quits or `stop` is cancelled. Where there is a prompt, Ctrl-C belongs to the
/// conversation as long as it lasts.
///
/// # Errors
/// When the input cannot be read or the session no longer takes messages.
pub async fn converse(
    parts: TerminalParts,
    screen: Arc<Screen>,
    keyboard: &mut Keyboard,
    ctrl_c: &CtrlC,
    stop: CancellationToken,
) -> Result<Ended, TerminalError> {
    let place = Place::terminal(ChannelId::new("terminal")?);
    let (actions, questions) = TerminalActions::new(Arc::clone(&screen));
    let outbox = Arc::new(TerminalOutbox::new(Arc::clone(&screen), actions));
    let underway = outbox.underway();
    parts.session.connect(Platform::Terminal, outbox);
    // Where nobody is asked for lines, Ctrl-C is left to the program: nobody presses another.
    let mut pressed = if screen.is_prompted() { ctrl_c.listen() } else { CtrlC::default().listen() };
    let mut person = AtKeyboard { keyboard, questions, ahead: parts.typed.clone() };
    let conversation = Terminal {
        commands: Commands::of(parts.config.home()),
        parts,
        screen,
        place,
        underway,
        unwanted: Mutex::default(),
        begun: Mutex::default(),
    };
    tokio::select! {
        opened = conversation.open() => opened?,
        () = pressed.next() => return Ok(Ended::Quit),
        () = stop.cancelled() => return Ok(Ended::Stopped),
    }
    // Nothing was typed since Ctrl-C was pressed.
    let mut is_leaving = false;
    loop {
        let typed = tokio::select! {
            typed = person.next(&conversation.screen) => typed?,
            () = pressed.next() => Typed::CtrlC,
            () = stop.cancelled() => return Ok(Ended::Stopped),
        };
        let line = match typed {
            Typed::Line(line) if line.chars().count() <= MESSAGE_CHARS_MAX => line,
            Typed::Line(_) | Typed::TooLong => {
                conversation.screen.note(&messages::too_long(MESSAGE_CHARS_MAX));
                continue;
            }
            // As an empty line: a question that was open is answered by it.
            Typed::Dropped => String::new(),
            Typed::CtrlC if is_leaving => return Ok(Ended::Quit),
            Typed::CtrlC => {
                conversation.screen.note(messages::CTRL_C_AGAIN);
                is_leaving = true;
                continue;
            }
            Typed::Closed => return Ok(Ended::InputClosed),
        };
        let taken = tokio::select! {
            taken = conversation.take(line.trim(), &mut person, &mut pressed) => taken?,
            () = stop.cancelled() => return Ok(Ended::Stopped),
        };
        is_leaving = taken == Taken::Stopped;
        if taken == Taken::Quit {
            return Ok(Ended::Quit);
        }
    }
}

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taken {
    /// It was done, or answered.
    Done,
    /// Its answer was stopped.
    Stopped,
    /// It was a goodbye.
    Quit,
}

/// Why a conversation in the terminal broke off.
#[derive(Debug, thiserror::Error)]
pub enum TerminalError {
    /// The keyboard or pipe failed.
    #[error("the input cannot be read: {0}")]
    Input(#[from] std::io::Error),
    /// The session no longer takes messages.
    #[error(transparent)]
    Session(#[from] SubmitError),
    /// Our own constant is not a usable id.
    #[error(transparent)]
    Id(#[from] crate::domain::InvalidId),
}

/// Whoever is at the keyboard.
struct AtKeyboard<'k> {
    keyboard: &'k mut Keyboard,
    /// What they are to confirm.
    questions: mpsc::Receiver<NextLineQuestion>,
    /// A line that was typed where something else was asked.
    ahead: Option<String>,
}

impl AtKeyboard<'_> {
    /// What is typed next. Given up, it can be called again, and nothing is lost.
    async fn next(&mut self, screen: &Screen) -> std::io::Result<Typed> {
        match self.ahead.take() {
            Some(line) => Ok(Typed::Line(line)),
            None => self.keyboard.next(screen).await,
        }
    }

    /// Asks what is to be confirmed, until it is answered or whoever asked gives up.
    async fn confirms(&mut self, question: NextLineQuestion, screen: &Screen) -> std::io::Result<()> {
        let NextLineQuestion { shown, mut answer } = question;
        screen.note(&shown);
        let line = tokio::select! {
            typed = self.keyboard.next(screen) => match typed? {
                Typed::Line(line) => line,
                Typed::TooLong | Typed::Dropped | Typed::CtrlC | Typed::Closed => String::new(),
            },
            () = answer.closed() => {
                screen.note(messages::NOT_CONFIRMED);
                return Ok(());
            }
        };
        let said = YesOrNo::of(&line);
        let is_done = answer.send(said == YesOrNo::Yes).is_ok() && said == YesOrNo::Yes;
        if !is_done {
            screen.note(messages::NOT_CONFIRMED);
        }
        self.ahead = (said == YesOrNo::Else).then_some(line);
        Ok(())
    }
}

struct Terminal {
    parts: TerminalParts,
    /// How commands are written that somebody is told to run.
    commands: Commands,
    screen: Arc<Screen>,
    place: Place,
    /// The turn that is being answered.
    underway: watch::Receiver<Option<TurnId>>,
    /// What is forgotten if the next line says yes.
    unwanted: Mutex<Option<ForgetWhat>>,
    /// Where the talk began, and where it begins since it was last begun anew here.
    begun: Mutex<Option<(Beginning, Beginning)>>,
}

impl Terminal {
    /// A first conversation opens with the card's greeting; later ones go on where they stopped.
    async fn open(&self) -> Result<(), TerminalError> {
        let character = self.parts.character.current();
        self.screen.note(&messages::terminal_opening(character.spoken_name()));
        let is_new = self
            .parts
            .history
            .seen_by(&Visible::at(&self.place))
            .last_assistant(&self.place.channel, TokenEncoding::Estimate)
            .await
            .is_ok_and(|turn| turn.is_none());
        if self.parts.opening == Opening::Greeting && is_new && !character.greetings.is_empty() {
            self.greet(None).await?;
        }
        if self.screen.is_prompted() && !is_new {
            self.show_last_talk().await;
        }
        Ok(())
    }

    /// What was said last, in short, for whoever comes back to it.
    async fn show_last_talk(&self) {
        let turns = match self.last_talk().await {
            Ok(turns) => turns,
            Err(error) => return self.screen.note(&error.to_string()),
        };
        let Some(last) = turns.last() else { return };
        let ago = Duration::try_from(self.parts.clock.now().duration_since(last.at)).unwrap_or_default();
        let character = self.parts.character.current();
        let lines = turns.iter().map(|turn| {
            let name = turn.author.as_ref().map_or(character.spoken_name(), Author::label);
            messages::last_talk_line(name, &shortened(&one_line(&turn.content), LAST_TALK_CHARS))
        });
        let lines: Vec<_> = std::iter::once(messages::before_last_talk(ago)).chain(lines).collect();
        self.screen.note(&lines.join("\n"));
    }

    async fn last_talk(&self) -> Result<Vec<StoredTurn>, HistoryError> {
        let here = Visible::at(&self.place);
        let query =
            RecentQuery { mode: None, max_turns: LAST_TALK, until: None, encoding: TokenEncoding::Estimate };
        self.parts.history.seen_by(&here).recent(&self.place.channel, query).await
    }

    /// The language in which a line is answered: as it is set here, else as the line tells, else as what was said last does.
    /// Where nothing tells, all that the line may be in.
    async fn spoken(&self, line: &str) -> Languages {
        let set = self.parts.config.channel_in(&self.place).language.map(Tongue::language);
        if let Some(told) = set.or_else(|| told_language(line)) {
            return told;
        }
        let likely = Folded::of(line).languages();
        let turns = self.last_talk().await.unwrap_or_else(|error| {
            tracing::warn!(%error, "the language of a talk could not be read");
            Vec::new()
        });
        let mut told = turns.iter().rev().filter_map(|turn| told_language(&turn.content));
        told.find(|told| likely.is_empty() || told.overlaps(likely)).unwrap_or(likely)
    }

    /// Ctrl-C ends whatever a line asks for.
    async fn take(
        &self,
        line: &str,
        person: &mut AtKeyboard<'_>,
        pressed: &mut Pressed,
    ) -> Result<Taken, TerminalError> {
        if let Some(unwanted) = self.answered_whether_to_forget() {
            match YesOrNo::of(line) {
                YesOrNo::Yes => {
                    self.forget(unwanted).await;
                    return Ok(Taken::Done);
                }
                YesOrNo::No => {
                    self.screen.note(messages::NOTHING_FORGOTTEN);
                    return Ok(Taken::Done);
                }
                YesOrNo::Else => self.screen.note(messages::NOTHING_FORGOTTEN),
            }
        }
        let (first, behind) = command_and_rest(line);
        // Whoever writes words behind a command that knows none wants something else of it than it does.
        if let Some(usage) = (!behind.is_empty()).then(|| messages::takes_no_words(&first)).flatten() {
            self.screen.note(&usage);
            return Ok(Taken::Done);
        }
        let taken = match &*first {
            "" => return Ok(Taken::Done),
            _ if is_goodbye(line) => return Ok(Taken::Quit),
            "/continue" => unless_stopped(self.go_on(), self.stop_answer(), pressed).await,
            "/again" => unless_stopped(self.go_back(GoBack::Again), self.stop_answer(), pressed).await,
            command if is_command(command) => {
                tokio::select! {
                    obeyed = self.obey(command, behind) => obeyed.map(|()| Taken::Done),
                    () = pressed.next() => Ok(Taken::Stopped),
                }
            }
            _ => {
                let names = names_of(&self.parts.character.current(), &self.parts.config.current().aliases);
                // A character can only say that it forgets.
                if asks_to_forget(line, &names) {
                    self.screen.note(messages::how_to_forget(self.spoken(line).await));
                }
                unless_stopped(self.answered(line, person), self.stop_answer(), pressed).await
            }
        }?;
        if taken == Taken::Stopped {
            self.screen.note(messages::STOPPED);
        }
        Ok(taken)
    }

    /// `behind`: the words behind the command.
    async fn obey(&self, command: &str, behind: &str) -> Result<(), TerminalError> {
        match command {
            "/help" => self.screen.list(messages::TERMINAL_HELP),
            "/earlier" => self.go_back(GoBack::Earlier).await?,
            "/later" => self.go_back(GoBack::Later).await?,
            "/undo" => self.go_back(GoBack::Undo).await?,
            "/edit" => self.edit_reply(behind).await?,
            "/delete" => self.delete_reply().await?,
            "/reset" => self.reset(behind).await,
            "/quiet" => self.quiet(behind).await,
            "/wake" => self.wake().await,
            "/status" => self.screen.note(&self.commands.in_text(messages::NO_STATUS)),
            "/where" => self.screen.note(&messages::folder_told(self.parts.config.home().root())),
            "/context" => self.show_context(behind.split_whitespace().collect()).await,
            "/why" => self.show_why(behind).await,
            "/reminders" => self.show_reminders(behind).await,
            "/memory" => self.show_memory(behind).await,
            "/persona" => self.persona(behind).await,
            "/forget" => self.ask_to_forget(behind).await,
            "/greet" => match behind {
                "" => self.greet(None).await?,
                number => match number.parse::<usize>() {
                    Ok(number) if number > 0 => self.greet(Some(number - 1)).await?,
                    _ => self.screen.note(messages::GREET_USAGE),
                },
            },
            unknown => self.screen.note(&messages::unknown_command(unknown)),
        }
        Ok(())
    }

    /// It goes on with what it said, or answers what it has not answered.
    async fn go_on(&self) -> Result<(), TerminalError> {
        let (session, place) = (&self.parts.session, &self.place);
        match session.speak_up(place).await? {
            SpokeUp::Nothing => self.screen.note(messages::NOTHING_TO_GO_ON_WITH),
            SpokeUp::Answers | SpokeUp::GoesOn => session.settle(place).await?,
        }
        Ok(())
    }

    /// Another answer, an earlier one, or the last exchange taken back. What stands now is shown.
    async fn go_back(&self, how: GoBack) -> Result<(), TerminalError> {
        let (session, place) = (&self.parts.session, &self.place);
        // Once it is taken back it can no longer be read. Where that fails, it goes without being quoted.
        let said = if how == GoBack::Undo { self.last_talk().await.unwrap_or_default() } else { Vec::new() };
        match (session.go_back(place, how).await?, how) {
            (WentBack::Nothing, _) => self.screen.note(messages::nothing_to_go_back_to(how)),
            (WentBack::Gone(gone), GoBack::Undo) => {
                let is_gone = |turn: &&StoredTurn| turn.message.as_ref().is_some_and(|it| gone.contains(it));
                let first = said.iter().find(is_gone).map(|turn| turn.content.as_str());
                self.screen.note(&messages::taken_back(first));
            }
            (_, GoBack::Undo) => self.screen.note(&messages::taken_back(None)),
            (_, GoBack::Again) => session.settle(place).await?,
            (_, GoBack::Earlier | GoBack::Later) => self.show_standing().await?,
        }
        Ok(())
    }

    /// Shows the reply that stands now, and which of how many it is.
    async fn show_standing(&self) -> Result<(), TerminalError> {
        let (session, place) = (&self.parts.session, &self.place);
        let here = Visible::at(place);
        let seen = self.parts.history.seen_by(&here);
        let stands = seen.last_assistant(&place.channel, TokenEncoding::Estimate).await;
        let which = session.alternatives(place).await?;
        if let (Ok(Some(reply)), Some(which)) = (stands, which) {
            self.screen.note(&messages::answer_stands(&self.name(), &reply.content, which));
        }
        Ok(())
    }

    /// Says a line, and asks what is to be confirmed before it can be answered.
    async fn answered(&self, line: &str, person: &mut AtKeyboard<'_>) -> Result<(), TerminalError> {
        let answered = async {
            self.parts.session.submit(InboundEvent::Message(Box::new(self.message(line)))).await?;
            Ok(self.parts.session.settle(&self.place).await?)
        };
        tokio::pin!(answered);
        loop {
            let question = tokio::select! {
                answered = &mut answered => return answered,
                Some(question) = person.questions.recv() => question,
            };
            tokio::select! {
                answered = &mut answered => return answered,
                confirmed = person.confirms(question, &self.screen) => confirmed?,
            }
        }
    }

    /// Ends the turn that is being answered. It may be just about to begin.
    async fn stop_answer(&self) -> Result<(), TerminalError> {
        let turn = self.underway.clone().wait_for(Option::is_some).await.ok().and_then(|turn| *turn);
        match turn {
            Some(turn) => Ok(self.parts.session.interrupt(&self.place, turn).await?),
            // Nothing can be said here any more.
            None => std::future::pending().await,
        }
    }

    async fn greet(&self, which: Option<usize>) -> Result<(), TerminalError> {
        match self.parts.session.greet(self.place.clone(), which, Some(self.parts.user_name.clone())).await {
            Ok(GreetingCame::Behind) => Ok(()),
            Ok(GreetingCame::Instead) => self.show_standing().await,
            Err(GreetError::Submit(error)) => Err(error.into()),
            Err(GreetError::NoSuchGreeting { available }) => {
                self.screen.note(&messages::no_such_greeting(available));
                Ok(())
            }
            Err(error) => {
                self.screen.note(&error.to_string());
                Ok(())
            }
        }
    }

    /// `/quiet`, `/quiet 30`: as by Discord's `/quiet`, it says nothing here by itself.
    async fn quiet(&self, minutes: &str) {
        let Some(until) = quiet_until(minutes, self.parts.clock.now()) else {
            return self.screen.note(&messages::no_minutes(minutes));
        };
        let minutes = (!minutes.is_empty()).then_some(minutes);
        let kept = self.set_quiet(Some(until)).await;
        self.screen.note(&match kept {
            Ok(()) => messages::keeps_quiet(&self.name(), minutes),
            Err(error) => error,
        });
    }

    /// `/wake`
    async fn wake(&self) {
        let was_quiet = self.parts.config.channel_in(&self.place).is_kept_quiet(self.parts.clock.now());
        let woken = self.set_quiet(None).await;
        self.screen.note(&match woken {
            Ok(()) => messages::woken(&self.name(), was_quiet),
            Err(error) => error,
        });
    }

    async fn set_quiet(&self, until: Option<Timestamp>) -> Result<(), String> {
        let (config, place) = (Arc::clone(&self.parts.config), self.place.clone());
        let now = self.parts.clock.now();
        let set = tokio::task::spawn_blocking(move || config.set_quiet(&place, now, until)).await;
        set.map_err(|error| error.to_string())?.map_err(|error| messages::not_set(&error.lines()))
    }

    /// `/context`, `/context t42`, `/context all`, `/context t42 all`.
    async fn show_context(&self, mut said: Vec<&str>) {
        let is_all = said.pop_if(|last| last.eq_ignore_ascii_case("all")).is_some();
        let found = match said[..] {
            [_, _, ..] => return self.screen.note(messages::CONTEXT_USAGE),
            [turn] => match turn.parse() {
                Ok(turn) => self.parts.traces.whole().get(turn).await,
                Err(error) => return self.screen.note(&error.to_string()),
            },
            [] => self.parts.traces.whole().latest(Some(&self.place.channel)).await,
        };
        match found {
            Ok(Some(trace)) if is_all => self.screen.note(&render::markdown(&trace, Rights::Operator)),
            Ok(Some(trace)) => self.screen.note(&render::brief(&trace, Rights::Operator)),
            Ok(None) => self.screen.note(messages::NO_TURN_HERE_YET),
            Err(error) => self.screen.note(&error.to_string()),
        }
    }

    async fn show_why(&self, words: &str) {
        if words.is_empty() {
            return self.screen.note(messages::WHY_WHAT);
        }
        let found = match self.parts.traces.whole().latest_that_asked(&self.place.channel).await {
            Ok(Some(trace)) => trace,
            Ok(None) => return self.screen.note(messages::NO_TURN_HERE_YET),
            Err(error) => return self.screen.note(&error.to_string()),
        };
        match self.parts.session.why(&found, words, Rights::Operator).await {
            // Only where nothing was sent does it name a command; else it quotes what people said.
            Ok(answer) if found.request.is_empty() => self.screen.note(&self.commands.in_text(&answer)),
            Ok(answer) => self.screen.note(&answer),
            Err(error) => self.screen.note(&error.to_string()),
        }
    }

    fn message(&self, text: &str) -> InboundMessage {
        let now = self.parts.clock.now();
        let (place, name) = (self.place.clone(), &self.parts.user_name);
        InboundMessage::of_operator(place, name, own_message_id(), text.to_owned(), now)
    }
}

/// The first word of a line, as commands are read: whatever their case. And what stands behind it.
fn command_and_rest(line: &str) -> (String, &str) {
    let line = line.trim();
    let (first, behind) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    (first.to_lowercase(), behind.trim())
}

/// Whether the first word of a line, in lower case, is written as commands are. A path is not, and with `/me` and `/ooc` people
/// say what they do, and what they say out of play.
pub fn is_command(first: &str) -> bool {
    let name = first.strip_prefix('/').map(|name| name.trim_end_matches(['.', ',', '!', '?', ';', ':']));
    let Some(name) = name.filter(|name| !matches!(*name, "me" | "ooc")) else { return false };
    name.starts_with(char::is_alphabetic)
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
}

/// Whether this line ends the talk, whatever stands behind the word.
pub fn is_goodbye(line: &str) -> bool {
    matches!(&*command_and_rest(line).0, "/quit" | "/exit" | "/bye")
}

/// Waits for an answer. Ctrl-C asks `stop` to end it, and when it does not end, once more leaves.
async fn unless_stopped(
    answered: impl Future<Output = Result<(), TerminalError>>,
    stop: impl Future<Output = Result<(), TerminalError>>,
    pressed: &mut Pressed,
) -> Result<Taken, TerminalError> {
    tokio::pin!(answered);
    tokio::select! {
        answered = &mut answered => {
            answered?;
            return Ok(Taken::Done);
        }
        () = pressed.next() => {}
    }
    let stopped = async {
        // Whichever is told first, that it is stopped or that nothing is left to do: it was stopped.
        tokio::select! {
            answered = &mut answered => return answered,
            stopped = stop => stopped?,
        }
        answered.await
    };
    tokio::select! {
        stopped = stopped => {
            stopped?;
            Ok(Taken::Stopped)
        }
        () = pressed.next() => Ok(Taken::Quit),
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use super::*;

    #[test]
    fn commands_are_read_whatever_their_case_and_words_behind_them_as_they_are() {
        assert_eq!(command_and_rest(" /QUIET\t30 "), ("/quiet".to_owned(), "30"));
        assert_eq!(command_and_rest("/Edit The  Kettle"), ("/edit".to_owned(), "The  Kettle"));
        assert_eq!(command_and_rest(""), (String::new(), ""));
        assert!(is_goodbye("/Bye for now") && !is_goodbye("Bye"));
        for (first, is) in [
            ("/dance", true),
            ("/undo.", true),
            ("/ooc", false),
            ("/home/ada", false),
            ("/me", false),
            ("/", false),
            ("/3", false),
            ("a/b", false),
        ] {
            assert_eq!(is_command(first), is, "{first}");
        }
    }

    #[tokio::test]
    async fn a_second_ctrl_c_leaves_an_answer_that_does_not_end() {
        for is_told in [false, true] {
            let ctrl_c = CtrlC::default();
            let mut pressed = ctrl_c.listen();
            let stop = async {
                // As somebody presses it once more who sees that nothing happens.
                assert!(ctrl_c.press());
                if is_told { Ok(()) } else { pending().await }
            };
            assert!(ctrl_c.press());
            let taken = unless_stopped(pending(), stop, &mut pressed);
            let taken = tokio::time::timeout(Duration::from_secs(60), taken).await;
            assert_eq!(taken.expect("nothing stops it").unwrap(), Taken::Quit);
        }
    }
}
