//! The slash commands, as people use them.

use familiar_connect::config::SubscriptionKind;
use familiar_connect::domain::{
    AccountId, Audience, ChannelId, ChannelMode, ChatMessage, FamiliarId, Outcome, Place, Role, TurnId,
    TurnTrace,
};
use serde_json::json;

use super::rig::{Rig, place};
use crate::support::discord::{Answer, Channel, DiscordWorld, Fault, Guild, Person, Said};
use crate::support::stage::Still;

struct Scene {
    rig: Rig,
    home: Guild,
    general: Channel,
    mo: Person,
    alice: Person,
}

async fn scene() -> Scene {
    let (world, home) = DiscordWorld::with_home().await;
    let (general, mo, alice) = (home.channel("general"), home.moderator("mo"), home.member("alice"));
    Scene { rig: Rig::online(&world).await, home, general, mo, alice }
}

/// The answer's words, with the world's ids replaced by names.
fn told(answer: &Answer, scene: &Scene) -> String {
    assert!(answer.ephemeral, "{answer:?}");
    answer.content.replace(&scene.general.id().to_string(), "GENERAL")
}

#[tokio::test]
async fn subscribing_and_unsubscribing_are_confirmed_to_the_caller_alone() {
    let scene = scene().await;
    let id = ChannelId::from(scene.general.id());
    let mut words = Vec::new();
    for command in ["/subscribe-text", "/subscribe-text", "/unsubscribe-text", "/unsubscribe-text"] {
        let answer = scene.mo.runs(&scene.general, command, json!({})).await;
        assert!(answer.deferred);
        words.push(told(&answer, &scene));
    }
    insta::assert_snapshot!(words.join("\n"), @r"
    Ada now reads <#GENERAL> and its threads. Stop with `/unsubscribe-text`.
    Ada already reads <#GENERAL>. Stop with `/unsubscribe-text`.
    Ada no longer reads <#GENERAL>. Start again with `/subscribe-text`.
    Ada does not read <#GENERAL>. Start with `/subscribe-text`.
    ");
    assert!(!scene.rig.config.subscriptions().contains(&id, SubscriptionKind::Text));
}

#[tokio::test]
async fn a_mention_where_it_does_not_read_gets_one_hint_to_whoever_may_change_that() {
    let scene = scene().await;
    let calls = || Said::text("hello").mentioning_the_bot();
    scene.alice.says(&scene.general, calls());
    scene.mo.says(&scene.general, calls());
    let hint = scene.general.next_message().await;
    assert!(hint.content.contains("does not read") && hint.content.contains("`/subscribe-text`"), "{hint:?}");
    assert!(hint.allowed_mentions_are_empty(), "{}", hint.body);
    scene.mo.says(&scene.general, calls());
    // Commands are answered after what came before them; that it reads from now on is told to everybody.
    scene.mo.runs(&scene.general, "/subscribe-text", json!({})).await;
    let told = scene.general.next_message().await;
    assert!(told.content.contains("reads this channel") && told.content.contains("`/privacy`"), "{told:?}");
    scene.alice.says(&scene.general, "now");
    assert_eq!(scene.rig.next_heard().await.text, "now");
    assert_eq!(scene.general.messages().len(), 2, "one hint, one notice");
}

#[tokio::test]
async fn quiet_holds_here_for_a_while_or_until_it_is_woken() {
    let scene = scene().await;
    let refused = scene.alice.runs(&scene.general, "/quiet", json!({})).await;
    assert!(refused.content.starts_with("Ada does not read this channel"), "{refused:?}");
    scene.rig.subscribe(&scene.general);
    let here = || scene.rig.config.channel(&ChannelId::from(scene.general.id()));
    let in_minutes = |minutes| jiff::Timestamp::now() + jiff::SignedDuration::from_mins(minutes);
    let told = scene.alice.runs(&scene.general, "/quiet", json!({"minutes": 30})).await;
    assert!(told.ephemeral && told.content.contains("for 30 min"), "{told:?}");
    assert!(here().is_kept_quiet(in_minutes(20)) && !here().is_kept_quiet(in_minutes(40)));
    let told = scene.alice.runs(&scene.general, "/wake", json!({})).await;
    assert!(told.content.contains("may join in again"), "{told:?}");
    assert!(!here().is_kept_quiet(in_minutes(0)));
    let told = scene.alice.runs(&scene.general, "/wake", json!({})).await;
    assert!(told.content.contains("was not being kept quiet here"), "{told:?}");
    scene.alice.runs(&scene.general, "/quiet", json!({})).await;
    assert!(here().is_kept_quiet(in_minutes(1_000_000)));
}

#[tokio::test]
async fn admin_commands_are_for_those_who_manage_channels() {
    let scene = scene().await;
    for command in ["/subscribe-text", "/unsubscribe-text", "/channel-full-rp", "/channel-backdrop"] {
        assert!(!scene.alice.may_run(&scene.general, command), "{command}");
        assert!(scene.mo.may_run(&scene.general, command), "{command}");
    }
    for command in ["/context", "/lore why", "/greet", "/pair", "/pair-past", "/unpair", "/status", "/help"] {
        assert!(scene.alice.may_run(&scene.general, command), "{command}");
    }
}

#[tokio::test]
async fn a_channel_it_cannot_talk_in_is_not_subscribed() {
    let scene = scene().await;
    let mute = scene.home.channel_without("mute", 1 << 11 | 1 << 16);
    let answer = scene.mo.runs(&mute, "/subscribe-text", json!({})).await;
    assert!(answer.ephemeral);
    assert_eq!(
        answer.content,
        format!(
            "I cannot talk in <#{}> yet: I lack Send Messages and Read Message History. \
             Give my role these permissions in the channel's permissions, then try again.",
            mute.id()
        )
    );
    assert_eq!(scene.rig.config.subscriptions().iter().next(), None);
}

#[tokio::test]
async fn a_forum_is_subscribed_from_elsewhere_by_who_may_decide_about_it() {
    let scene = scene().await;
    let forum = scene.home.forum("ideas");
    let chosen = json!({"channel": forum.id().to_string()});
    let answer = scene.mo.runs(&scene.general, "/subscribe-text", chosen.clone()).await;
    assert!(answer.content.starts_with(&format!("Ada now reads <#{}>", forum.id())), "{answer:?}");
    let post = forum.post("tea");
    scene.alice.says(&post, "which one?");
    assert_eq!(scene.rig.next_heard().await.text, "which one?");
    let answer = scene.mo.runs(&scene.general, "/unsubscribe-text", chosen).await;
    assert!(answer.content.starts_with(&format!("Ada no longer reads <#{}>", forum.id())), "{answer:?}");

    let secret = scene.home.private_channel("secret");
    secret.denies(&scene.mo, 1 << 4);
    let chosen = json!({"channel": secret.id().to_string()});
    for command in ["/subscribe-text", "/unsubscribe-text"] {
        let refused = scene.mo.runs(&scene.general, command, chosen.clone()).await;
        assert_eq!(
            refused.content,
            format!("You need Manage Channels in <#{}> for this. Ask somebody who has it.", secret.id())
        );
    }
    let mute = scene.home.channel_without("mute", 1 << 11);
    let chosen = json!({"channel": mute.id().to_string()});
    let lacking = scene.mo.runs(&scene.general, "/subscribe-text", chosen).await;
    assert!(lacking.content.contains("I lack Send Messages."), "{lacking:?}");
    assert_eq!(scene.rig.config.subscriptions().iter().next(), None);
}

#[tokio::test]
async fn modes_are_set_and_explained() {
    let scene = scene().await;
    let mut words = Vec::new();
    for (command, mode) in [
        ("/channel-full-rp", ChannelMode::FullRp),
        ("/channel-text-conversation-rp", ChannelMode::TextConversationRp),
        ("/channel-imitate-voice", ChannelMode::ImitateVoice),
    ] {
        words.push(told(&scene.mo.runs(&scene.general, command, json!({})).await, &scene));
        let id = ChannelId::from(scene.general.id());
        assert_eq!(scene.rig.config.channel(&id).mode, mode);
    }
    let sidecar =
        std::fs::read_to_string(scene.rig.home.channel_toml(&ChannelId::from(scene.general.id()))).unwrap();
    assert!(sidecar.contains("#general"), "{sidecar}");
    insta::assert_snapshot!(words.join("\n"), @r"
    <#GENERAL> is now in full role-play mode: long, novel-style replies in the third person.
    <#GENERAL> is now in text conversation mode: chat-room style, a couple of short lines.
    <#GENERAL> is now in imitate voice mode: one or two short sentences, as if spoken.
    ");
}

#[tokio::test]
async fn the_backdrop_is_a_form_filled_in_with_what_it_is_and_blank_clears_it() {
    let scene = scene().await;
    let id = ChannelId::from(scene.general.id());
    let form = scene.mo.opens(&scene.general, "/channel-backdrop").await;
    assert_eq!((form.title.as_str(), form.value.as_str()), ("Backdrop of this channel", ""));
    let set = scene.mo.submits(&form, "A ship.\nNight.").await;
    assert!(told(&set, &scene).starts_with("The backdrop of <#GENERAL> is set (14 characters)."));
    assert_eq!(scene.rig.config.channel(&id).backdrop.as_deref(), Some("A ship.\nNight."));

    let form = scene.mo.opens(&scene.general, "/channel-backdrop").await;
    assert_eq!(form.value, "A ship.\nNight.");
    let cleared = scene.mo.submits(&form, "  ").await;
    assert_eq!(told(&cleared, &scene), "The backdrop of <#GENERAL> is cleared.");
    assert_eq!(scene.rig.config.channel(&id).backdrop, None);
}

#[tokio::test]
async fn a_thread_or_post_goes_by_its_channels_settings_until_it_has_its_own() {
    let scene = scene().await;
    let forum = scene.home.forum("ideas");
    scene.rig.subscribe(&scene.general);
    scene.rig.subscribe(&forum);
    let (thread, post) = (scene.general.thread("aside"), forum.post("tea"));
    scene.mo.runs(&scene.general, "/channel-full-rp", json!({})).await;
    let form = scene.mo.opens(&scene.general, "/channel-backdrop").await;
    scene.mo.submits(&form, "A ship.").await;
    scene.mo.runs(&post, "/channel-imitate-voice", json!({})).await;
    for (place, mode) in [
        (&scene.general, "full role-play mode"),
        (&thread, "full role-play mode"),
        (&post, "imitate voice mode"),
        (&forum.post("coffee"), "text conversation mode"),
    ] {
        let status = scene.alice.runs(place, "/status", json!({})).await;
        assert!(status.content.contains(mode), "{mode}: {}", status.content);
    }
    let form = scene.mo.opens(&thread, "/channel-backdrop").await;
    assert_eq!(form.value, "A ship.", "what holds in the thread");
    scene.mo.submits(&form, "A raft.").await;
    assert_eq!(scene.mo.opens(&thread, "/channel-backdrop").await.value, "A raft.");
    assert_eq!(scene.mo.opens(&scene.general, "/channel-backdrop").await.value, "A ship.");
}

#[tokio::test]
async fn greetings_are_offered_by_their_beginning_and_said_by_number() {
    let scene = scene().await;
    let refused = scene.alice.runs(&scene.general, "/greet", json!({})).await;
    assert_eq!(told(&refused, &scene), "Ada does not read this channel. Use `/subscribe-text` first.");

    scene.rig.subscribe(&scene.general);
    let offered = scene.alice.completes(&scene.general, "/greet", "number", "").await;
    assert_eq!(
        offered,
        [
            ("1: Hello, all of you.".to_owned(), json!(1)),
            ("2: Hello there. Sit down.".to_owned(), json!(2)),
            ("3: You again!".to_owned(), json!(3)),
        ]
    );
    let said = scene.alice.runs(&scene.general, "/greet", json!({"number": 2})).await;
    assert_eq!(told(&said, &scene), "Said hello.");
    let first = scene.alice.runs(&scene.general, "/greet", json!({})).await;
    assert_eq!(told(&first, &scene), "Said hello.");
    let missing = scene.alice.runs(&scene.general, "/greet", json!({"number": 9})).await;
    assert_eq!(told(&missing, &scene), "The card has 3 greetings: use a number from 1 to 3.");
    let asked: Vec<Option<usize>> =
        scene.rig.listener.greetings.lock().unwrap().iter().map(|(_, which)| *which).collect();
    assert_eq!(asked, [Some(1), None]);
}

/// Records a turn that answered somebody in a channel.
async fn turn(scene: &Scene, channel: &Channel, author: &Person, reply: &str) -> TurnId {
    let id = scene.rig.traces.next_turn();
    let trace = TurnTrace {
        authors: vec![AccountId::discord(author.id()).to_string()],
        total_us: 1_234_000,
        request: vec![ChatMessage::new(Role::User, "alice: hello Ada")],
        parameters: json!({}),
        reply: Some(reply.to_owned()),
        ..TurnTrace::new(
            id,
            FamiliarId::new("ada").unwrap(),
            Place { audience: Audience::Dm(AccountId::discord(author.id())), ..place(channel) },
            ChannelMode::FullRp,
            "2026-01-02T03:04:05Z".parse().unwrap(),
            "its name was said",
            Outcome::Replied { messages: 1 },
        )
    };
    scene.rig.traces.record(trace).await;
    id
}

#[tokio::test]
async fn context_shows_the_callers_own_turns_and_no_others() {
    let scene = scene().await;
    let nothing = scene.alice.runs(&scene.general, "/context", json!({})).await;
    assert_eq!(
        told(&nothing, &scene),
        "There is nothing to explain to you here yet. Say something first, then ask again."
    );
    let first = turn(&scene, &scene.general, &scene.alice, "Hello\nAlice.").await;
    let second = turn(&scene, &scene.general, &scene.alice, "Again?").await;
    let of_mo = turn(&scene, &scene.general, &scene.mo, "Hello Mo.").await;

    let last = scene.alice.runs(&scene.general, "/context", json!({})).await;
    assert_eq!(
        told(&last, &scene),
        format!(
            "Turn {second}: replied in 1 message. The attached file says how that came about; only you can see it."
        )
    );
    let in_german = scene.alice.reading("de").runs(&scene.general, "/context", json!({})).await;
    assert!(told(&in_german, &scene).starts_with(&format!("Runde {second}: in 1 Nachricht geantwortet. ")));
    assert_eq!(last.files[0].0, format!("turn-{second}.md"));
    assert!(last.files[0].1.contains("its name was said"), "{}", last.files[0].1);

    let earlier = scene.alice.runs(&scene.general, "/context", json!({"turn": first.to_string()})).await;
    assert!(told(&earlier, &scene).starts_with(&format!("Turn {first}:")));
    for not_hers in [of_mo.to_string(), "t999".to_owned(), "what?".to_owned()] {
        let refused = scene.alice.runs(&scene.general, "/context", json!({"turn": not_hers})).await;
        assert!(told(&refused, &scene).starts_with(&format!("There is no turn `{not_hers}`")));
        assert!(refused.files.is_empty());
    }

    let offered = scene.alice.completes(&scene.general, "/context", "turn", "t").await;
    assert_eq!(
        offered,
        [
            (format!("{second} (02 Jan 03:04 UTC): Again?"), json!(second.to_string())),
            (format!("{first} (02 Jan 03:04 UTC): Hello Alice."), json!(first.to_string())),
        ]
    );
}

#[tokio::test]
async fn lore_why_tells_about_the_callers_own_last_turn() {
    let scene = scene().await;
    let nothing = scene.alice.runs(&scene.general, "/lore why", json!({})).await;
    assert!(told(&nothing, &scene).starts_with("There is nothing to explain to you here yet."));
    let bare = turn(&scene, &scene.general, &scene.alice, "Hello.").await;
    let without = scene.alice.runs(&scene.general, "/lore why", json!({})).await;
    assert!(told(&without, &scene).starts_with(&format!("Turn {bare} had no lorebook")));

    let mut trace = scene.rig.traces.whole().get(bare).await.unwrap().unwrap().as_ref().clone();
    let id = scene.rig.traces.next_turn();
    trace.id = id;
    let lore = json!([
        {"book": "harbour", "uid": 1, "name": "The bell", "fired": true, "level": "full", "tokens": 12,
         "why": {"kind": "key", "key": "bell", "filter": null, "at": {"in": "message", "back": 1, "speaker": "alice"}}},
        {"book": "harbour", "uid": 2, "name": "The mill", "fired": false, "why": {"kind": "cooldown", "left": 3}},
        {"book": "harbour", "uid": 3, "name": "The fog", "fired": false, "why": {"kind": "no_key_found"}},
    ]);
    let assembly = json!({
        "render": "layered", "providers": [], "chunks": [], "layers": [], "budget_tokens": 1, "prompt_tokens": 1,
        "reserve_tokens": 1, "stages": [], "notes": [], "lore": lore
    });
    trace.assembly = Some(serde_json::from_value(assembly).unwrap());
    scene.rig.traces.record(trace).await;

    let all = scene.alice.runs(&scene.general, "/lore why", json!({})).await;
    insta::assert_snapshot!(told(&all, &scene).replace(&id.to_string(), "TURN"), @r#"
    Turn TURN called up 1 of 3 lore entries:
    - **The bell**: the key "bell" is in the newest message (alice)
    Not called up:
    - **The mill**: it rests for 3 more messages
    1 more had nothing to do with it. `/lore why entry:` tells about one.
    "#);
    let fog = scene.alice.runs(&scene.general, "/lore why", json!({"entry": "the FOG"})).await;
    assert!(told(&fog, &scene).contains("**The fog** (harbour) was not called up"));
    let none = scene.alice.runs(&scene.general, "/lore why", json!({"entry": "tower"})).await;
    assert!(told(&none, &scene).starts_with("No lore entry is called"));
    let offered = scene.alice.completes(&scene.general, "/lore why", "entry", "the m").await;
    assert_eq!(offered, [("The mill".to_owned(), json!("The mill"))]);
    // Whom the turn did not answer learns nothing of it.
    let other = scene.mo.runs(&scene.general, "/lore why", json!({})).await;
    assert!(told(&other, &scene).starts_with("There is nothing to explain to you here yet."));
}

#[tokio::test]
async fn a_turn_can_be_looked_up_from_another_channel_by_its_author_alone() {
    let scene = scene().await;
    let other = scene.home.channel("other");
    let id = turn(&scene, &other, &scene.alice, "Elsewhere.").await;
    let here = scene.alice.runs(&scene.general, "/context", json!({})).await;
    assert!(told(&here, &scene).starts_with("There is nothing to explain to you here"));
    let by_id = scene.alice.runs(&scene.general, "/context", json!({"turn": id.to_string()})).await;
    assert!(told(&by_id, &scene).starts_with(&format!("Turn {id}:")));
    let why = json!({"turn": id.to_string(), "why": "the dentist"});
    let why = scene.alice.runs(&scene.general, "/context", why).await;
    assert_eq!(
        told(&why, &scene),
        format!("What turn {id} did with those words is attached; only you can see this.")
    );
    assert_eq!(why.files, [(format!("why-{id}.md"), format!("{id} and the dentist"))]);
    let by_mo = scene.mo.runs(&scene.general, "/context", json!({"turn": id.to_string()})).await;
    assert!(told(&by_mo, &scene).starts_with("There is no turn `"));
}

#[tokio::test]
async fn status_and_help_say_what_is_so() {
    let scene = scene().await;
    scene.mo.runs(&scene.general, "/subscribe-text", json!({})).await;
    let status = scene.alice.runs(&scene.general, "/status", json!({})).await;
    insta::assert_snapshot!(told(&status, &scene), @r"
    Ada is up and about.
    This channel: read, text conversation mode
    Channels read on this server: 1
    ");
    // What it costs is its owner's business, unless the owner says otherwise.
    let allowed: [fn(u64) -> String; 2] =
        [|_| "show_spending = true".to_owned(), |asker| format!("operators = [{asker}]")];
    for allowed in allowed {
        let (world, home) = DiscordWorld::with_home().await;
        let (general, asker) = (home.channel("general"), home.member("ben"));
        let _rig = Rig::start(&world, &allowed(asker.id())).await;
        world.bot_is_online().await;
        let status = asker.runs(&general, "/status", json!({})).await;
        assert!(status.content.contains("Budget today: $0.25 of $5.00"), "{status:?}");
        let unpriced = "Tokens today whose price is not known: 1,234,567 of 5,000,000";
        assert!(status.content.contains(unpriced), "{status:?}");
    }
    let help = scene.alice.runs(&scene.general, "/help", json!({})).await;
    assert!(told(&help, &scene).contains("`/channel-backdrop`"));
}

#[tokio::test]
async fn in_a_dm_the_personal_commands_work() {
    let world = DiscordWorld::start().await;
    world.guild("home");
    let (alice, bea) = (world.person("alice"), world.person("bea"));
    let _rig = Rig::start(&world, &format!("dm_allowlist = [{}]", alice.id())).await;
    world.bot_is_online().await;
    let status = alice.runs(&alice.dm(), "/status", json!({})).await;
    assert!(status.content.contains("Direct messages: read"), "{}", status.content);
    let greeted = alice.runs(&alice.dm(), "/greet", json!({})).await;
    assert_eq!(greeted.content, "Said hello.");
    let refused = bea.runs(&bea.dm(), "/greet", json!({})).await;
    assert!(refused.content.contains("allow-list"), "{}", refused.content);
}

#[tokio::test]
async fn settings_that_cannot_be_saved_are_told_without_paths() {
    let scene = scene().await;
    let folder = scene.rig.home.channels_dir();
    std::fs::remove_dir_all(&folder).unwrap();
    std::fs::write(&folder, "in the way").unwrap();
    let answer = scene.mo.runs(&scene.general, "/channel-full-rp", json!({})).await;
    assert_eq!(
        told(&answer, &scene),
        "That did not work: the settings could not be saved. If it happens again, tell whoever runs this bot."
    );
}

#[tokio::test]
async fn a28_a_turn_of_a_private_channel_is_shown_only_there() {
    let scene = scene().await;
    let id = scene.rig.traces.next_turn();
    let kept = turn(&scene, &scene.general, &scene.alice, "In private.").await;
    let mut private = (*scene.rig.traces.whole().get(kept).await.unwrap().unwrap()).clone();
    private.id = id;
    private.place.channel = 4242.into();
    private.place.audience = Audience::Private(4242.into());
    scene.rig.traces.record(private).await;
    let refused = scene.alice.runs(&scene.general, "/context", json!({"turn": id.to_string()})).await;
    assert_eq!(
        told(&refused, &scene),
        format!("Turn {id} was in another channel. Ask there: only who can see that channel may read it.")
    );
    assert!(refused.files.is_empty());
}

#[tokio::test]
async fn every_command_that_works_says_within_three_seconds_that_an_answer_will_come() {
    let scene = scene().await;
    for (command, options) in [
        ("/subscribe-text", json!({})),
        ("/unsubscribe-text", json!({})),
        ("/channel-full-rp", json!({})),
        ("/channel-text-conversation-rp", json!({})),
        ("/channel-imitate-voice", json!({})),
        ("/context", json!({})),
        ("/lore why", json!({})),
        ("/greet", json!({})),
        ("/status", json!({})),
        ("/help", json!({})),
    ] {
        let answer = scene.mo.runs(&scene.general, command, options).await;
        assert!(answer.deferred && answer.ephemeral, "{command}: {answer:?}");
    }
    // A form cannot be deferred: it is the first response itself, made without asking anybody.
    scene.mo.opens(&scene.general, "/channel-backdrop").await;
}

/// Whatever hangs: Discord forgets an interaction that was not answered in three seconds. Time stands still, so whatever
/// is waited for before that is seen.
#[tokio::test]
async fn g37_every_command_button_and_form_is_acknowledged_at_once() {
    let (world, home) = DiscordWorld::with_home().await;
    let (general, mo) = (home.channel("general"), home.moderator("mo"));
    // In no cache: to know more about it, Discord must be asked.
    let aside = general.thread("aside");
    aside.sleeps();
    let _rig = Rig::reading(&world, &general).await;
    world.fails("GET ", Fault::Stalled);
    world.fails("PATCH ", Fault::Stalled);
    world.fails("POST channels", Fault::Stalled);
    world.is_punctual();
    tokio::time::pause();
    let _still = Still::hold();
    let mut took = Vec::new();
    let (mut commands, mut offers) = (Vec::new(), Vec::new());
    for command in world.commands(Some(&home)) {
        if command["type"] == 3 {
            took.push(mo.looks_at(&aside, command["name"].as_str().unwrap()).await);
            continue;
        }
        let name = format!("/{}", command["name"].as_str().unwrap());
        let options = command["options"].as_array().cloned().unwrap_or_default();
        let (subs, options): (Vec<_>, Vec<_>) = options.into_iter().partition(|option| option["type"] == 1);
        let subs = subs.iter().map(|sub| {
            let options = sub["options"].as_array().cloned().unwrap_or_default();
            (format!("{name} {}", sub["name"].as_str().unwrap()), options)
        });
        let subs: Vec<_> = subs.collect();
        for (name, options) in if subs.is_empty() { vec![(name, options)] } else { subs } {
            let offering = options.iter().filter(|option| option["autocomplete"] == true);
            offers.extend(offering.map(|option| (name.clone(), option["name"].as_str().unwrap().to_owned())));
            let required = options.iter().filter(|option| option["required"] == true);
            let given = required.map(|option| {
                let value = if option["type"] == 5 { json!(true) } else { json!("tea") };
                (option["name"].as_str().unwrap().to_owned(), value)
            });
            commands.push((name, serde_json::Value::Object(given.collect())));
        }
    }
    assert!(commands.len() > 19 && offers.len() == 3, "{commands:?} {offers:?}");
    for (command, options) in &commands {
        took.push(mo.calls(&aside, command, options.clone()).await);
    }
    for (command, option) in &offers {
        took.push(mo.is_offered(&aside, command, option).await);
    }
    for button in [
        "forget|soft|me",
        "forget|hard|words|tea",
        "forget|no|me",
        "privacy|copy",
        "privacy|out",
        "privacy|in",
        "privacy|learn",
        "privacy|learn|end",
        "memory|unlearn",
        "memory|correct|f1",
        "voice-hear-me",
        "voice-do-not-hear-me",
        "repair|again|1",
        "repair|words|1",
        "repair|delete|1",
    ] {
        took.push(mo.uses(&aside, button, &[]).await);
    }
    took.push(mo.uses(&aside, "memory|pick", &["f1"]).await);
    for form in ["channel-backdrop", "memory|correct|f1", "repair|words|1"] {
        took.push(mo.sends_in(&aside, form).await);
    }
    assert!(took.iter().all(|took| *took < std::time::Duration::from_secs(3)), "{took:?}");
}

/// What it was called for is done and stays; the caller was not told, and that is all.
#[tokio::test]
async fn a_command_that_takes_longer_than_discord_takes_answers_for_is_done_and_not_confirmed_once() {
    let scene = scene().await;
    let world = &scene.rig.world;
    // It tells everybody that it reads from now on, and is not heard.
    world.fails("POST channels", Fault::Stalled);
    world.is_punctual();
    tokio::time::pause();
    let still = Still::hold();
    scene.mo.calls(&scene.general, "/subscribe-text", json!({})).await;
    world.sees_requests("POST channels", 1).await;
    tokio::time::advance(std::time::Duration::from_secs(15 * 60)).await;
    world.sees_requests("PATCH webhooks", 1).await;
    world.works_again("POST channels");
    tokio::time::resume();
    drop(still);
    let id = ChannelId::from(scene.general.id());
    assert!(scene.rig.config.subscriptions().contains(&id, SubscriptionKind::Text));
    let answer = scene.mo.runs(&scene.general, "/subscribe-text", json!({})).await;
    assert!(answer.content.contains("already reads"), "{answer:?}");
    let taken: Vec<u16> = world.requests("PATCH webhooks").iter().map(|request| request.status).collect();
    assert_eq!(taken, [401, 200], "what is too late is not tried again");
}
