//! *Repair this reply*: what people do to a reply where they read it, and what is stored of it then.

use familiar_connect::domain::*;

use super::super::binary::{Evening, mika_online};
use super::super::missed::known;
use super::rig::{Online, online_on_stage, place_in};
use crate::support::discord::{Answer, BOT, Channel, DiscordWorld, Fault, Guild, Person, Posted, Said, bits};
use crate::support::provider::Reply;
use crate::support::stage::{MESSAGES, Stage};

const REPAIR: &str = "Repair this reply";

/// Mika in a channel with Alice and Ben, and Mo, who manages it.
struct Scene {
    world: DiscordWorld,
    home: Guild,
    general: Channel,
    alice: Person,
    ben: Person,
    mo: Person,
    stage: Stage,
    online: Online,
}

impl Scene {
    async fn set() -> Self {
        let (world, home) = DiscordWorld::with_home().await;
        let (general, mo) = (home.channel("general"), home.moderator("mo"));
        let (alice, ben) = (home.member("alice"), home.member("ben"));
        let stage = Stage::with("", MESSAGES).await;
        let online = online_on_stage(&world, &stage, &[&general]).await;
        Self { world, home, general, alice, ben, mo, stage, online }
    }

    /// Somebody speaks to it and is answered.
    async fn answered(&self, who: &Person, said: &str, reply: &str) -> Posted {
        who.says(&self.general, Said::text(said).mentioning_the_bot());
        self.stage.next_request().await.reply(reply);
        let first = self.general.next_message().await;
        self.settled().await;
        first
    }

    async fn settled(&self) {
        self.stage.session.settle(&self.place()).await.unwrap();
    }

    fn place(&self) -> Place {
        place_in(&self.home, &self.general)
    }

    async fn opens(&self, who: &Person, reply: &Posted) -> Answer {
        who.chooses_on(&self.general, reply.id, REPAIR).await
    }

    /// Presses for another answer, and what the model is asked for it.
    async fn wants_another(&self, who: &Person, panel: &Answer, reply: &str) -> (Answer, String) {
        let pressed = who.presses(&self.general, panel, "Another answer");
        let answered = async {
            let asked = self.stage.next_request().await;
            let messages = asked.request.messages.iter().map(|message| message.content.as_str());
            let prompt = messages.collect::<Vec<_>>().join("\n");
            asked.reply(reply);
            prompt
        };
        tokio::join!(pressed, answered)
    }

    /// What the familiar is remembered to have said here.
    async fn stored(&self) -> Vec<String> {
        let turns = self.stage.stored_in(&self.place()).await;
        turns.into_iter().filter(|turn| turn.author.is_none()).map(|turn| turn.content).collect()
    }

    /// What people read of it here.
    fn visible(&self) -> Vec<String> {
        let standing = self.general.messages().into_iter().filter(|posted| !posted.is_deleted);
        standing.map(|posted| posted.content).collect()
    }

    async fn ends(self) {
        self.online.ends().await;
    }
}

#[tokio::test]
async fn another_answer_takes_the_place_of_the_one_that_stands_and_both_can_be_gone_back_to() {
    let scene = Scene::set().await;
    let first = scene.answered(&scene.alice, "when does the ferry leave?", "At nine.").await;
    scene.ben.says(&scene.general, "the HALYARD is wet");
    scene.settled().await;
    let panel = scene.opens(&scene.alice, &first).await;
    assert!(panel.ephemeral && panel.content.contains("At nine."), "{panel:?}");
    let (panel, prompt) = scene.wants_another(&scene.alice, &panel, "At ten, if the tide lets us.").await;
    assert!(panel.content.starts_with("Answer 2 of 2"), "{panel:?}");
    assert!(prompt.contains("when does the ferry leave?"), "{prompt}");
    assert!(!prompt.contains("At nine.") && !prompt.contains("HALYARD"), "{prompt}");
    assert_eq!(scene.visible(), ["At ten, if the tide lets us."]);
    assert_eq!(scene.stored().await, scene.visible(), "in the same message");
    let panel = scene.alice.presses(&scene.general, &panel, "‹").await;
    assert!(panel.content.starts_with("Answer 1 of 2"), "{panel:?}");
    assert_eq!(scene.visible(), ["At nine."]);
    assert_eq!(scene.stored().await, ["At nine."]);
    let panel = scene.alice.presses(&scene.general, &panel, "›").await;
    assert!(panel.content.starts_with("Answer 2 of 2"), "{panel:?}");
    assert_eq!(scene.stored().await, scene.visible());
    let seen = scene.stage.history.whole().visible().await.unwrap();
    let hits = scene.stage.history.seen_by(&seen).search("nine", 8, TokenEncoding::CharsOver4).await.unwrap();
    assert!(hits.is_empty(), "what does not stand is not found: {hits:?}");
    assert_eq!(scene.general.messages().len(), 1, "nothing else was posted");
    scene.ends().await;
}

#[tokio::test]
async fn whoever_caused_a_reply_repairs_it_and_whoever_manages_the_channel_and_nobody_else() {
    let scene = Scene::set().await;
    scene.ben.says(&scene.general, "lovely weather");
    scene.settled().await;
    let to_alice = scene.answered(&scene.alice, "hello", "Evening, Alice.").await;
    let to_ben = scene.answered(&scene.ben, "and me?", "Evening, Ben.").await;
    let refused = scene.opens(&scene.ben, &to_alice).await;
    assert!(refused.ephemeral && refused.content.contains("answers somebody else"), "{refused:?}");
    assert!(refused.buttons().is_empty());
    let panel = scene.opens(&scene.alice, &to_alice).await;
    assert_eq!(
        panel.buttons(),
        ["Another answer", "‹", "›", "Continue", "Delete it", "Take the exchange back"],
        "own words are for whoever manages the channel"
    );
    // Buttons of a panel that somebody else holds do nothing for those whose reply it is not.
    let refused = scene.ben.presses(&scene.general, &panel, "Delete it").await;
    assert!(refused.content.contains("answers somebody else"), "{refused:?}");
    let panel = scene.opens(&scene.mo, &to_ben).await;
    let gone = scene.mo.presses(&scene.general, &panel, "Delete it").await;
    assert!(gone.content.contains("is gone"), "{gone:?}");
    assert_eq!(scene.visible(), ["Evening, Alice."]);
    assert_eq!(scene.stored().await, ["Evening, Alice."]);
    // Nor is a person's message a reply.
    let own = scene.alice.says(&scene.general, "mine");
    let refused = scene.alice.chooses_on(&scene.general, own, REPAIR).await;
    assert!(refused.content.contains("no written reply"), "{refused:?}");
    scene.ends().await;
}

#[tokio::test]
async fn the_newest_reply_goes_on_when_whoever_caused_it_wants_that_and_an_older_one_does_not() {
    let scene = Scene::set().await;
    let first = scene.answered(&scene.alice, "when does the ferry leave?", "At nine.").await;
    let panel = scene.opens(&scene.ben, &first).await;
    assert!(panel.buttons().is_empty(), "{panel:?}");
    let panel = scene.opens(&scene.alice, &first).await;
    let told = scene.alice.presses(&scene.general, &panel, "Continue").await;
    assert!(told.content.contains("goes on"), "{told:?}");
    let asked = scene.stage.next_request().await;
    assert!(asked.transcript().contains("right where it ended"), "{}", asked.transcript());
    asked.reply("If the tide lets us.");
    scene.general.next_message().await;
    scene.settled().await;
    assert_eq!(scene.visible(), ["At nine.", "If the tide lets us."]);
    assert_eq!(scene.stored().await, scene.visible());
    let told = scene.alice.presses(&scene.general, &panel, "Continue").await;
    assert!(told.content.contains("only the last reply"), "{told:?}");
    scene.ben.says(&scene.general, "a wet evening");
    scene.settled().await;
    let newest = scene.general.messages().last().unwrap().clone();
    let panel = scene.opens(&scene.alice, &newest).await;
    let told = scene.alice.presses(&scene.general, &panel, "Continue").await;
    assert!(told.content.contains("only the last reply"), "{told:?}");
    assert_eq!(scene.stored().await.len(), 2, "nothing more is said");
    scene.ends().await;
}

#[tokio::test]
async fn other_words_take_as_many_messages_as_they_need() {
    let scene = Scene::set().await;
    let reply = scene.answered(&scene.alice, "hello", "Evening.").await;
    let panel = scene.opens(&scene.mo, &reply).await;
    let form = scene.mo.presses_for_form(&scene.general, &panel, "Edit its words").await;
    assert_eq!(form.value, "Evening.");
    let long: Vec<String> = (0..60).map(|line| format!("{line} {}", "words ".repeat(8).trim())).collect();
    let long = long.join("\n");
    let panel = scene.mo.submits(&form, &format!("{long}\nsee discord.gg/abcdef @everyone")).await;
    let standing = scene.visible();
    assert!(standing.len() == 2 && standing.iter().all(|part| part.chars().count() <= 2000), "{standing:?}");
    assert_eq!(scene.stored().await, [standing.join("\n")]);
    assert!(!standing.concat().contains("discord.gg/abcdef"), "a way into another server is defused");
    assert!(scene.general.messages().iter().all(Posted::allowed_mentions_are_empty));
    let form = scene.mo.presses_for_form(&scene.general, &panel, "Edit its words").await;
    scene.mo.submits(&form, "Short again.").await;
    assert_eq!(scene.visible(), ["Short again."]);
    assert_eq!(scene.stored().await, ["Short again."]);
    scene.ends().await;
}

/// A member who was answered has the bot say nothing of their own to the others.
#[tokio::test]
async fn among_others_only_who_manages_the_channel_puts_words_in_its_mouth() {
    let scene = Scene::set().await;
    let reply = scene.answered(&scene.alice, "hello", "Evening.").await;
    let panel = scene.opens(&scene.mo, &reply).await;
    let form = scene.alice.presses_for_form(&scene.general, &panel, "Edit its words").await;
    let told = scene.alice.submits(&form, "Ben stole from the till, I saw it.").await;
    assert!(told.content.contains("you need Manage Channels"), "{told:?}");
    assert!(!told.buttons().contains(&"Edit its words".to_owned()), "{told:?}");
    assert_eq!(scene.visible(), ["Evening."]);
    assert_eq!(scene.stored().await, ["Evening."]);
    // Alone with it nobody else reads them.
    let dm = scene.alice.dm();
    scene.alice.says(&dm, "hello again");
    scene.stage.next_request().await.reply("Night.");
    let reply = dm.next_message().await;
    // With the next one this one is stored.
    scene.alice.says(&dm, "sleep well");
    scene.stage.next_request().await.reply("You too.");
    dm.next_message().await;
    let panel = scene.alice.chooses_on(&dm, reply.id, REPAIR).await;
    let form = scene.alice.presses_for_form(&dm, &panel, "Edit its words").await;
    scene.alice.sends_words(&form, "Good night.");
    dm.message_becomes(reply.id, "the new words", |posted| posted.content == "Good night.").await;
    scene.ends().await;
}

/// Whoever manages a channel has it say nothing that it would not say itself where people of any age may read.
#[tokio::test]
async fn other_words_that_are_not_for_all_who_may_read_are_not_put_in_its_mouth() {
    let scene = Scene::set().await;
    let reply = scene.answered(&scene.alice, "hello", "Evening.").await;
    let panel = scene.opens(&scene.mo, &reply).await;
    let form = scene.mo.presses_for_form(&scene.general, &panel, "Edit its words").await;
    let told = scene.mo.submits(&form, "She gives him a blowjob.").await;
    assert!(told.content.contains("not for everybody who may read there"), "{told:?}");
    assert_eq!(scene.visible(), ["Evening."]);
    assert_eq!(scene.stored().await, ["Evening."]);
    scene.ends().await;
}

#[tokio::test]
async fn what_discord_refuses_is_told_and_nothing_is_lost() {
    let scene = Scene::set().await;
    let reply = scene.answered(&scene.alice, "hello", "Evening.").await;
    let panel = scene.opens(&scene.alice, &reply).await;
    // The model fails.
    let pressed = scene.alice.presses(&scene.general, &panel, "Another answer");
    let fails = async { scene.stage.next_request().await.fail(ModelErrorClass::Server) };
    let (told, ()) = tokio::join!(pressed, fails);
    assert!(told.content.contains("No other answer came"), "{told:?}");
    assert_eq!(
        (scene.visible(), scene.stored().await),
        (vec!["Evening.".to_owned()], vec!["Evening.".to_owned()])
    );
    // Discord does not take the change.
    scene.world.fail_next("PATCH channels/", Fault::Forbidden(50_013));
    let (told, _) = scene.wants_another(&scene.alice, &told, "Night.").await;
    assert!(told.content.contains("did not take all of it"), "{told:?}");
    assert_eq!(scene.stored().await, ["Evening."]);
    assert_eq!(scene.stored().await, scene.visible());
    // It is not reached at all.
    scene.world.fail_next("GET channels/", Fault::Forbidden(50_001));
    let told = scene.alice.presses(&scene.general, &told, "Delete it").await;
    assert!(told.content.contains("Nothing was changed"), "{told:?}");
    assert_eq!(scene.stored().await, scene.visible());
    // Somebody took the message away, and the program was not told.
    scene.world.takes_away_unseen(reply.id);
    let told = scene.alice.presses(&scene.general, &told, "Delete it").await;
    assert!(told.content.contains("is gone"), "{told:?}");
    assert_eq!(scene.stored().await, [""; 0]);
    scene.ends().await;
}

#[tokio::test]
async fn a_part_that_is_refused_sets_the_others_back() {
    let scene = Scene::set().await;
    let parts = |word: &str| {
        let counted = |from: u32, to| (from..to).map(|which| format!("{word} {which}, ")).collect::<String>();
        format!("{}\n{}", counted(100, 280), counted(300, 420))
    };
    scene.alice.says(&scene.general, Said::text("tell me much").mentioning_the_bot());
    scene.stage.next_request().await.reply(&parts("tide"));
    let first = scene.general.next_message().await;
    let second = scene.general.next_message().await;
    scene.settled().await;
    let before = scene.visible();
    let panel = scene.opens(&scene.mo, &second).await;
    let line = format!("PATCH channels/{}/messages/{}", scene.general.id(), second.id);
    scene.world.fail_next(&line, Fault::Forbidden(50_013));
    let form = scene.mo.presses_for_form(&scene.general, &panel, "Edit its words").await;
    let told = scene.mo.submits(&form, &parts("rope")).await;
    assert!(told.content.contains("did not take all of it"), "{told:?}");
    assert_eq!(scene.visible(), before, "{first:?}");
    assert_eq!(scene.stored().await, [before.join("\n")]);
    scene.ends().await;
}

#[tokio::test]
async fn an_exchange_is_taken_back_as_far_as_it_may_be() {
    let scene = Scene::set().await;
    scene.ben.says(&scene.general, "the tide is out");
    scene.settled().await;
    let reply = scene.answered(&scene.alice, "my bell code is HALYARD", "Noted.").await;
    let panel = scene.opens(&scene.alice, &reply).await;
    let told = scene.alice.presses(&scene.general, &panel, "Take the exchange back").await;
    assert!(told.content.contains("Your own message before it I may not take away"), "{told:?}");
    let said = |stored: Vec<StoredTurn>| -> Vec<String> {
        stored.into_iter().map(|turn| turn.content.trim().to_owned()).collect()
    };
    let stored = said(scene.stage.stored_in(&scene.place()).await);
    assert!(
        stored.len() == 2 && stored[1].contains("HALYARD"),
        "what people still read is known: {stored:?}"
    );
    scene.home.grants_the_bot(bits::MANAGE_MESSAGES);
    let reply = scene.answered(&scene.alice, "my other code is GANNET", "Noted too.").await;
    let panel = scene.opens(&scene.alice, &reply).await;
    let told = scene.alice.presses(&scene.general, &panel, "Take the exchange back").await;
    assert!(told.content.starts_with("That is gone"), "{told:?}");
    let stored = said(scene.stage.stored_in(&scene.place()).await);
    assert!(!stored.concat().contains("GANNET") && stored[0] == "the tide is out", "{stored:?}");
    assert_eq!(scene.visible(), [""; 0]);
    scene.ends().await;
}

/// The tail of a prompt aside, what it says of the conversation.
async fn prompt(scene: &Scene, said: &str) -> String {
    scene.alice.says(&scene.general, Said::text(said).mentioning_the_bot());
    let asked = scene.stage.next_request().await;
    let prompt = asked.talk();
    asked.reply("Aye.");
    scene.general.next_message().await;
    scene.settled().await;
    prompt
}

#[tokio::test]
async fn a_conversation_that_begins_anew_no_longer_has_in_view_what_was_said_and_can_be_set_back() {
    let scene = Scene::set().await;
    scene.answered(&scene.alice, "my bell code is HALYARD", "Noted.").await;
    assert!(!scene.alice.may_run(&scene.general, "/reset"), "it is for those who manage the channel");
    let told = scene.mo.runs(&scene.general, "/reset", serde_json::json!({})).await;
    assert!(told.ephemeral && told.content.contains("begins anew"), "{told:?}");
    let asked = prompt(&scene, "good morning").await;
    assert!(!asked.contains("HALYARD") && asked.contains("good morning"), "{asked}");
    assert_eq!(scene.stored().await, ["Noted.", "Aye."], "it stays remembered");
    let undone = scene.mo.presses(&scene.general, &told, "Take that back").await;
    assert!(undone.content.contains("has in view again"), "{undone:?}");
    assert!(prompt(&scene, "and now?").await.contains("HALYARD"));
    let again = scene.mo.runs(&scene.general, "/reset", serde_json::json!({})).await;
    let late = scene.mo.presses(&scene.general, &told, "Take that back").await;
    assert!(late.content.contains("once more since"), "{again:?} {late:?}");
    assert!(!prompt(&scene, "and now?").await.contains("HALYARD"));
    // Alone with it, it is theirs.
    let nothing = scene.alice.runs(&scene.alice.dm(), "/reset", serde_json::json!({})).await;
    assert!(nothing.content.contains("Nothing was said here"), "{nothing:?}");
    scene.ends().await;
}

/// Killed between the change that people read and its being stored: the next start brings both together.
#[tokio::test]
async fn a_reply_that_was_being_changed_when_the_program_was_killed_is_stored_as_it_reads() {
    let mut evening = Evening::begins().await;
    let Evening { machine, world, provider, general, alice, mika, .. } = &mut evening;
    provider.script(Reply::says("Evening."));
    alice.says(general, "hello Mika");
    let reply = general.next_message().await;
    let stored = || async { known(machine, general).await };
    // What it says is stored a moment after it is read.
    while stored().await.len() < 2 {
        tokio::task::yield_now().await;
    }
    provider.script(Reply::says("Aye."));
    alice.says(general, "Mika!");
    general.next_message().await;
    while stored().await.len() < 4 {
        tokio::task::yield_now().await;
    }
    let panel = alice.chooses_on(general, reply.id, REPAIR).await;
    let form = alice.presses_for_form(general, &panel, "Edit its words").await;
    world.fail_next("PATCH channels/", Fault::Late(std::time::Duration::from_secs(60)));
    alice.sends_words(&form, "Night.");
    general.message_becomes(reply.id, "the new words", |posted| posted.content == "Night.").await;
    mika.is_killed_within(std::time::Duration::ZERO).await;
    assert_eq!(stored().await, ["hello Mika", "Evening.", "Mika!", "Aye."]);
    let mut mika = mika_online(machine, world, provider);
    world.has_identified(2).await;
    provider.script(Reply::says("Yes."));
    alice.says(general, "Mika?");
    assert_eq!(general.next_message().await.content, "Yes.");
    mika.is_stopped().await;
    assert_eq!(stored().await, ["hello Mika", "Night.", "Mika!", "Aye.", "Mika?", "Yes."]);
}

#[tokio::test]
async fn what_was_noted_of_a_reply_goes_with_its_words() {
    let scene = Scene::set().await;
    let reply = scene.answered(&scene.alice, "who painted the wheelhouse?", "Old Bram did.").await;
    let turns = scene.stage.stored_in(&scene.place()).await;
    let said = turns.iter().find(|turn| turn.author.is_none()).unwrap();
    let topics = scene.stage.config.home().memory_dir().join("topics");
    std::fs::create_dir_all(&topics).unwrap();
    let note = format!(
        "# Wheelhouse\n\n- Old Bram painted it. <!-- f=a to=guild:{guild} from=t:{} -->\n\
         - It is green. <!-- f=b to=guild:{guild} from=t:{} -->\n",
        said.id.0,
        turns[0].id.0,
        guild = scene.home.id(),
    );
    std::fs::write(topics.join("wheelhouse.md"), note).unwrap();
    let panel = scene.opens(&scene.mo, &reply).await;
    let form = scene.mo.presses_for_form(&scene.general, &panel, "Edit its words").await;
    scene.mo.sends_words(&form, "Nobody knows.");
    scene
        .general
        .message_becomes(reply.id, "the new words", |posted| posted.content == "Nobody knows.")
        .await;
    scene.settled().await;
    let note = std::fs::read_to_string(topics.join("wheelhouse.md")).unwrap();
    assert!(!note.contains("Bram") && note.contains("It is green."), "{note}");
    scene.ends().await;
}

/// What was counted, as the operator exports it: what was done, by its name.
async fn deeds(scene: &Scene) -> Vec<&'static str> {
    let counted = scene.stage.history.whole().all_responses(None).await.unwrap();
    let mut deeds: Vec<_> = counted.iter().map(|one| one.response.deed.as_str()).collect();
    deeds.sort_unstable();
    deeds
}

#[tokio::test]
async fn m17_what_somebody_does_with_replies_counts_once_they_let_it_and_goes_when_they_say_so() {
    let scene = Scene::set().await;
    let Scene { general, alice, ben, mo, .. } = &scene;
    let none = serde_json::json!({});
    let first = scene.answered(alice, "when does the ferry leave?", "At nine.").await;
    let panel = scene.opens(alice, &first).await;
    let (panel, _) = scene.wants_another(alice, &panel, "At ten.").await;
    assert_eq!(deeds(&scene).await, [""; 0], "nobody let it learn");
    let privacy = alice.runs(general, "/privacy", none.clone()).await;
    assert!(privacy.content.contains("never your words"), "{privacy:?}");
    let told = alice.presses(general, &privacy, "Let it learn").await;
    assert!(told.content.contains("learns from now on"), "{told:?}");
    let (panel, _) = scene.wants_another(alice, &panel, "At eleven.").await;
    let privacy_of_mo = mo.runs(general, "/privacy", none.clone()).await;
    mo.presses(general, &privacy_of_mo, "Let it learn").await;
    let panel_of_mo = scene.opens(mo, &first).await;
    for words in ["He gives her a blowjob.", "At noon."] {
        let form = mo.presses_for_form(general, &panel_of_mo, "Edit its words").await;
        mo.submits(&form, words).await;
    }
    alice.reacts(general, first.id, BOT, "👎");
    ben.reacts(general, first.id, BOT, "👍");
    scene.answered(ben, "thanks", "Aye.").await;
    assert_eq!(
        deeds(&scene).await,
        ["asked_anew", "corrected", "disliked"],
        "Ben's does not count, nor what was refused"
    );
    alice.takes_reaction_away(general, first.id, "👎");
    scene.answered(ben, "and", "Aye.").await;
    assert_eq!(deeds(&scene).await, ["asked_anew", "corrected"]);
    // It is theirs.
    let copy = alice.presses(general, &privacy, "Copy of my data").await;
    let [(_, text)] = copy.files.as_slice() else { panic!("{copy:?}") };
    let copy: serde_json::Value = serde_json::from_str(text).unwrap();
    assert_eq!(copy["counted"].as_array().unwrap().len(), 1, "{copy}");
    assert_eq!(copy["counted"][0]["deed"], "asked_anew");
    assert_eq!(copy["counted"][0]["channel"], general.id().to_string());
    let shown = alice.runs(general, "/memory", none.clone()).await;
    assert!(shown.content.contains("learnt here") && shown.content.contains("2 responses"), "{shown:?}");
    assert_eq!(shown.buttons(), [""; 0], "who does not manage the channel takes nothing away");
    let shown = mo.runs(general, "/memory", none.clone()).await;
    let gone = mo.presses(general, &shown, "Forget what was learnt here").await;
    assert!(gone.content.contains("let go of what it learnt here"), "{gone:?}");
    assert_eq!(deeds(&scene).await, [""; 0]);
    let privacy_of_mo = mo.runs(general, "/privacy", none.clone()).await;
    mo.presses(general, &privacy_of_mo, "Stop learning").await;
    // Whoever ends it is counted no more, and what was counted of them is gone everywhere.
    alice.reacts(general, first.id, BOT, "👍");
    scene.answered(ben, "hm", "Aye.").await;
    assert_eq!(deeds(&scene).await, ["liked"]);
    let privacy = alice.runs(general, "/privacy", none.clone()).await;
    let told = alice.presses(general, &privacy, "Stop learning").await;
    assert!(told.content.contains("no longer learns"), "{told:?}");
    let (panel, _) = scene.wants_another(alice, &panel, "At one.").await;
    assert_eq!(deeds(&scene).await, [""; 0]);
    // So is it with whoever is forgotten.
    let privacy = alice.runs(general, "/privacy", none.clone()).await;
    alice.presses(general, &privacy, "Let it learn").await;
    let deleted = alice.presses(general, &panel, "Delete it").await;
    assert_eq!(deeds(&scene).await, ["deleted"], "{deleted:?}");
    let forgets = alice.runs(general, "/forget me", none).await;
    alice.presses(general, &forgets, "Forget").await;
    assert_eq!(deeds(&scene).await, [""; 0]);
    assert!(!scene.stage.pairing.learns());
    scene.ends().await;
}
