//! How a reply arrives: code as a file, and not while whoever it answers is still typing.

use familiar_connect::domain::{Audience, ChannelId, MessageId, PlaceKind, Slot};
use familiar_connect::session::Outbox as _;

use super::rig::{Online, Rig, asks, online_on_stage, place, place_in};
use crate::support::discord::{Channel, DiscordWorld, Fault, Person, Posted, Said, bits};
use crate::support::stage::{MESSAGES, Stage};

const QUIET: &str =
    "answers = \"addressed\"\ntext_lull_timeout = 0.0\n[typing_simulation]\nenabled = false\n";

async fn quiet_stage() -> Stage {
    Stage::with(QUIET, MESSAGES).await
}

/// What stands in a channel of what the bot posted.
fn standing(channel: &Channel) -> Vec<Posted> {
    channel.messages().into_iter().filter(|posted| !posted.is_deleted).collect()
}

/// Words around code of more than a message.
fn long_code() -> (String, String) {
    let code = "fn ferry() { /* the rope */ }\n".repeat(120);
    (format!("Here it is.\n```rust\n{code}```\nRun it twice."), code)
}

#[tokio::test]
async fn code_of_more_than_a_message_goes_as_a_file_of_its_language_and_is_remembered_whole() {
    let (world, home) = DiscordWorld::with_home().await;
    let (general, alice, ben) = (home.channel("general"), home.member("alice"), home.member("ben"));
    let stage = quiet_stage().await;
    let online = online_on_stage(&world, &stage, &[&general]).await;
    let (reply, code) = long_code();
    asks(&stage, &alice, &general, "write me a ferry").await.reply(&reply);
    let words = general.next_message().await;
    let file = general.next_message().await;
    let end = general.next_message().await;
    assert_eq!((words.content.as_str(), end.content.as_str()), ("Here it is.", "Run it twice."));
    assert_eq!((file.content.as_str(), file.files.as_slice()), ("", &[("code.rs".to_owned(), code)][..]));
    assert!(file.allowed_mentions_are_empty());
    let asked = asks(&stage, &ben, &general, "what does it do?").await;
    let told = asked.transcript();
    assert!(told.contains("Here it is.") && told.contains("fn ferry()"), "{told}");
    asked.reply("It crosses.");
    general.next_message().await;
    online.ends().await;
}

#[tokio::test]
async fn what_is_taken_out_of_a_reply_leaves_its_later_prompts() {
    let (world, home) = DiscordWorld::with_home().await;
    let (general, alice, ben) = (home.channel("general"), home.member("alice"), home.member("ben"));
    let stage = quiet_stage().await;
    let online = online_on_stage(&world, &stage, &[&general]).await;
    asks(&stage, &alice, &general, "write me a ferry").await.reply(&long_code().0);
    general.next_message().await;
    general.next_message().await;
    let end = general.next_message().await;
    stage.session.settle(&place(&general)).await.unwrap();
    ben.deletes(&general, end.id);
    let asked = asks(&stage, &ben, &general, "what does it do?").await;
    let told = asked.transcript();
    assert!(told.contains("Here it is.") && told.contains("fn ferry()"), "{told}");
    assert!(!told.contains("Run it twice"), "{told}");
    asked.reply("It crosses.");
    general.next_message().await;
    online.ends().await;
}

#[tokio::test]
async fn where_no_file_may_be_attached_code_goes_in_messages() {
    let (world, home) = DiscordWorld::with_home().await;
    let (general, alice) = (home.channel_without("general", bits::ATTACH_FILES), home.member("alice"));
    let stage = quiet_stage().await;
    let online = online_on_stage(&world, &stage, &[&general]).await;
    asks(&stage, &alice, &general, "write me a ferry").await.reply(&long_code().0);
    stage.session.settle(&place(&general)).await.unwrap();
    let posted = standing(&general);
    assert!(posted.len() > 1 && posted.iter().all(|posted| posted.files.is_empty()), "{posted:?}");
    online.ends().await;
}

#[tokio::test]
async fn a_reply_with_a_file_takes_no_other_answer_and_may_be_deleted() {
    let (world, general, alice) = DiscordWorld::at_home().await;
    let stage = quiet_stage().await;
    let online = online_on_stage(&world, &stage, &[&general]).await;
    asks(&stage, &alice, &general, "write me a ferry").await.reply(&long_code().0);
    let first = general.next_message().await;
    stage.session.settle(&place(&general)).await.unwrap();
    let stood = || {
        let all = standing(&general).into_iter();
        all.map(|posted| (posted.content, posted.files.len())).collect::<Vec<_>>()
    };
    let before = stood();
    let panel = alice.chooses_on(&general, first.id, "Repair this reply").await;
    let told = alice.presses(&general, &panel, "Another answer").await;
    assert!(told.content.contains("part of it is a file"), "{told:?}");
    assert!(!stage.models.was_asked_again().await, "nobody pays for what cannot be shown");
    assert_eq!(stood(), before);
    let panel = alice.chooses_on(&general, first.id, "Repair this reply").await;
    alice.presses(&general, &panel, "Delete it").await;
    assert_eq!(stood(), []);
    let asked = asks(&stage, &alice, &general, "why not?").await;
    assert!(!asked.transcript().contains("fn ferry()"), "what is not there is not remembered");
    asked.reply("The tide.");
    general.next_message().await;
    online.ends().await;
}

#[tokio::test]
async fn whoever_types_on_is_waited_for_and_answered_once() {
    let (world, home) = DiscordWorld::with_home().await;
    let (general, alice, ben) = (home.channel("general"), home.member("alice"), home.member("ben"));
    let stage = quiet_stage().await;
    let online = online_on_stage(&world, &stage, &[&general]).await;
    let here = place(&general);
    let typing = || {
        let world = stage.world.snapshot();
        world.for_place(&here).typing(stage.clock_now()).count()
    };
    let asked = asks(&stage, &alice, &general, "what do I owe").await;
    alice.types(&general);
    while typing() == 0 {
        tokio::task::yield_now().await;
    }
    asked.reply("Two coins.");
    let again = asks(&stage, &alice, &general, "for the horse, I mean").await;
    let told = again.transcript();
    assert!(told.contains("what do I owe") && told.contains("for the horse"), "{told}");
    again.reply("Five for a horse.");
    assert_eq!(general.next_message().await.content, "Five for a horse.");
    // Whoever else types is not waited for.
    let asked = asks(&stage, &alice, &general, "and a goat?").await;
    ben.types(&general);
    while typing() == 0 {
        tokio::task::yield_now().await;
    }
    asked.reply("One.");
    assert_eq!(general.next_message().await.content, "One.");
    assert_eq!(general.messages().len(), 2);
    online.ends().await;
}

const AS_WRITTEN: &str = "[discord]\nshow_as_written = true\n";

/// A channel in which replies are shown as they are written, and what Mika is asked there.
struct Written {
    world: DiscordWorld,
    general: Channel,
    alice: Person,
    mo: Person,
    stage: Stage,
    online: Online,
}

impl Written {
    /// With settings that stand above all tables, and tables.
    async fn begins(settings: &str, tables: &str) -> Self {
        let (world, home) = DiscordWorld::with_home().await;
        let (general, alice, mo) = (home.channel("general"), home.member("alice"), home.moderator("mo"));
        let stage = Stage::with(&format!("{settings}{QUIET}{AS_WRITTEN}{tables}"), MESSAGES).await;
        let online = online_on_stage(&world, &stage, &[&general]).await;
        Self { world, general, alice, mo, stage, online }
    }

    async fn ends(self) {
        self.online.ends().await;
    }

    async fn settled(&self) {
        self.stage.session.settle(&place(&self.general)).await.unwrap();
    }

    async fn stored(&self) -> Vec<String> {
        let turns = self.stage.stored_in(&place(&self.general)).await;
        turns.into_iter().filter(|turn| turn.author.is_none()).map(|turn| turn.content).collect()
    }

    fn visible(&self) -> Vec<String> {
        standing(&self.general).into_iter().map(|posted| posted.content).collect()
    }
}

#[tokio::test]
async fn a_reply_appears_with_its_first_sentence_and_is_one_message_in_the_end() {
    let scene = Written::begins("", "").await;
    let mut asked = asks(&scene.stage, &scene.alice, &scene.general, "what is it like?").await;
    asked.say("The tide is out. ");
    asked.say("The gulls sit on");
    let first = scene.general.next_message().await;
    assert_eq!(first.content, "The tide is out.");
    asked.say(" the rocks. And all the rest is salt, see discord.gg/abcdef");
    // Discord fails once; the next edit shows it.
    scene.world.fail_next("PATCH channels/", Fault::Down(500));
    asked.end();
    scene.settled().await;
    let standing = scene.visible();
    assert!(standing[0].starts_with("The tide is out. The gulls sit on the rocks. And"), "{standing:?}");
    assert!(!standing[0].contains("discord.gg/abcdef"), "a way into another server is defused: {standing:?}");
    assert_eq!((standing.len(), scene.stored().await), (1, standing.clone()));
    let edits = scene.world.requests("PATCH channels/");
    assert!(
        edits.len() <= 3
            && edits.iter().all(|edit| edit.body["allowed_mentions"]["parse"] == serde_json::json!([]))
    );
    scene.ends().await;
}

#[tokio::test]
async fn of_a_reply_that_is_stopped_while_it_grows_what_was_seen_is_what_it_said() {
    let scene = Written::begins("", "").await;
    let mut asked = asks(&scene.stage, &scene.alice, &scene.general, "what is it like?").await;
    asked.say("The tide is out. The gulls sit on the rocks and");
    scene.general.next_message().await;
    scene.alice.says(&scene.general, Said::text("stop talking").mentioning_the_bot());
    asked.abandoned().await;
    scene.settled().await;
    assert_eq!(
        (scene.visible(), scene.stored().await),
        (vec!["The tide is out.".to_owned()], scene.visible())
    );
    scene.ends().await;
}

#[tokio::test]
async fn a_reply_that_is_taken_away_while_it_grows_does_not_come_back_and_is_not_remembered() {
    let scene = Written::begins("", "").await;
    let mut asked = asks(&scene.stage, &scene.alice, &scene.general, "what is it like?").await;
    asked.say("The tide is out. The gulls sit on the rocks and");
    let first = scene.general.next_message().await;
    scene.mo.deletes(&scene.general, first.id);
    asked.say(" sleep.");
    asked.end();
    scene.settled().await;
    assert_eq!(
        (scene.general.messages().len(), scene.stored().await),
        (1, Vec::new()),
        "nothing more was posted"
    );
    scene.ends().await;
}

#[tokio::test]
async fn a_long_reply_that_grows_goes_on_in_further_messages() {
    let scene = Written::begins("", "").await;
    let mut asked = asks(&scene.stage, &scene.alice, &scene.general, "tell me much").await;
    asked.say("The tide is out. And");
    scene.general.next_message().await;
    asked.say(&(0..80).map(|gull| format!(" so gull {gull} goes on, as the gulls do.")).collect::<String>());
    asked.end();
    scene.settled().await;
    let standing = scene.visible();
    assert!(standing.len() == 2 && standing.iter().all(|part| part.chars().count() <= 2000), "{standing:?}");
    assert_eq!(scene.stored().await, [standing.join("\n")]);
    scene.ends().await;
}

/// Of what is not for people of any age nothing is seen, not even for a moment, and what takes its place grows as it would have.
#[tokio::test]
async fn a_reply_that_grows_is_held_back_before_it_is_seen_and_the_next_try_grows() {
    // While it is written, and where it is so short that nothing of it is shown before its end.
    for is_whole in [false, true] {
        let scene = Written::begins("", "").await;
        let mut asked = asks(&scene.stage, &scene.alice, &scene.general, "what happens below deck?").await;
        asked.say("Below deck she gives him a blowjob.");
        if is_whole {
            asked.end();
        } else {
            asked.say(" And then");
        }
        let mut again = scene.stage.next_request().await;
        assert!(again.transcript().contains("People of any age may read here"), "{}", again.transcript());
        again.say("They count the ropes. And then");
        assert_eq!(scene.general.next_message().await.content, "They count the ropes.");
        again.say(" they sleep.");
        again.end();
        scene.settled().await;
        let whole = vec!["They count the ropes. And then they sleep.".to_owned()];
        assert_eq!((scene.visible(), scene.stored().await), (whole.clone(), whole));
        assert_eq!(scene.general.messages().len(), 1, "nothing else ever stood there");
        scene.ends().await;
    }
}

#[tokio::test]
async fn where_the_beginning_of_a_reply_that_grows_is_seen_the_rest_is_kept_back_and_they_are_told() {
    let scene = Written::begins("", "").await;
    let mut asked = asks(&scene.stage, &scene.alice, &scene.general, "what happens below deck?").await;
    asked.say("They count the ropes. And");
    assert_eq!(scene.general.next_message().await.content, "They count the ropes.");
    asked.say(" then she gives him a blowjob. And then");
    asked.end();
    scene.settled().await;
    assert!(!scene.stage.models.was_asked_again().await, "what is seen stays, so nothing takes its place");
    let visible = scene.visible();
    assert_eq!((visible.len(), visible[0].as_str()), (2, "They count the ropes."), "{visible:?}");
    assert!(scene.world.requests("PATCH channels/").is_empty(), "it never read otherwise");
    assert_eq!(scene.stored().await, ["They count the ropes."]);
    scene.ends().await;
}

#[tokio::test]
async fn of_a_reply_that_is_polished_nothing_is_shown_before_it_is() {
    let polished = "\n[plan.text.effort_1_2]\nrecast = true\ndeadline = 20\n[plan.text.effort_3_4]\nrecast = true\ndeadline = 20\n";
    let scene = Written::begins("default_mode = \"full_rp\"\n", polished).await;
    scene.stage.models.play(Slot::PostProcessStyle);
    let reply =
        "He shrugs. \"It leaves at 20:15,\" he says, and looks at the water. He looks at the water again.";
    let better = "A shrug. \"It leaves at 20:15,\" he says, eyes on the water, and there they stay for long.";
    let mut asked = asks(&scene.stage, &scene.alice, &scene.general, "when does it leave?").await;
    asked.say(reply);
    asked.say(" Then he");
    asked.end();
    let polish = scene.stage.next_request().await;
    assert_eq!(polish.request.slot, Slot::PostProcessStyle);
    assert_eq!(scene.visible(), Vec::<String>::new());
    polish.reply(reply);
    scene.stage.next_request().await.reply(better);
    scene.settled().await;
    assert_eq!((scene.visible(), scene.stored().await), (vec![better.to_owned()], vec![better.to_owned()]));
    scene.ends().await;
}

#[tokio::test]
async fn a_talk_of_its_own_gets_the_thread_of_its_message_where_the_bot_may_open_one() {
    let (world, home) = DiscordWorld::with_home().await;
    let (general, alice) = (home.channel("general"), home.member("alice"));
    let bare = home.channel_without("bare", bits::CREATE_PUBLIC_THREADS);
    let rig = Rig::online(&world).await;
    let said = alice.says(&general, "and the last one?");
    for _ in 0..2 {
        let aside =
            rig.outbox.aside(&place_in(&home, &general), &MessageId::from(said), "and the last one?").await;
        let aside = aside.unwrap();
        assert_eq!((aside.channel, aside.kind), (ChannelId::from(said), PlaceKind::Thread));
        assert_eq!(aside.parent, Some(ChannelId::from(general.id())));
        assert_eq!(aside.audience, Audience::Guild(home.id().into()));
    }
    assert_eq!(general.threads(), [(said, "and the last one?".to_owned())]);
    let said = alice.says(&bare, "and the last one?");
    let aside = rig.outbox.aside(&place_in(&home, &bare), &MessageId::from(said), "and the last one?").await;
    assert!(aside.is_none() && bare.threads().is_empty());
}
