//! Which sorts of context a message gets at all (A4).

use crate::context::contribution::Need;
use crate::context::providers::Profile;
use crate::domain::{Category, Depth, ExecutionPlan};

/// Whether a provider is asked. Every message gets the character, the scene, the conversation, the moment, and what is noted
/// about whoever speaks (contradiction 20). A greeting is answered out of that and what is new; a scene is not told
/// what goes on elsewhere, and nor is somebody who wants something done. A search only as deep as the plan goes and while
/// there are searches to spend.
pub(in crate::context) fn is_asked(plan: &ExecutionPlan, profile: &Profile) -> bool {
    let category = plan.intent.category;
    match profile.need {
        Need::Floor => !profile.is_news || !matches!(category, Category::Task | Category::Roleplay),
        Need::Search => category != Category::Greeting && plan.depth > Depth::Axioms && plan.searches > 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::plan::{Heard, HeardBy, Means, classify, plan_for};
    use crate::context::reflex::tests::{harbour, request};

    /// The plan of an ordinary message, with another category.
    fn plan(category: Category) -> ExecutionPlan {
        let request = request(&harbour(), "what was the name of that boat?");
        let mut intent =
            classify(&Heard::said(request.utterance(), HeardBy::Addressed, request.channel.mode));
        intent.category = category;
        let means = Means::plain(&request.channel, 32_000);
        plan_for(intent, &means)
    }

    #[test]
    fn a4_each_category_has_its_layers() {
        let (floor, news) = (Profile::floor("floor", 1), Profile::floor("news", 1).of_news());
        for category in Category::ALL {
            let plan = plan(category);
            let asked = [floor, news, Profile::search("search", 1)].map(|profile| is_asked(&plan, &profile));
            let expected = match category {
                Category::Greeting => [true, true, false],
                Category::Task | Category::Roleplay => [true, false, true],
                _ => [true, true, true],
            };
            assert_eq!(asked, expected, "{category:?}");
        }
    }

    #[test]
    fn a4_without_searches_to_spend_nothing_is_searched() {
        let search = Profile::search("search", 1);
        let spent = ExecutionPlan { searches: 0, ..plan(Category::Recall) };
        assert!(!is_asked(&spent, &search));
        let shallow = ExecutionPlan { depth: Depth::Axioms, ..plan(Category::Recall) };
        assert!(!is_asked(&shallow, &search) && is_asked(&shallow, &Profile::floor("floor", 1)));
    }
}
