//! What the graph answers.

use super::*;
use crate::domain::{Stance, Stands};

/// Ana and Ben: Ana asks, Ben helps, Ana says thanks; later they quarrel with Cleo looking on.
async fn friends() -> (Stage, Graph) {
    let stage = Stage::new().await;
    stage.says(1, "How do I splice this rope?", 0, None).await;
    stage.says(2, "Tuck the rope strands under three times.", 30, Some(0)).await;
    stage.says(1, "Thanks Ben!", 60, Some(30)).await;
    stage.says(2, "Exactly, you're right about tar too", 90, Some(60)).await;
    stage.says(1, "thank you, that helped again", 120, Some(90)).await;
    stage.says(3, "I keep bees, by the way", 4000, None).await;
    let graph = stage.graph();
    (stage, graph)
}

fn told(bonds: &[Bond]) -> Vec<String> {
    let name = |named: &NamedNode| named.label.as_deref().unwrap_or("?").to_owned();
    bonds
        .iter()
        .map(|bond| format!("{} {} {} {}", name(&bond.from), bond.kind, name(&bond.to), bond.count))
        .collect()
}

#[tokio::test]
async fn g3_thanks_agreement_and_answers_are_edges_with_count_and_evidence() {
    let (_stage, graph) = friends().await;
    let bonds = graph.ask(here(), |view| between(view, &person(1), &person(2))).await.unwrap();
    assert_eq!(
        told(&bonds),
        [
            "Ben helped Ana 2",
            "Ben agreed_with Ana 1",
            "Ana talked_with Ben 2",
            "Ben talked_with Ana 2",
            "Ana answered Ben 2",
            "Ben answered Ana 2",
        ]
    );
    let helped = &bonds[0];
    assert_eq!(helped.last, moment(120));
    assert_eq!(helped.evidence.iter().map(ToString::to_string).collect::<Vec<_>>(), ["t:5", "t:3"]);
    assert_eq!(helped.audiences, [guild(7)]);
    assert!(
        graph.ask(here(), |view| between(view, &person(1), &person(3))).await.unwrap().is_empty(),
        "an hour apart is not together"
    );
}

#[tokio::test]
async fn g3_what_is_being_answered_or_was_said_later_is_no_evidence() {
    let (_stage, graph) = friends().await;
    let helped = async |viewer: Viewer| {
        let bonds = graph.ask(viewer, |view| between(view, &person(1), &person(2))).await.unwrap();
        let helped = bonds.into_iter().find(|bond| bond.kind == EdgeKind::Helped);
        helped.map(|bond| (bond.count, bond.last, bond.evidence))
    };
    let [first, second] = [3, 5].map(StoredId);
    let the_first = Some((1, moment(60), vec![SourceId::Turn(first)]));
    assert_eq!(helped(here().without(vec![second])).await, the_first);
    assert_eq!(helped(here().until(Some(moment(100)))).await, the_first);
    assert_eq!(helped(here().without(vec![first, second])).await, None);
    assert_eq!(helped(here().until(Some(moment(30)))).await, None);
}

#[tokio::test]
async fn g3_a_reaction_is_an_edge_that_weighs_half_and_goes_when_it_is_taken_away() {
    let stage = Stage::new().await;
    stage.says(1, "I splice every rope here.", 0, None).await;
    stage.says(2, "the tide is late", 40_000, None).await;
    let graph = stage.graph();
    let react = |stance, stands| crate::domain::Reaction {
        message: MessageId::from(1_u64),
        by: AccountId::discord(2),
        emoji: match stance {
            Stance::Agrees => "👍",
            Stance::Likes => "❤️",
            Stance::Thanks => "🙏",
            Stance::Against => "👎",
        }
        .to_owned(),
        stands,
        at: moment(50_000),
    };
    let at = ChannelId::from(1);
    for stance in [Stance::Agrees, Stance::Likes, Stance::Thanks] {
        assert!(stage.history.react(&at, react(stance, Stands::Put)).await.unwrap());
    }
    let mut bonds = told(&graph.ask(here(), |view| between(view, &person(1), &person(2))).await.unwrap());
    bonds.sort();
    assert_eq!(bonds, ["Ana helped Ben 1", "Ben agreed_with Ana 1", "Ben close_to Ana 1"]);
    let standing = graph
        .ask(here(), |view| view.standing(&person(1), &person(2), moment(50_000)))
        .await
        .unwrap()
        .unwrap();
    assert!((standing.warm - 0.5 * (2.0 + 0.7 + 2.0)).abs() < 1e-6, "{standing:?}");
    assert_eq!(graph.verify().await.unwrap(), [], "made anew it is the same");
    for stance in [Stance::Agrees, Stance::Likes, Stance::Thanks] {
        assert!(stage.history.react(&at, react(stance, Stands::TakenAway)).await.unwrap());
    }
    assert!(graph.ask(here(), |view| between(view, &person(1), &person(2))).await.unwrap().is_empty());
}

#[tokio::test]
async fn g3_what_was_between_people_fades_and_quarrels_make_it_tense() {
    let (stage, graph) = friends().await;
    let mood = async |at: Timestamp| {
        let standing = graph.ask(here(), move |view| view.standing(&person(1), &person(2), at)).await;
        standing.unwrap().unwrap().mood
    };
    assert_eq!(mood(moment(200)).await, Mood::Ally);
    assert_eq!(mood(moment(90 * 86_400)).await, Mood::Plain, "three half-lives later");
    stage.says(1, "you're wrong!", 300, Some(90)).await;
    stage.says(2, "Shut up.", 310, Some(300)).await;
    assert_eq!(mood(moment(320)).await, Mood::Mixed);
    let strangers = graph.ask(here(), |view| view.standing(&person(1), &person(3), moment(320))).await;
    assert!(strangers.unwrap().is_none());
}

#[tokio::test]
async fn g3_what_is_said_to_the_familiar_is_meant_for_no_person() {
    let stage = Stage::new().await;
    stage.says(2, "It is raining.", 0, None).await;
    stage.says(0, "Take a coat.", 10, None).await;
    stage.says(1, "Thanks!", 20, None).await;
    stage.says(1, "Thanks again!", 30, Some(10)).await;
    let graph = stage.graph();
    assert!(graph.ask(here(), |view| between(view, &person(1), &person(2))).await.unwrap().is_empty());
}

#[tokio::test]
async fn g4_who_knows_about_something_is_told_by_what_they_said_and_helped_with() {
    let (stage, graph) = friends().await;
    stage.says(4, "bees are nice", 5000, None).await;
    stage.note(
        "people/discord-4.md",
        "---\naudience: guild:7\n---\n# Dan\n\n- Dan plays cello. <!-- f=c to=guild:7 -->\n",
    );
    let who = async |topic: &'static str| -> Vec<String> {
        let experts = graph.ask(here(), move |view| view.experts(topic, moment(6000), 5)).await.unwrap();
        experts
            .iter()
            .map(|one| format!("{} {}", one.person.label.as_deref().unwrap_or("?"), one.knows))
            .collect()
    };
    assert_eq!(who("bees").await, ["Cleo 1", "Dan 0"], "who keeps them before who likes them");
    assert_eq!(who("rope").await, ["Ben 1", "Ana 0"], "who was thanked for it");
    assert_eq!(who("the cello").await, ["Dan 1"]);
    assert!(who("opera").await.is_empty());
}

#[tokio::test]
async fn a11_a_way_between_two_people_is_told_with_its_evidence() {
    let stage = Stage::new().await;
    // Ana and Dan never spoke; a note knows what they have to do with each other.
    stage.says(1, "morning", 0, None).await;
    stage.says(4, "evening", 40_000, None).await;
    stage.note(
        "people/discord-1.md",
        "---\naudience: guild:7\naliases: [Ana]\n---\n# Ana\n\n- Dan is Ana's brother. <!-- f=br to=guild:7 from=t:1 -->\n",
    );
    stage.note("people/discord-4.md", "---\naudience: guild:7\naliases: [Dan]\n---\n# Dan\n");
    let graph = stage.graph();
    let ways = graph.ask(here(), |view| view.paths(&[person(1)], &[person(4)], 2)).await.unwrap();
    let first: Vec<String> = ways[0].steps.iter().map(|step| step.to.id.to_string()).collect();
    assert_eq!(first, ["fact/people/discord-1.md#br", "alias/dan", "person/discord-4"]);
    let fact = ways[0].steps[0].to.label.as_deref();
    assert_eq!(fact, Some("Dan is Ana's brother."));
    let evidence: Vec<String> = ways[0].steps[0].bonds[0].evidence.iter().map(ToString::to_string).collect();
    assert_eq!(evidence, ["people/discord-1.md"]);
    assert!(ways.iter().flat_map(|way| &way.steps).all(|step| !step.bonds.is_empty()));
}

#[tokio::test]
async fn a11_what_two_have_in_common_is_a_word_somebody_wrote_and_no_name_or_word_of_any_talk() {
    let stage = Stage::new().await;
    stage.says(1, "Dan called about lighthouses", 0, None).await;
    stage.says(4, "Dan here, somebody called a lighthouse", 40_000, None).await;
    let graph = stage.graph();
    let ways = graph.ask(here(), |view| view.paths(&[person(1)], &[person(4)], 5)).await.unwrap();
    assert_eq!(ways.len(), 1, "{ways:?}");
    let (way, channels) = graph.as_written(ways[0].clone()).await.unwrap();
    let told = DayTeller::in_zone(jiff::tz::TimeZone::UTC).path(&way);
    assert_eq!(told, ["what they have in common: lighthouse"], "the newest wrote it so");
    assert_eq!(channels, ["c1"]);
}

#[tokio::test]
async fn contradiction_8_a_way_is_seen_only_where_every_edge_of_it_is() {
    let stage = Stage::new().await;
    stage.says(1, "morning", 0, None).await;
    stage.says(4, "evening", 40_000, None).await;
    stage.note(
        "people/discord-1.md",
        "---\naudience: guild:7\naliases: [Ana]\n---\n# Ana\n\n- Dan is Ana's brother. <!-- f=br to=dm:discord:1 -->\n",
    );
    stage.note("people/discord-4.md", "---\naudience: guild:7\naliases: [Dan]\n---\n# Dan\n");
    let graph = stage.graph();
    assert!(graph.ask(here(), |view| view.paths(&[person(1)], &[person(4)], 2)).await.unwrap().is_empty());
    let alone = Viewer::of(Visible::only([Audience::Canon, guild(7), Audience::Dm(AccountId::discord(1))]));
    let ways = graph.ask(alone, |view| view.paths(&[person(1)], &[person(4)], 2)).await.unwrap();
    assert_eq!(ways.len(), 1);
    assert_eq!(
        Visible::circle_of(ways[0].audiences(), &Audience::Dm(AccountId::discord(1))),
        Audience::Dm(AccountId::discord(1)),
        "who is told it must be able to see all of it"
    );
}

#[tokio::test]
async fn g2_everything_that_depends_on_a_message_a_note_and_a_person_is_found() {
    let stage = Stage::new().await;
    stage.says(1, "Biscuit is my cat", 0, None).await;
    stage.note(
        "people/discord-1.md",
        "---\naudience: guild:7\naliases: [Ana]\n---\n# Ana\n\n\
         - Biscuit is Ana's cat. <!-- f=cat to=guild:7 from=t:1 -->\n\
         - Be short. <!-- f=a to=guild:7 from=t:1 kind=lesson -->\n\
         - Short answers please Ana. <!-- f=syn to=guild:7 from=f:a kind=lesson -->\n",
    );
    stage.note("topics/cats.md", "Ana has one, see [[people/discord-1]].\n");
    let graph = stage.graph();
    let of = async |node: NodeId| -> Vec<String> {
        let each = graph.ask(Viewer::everything(), move |view| view.dependents(&node)).await.unwrap();
        each.iter().map(|one| format!("{} {} {}", one.depth, one.via, one.node.id)).collect()
    };
    assert_eq!(
        of(NodeId::new(NodeKind::Message, "1")).await,
        [
            "1 derived_from fact/people/discord-1.md#cat",
            "1 derived_from learning/people/discord-1.md#a",
            "2 synthesized_into learning/people/discord-1.md#syn",
        ]
    );
    let note = of("note/people/discord-1.md".parse().unwrap()).await;
    assert!(note.contains(&"1 links fact/topics/cats.md#p0".to_owned()), "{note:?}");
    assert!(note.contains(&"1 contains fact/people/discord-1.md#cat".to_owned()), "{note:?}");
    let [ana, cats] = ["people/discord-1.md", "topics/cats.md"].map(|path| NotePath::new(path).unwrap());
    for (path, from) in [(ana, vec![cats.clone()]), (cats, Vec::new())] {
        let linked = graph.ask(Viewer::everything(), move |view| view.linked_from(&path, 9)).await.unwrap();
        assert_eq!(linked, from);
    }
    let ana = of(person(1)).await;
    assert!(ana.contains(&"1 about note/people/discord-1.md".to_owned()), "{ana:?}");
    assert!(ana.contains(&"1 mentions fact/topics/cats.md#p0".to_owned()), "by name: {ana:?}");
    assert!(of(person(9)).await.is_empty());
}

#[tokio::test]
async fn g5_what_is_noted_is_found_by_what_a_question_is_about() {
    let stage = Stage::new().await;
    stage.note(
        "people/discord-1.md",
        "---\naudience: guild:7\n---\n# Ana\n\n\
         - The Heron leaks at the bow. <!-- f=a to=guild:7 on=2026-03-01 -->\n\
         - Sails are mended in winter. <!-- f=b to=guild:7 on=2026-03-02 -->\n\
         - The Heron is mended in winter. <!-- f=d to=guild:7 on=2026-03-03 -->\n\
         - A heron was seen on the pier. <!-- f=c to=dm:discord:1 on=2026-03-04 -->\n",
    );
    let graph = stage.graph();
    let found = async |text: &'static str| -> Vec<String> {
        let noted = graph.ask(here(), move |view| view.noted(&person(1), text, 3)).await.unwrap();
        noted.iter().map(|one| one.label.to_string()).collect()
    };
    let (heron, both) = ("The Heron leaks at the bow.", "The Heron is mended in winter.");
    assert_eq!(
        found("heron").await,
        [both, heron],
        "what was told in private is not found; the newest first"
    );
    assert_eq!(found("a leaking heron").await, [heron, both], "most of what is asked for first");
    assert!(found("zebra").await.is_empty());
}

#[tokio::test]
async fn g1_what_is_asked_is_answered_for_its_circle_and_as_of_now() {
    let stage = Stage::new().await;
    let text = |line: &str| format!("---\naudience: guild:7\n---\n- {line} <!-- f=a to=guild:7 -->\n");
    stage.note("people/discord-1.md", &text("The heron leaks."));
    let graph = stage.graph();
    let heron = |view: &View<'_>| view.noted(&person(1), "heron", 3);
    assert_eq!(&*graph.ask(here(), heron).await.unwrap()[0].label, "The heron leaks.");
    let stranger = Viewer::of(Visible::only([Audience::Canon]));
    assert!(graph.ask(stranger, heron).await.unwrap().is_empty(), "another circle is another question");
    stage.note("people/discord-1.md", &text("The heron sank."));
    assert_eq!(&*graph.ask(here(), heron).await.unwrap()[0].label, "The heron sank.");
}

#[tokio::test]
async fn m8_facts_that_are_alike_share_topics_or_an_occasion_hang_together() {
    let stage = Stage::new().await;
    stage.note(
        "topics/garden.md",
        "---\naudience: guild:7\n---\n- Ana keeps bees in the garden. <!-- f=a to=guild:7 on=2026-03-01 from=t:1 -->\n\
         - Bees are kept by Ana in her gardens. <!-- f=b to=guild:7 on=2026-03-02 -->\n",
    );
    stage.note("topics/rain.md", "- It rained. <!-- f=c to=guild:7 on=2026-03-03 from=t:1 -->\n");
    stage.note("topics/secret.md", "- Ana keeps bees in the garden here. <!-- f=d to=dm:discord:1 -->\n");
    stage.note("topics/ferry.md", "- The ferry is late. <!-- f=e to=guild:7 -->\n");
    let graph = stage.graph();
    let near = |view: &View<'_>| {
        let fact = NodeId::new(NodeKind::Fact, "topics/garden.md#a");
        let near = view.around(&fact, 2, 100)?;
        let facts = near.into_iter().filter(|one| one.node.id.kind == NodeKind::Fact);
        Ok(facts.map(|one| one.node.id.key.to_string()).collect::<BTreeSet<_>>())
    };
    let seen = graph.ask(here(), near).await.unwrap();
    assert_eq!(Vec::from_iter(seen), ["topics/garden.md#b", "topics/rain.md#c"], "topics; an occasion");
    assert!(graph.ask(Viewer::everything(), near).await.unwrap().contains("topics/secret.md#d"));
}
