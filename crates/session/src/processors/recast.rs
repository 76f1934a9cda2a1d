//! Recasting a reply (cards-and-lore 6.2): independent passes over the whole of it, each with its own prompt and
//! its own material, and guards before anything is accepted. Whatever goes wrong, the text before the pass stands.

use std::sync::{Arc, LazyLock};

use tokio::time::{Instant, timeout_at};

use super::chain::Processors;
use super::guards::{Passing, refusal_of_guards};
use super::seam::{RunLog, SWITCHED_OFF, Scene, SceneLine, Trouble, TurnView, strs, unusable};
use super::tags::{block, quoted_as_data, unwrapped};
use super::thinking::lines;
use crate::config::{PromptName, RecastConfig, RecastPasses};
use crate::domain::{ChatMessage, ProcessorSide, ProcessorStatus, Role, Slot};
use crate::llm::CompletionRequest;
use crate::text::phrases::{Folded, Phrases};

/// The block the reply stands in.
const TEXT: &str = "text_to_transform";

/// Shorter replies are left as they are, in characters: there is nothing to polish in a nod.
const MIN_CHARS: usize = 60;

/// How a model begins that refuses.
static REFUSALS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(&["refusal"]));

/// How far into a reply a refusal begins at the latest, in characters: a greeting may come first.
const REFUSAL_WITHIN: usize = 60;

#[derive(Debug, Clone, Copy)]
struct Pass {
    name: &'static str,
    prompt: PromptName,
    /// How many of the newest messages it sees (cards-and-lore 6.2).
    context: usize,
    sees_card: bool,
    keeps_dialogue: bool,
}

const BEHAVIOUR: Pass = Pass {
    name: "recast/behaviour",
    prompt: PromptName::RecastBehaviour,
    context: 7,
    sees_card: true,
    keeps_dialogue: false,
};

const RHYTHM: Pass = Pass {
    name: "recast/rhythm",
    prompt: PromptName::RecastRhythm,
    context: 13,
    sees_card: false,
    keeps_dialogue: true,
};

impl Processors {
    /// The passes over this turn's reply, which is not spoken; why there are none.
    pub(super) fn recasts(&self, turn: &Arc<TurnView>) -> Result<Polish, String> {
        if !turn.channel.figures.recast {
            return Err(SWITCHED_OFF.to_owned());
        }
        if !turn.plan.recast {
            let effort = turn.plan.intent.effort.level();
            return Err(format!("the message is not worth it (effort {effort} of 10)"));
        }
        if let Some(why) = unusable(&self.models.slot(Slot::PostProcessStyle).describe()) {
            return Err(why);
        }
        let settings = self.config.current().recast.clone();
        Ok(Polish { turn: Arc::clone(turn), settings, processors: self.clone() })
    }
}

/// The passes over one reply.
#[derive(Debug)]
pub(super) struct Polish {
    turn: Arc<TurnView>,
    settings: RecastConfig,
    processors: Processors,
}

impl Polish {
    /// What to say instead of `text`; `text` itself where nothing better comes of it.
    pub(super) async fn rewrite(self, text: String, log: &RunLog) -> String {
        if let Some(why) = self.leaves_alone(&text) {
            log.skip("recast", ProcessorSide::After, why);
            return text;
        }
        let deadline = Instant::now() + self.settings.timeout;
        let scene = timeout_at(deadline, self.turn.scene.clone()).await.unwrap_or(Err(Trouble::Late));
        let scene = match scene {
            Ok(scene) => scene,
            Err(trouble) => {
                log.begin("recast", ProcessorSide::After).trouble(trouble);
                return text;
            }
        };
        let passes: &[Pass] = match self.settings.passes {
            RecastPasses::Both => &[BEHAVIOUR, RHYTHM],
            RecastPasses::Behaviour => &[BEHAVIOUR],
            RecastPasses::Rhythm => &[RHYTHM],
        };
        let mut text = text;
        for pass in passes {
            if Instant::now() >= deadline {
                log.skip(pass.name, ProcessorSide::After, "no time was left");
                continue;
            }
            if let Some(better) = self.pass(*pass, &text, &scene, deadline, log).await {
                text = better;
            }
        }
        text
    }

    /// Why a reply stays as it is.
    fn leaves_alone(&self, text: &str) -> Option<String> {
        let length = text.trim().chars().count();
        if length < MIN_CHARS {
            return Some(format!("{length} characters are too few to polish"));
        }
        is_refusal(text).then(|| "a refusal is left as it is".to_owned())
    }

    async fn pass(
        &self,
        pass: Pass,
        text: &str,
        scene: &Scene,
        deadline: Instant,
        log: &RunLog,
    ) -> Option<String> {
        let run = log.begin(pass.name, ProcessorSide::After);
        let request = CompletionRequest {
            max_tokens: Some(self.turn.plan.reserve_tokens),
            session: Some(self.turn.session.clone()),
            ..CompletionRequest::new(
                Slot::PostProcessStyle,
                recast_messages(&self.processors.config.prompt(pass.prompt), pass, text, scene),
            )
        };
        let model = self.processors.models.slot(Slot::PostProcessStyle);
        let answer = match run.ask(&model, request, deadline).await {
            Ok(answer) => answer,
            Err(trouble) => {
                tracing::info!(turn = %self.turn.turn, pass = pass.name, %trouble, "the reply stays as it was");
                run.trouble(trouble);
                return None;
            }
        };
        let made = unwrapped(&answer.text, TEXT).to_owned();
        let passing = Passing {
            keeps_dialogue: pass.keeps_dialogue,
            own_names: &strs(&self.turn.own_names),
            other_names: &strs(&self.turn.other_names),
        };
        let refused = if answer.is_cut_short {
            Some("it was cut off by its length".to_owned())
        } else {
            refusal_of_guards(text, &made, passing)
        };
        match refused {
            Some(why) => {
                tracing::info!(turn = %self.turn.turn, pass = pass.name, why, "a recast was not accepted");
                run.end(ProcessorStatus::Refused { why }, Some(made));
                None
            }
            None => {
                run.end(ProcessorStatus::Ran, Some(made.clone()));
                Some(made)
            }
        }
    }
}

fn recast_messages(prompt: &str, pass: Pass, text: &str, scene: &Scene) -> Vec<ChatMessage> {
    let system = prompt.replace("{{char}}", &scene.character.name);
    let mut material = Vec::new();
    if pass.sees_card {
        material.push(block("characters", &recast_card(scene)));
    }
    let newest: Vec<&SceneLine> = scene.lines.iter().collect();
    let newest = &newest[newest.len().saturating_sub(pass.context)..];
    if !newest.is_empty() {
        material.push(block("scene_context", &lines(newest)));
    }
    material.push(block(TEXT, text));
    vec![ChatMessage::new(Role::System, system), ChatMessage::new(Role::User, material.join("\n\n"))]
}

fn recast_card(scene: &Scene) -> String {
    let character = &scene.character;
    let parts = [
        ("name", character.name.as_str()),
        ("description", &character.description),
        ("personality", &character.personality),
        ("scenario", &character.scenario),
        ("example_dialogue", &character.examples),
    ];
    let said = parts.iter().filter(|(_, text)| !text.trim().is_empty());
    said.map(|(what, text)| block(what, &quoted_as_data(text))).collect::<Vec<_>>().join("\n")
}

/// Whether a model has declined instead of answering.
fn is_refusal(text: &str) -> bool {
    let beginning: String = text.chars().take(REFUSAL_WITHIN).collect();
    REFUSALS.are_in(&Folded::of(&beginning))
}

#[cfg(test)]
mod tests;
