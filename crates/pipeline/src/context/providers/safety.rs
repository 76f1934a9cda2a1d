//! What holds where somebody says that they want to die.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::{ContextAsk, ContextProvider, Pieces, Profile, newest};
use crate::config::{Distress, LiveConfig, PromptName};
use crate::context::contribution::{Importance, TailPart, Trust};
use crate::context::request::TurnRequest;
use crate::domain::{HELPLINE_LABEL, StoredTurn};
use crate::history::History;
use crate::text::distress::is_distress;
use crate::text::names::prompt_label;
use crate::text::short::one_line;

/// Messages here that are looked through.
const LOOKED_AT: u32 = 30;

/// So many messages of whoever said it are answered with care, with the one that said it.
const THEIR_TURNS: usize = 10;

/// And for no longer than this.
const LASTS: Duration = Duration::from_secs(12 * 60 * 60);

/// Contributes how somebody is answered who is in distress, as long as `[safety]` has it so.
#[derive(Debug)]
pub(crate) struct SafetyProvider {
    pub(in crate::context) history: Arc<History>,
    pub(in crate::context) config: Arc<LiveConfig>,
}

#[async_trait]
impl ContextProvider for SafetyProvider {
    fn profile(&self) -> Profile {
        Profile::floor("safety", 15_000)
    }

    async fn contribute(&self, request: &TurnRequest, _: &ContextAsk<'_>) -> Pieces {
        let safety = self.config.current().safety.clone();
        if safety.distress == Distress::Off || request.pending.is_empty() {
            return Ok(Vec::new());
        }
        let said = newest(&self.history, request, None, LOOKED_AT).await?;
        let Some(says) = in_distress(&said, request) else { return Ok(Vec::new()) };
        let who = says.author.as_ref().map(|author| prompt_label(author.label())).unwrap_or_default();
        let rule = self.config.prompt(PromptName::Distress);
        let help = help(&safety.helpline, says, &said);
        let words = format!("This is about {who}. {}\n{help}", rule.trim());
        let source = match &says.message {
            Some(message) => format!("safety/distress (message {message})"),
            None => "safety/distress".to_owned(),
        };
        Ok(vec![request.tail(TailPart::Safety, Importance::Axiom, Trust::Program, source, words)])
    }
}

/// The newest message by somebody who is answered in which they say it, if that is not long ago. `said` is newest first.
fn in_distress<'a>(said: &'a [StoredTurn], request: &TurnRequest) -> Option<&'a StoredTurn> {
    let account = |turn: &StoredTurn| turn.author.as_ref().map(|author| author.account.clone());
    let is_person = |turn: &&StoredTurn| turn.author.as_ref().is_some_and(|author| !author.is_bot);
    let answered: Vec<_> = request.pending.iter().filter(is_person).filter_map(account).collect();
    let recent = |turn: &StoredTurn| {
        request.is_pending(turn.id)
            || Duration::try_from(request.now.duration_since(turn.at)).is_ok_and(|age| age < LASTS)
    };
    let by = |whom| said.iter().filter(move |turn| account(turn).as_ref() == Some(whom)).take(THEIR_TURNS);
    let mut found =
        answered.iter().flat_map(|whom| by(whom).find(|turn| recent(turn) && is_distress(&turn.content)));
    found.next()
}

/// Where help is to be had: the operator's line, unless it was told since they said it.
fn help(helpline: &str, says: &StoredTurn, said: &[StoredTurn]) -> String {
    let helpline = one_line(helpline);
    if helpline.is_empty() {
        return "No helpline is set here: name no number and no address of one.".to_owned();
    }
    let mut own = said.iter().filter(|turn| turn.author.is_none() && turn.ordinal > says.ordinal);
    if own.any(|turn| marks(&helpline).any(|mark| turn.content.contains(mark))) {
        return "You told them already where help is to be had; say it again only if they ask.".to_owned();
    }
    format!("{HELPLINE_LABEL} {helpline}")
}

/// What of a line is the same in every language: its numbers and addresses; where it has none, all of it.
fn marks(helpline: &str) -> impl Iterator<Item = &str> {
    let is_mark =
        |word: &&str| word.chars().filter(char::is_ascii_digit).count() >= 3 || word.contains("://");
    let ends = |c: char| !c.is_alphanumeric();
    let words = || {
        helpline.split_whitespace().map(move |word| word.trim_matches(ends)).filter(move |word| is_mark(word))
    };
    let whole = words().next().is_none().then_some(helpline);
    words().chain(whole)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::domain::{AccountId, Audience, Author, ChannelMode, Role, StoredId};

    #[test]
    fn a_helpline_of_several_lines_stands_on_one() {
        let says = StoredTurn {
            id: StoredId(1),
            ordinal: 1,
            role: Role::User,
            author: Some(Author::called(AccountId::discord(1), "Ada")),
            audience: Audience::Canon,
            content: "I want to die".to_owned(),
            at: Timestamp::UNIX_EPOCH,
            mode: ChannelMode::TextConversationRp,
            message: None,
            reply_to: None,
            turn: None,
            tokens: 1,
        };
        let told = help("Call 988,\nor ask for Mo\n", &says, &[]);
        assert_eq!(told, format!("{HELPLINE_LABEL} Call 988, or ask for Mo"));
    }

    #[test]
    fn a_line_is_known_by_its_numbers_whatever_language_it_is_told_in() {
        let marked = |line| marks(line).collect::<Vec<_>>();
        assert_eq!(
            marked("You can call 988, or write at https://help.example/chat."),
            ["988", "https://help.example/chat"]
        );
        assert_eq!(marked("Ask for Mo on the quay"), ["Ask for Mo on the quay"]);
    }
}
