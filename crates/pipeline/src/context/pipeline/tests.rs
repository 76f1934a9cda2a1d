//! The composed pipeline with one provider at a time gone wrong: whatever the program gathers with is tested here,
//! also what is added later.

use std::collections::BTreeSet;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;

use super::*;
use crate::config::settled;
use crate::context::contribution::{Importance, TailPart};
use crate::context::plan::{Heard, HeardBy};
use crate::context::providers::{AnswerReuse, ContextAsk, Pieces, Profile, ProviderError};
use crate::context::request::tests::request_of;
use crate::domain::{
    AccountId, Audience, Author, ChannelId, MessageId, Modality, ProviderStatus, TokenEncoding,
};
use crate::familiar::{Character, LiveCharacter};
use crate::history::{History, HistoryOptions, NewTurn};
use crate::memory::Memory;
use crate::text::tokens;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    Hang,
    Panic,
    Error,
    Nonsense,
    Slow,
    Oversized,
    Foreign,
    Forged,
    Blocking,
}

const FAULTS: [Fault; 9] = [
    Fault::Hang,
    Fault::Panic,
    Fault::Error,
    Fault::Nonsense,
    Fault::Slow,
    Fault::Oversized,
    Fault::Foreign,
    Fault::Forged,
    Fault::Blocking,
];

/// Stands in what a faulty provider says of a talk that nobody here heard.
const SECRET: &str = "the key lies under the third stone";

/// A provider that stands where another one stood, and does something else.
#[derive(Debug)]
struct Faulty {
    instead_of: Arc<dyn ContextProvider>,
    fault: Fault,
}

#[async_trait]
impl ContextProvider for Faulty {
    fn profile(&self) -> Profile {
        let profile = self.instead_of.profile();
        // The others must not wait for it longer than the test wants to.
        match self.fault {
            Fault::Hang | Fault::Blocking => {
                Profile { deadline: Duration::from_millis(20), at_hand: false, ..profile }
            }
            _ => profile,
        }
    }

    fn kept(&self, request: &TurnRequest) -> Option<AnswerReuse> {
        match self.fault {
            Fault::Slow | Fault::Oversized | Fault::Foreign | Fault::Forged => self.instead_of.kept(request),
            _ => panic!("on purpose"),
        }
    }

    async fn contribute(&self, request: &TurnRequest, ask: &ContextAsk<'_>) -> Pieces {
        match self.fault {
            Fault::Hang => std::future::pending().await,
            Fault::Panic => panic!("on purpose"),
            Fault::Error => Err(ProviderError("on purpose".to_owned())),
            Fault::Nonsense => {
                let mut pieces = self.instead_of.contribute(request, ask).await?;
                for (index, piece) in pieces.iter_mut().enumerate() {
                    piece.text = if index % 2 == 0 { "  ".to_owned() } else { "\u{200b}\u{0}".to_owned() };
                    piece.relevance = f32::NAN;
                    piece.tokens = None;
                }
                Ok(pieces)
            }
            Fault::Slow => {
                tokio::time::sleep(Duration::from_millis(20)).await;
                self.instead_of.contribute(request, ask).await
            }
            Fault::Oversized => {
                let mut pieces = self.instead_of.contribute(request, ask).await?;
                let more = Contribution::looked_up(
                    "oversized",
                    TailPart::Recalled,
                    request.place.audience.clone(),
                    "rope and tar ".repeat(8_000),
                );
                pieces.push(Contribution { importance: Importance::High, relevance: 1.0, ..more });
                Ok(pieces)
            }
            Fault::Foreign => {
                let mut pieces = self.instead_of.contribute(request, ask).await?;
                let foreign = Audience::Dm(AccountId::discord(99));
                let more = Contribution::looked_up("foreign", TailPart::Recalled, foreign, SECRET);
                pieces.push(Contribution { importance: Importance::Axiom, relevance: 1.0, ..more });
                Ok(pieces)
            }
            Fault::Forged => {
                let mut pieces = self.instead_of.contribute(request, ask).await?;
                for (index, piece) in pieces.iter_mut().enumerate().filter(|(_, piece)| piece.turn.is_none())
                {
                    piece.tokens = Some(if index % 2 == 0 { 0 } else { u32::MAX });
                }
                Ok(pieces)
            }
            Fault::Blocking => {
                // Holds up its thread, as no provider may.
                std::thread::sleep(Duration::from_millis(60));
                std::future::pending().await
            }
        }
    }
}

pub(super) struct Scene {
    pub(super) parts: PipelineParts,
    pub(super) request: TurnRequest,
    pub(super) _folder: tempfile::TempDir,
}

/// One question in the terminal, with three turns before it.
async fn scene() -> Scene {
    scene_of("do you remember the storm last winter?", Modality::Text).await
}

/// The same with another question.
pub(super) async fn scene_of(question: &str, modality: Modality) -> Scene {
    scene_after(&["the rope is wet", "and cold"], question, modality).await
}

/// The same after other turns.
pub(super) async fn scene_after(earlier: &[&str], question: &str, modality: Modality) -> Scene {
    let (folder, config) = settled("").unwrap();
    let home = config.home().clone();
    let character = Character {
        name: "Mika".to_owned(),
        description: "keeps the ferry".to_owned(),
        ..Character::default()
    };
    let character = Arc::new(LiveCharacter::starting_as(character, home.clone()));
    let encoding = TokenEncoding::CharsOver4;
    let history = Arc::new(History::open(&home.history_db(), HistoryOptions::new([encoding])).await.unwrap());
    let place = Place::terminal(ChannelId::new("desk").unwrap());
    let channel = config.channel_in(&place);
    let ana = Author::called(AccountId::operator(), "Ana");
    let mut pending = Vec::new();
    for (number, words) in earlier.iter().copied().chain([question]).enumerate() {
        let turn = NewTurn {
            messages: vec![MessageId::from(number as u64 + 1)],
            ..NewTurn::written(
                place.clone(),
                Some(ana.clone()),
                words,
                Timestamp::from_second(1000 + i64::try_from(number).unwrap()).unwrap(),
                channel.mode,
            )
        };
        pending = vec![history.append(turn).await.unwrap()];
    }
    let (text, names, speakers) = (pending[0].content.clone(), ["Mika".to_owned()], ["Ana".to_owned()]);
    let said = Heard::said(&text, HeardBy::Addressed, channel.mode);
    let heard = Heard { names: &names, speakers: &speakers, modality, ..said };
    let request = TurnRequest {
        place,
        pending,
        author: Some(ana),
        now: Timestamp::from_second(2000).unwrap(),
        ..request_of(heard, channel, 16_000)
    };
    let memory = Arc::new(Memory::at(&home));
    Scene {
        parts: PipelineParts { character, config, history, memory, meaning: None, reranking: None },
        request,
        _folder: folder,
    }
}

/// The pipeline of the program with one of its providers replaced.
fn with_fault(parts: &PipelineParts, name: &str, fault: Fault) -> ContextPipeline {
    let mut pipeline = ContextPipeline::standard(parts.clone());
    let providers = pipeline.gatherer.providers().iter().map(|provider| {
        if provider.profile().name == name {
            Arc::new(Faulty { instead_of: Arc::clone(provider), fault }) as Arc<dyn ContextProvider>
        } else {
            Arc::clone(provider)
        }
    });
    pipeline.gatherer = Gatherer::new(providers.collect());
    pipeline
}

fn sources(prompt: &Prompt) -> BTreeSet<String> {
    prompt.figures().chunks.iter().map(|chunk| chunk.source.clone()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn y1_a_prompt_is_made_whatever_any_one_provider_does() {
    let Scene { parts, request, _folder } = scene().await;
    let whole = ContextPipeline::standard(parts.clone());
    let names: Vec<&str> =
        whole.gatherer.providers().iter().map(|provider| provider.profile().name).collect();
    assert!(names.len() >= 4);
    let usual = sources(&whole.assemble(&request, None).await.unwrap());
    for name in names {
        let provider =
            whole.gatherer.providers().iter().find(|provider| provider.profile().name == name).unwrap();
        let own: BTreeSet<String> = provider
            .contribute(&request, &ContextAsk::everything())
            .await
            .unwrap()
            .into_iter()
            .map(|piece| piece.source)
            .collect();
        for fault in FAULTS {
            let prompt = with_fault(&parts, name, fault).assemble(&request, None).await.unwrap();
            let sent: String = prompt.messages().iter().map(|message| message.content.as_str()).collect();
            assert!(sent.contains("do you remember the storm"), "{name} {fault:?}: the question itself");
            assert!(!sent.contains(SECRET), "{name} told of another talk");
            let counted = tokens::count(request.model.encoding, &sent);
            assert!(counted <= request.model.context_window, "{name} {fault:?}: {counted} tokens");
            let now = sources(&prompt);
            let lost: Vec<_> =
                usual.iter().filter(|source| !own.contains(*source) && !now.contains(*source)).collect();
            // Whoever holds up a thread may make others late on a machine with few.
            assert!(fault == Fault::Blocking || lost.is_empty(), "{name} {fault:?} took {lost:?} along");
            let status =
                &prompt.figures().providers.iter().find(|outcome| outcome.provider == name).unwrap().status;
            let is_named = match fault {
                Fault::Hang | Fault::Blocking => *status == ProviderStatus::Late,
                Fault::Panic => *status == ProviderStatus::Failed { error: "it panicked".to_owned() },
                Fault::Error => *status == ProviderStatus::Failed { error: "on purpose".to_owned() },
                Fault::Nonsense | Fault::Oversized | Fault::Foreign | Fault::Forged => {
                    matches!(status, ProviderStatus::Ok { .. })
                }
                Fault::Slow => matches!(
                    status,
                    ProviderStatus::Ok { .. }
                        | ProviderStatus::Cached { .. }
                        | ProviderStatus::Late
                        | ProviderStatus::NotAwaited
                ),
            };
            assert!(is_named, "{name} {fault:?}: {status:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a6_a_second_turn_takes_what_still_holds_and_an_edit_in_the_place_ends_that() {
    // Paused time goes on while a database thread works, unless something blocking runs: so nothing is late here.
    let (_until_dropped, dropped) = std::sync::mpsc::channel::<()>();
    let _still = tokio::task::spawn_blocking(move || dropped.recv());
    let Scene { parts, request, _folder } = scene().await;
    let pipeline = ContextPipeline::standard(parts);
    let status = async || {
        let prompt = pipeline.assemble(&request, None).await.unwrap();
        let character = prompt.figures().providers.iter().find(|outcome| outcome.provider == "character");
        (character.unwrap().status.clone(), prompt.messages().to_vec())
    };
    let (first, before) = status().await;
    let (second, after) = status().await;
    assert!(matches!(first, ProviderStatus::Ok { .. }) && matches!(second, ProviderStatus::Cached { .. }));
    assert_eq!(before, after, "the prompt is the same");
    pipeline.cool();
    assert!(matches!(status().await.0, ProviderStatus::Ok { .. }));
}
