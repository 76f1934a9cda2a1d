//! All that a model may write as a call, for fuzzing: nothing of it may panic or take for ever, whatever comes.

use serde_json::Value;

use super::{
    MakeRoom, SkillLoad, channel, convert, documents, found, memory, mood, notes, outside, people, play, time,
};
use crate::domain::ToolCall;
use crate::tools::guard::LoopGuard;
use crate::tools::tool::{NoArguments, Reads, reads, takes};

/// One for each of [`builtin_tools`](super::builtin_tools), those that look outside aside.
pub(super) const READERS: [Reads; 31] = [
    reads::<memory::MemorySearch>,
    reads::<SkillLoad>,
    reads::<memory::CatchMeUp>,
    reads::<people::WhoWasHere>,
    reads::<people::AboutPerson>,
    reads::<people::HowRelated>,
    reads::<documents::DocumentRead>,
    reads::<memory::LoreRead>,
    reads::<MakeRoom>,
    reads::<time::TimeIn>,
    reads::<time::Remind>,
    reads::<time::Timer>,
    reads::<time::ListReminders>,
    reads::<time::TakeBack>,
    reads::<time::OpenLoop>,
    reads::<time::TakeBack>,
    reads::<found::SearchChannel>,
    reads::<found::Quote>,
    takes::<channel::ReactArguments>,
    takes::<channel::PollAsked>,
    takes::<channel::WhichMessage>,
    takes::<channel::NewThread>,
    takes::<NoArguments>,
    takes::<NoArguments>,
    takes::<NoArguments>,
    takes::<channel::Sound>,
    reads::<notes::MemoryNote>,
    reads::<mood::SetMood>,
    reads::<play::RollDice>,
    reads::<play::Choose>,
    reads::<convert::Convert>,
];

/// Reads bytes as the arguments of every tool there is, after the guard of circles has seen them as often as it lets pass; how
/// many tools take them.
pub fn read_any_arguments(bytes: &[u8]) -> usize {
    let arguments = String::from_utf8_lossy(bytes).into_owned();
    let call = ToolCall { id: "1".to_owned(), name: "any".to_owned(), arguments };
    let read: Option<Value> = serde_json::from_str(&call.arguments).ok();
    let mut guard = LoopGuard::default();
    while guard.refuse(&call, read.as_ref()).is_none() {}
    let Some(read) = read else { return 0 };
    READERS.iter().chain(&outside::READERS).filter(|reads| reads(&read)).count()
}
