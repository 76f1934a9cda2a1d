//! Which sorts of context a message gets at all (specs mechanisms A4).

use crate::context::providers::{Need, Part};
use crate::domain::{Category, Depth, ExecutionPlan};

/// What every message gets, whatever it is: the character, the scene, the conversation, the moment, and what is noted
/// about whoever speaks (specs mechanisms 4 row 20).
const FLOOR: [Part; 5] = [Part::Identity, Part::Project, Part::Working, Part::Current, Part::Spirit];

/// What a sort of message gets on top. A greeting is answered out of who the familiar is and what is new; a scene is not
/// told what goes on elsewhere, and nor is somebody who wants something done.
fn beyond_the_floor(category: Category) -> &'static [Part] {
    match category {
        Category::Greeting => &[Part::News],
        Category::Task | Category::Roleplay => &[Part::Neurons],
        Category::SmallTalk
        | Category::Recall
        | Category::Several
        | Category::Deep
        | Category::Retrospective => &[Part::News, Part::Neurons],
    }
}

/// Whether a provider is asked: by the message's category, and a search only as deep as the plan goes and while there are
/// searches to spend.
pub(in crate::context) fn is_asked(plan: &ExecutionPlan, part: Part, need: Need) -> bool {
    let is_of_category = FLOOR.contains(&part) || beyond_the_floor(plan.intent.category).contains(&part);
    let is_in_depth = need == Need::Floor || (plan.depth > Depth::Axioms && plan.searches > 0);
    is_of_category && is_in_depth
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::plan::{Heard, HeardBy, Means, classify, plan_for};
    use crate::context::reflex::tests::{harbour, request};
    use crate::domain::Modality;

    /// The plan of an ordinary message, with another category.
    fn plan(category: Category) -> ExecutionPlan {
        let request = request(&harbour(), "what was the name of that boat?");
        let mut intent = classify(&Heard {
            text: request.utterance(),
            names: &[],
            speakers: &[],
            authors: 1,
            called: HeardBy::Addressed,
            reply_age: None,
            mode: request.channel.mode,
            modality: Modality::Text,
        });
        intent.category = category;
        let means = Means {
            channel: &request.channel,
            modality: Modality::Text,
            window: 32_000,
            warm_tokens: 0,
            tool_tokens: 0,
        };
        plan_for(intent, &means)
    }

    #[test]
    fn a4_each_category_has_its_layers() {
        const ALL: [Part; 7] = [
            Part::Identity,
            Part::Project,
            Part::Working,
            Part::Current,
            Part::Spirit,
            Part::News,
            Part::Neurons,
        ];
        let asked = |category: Category| -> Vec<Part> {
            let plan = plan(category);
            let need = |part| if part == Part::Neurons { Need::Search } else { Need::Floor };
            ALL.into_iter().filter(|part| is_asked(&plan, *part, need(*part))).collect()
        };
        for category in Category::ALL {
            assert_eq!(asked(category)[..5], ALL[..5], "{category:?} keeps the floor");
            let more: &[Part] = match category {
                Category::Greeting => &[Part::News],
                Category::Task | Category::Roleplay => &[Part::Neurons],
                _ => &[Part::News, Part::Neurons],
            };
            assert_eq!(&asked(category)[5..], more, "{category:?}");
        }
    }

    #[test]
    fn a4_without_searches_to_spend_nothing_is_searched() {
        let spent = ExecutionPlan { searches: 0, ..plan(Category::Recall) };
        assert!(!is_asked(&spent, Part::Neurons, Need::Search));
        let shallow = ExecutionPlan { depth: Depth::Axioms, ..plan(Category::Recall) };
        assert!(
            !is_asked(&shallow, Part::Neurons, Need::Search) && is_asked(&shallow, Part::Spirit, Need::Floor)
        );
    }
}
