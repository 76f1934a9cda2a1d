use std::time::Duration;

use super::*;
use crate::domain::{ChannelMode, ModelErrorClass, ProcessorRecord};
use crate::processors::testing::{Does, Rig, without_scene};

const REPLY: &str =
    "He shrugs. \"The ferry leaves at 20:15,\" he says, and looks at the water. He looks at the water again.";
const BETTER: &str =
    "A shrug. \"The ferry leaves at 20:15,\" he says, his eyes on the water, and there they stay for long.";

fn rig(text: &str, does: impl IntoIterator<Item = Does>) -> Rig {
    Rig::new(ChannelMode::FullRp, text, does)
}

impl Rig {
    async fn recasts_in(&self, turn: TurnView, text: &str) -> (String, Vec<ProcessorRecord>) {
        let log = RunLog::default();
        let polish = self.processors.recasts(&Arc::new(turn)).unwrap();
        let text = polish.rewrite(text.to_owned(), &log).await;
        (text, log.close())
    }

    async fn recasts(&self, text: &str) -> (String, Vec<(String, ProcessorStatus)>) {
        let (text, records) = self.recasts_in(self.turn(), text).await;
        (text, records.into_iter().map(|record| (record.processor, record.status)).collect())
    }
}

fn ran(pass: &str) -> (String, ProcessorStatus) {
    (pass.to_owned(), ProcessorStatus::Ran)
}

#[tokio::test]
async fn two_passes_each_with_its_own_material() {
    let rig = rig("", [Does::Says(REPLY), Does::Says(BETTER)]);
    let (text, records) = rig.recasts_in(rig.turn(), REPLY).await;
    assert_eq!(text, BETTER);
    assert_eq!(
        records.iter().map(|record| (record.calls, record.tokens)).collect::<Vec<_>>(),
        [(1, 120), (1, 120)]
    );
    let asked = rig.models.asked();
    assert!(asked.iter().all(|request| request.slot == Slot::PostProcessStyle));
    let prompts: Vec<String> = asked
        .iter()
        .map(|request| request.messages.iter().map(|m| format!("{}:\n{}", m.role.as_str(), m.content)))
        .map(|messages| messages.collect::<Vec<_>>().join("\n---\n"))
        .collect();
    assert!(prompts.iter().all(|prompt| !prompt.contains("She is early")), "recast never sees thoughts");
    insta::assert_snapshot!("recast_prompts", prompts.join("\n\n=====\n\n"));
}

#[tokio::test]
async fn what_a_guard_refuses_leaves_the_text_before_it() {
    let rig = rig("", [Does::Says("Sure! Here is it, all new."), Does::Says(BETTER)]);
    let (text, runs) = rig.recasts(REPLY).await;
    assert_eq!(text, BETTER, "the next pass works on");
    assert!(
        matches!(&runs[0].1, ProcessorStatus::Refused { why } if why.contains("talks about itself")),
        "{runs:?}"
    );
    assert_eq!(runs[1], ran("recast/rhythm"));
}

#[tokio::test]
async fn whatever_goes_wrong_the_reply_stands() {
    for does in [
        Does::Fails(ModelErrorClass::Server),
        Does::Fails(ModelErrorClass::CostCap),
        Does::Says(""),
        Does::Says("{]>"),
        Does::IsCutShortAfter(BETTER),
        Does::Says("<thoughts>hm</thoughts>"),
    ] {
        let rig = rig("[recasting]\npasses = \"rhythm\"\n", [does.clone()]);
        let (text, runs) = rig.recasts(REPLY).await;
        assert_eq!(text, REPLY, "{does:?}");
        assert!(runs.len() == 1 && runs[0].1 != ProcessorStatus::Ran, "{does:?}: {runs:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn both_passes_share_one_deadline_and_what_was_polished_is_kept() {
    let rig = rig("", [Does::Says(BETTER), Does::Hangs]);
    let started = Instant::now();
    let (text, runs) = rig.recasts(REPLY).await;
    assert_eq!((text.as_str(), started.elapsed()), (BETTER, Duration::from_secs(20)));
    assert_eq!(runs, [ran("recast/behaviour"), ("recast/rhythm".to_owned(), ProcessorStatus::Late)]);
    let stuck = self::rig("[recasting]\ntimeout = 2\n", [Does::Hangs]);
    let (text, runs) = stuck.recasts(REPLY).await;
    assert_eq!(text, REPLY);
    let no_time = ProcessorStatus::Skipped { why: "no time was left".to_owned() };
    assert_eq!(runs.into_iter().map(|run| run.1).collect::<Vec<_>>(), [ProcessorStatus::Late, no_time]);
}

#[tokio::test]
async fn short_replies_and_refusals_are_left_alone() {
    for (reply, why) in [
        ("Aye, it is.", "11 characters are too few to polish"),
        (
            "I'm sorry, but I can't help with that. Perhaps we could talk about the ferry instead?",
            "a refusal is left as it is",
        ),
    ] {
        let (text, runs) = rig("", []).recasts(reply).await;
        assert_eq!(text, reply);
        assert_eq!(runs, [("recast".to_owned(), ProcessorStatus::Skipped { why: why.to_owned() })]);
    }
}

#[tokio::test]
async fn without_the_scene_it_is_not_polished() {
    let rig = rig("", []);
    let (text, records) = rig.recasts_in(without_scene(rig.turn()), REPLY).await;
    assert_eq!(text, REPLY);
    assert!(matches!(&records[0].status, ProcessorStatus::Failed { why } if why.contains("history")));
}

#[test]
fn it_runs_where_the_channel_and_the_plan_want_it() {
    let rig = rig("", []);
    let begins = |change: &dyn Fn(&mut TurnView)| {
        let mut turn = rig.turn();
        change(&mut turn);
        rig.processors.recasts(&Arc::new(turn)).err()
    };
    assert_eq!(begins(&|_| ()), None);
    assert_eq!(
        begins(&|turn| Arc::make_mut(&mut turn.channel).figures.recast = false),
        Some(SWITCHED_OFF.to_owned())
    );
    assert_eq!(
        begins(&|turn| Arc::make_mut(&mut turn.plan).recast = false),
        Some("the message is not worth it (effort 5 of 10)".to_owned())
    );
}

#[test]
fn a_refusal_is_known_in_every_language() {
    for (refusal, reply) in [
        ("I'm sorry, but I can't help with that.", "I can help you with the ropes."),
        ("Tut mir leid, aber ich kann das nicht schreiben.", "Tut mir leid, dass du warten musstest."),
        ("Je suis désolé, mais je ne peux pas.", "Je suis désolé pour ton bateau."),
        ("Lo siento, pero no puedo escribir eso.", "Lo siento por tu barco."),
        ("Desculpe, mas não posso fazer isso.", "Desculpe pelo atraso do barco."),
        ("Mi dispiace, ma non posso farlo.", "Mi dispiace per la barca."),
        ("Sorry, maar ik kan dit niet schrijven.", "Sorry van je boot."),
        ("Przykro mi, ale nie mogę tego zrobić.", "Przykro mi z powodu łodzi."),
        ("Извините, но я не могу этого сделать.", "Извините за опоздание."),
        ("Bir yapay zeka olarak bunu yazamam.", "Tekneni gördüm."),
        ("申し訳ありませんが、お手伝いできません。", "船を見たよ。"),
        ("抱歉，我不能写这个。", "抱歉让你久等。"),
        ("죄송하지만 도와드릴 수 없습니다.", "배를 봤어."),
    ] {
        assert!(is_refusal(refusal), "{refusal}");
        assert!(!is_refusal(reply), "{reply}");
    }
}
