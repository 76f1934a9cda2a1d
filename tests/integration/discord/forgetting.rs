//! `/memory` and `/forget`, as people use them: through the real adapter, down to the files.

use std::fs;

use familiar_connect::domain::{AccountId, ChannelMode, Coming, MessageId, Movement, Place, Role};
use familiar_connect::history::NewTurn;
use familiar_connect::memory::store::{NoteEditor, NotePath};
use serde_json::json;

use super::rig::{Rig, place_in};
use crate::support::discord::{Channel, DiscordWorld, Guild, Person};
use crate::support::stage::{known_as, said_at};

/// Whoever asks in a message is told what does it; the button shows what would go to whoever presses it.
#[tokio::test]
async fn whoever_asks_it_to_forget_is_told_how_with_a_button() {
    let scene = Scene::set().await;
    scene.rig.subscribe(&scene.general);
    scene.alice.says(&scene.general, "Ada, don't forget me");
    scene.rig.next_heard().await;
    scene.alice.says(&scene.general, "Ada, forget what I told you about the bird");
    let told = scene.general.next_message().await;
    assert!(told.content.contains("`/forget what`") && told.allowed_mentions_are_empty(), "{told:?}");
    let plan = scene.alice.presses_under(&told, "Forget everything of mine …").await;
    assert!(plan.ephemeral && plan.content.contains("1 message"), "{plan:?}");
    assert_eq!(scene.general.messages().len(), 1, "only who asked is told");
}

struct Scene {
    rig: Rig,
    home: Guild,
    general: Channel,
    alice: Person,
    ben: Person,
}

impl Scene {
    /// Alice and Ben have talked; what she told is noted, one thing of it here and one alone.
    async fn set() -> Self {
        let (world, home) = DiscordWorld::with_home().await;
        let (general, alice, ben) = (home.channel("general"), home.member("alice"), home.member("ben"));
        let scene = Self { rig: Rig::online(&world).await, home, general, alice, ben };
        let turn = |number: u64, role, author, content: &str| NewTurn {
            role,
            author,
            mode: ChannelMode::FullRp,
            ..said_at(&scene.place(), "", content, jiff::Timestamp::UNIX_EPOCH, MessageId::from(number))
        };
        for turn in [
            turn(1, Role::User, Some(known_as(scene.alice.id(), "Alice")), "I keep a zebrafinch"),
            turn(2, Role::Assistant, None, "A zebrafinch!"),
            turn(3, Role::User, Some(known_as(scene.ben.id(), "Ben")), "I keep a gannet"),
        ] {
            scene.rig.history.append(turn).await.unwrap();
        }
        let (id, guild) = (scene.alice.id(), scene.home.id());
        let note = format!(
            "# Alice\n\n\
             - Alice keeps a zebrafinch. <!-- f=aaaaaaaa to=guild:{guild} by=discord:{id} on=2026-03-01 from=t:1 -->\n\
             - Alice stole the bell. <!-- f=bbbbbbbb to=dm:discord:{id} by=discord:{id} on=2026-03-02 -->\n"
        );
        scene.rig.memory.whole().store.write(&scene.note(), &note, NoteEditor::Writer).unwrap();
        scene
    }

    fn place(&self) -> Place {
        place_in(&self.home, &self.general)
    }

    fn note(&self) -> NotePath {
        NotePath::new(format!("people/discord-{}.md", self.alice.id())).unwrap()
    }

    fn noted(&self) -> String {
        self.rig.memory.whole().store.read(&self.note()).map(|note| note.text).unwrap_or_default()
    }

    async fn said(&self) -> Vec<String> {
        let all =
            self.rig.history.whole().kept_after(familiar_connect::domain::StoredId(0), 100).await.unwrap();
        all.into_iter().map(|turn| turn.content).collect()
    }
}

#[tokio::test]
async fn forget_me_says_how_much_it_is_and_does_it_when_the_button_is_pressed() {
    let scene = Scene::set().await;
    let asked = scene.alice.runs(&scene.general, "/forget me", json!({})).await;
    assert!(asked.ephemeral && asked.deferred);
    assert_eq!(asked.buttons(), ["Forget", "Forget for good", "Keep"]);
    insta::assert_snapshot!(asked.content, @r"
    Ada would forget 1 message of yours, 1 answer to you, 2 noted facts and 1 whole note. Your words go from its memory, its summaries and its records, on this server and everywhere else; other people's words stay.
    **Forget** can be taken back with `/forget undo` for seven days. **Forget for good** keeps no copy.
    Noted facts among it that may be shown here:
    - Alice keeps a zebrafinch.
    …and 1 more, not shown here
    ");
    assert_eq!(scene.said().await.len(), 3, "nothing was done yet");
    let kept = scene.alice.presses(&scene.general, &asked, "Keep").await;
    assert_eq!((kept.content.as_str(), kept.buttons().len()), ("Nothing was forgotten.", 0));
    let done = scene.alice.presses(&scene.general, &asked, "Forget").await;
    insta::assert_snapshot!(done.content, @"Ada has forgotten 1 message of yours, 1 answer to you, 2 noted facts and 1 whole note. `/forget undo` takes it back for seven days.");
    assert_eq!(scene.said().await, ["I keep a gannet"]);
    assert_eq!(scene.noted(), "");
    let nothing = scene.ben.runs(&scene.general, "/forget undo", json!({})).await;
    assert!(nothing.content.starts_with("There is nothing"), "not his: {nothing:?}");
    let back = scene.alice.runs(&scene.general, "/forget undo", json!({})).await;
    insta::assert_snapshot!(back.content, @"It is back: 1 message of yours, 1 answer to you, 2 noted facts and 1 whole note. Ada sums up older conversations anew; records of its replies stay gone.");
    assert_eq!(scene.said().await.len(), 3);
    assert!(scene.noted().contains("zebrafinch"));
}

#[tokio::test]
async fn what_was_forgotten_before_can_still_be_had_gone_for_good() {
    let scene = Scene::set().await;
    let asked = scene.alice.runs(&scene.general, "/forget me", json!({})).await;
    scene.alice.presses(&scene.general, &asked, "Forget").await;
    let again = scene.alice.runs(&scene.general, "/forget me", json!({})).await;
    insta::assert_snapshot!(again.content, @r"
    Ada remembers nothing of yours that fits.
    What was forgotten of it before can still be taken back. **Forget for good** destroys that copy too.
    ");
    assert_eq!(again.buttons(), ["Forget for good", "Keep"]);
    let done = scene.alice.presses(&scene.general, &again, "Forget for good").await;
    insta::assert_snapshot!(done.content, @"What Ada had forgotten is gone for good: it cannot be taken back any more.");
    let nothing = scene.alice.runs(&scene.general, "/forget undo", json!({})).await;
    assert!(nothing.content.starts_with("There is nothing"), "{nothing:?}");
    let nothing = scene.alice.runs(&scene.general, "/forget me", json!({})).await;
    assert!(nothing.content.contains("nothing of yours that fits"), "{nothing:?}");
}

#[tokio::test]
async fn who_only_came_is_forgotten_as_well() {
    let scene = Scene::set().await;
    let cara = scene.home.member("cara");
    let (guild, account, at) =
        (scene.home.id().into(), AccountId::discord(cara.id()), jiff::Timestamp::now());
    let coming = Coming { guild, account, name: "Cara".to_owned(), movement: Movement::Came, at };
    scene.rig.history.came(coming).await.unwrap();
    let asked = cara.runs(&scene.general, "/forget me", json!({})).await;
    assert!(asked.content.contains("1 other trace of you (such as a reaction)"), "{asked:?}");
    cara.presses(&scene.general, &asked, "Forget").await;
    assert_eq!(scene.rig.history.whole().kept_state().await.unwrap().comings, []);
}

#[tokio::test]
async fn forget_for_good_leaves_no_byte_in_the_familiars_folder() {
    let scene = Scene::set().await;
    let asked = scene.alice.runs(&scene.general, "/forget what", json!({"words": "zebrafinches"})).await;
    let done = scene.alice.presses(&scene.general, &asked, "Forget for good").await;
    assert!(done.content.contains("1 message of yours, 1 answer to you and 1 noted fact"), "{done:?}");
    let mut folders = vec![scene.rig.home.root().to_owned()];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else {
                let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).to_lowercase();
                assert!(!text.contains("zebrafinch"), "{}", path.display());
            }
        }
    }
    assert!(scene.noted().contains("stole the bell"), "the rest stays");
    let again = scene.alice.presses(&scene.general, &asked, "Forget").await;
    assert!(again.content.contains("nothing of yours that fits"), "{again:?}");
    let bens = scene.ben.runs(&scene.general, "/forget what", json!({"words": "the bell"})).await;
    assert!(bens.buttons().is_empty(), "what is hers is not his to forget: {bens:?}");
}

#[tokio::test]
async fn memory_shows_what_was_plainly_said_in_the_readers_language() {
    let scene = Scene::set().await;
    let here = scene.alice.runs(&scene.general, "/memory", json!({})).await;
    let fact = scene.alice.picks(&scene.general, &here, "aaaaaaaa").await;
    let form = scene.alice.presses_for_form(&scene.general, &fact, "Correct").await;
    scene.alice.submits(&form, "Alice lives in Ghent.").await;
    let told = scene.alice.reading("ja").runs(&scene.general, "/memory", json!({})).await;
    assert!(told.content.contains("AliceはGhentに住んでいます。"), "{told:?}");
}

#[tokio::test]
async fn memory_shows_what_may_be_seen_where_it_is_asked_and_sets_it_right() {
    let scene = Scene::set().await;
    let here = scene.alice.runs(&scene.general, "/memory", json!({})).await;
    assert!(here.ephemeral);
    insta::assert_snapshot!(here.content, @r"
    What Ada knows about you and may say here:
    - Alice keeps a zebrafinch. · *learnt on the server, 1 March 2026; you said so; from one message*
    Choose one to correct or forget it. What you told it elsewhere is shown there.
    ");
    assert!(!here.content.contains("bell"), "what was told alone is not said here");
    let alone = scene.alice.runs(&scene.alice.dm(), "/memory", json!({"about": "bells"})).await;
    assert!(alone.content.contains("stole the bell") && !alone.content.contains("zebrafinch"), "{alone:?}");
    assert!(scene.ben.runs(&scene.general, "/memory", json!({})).await.choices().is_empty());

    let fact = scene.alice.picks(&scene.general, &here, "aaaaaaaa").await;
    assert_eq!(fact.buttons(), ["Correct", "Forget", "Forget for good", "Keep"]);
    let would_go = "1 message of yours, 1 answer to you and 1 noted fact";
    assert!(
        fact.content.contains(would_go) && fact.content.contains("\n- Alice keeps a zebrafinch."),
        "{fact:?}"
    );
    let form = scene.alice.presses_for_form(&scene.general, &fact, "Correct").await;
    assert_eq!(form.value, "Alice keeps a zebrafinch.");
    let set = scene.alice.submits(&form, "Alice keeps two  gannets.").await;
    assert!(set.content.contains("Alice keeps two gannets."), "{set:?}");
    let note = scene.noted();
    let new = note.lines().find(|line| line.contains("two gannets")).unwrap();
    assert!(new.contains("kind=correction") && new.contains("was=aaaaaaaa"), "{note}");
    assert!(note.contains("f=aaaaaaaa") && note.contains("gone="), "what was stays in the file: {note}");

    let now = scene.alice.runs(&scene.general, "/memory", json!({})).await;
    let (_, id) = now.choices().remove(0);
    let fact = scene.alice.picks(&scene.general, &now, &id).await;
    assert!(fact.content.contains("two gannets"), "what holds comes first: {fact:?}");
    scene.alice.presses(&scene.general, &fact, "Forget").await;
    assert!(
        !scene.noted().contains("gannets") && !scene.noted().contains("zebrafinch"),
        "with what it took the place of"
    );
    let gone = scene.alice.picks(&scene.general, &now, &id).await;
    assert!(gone.content.starts_with("That is no longer noted"), "{gone:?}");
    // Somebody who makes up a button gets nothing of hers.
    let bens = scene.ben.picks(&scene.general, &here, "aaaaaaaa").await;
    assert!(bens.content.starts_with("That is no longer noted"), "{bens:?}");
}
