//! The shape an answer has to have where it goes.

use std::sync::Arc;

use async_trait::async_trait;

use super::character::{addressee_of, character_macros, moment_of};
use super::{ContextAsk, ContextProvider, Pieces, Profile};
use crate::config::{LiveConfig, PromptName};
use crate::context::contribution::{Contribution, Importance, Placement, TailPart, Trust};
use crate::context::moments::names_in_a_row;
use crate::context::request::TurnRequest;
use crate::domain::{Audience, Author, ChannelMode, Layer, Modality, Place, Platform, WINDOW_FORMAT};
use crate::familiar::LiveCharacter;
use crate::text::names::prompt_label;

/// Contributes what the place itself can show (A25): what a mode's instructions cannot know, and
/// nothing that they already say. In a call also how not to answer, where that may be better (voice 2.5).
#[derive(Debug)]
pub(crate) struct FormatProvider {
    pub(in crate::context) config: Arc<LiveConfig>,
}

#[async_trait]
impl ContextProvider for FormatProvider {
    fn profile(&self) -> Profile {
        Profile::at_hand("format")
    }

    async fn contribute(&self, request: &TurnRequest, _: &ContextAsk<'_>) -> Pieces {
        let given = |source: &str, words: &str| {
            let shape = request.tail(TailPart::Format, Importance::High, Trust::Program, source, words);
            Contribution { audience: Audience::Canon, ..shape }
        };
        let place = given("format/place", place_format(request.channel.mode, &request.place));
        // The same for every turn here, whether it is typed or spoken: it may stand in the part that is cached.
        let mut shapes = vec![Contribution { placement: Placement::Mode, ..place }];
        if request.modality == Modality::Voice {
            shapes.push(given("format/voice", HEARD));
        }
        if let Some(answered) = answered_among_others(request) {
            shapes.push(given("format/answers", &format!("You are answering {answered}.")));
        }
        if let Some(emoji) = own_emoji(request) {
            let low = given("format/emoji", &emoji);
            shapes.push(Contribution { importance: Importance::Normal, trust: Trust::Chat, ..low });
        }
        match request.modality {
            Modality::Voice if request.may_pass => {
                let words = self.config.prompt(PromptName::Verdict);
                let doubt = if request.plan.intent.addressed_to_me { MEANT } else { OVERHEARD };
                shapes.push(given("format/voice verdict", &format!("{}\n{doubt}", words.trim())));
            }
            // Its own last words, which it begins behind, may hold its name.
            Modality::Text if request.begins_by_itself() => {
                shapes.push(given("format/of its own accord", OF_ITS_OWN));
            }
            Modality::Text if request.may_pass && request.plan.intent.addressed_to_me => {
                shapes.push(given("format/perhaps not", PERHAPS_NOT));
            }
            Modality::Text if request.may_pass => {
                let chattiness = &self.config.current().chattiness;
                shapes.push(given("format/joining in", &joining_in_words(chattiness)));
            }
            Modality::Voice | Modality::Text => {}
        }
        Ok(shapes)
    }
}

/// With what else than everybody's emoji a message can be reacted to, where that can be done.
fn own_emoji(request: &TurnRequest) -> Option<String> {
    let emoji = request.world.for_place(&request.place).emoji();
    let reacts = request.plan.tool_tokens > 0 && request.modality == Modality::Text;
    (reacts && !emoji.is_empty()).then(|| {
        let names: Vec<String> = emoji.iter().map(|name| format!(":{name}:")).collect();
        format!("This server's own emoji, for `react`: {}", names.join(" "))
    })
}

/// Who is answered, where others wrote as well since it last spoke: everybody who expects it, whoever spoke last behind them.
fn answered_among_others(request: &TurnRequest) -> Option<String> {
    let last = request.author.as_ref()?;
    let is_other = |author: &&Author| author.account != last.account;
    if !request.pending.iter().filter_map(|turn| turn.author.as_ref()).any(|author| is_other(&author)) {
        return None;
    }
    let expecting = request.pending.iter().filter(|turn| request.addressed.contains(&turn.id));
    let mut names: Vec<String> = Vec::new();
    for author in expecting.filter_map(|turn| turn.author.as_ref()).filter(is_other).chain([last]) {
        let name = prompt_label(author.label());
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Some(names_in_a_row(&names, names.len()))
}

/// Of words that it begins with by itself.
const OF_ITS_OWN: &str = "Nobody spoke to you; you begin, because of what has come due since you last spoke here. Say something \
                          about that to whoever told of it, in one or two sentences, as it comes to you; take up nothing else. \
                          If it is better left alone, write <silent> and nothing else.";

/// Of what was written where it is not plain for whom.
const PERHAPS_NOT: &str = "The last message may be for you or for others here; that it names you need not mean that it is said \
                           to you. If it is said to you, answer. If it is for somebody else, or about you among others, or \
                           wants no answer, write <silent> and nothing else.";

/// Of an answer that nobody asked for (familiar-connect 1.8).
fn joining_in_words(chattiness: &str) -> String {
    format!(
        "Nobody spoke to you; you may join in. When you do: {}\nIf you have nothing to add now, write <silent> and \
         nothing else.",
        chattiness.trim()
    )
}

/// What to do in doubt about something said in a call that was meant for it, as far as could be heard.
const MEANT: &str = "If you are not sure, answer.";

/// And about something that may just as well have been meant for others.
const OVERHEARD: &str = "Nobody said your name. Answer if it was meant for you or you have something that they would want to \
                         hear now; if you are not sure, write <silent>.";

/// Of an answer that is spoken.
const HEARD: &str = "Format: heard, not read. Plain spoken sentences without Markdown, links or emoji; the point first, in \
                     sixty words at most unless more is asked for.";

/// What the place can show of what is written there.
fn place_format(mode: ChannelMode, place: &Place) -> &'static str {
    match (mode, place.platform) {
        (ChannelMode::ImitateVoice, _) => "The first sentence carries the point.",
        _ if place.is_window() => WINDOW_FORMAT,
        (ChannelMode::FullRp, Platform::Discord) => {
            "This is Discord: its Markdown works, tables do not; a message holds 2,000 characters."
        }
        (ChannelMode::TextConversationRp, Platform::Discord) => {
            "This is Discord: its Markdown works, tables and headings do not."
        }
        (_, Platform::Terminal) => "This is a plain text terminal: no Markdown tables, headings or links.",
    }
}

/// Contributes the channel's author note (backdrop precedence: familiar-connect 1.5), macros filled in as in the
/// card's own fields.
#[derive(Debug)]
pub(crate) struct ModeProvider {
    pub(in crate::context) character: Arc<LiveCharacter>,
    pub(in crate::context) config: Arc<LiveConfig>,
}

#[async_trait]
impl ContextProvider for ModeProvider {
    fn profile(&self) -> Profile {
        Profile::at_hand("mode")
    }

    async fn contribute(&self, request: &TurnRequest, _: &ContextAsk<'_>) -> Pieces {
        let Some(note) = request.channel.author_note() else { return Ok(Vec::new()) };
        let user = addressee_of(request, &self.config.current().render.user_fallback);
        let text = character_macros(&self.character.current(), &user, &moment_of(request), note);
        Ok(vec![Contribution {
            importance: Importance::High,
            ..Contribution::anywhere(
                format!("mode/{}", request.channel.mode),
                Layer::AuthorNote,
                Placement::Mode,
                Trust::Canon,
                text,
            )
        }])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::settled;
    use crate::context::reflex::tests::{harbour, request};
    use crate::domain::{PlaceKind, Role};

    fn provider() -> FormatProvider {
        FormatProvider { config: settled("").unwrap().1 }
    }

    async fn told(
        mode: ChannelMode,
        platform: Platform,
        modality: Modality,
    ) -> Vec<(String, Placement, String)> {
        let mut request = request(&harbour(), "hi");
        let mut channel = request.channel.as_ref().clone();
        channel.mode = mode;
        request.channel = std::sync::Arc::new(channel);
        request.modality = modality;
        request.place.platform = platform;
        request.place.kind =
            if platform == Platform::Terminal { PlaceKind::Terminal } else { PlaceKind::GuildText };
        let given = provider().contribute(&request, &ContextAsk::everything()).await.unwrap();
        given.into_iter().map(|one| (one.source, one.placement, one.text)).collect()
    }

    #[tokio::test]
    async fn a25_every_place_and_mode_is_told_what_it_can_show_and_a_call_what_it_can_say() {
        for platform in [Platform::Discord, Platform::Terminal] {
            for mode in ChannelMode::ALL {
                let written = told(mode, platform, Modality::Text).await;
                let heard = told(mode, platform, Modality::Voice).await;
                assert_eq!(written.len(), 1);
                let (source, placement, words) = &written[0];
                assert_eq!((source.as_str(), placement), ("format/place", &Placement::Mode));
                let fits = match (mode, platform) {
                    (ChannelMode::ImitateVoice, _) => words.contains("first sentence"),
                    (ChannelMode::FullRp, Platform::Discord) => {
                        words.contains("tables do not") && words.contains("2,000 characters")
                    }
                    (ChannelMode::TextConversationRp, Platform::Discord) => {
                        words.contains("tables and headings do not")
                    }
                    (_, Platform::Terminal) => words.contains("no Markdown tables"),
                };
                assert!(fits, "{mode} on {platform:?}: {words}");
                // What stands before the boundary is the same in a call; the rest is told at the end.
                assert_eq!(heard[0], written[0]);
                let (source, placement, words) = &heard[1];
                assert_eq!(source, "format/voice");
                assert_eq!(placement, &Placement::Tail(TailPart::Format));
                assert!(
                    words.contains("without Markdown")
                        && words.contains("the point first")
                        && words.contains("sixty words")
                );
            }
        }
    }

    #[tokio::test]
    async fn the_window_is_not_called_a_terminal_and_shows_markdown() {
        let mut request = request(&harbour(), "hi");
        request.place = Place::window().unwrap();
        let given = provider().contribute(&request, &ContextAsk::everything()).await.unwrap();
        let words = &given[0].text;
        assert!(words.contains("Markdown works") && !words.contains("terminal"), "{words}");
    }

    #[tokio::test]
    async fn fc_1_8_where_nobody_asked_the_model_is_told_when_it_joins_in_and_how_not_to() {
        let mut request = request(&harbour(), "hi");
        request.may_pass = true;
        let given = provider().contribute(&request, &ContextAsk::everything()).await.unwrap();
        assert_eq!(given[1].text, PERHAPS_NOT, "whoever may have been spoken to joins nothing");
        let mut plan = request.plan.as_ref().clone();
        plan.intent.addressed_to_me = false;
        request.plan = std::sync::Arc::new(plan);
        let given = provider().contribute(&request, &ContextAsk::everything()).await.unwrap();
        let words = &given[1].text;
        assert!(words.contains("when the conversation is relevant") && words.contains("<silent>"), "{words}");
    }

    #[tokio::test]
    async fn what_it_begins_by_itself_is_for_it_although_its_own_last_words_hold_its_name() {
        let mut request = request(&harbour(), "Mika wishes you a good morning");
        request.may_pass = true;
        request.pending[0].role = Role::Assistant;
        assert!(request.plan.intent.addressed_to_me);
        let given = provider().contribute(&request, &ContextAsk::everything()).await.unwrap();
        assert!(given.iter().any(|one| one.text == OF_ITS_OWN), "{given:?}");
    }

    #[tokio::test]
    async fn where_it_need_not_answer_the_model_is_told_how_not_to() {
        let mut request = request(&harbour(), "hi");
        request.modality = Modality::Voice;
        assert_eq!(
            provider().contribute(&request, &ContextAsk::everything()).await.unwrap().len(),
            2,
            "who was named is answered"
        );
        request.may_pass = true;
        let given = provider().contribute(&request, &ContextAsk::everything()).await.unwrap();
        let verdict = &given[2];
        assert_eq!(verdict.placement, Placement::Tail(TailPart::Format));
        for word in ["<silent>", "<wait>", "<wait long>"] {
            assert!(verdict.text.contains(word), "{}", verdict.text);
        }
        assert!(verdict.text.ends_with(MEANT), "{}", verdict.text);
        let mut plan = request.plan.as_ref().clone();
        plan.intent.addressed_to_me = false;
        request.plan = std::sync::Arc::new(plan);
        let given = provider().contribute(&request, &ContextAsk::everything()).await.unwrap();
        assert!(given[2].text.ends_with(OVERHEARD), "{}", given[2].text);
    }
}
