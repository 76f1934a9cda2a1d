//! What was said before few never reaches the many: random worlds, every word marked (contradiction 8).

use familiar_connect::config::RecallMethod;
use familiar_connect::domain::*;
use familiar_connect::history::Visible;
use proptest::prelude::*;

use super::{Archive, query, seer};
use crate::support::stage::{CALLED, MESSAGES, Stage, channel, dm, ferry, in_guild};

/// Places as they are at one time: a channel may be open today and closed tomorrow.
pub(super) fn places() -> Vec<Place> {
    let closed = |of: Place| Place { audience: Audience::Private(of.channel.clone()), ..of };
    let other_guild =
        Place { guild_name: Some("Elsewhere".to_owned()), ..in_guild(8, channel(5, "#elsewhere")) };
    vec![
        ferry(),
        closed(ferry()),
        channel(2, "#deck"),
        closed(channel(2, "#deck")),
        other_guild.clone(),
        closed(other_guild),
        dm("alice"),
        dm("ben"),
    ]
}

/// Who may see what, said once more in other words than the program's: everybody in `here` was there.
pub(super) fn may_see(learnt: &Audience, here: &Place) -> bool {
    match (learnt, &here.audience) {
        (Audience::Canon, _) => true,
        (Audience::Dm(whose), Audience::Dm(with)) => whose == with,
        // Nobody pairs anything in these worlds.
        (Audience::Dm(_) | Audience::Shared(_), _) => false,
        (Audience::Private(channel), _) => {
            *channel == here.channel && matches!(here.audience, Audience::Private(_))
        }
        // Nothing is age-restricted in them either.
        (Audience::Restricted(_), _) => false,
        (Audience::Guild(guild), _) => here.guild.as_ref() == Some(guild),
    }
}

#[derive(Debug, Clone)]
struct Saying {
    place: usize,
    who: usize,
    answers: Option<usize>,
}

const PEOPLE: [&str; 3] = ["alice", "ben", "cleo"];

fn sayings(most: usize) -> impl Strategy<Value = Vec<Saying>> {
    let one = (0..8usize, 0..3usize, proptest::option::of(0..most))
        .prop_map(|(place, who, answers)| Saying { place, who, answers });
    prop::collection::vec(one, 1..most)
}

fn text(number: usize) -> String {
    format!("treasure secretword{number} lies near the old lighthouse")
}

/// Every marked word in a text.
pub(super) fn marked(text: &str) -> Vec<usize> {
    text.split("secretword")
        .skip(1)
        .filter_map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok())
        .collect()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn contradiction_8_no_search_shows_what_not_everybody_here_could_see(
        said in sayings(24),
        notes in prop::collection::vec(0..9usize, 0..5),
    ) {
        runtime().block_on(async {
            let places = places();
            let mut archive = Archive::new().await;
            let mut learnt: Vec<Audience> = Vec::new();
            let mut messages = Vec::new();
            for (number, saying) in said.iter().enumerate() {
                let place = &places[saying.place];
                let answers = saying.answers.and_then(|at| messages.get(at).cloned());
                let at = super::now() - jiff::SignedDuration::from_mins(500 - i64::try_from(number).unwrap());
                messages.push(archive.says_to(place, PEOPLE[saying.who], &text(number), at, answers).await);
                learnt.push(place.audience.clone());
            }
            for (number, of) in notes.iter().enumerate() {
                let audience = places.get(*of).map_or(Audience::Canon, |place| place.audience.clone());
                let mark = learnt.len();
                archive.note(
                    &format!("discord-{number}"),
                    &format!("---\naudience: {audience}\naliases: [Ana{number}]\n---\n{}", text(mark)),
                );
                learnt.push(audience);
            }
            for here in &places {
                for (question, method) in [
                    ("where does the treasure near the old lighthouse lie?", RecallMethod::Fused),
                    ("what did Alice say today about the treasure?", RecallMethod::Text),
                    ("how do Alice and Ben know each other?", RecallMethod::Hybrid),
                    ("secretword1 secretword2 secretword3 Ana0 Ana1", RecallMethod::Importance),
                ] {
                    let mut query = query(question, method);
                    query.circumstances.most = 50;
                    let found = archive.recall.run(&query, &seer(here), 32).await.found;
                    for line in found.iter().flat_map(|found| &found.lines) {
                        for mark in marked(&line.text) {
                            assert!(may_see(&learnt[mark], here), "{mark} of {} in {}", learnt[mark], here.audience);
                        }
                        assert!(may_see(&line.audience, here), "{line:?}");
                        if line.source.starts_with("graph/") {
                            for (name, place) in [("ferry", 0), ("deck", 2), ("elsewhere", 4)] {
                                let open = may_see(&places[place].audience, here);
                                let own = places[place].channel == here.channel;
                                assert!(!line.text.contains(name) || open || own, "{}", line.text);
                            }
                        }
                    }
                }
            }
            let (question, stranger) =
                (query("where does the treasure lie?", RecallMethod::Fused), Visible::only([Audience::Canon]));
            let found = archive.recall.run(&question, &stranger, 32).await.found;
            for line in found.iter().flat_map(|found| &found.lines) {
                assert_eq!(line.audience, Audience::Canon);
            }
        });
    }
}

/// Little room, so that most of what is said is evicted and comes back only through the spillover.
const NARROW: &str = "text_lull_timeout = 0.01\n[typing_simulation]\nenabled = false\n\
                      [modes.text_conversation_rp.layers]\nrecent_history = 90\n";

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    /// The whole program: what was said in a channel while it was closed is not shown once it is open, neither as
    /// history, nor quoted, nor recalled, nor called back from the spillover.
    #[test]
    fn contradiction_8_no_prompt_holds_what_not_everybody_here_could_see(said in sayings(20)) {
        runtime().block_on(async {
            let places = places();
            let mut stage = Stage::with(NARROW, MESSAGES).await;
            let people = stage.dir.path().join("familiars/mika/memory/people");
            std::fs::create_dir_all(&people).unwrap();
            let mut learnt: Vec<Audience> = Vec::new();
            let mut messages = Vec::new();
            for (at, place) in places.iter().enumerate() {
                let mark = said.len() + at;
                let note = format!("---\naudience: {}\naliases: [lighthouse]\n---\nKnows secretword{mark}.", place.audience);
                std::fs::write(people.join(format!("discord-{}.md", 900 + at)), note).unwrap();
            }
            for (number, saying) in said.iter().enumerate() {
                let place = &places[saying.place];
                let mut event = stage.message(place, PEOPLE[saying.who], &text(number), CALLED);
                if let InboundEvent::Message(message) = &mut event {
                    message.reply_to = saying.answers.and_then(|at| messages.get(at).cloned());
                    messages.push(message.message.clone().unwrap());
                }
                stage.session.submit(event).await.unwrap();
                learnt.push(place.audience.clone());
                let asked = stage.next_request().await;
                for mark in marked(&asked.transcript()) {
                    let audience = learnt.get(mark).unwrap_or_else(|| &places[mark - said.len()].audience);
                    assert!(
                        may_see(audience, place),
                        "secretword{mark} of {audience} in {} ({}):\n{}", place.audience, place.channel, asked.transcript()
                    );
                }
                stage.replied_in(place, asked, "Noted.").await;
            }
        });
    }
}
