//! Through the whole program: what comes back into a prompt.

use familiar_connect::domain::*;

use crate::support::stage::{MESSAGES, Stage, channel, dm, ferry, in_guild, long_ago, person};

/// Somebody says something that nobody answers, without the session's ado.
async fn overheard(stage: &Stage, place: &Place, who: &str, text: &str, number: u64) {
    stage.history.append(long_ago(place, who, text, number)).await.unwrap();
}

async fn chatter(stage: &Stage, place: &Place, from: u64, to: u64) {
    let page = |number: u64| {
        let who = ["ben", "cleo"][usize::try_from(number % 2).unwrap()];
        long_ago(place, who, &format!("the tide table, page {number}"), number)
    };
    stage.history.store_all((from..to).map(page).collect()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a13_a_fact_said_300_turns_ago_comes_back_quoted_when_it_is_asked_for() {
    let mut stage = Stage::new().await;
    overheard(&stage, &ferry(), "alice", "What is your sister called, Ben?", 0).await;
    overheard(&stage, &ferry(), "ben", "My sister is called Wilhelmina and keeps goats", 1).await;
    chatter(&stage, &ferry(), 2, 302).await;
    let asked = stage.asked("alice", "what is Ben's sister called again?").await;
    let transcript = asked.transcript();
    assert!(transcript.contains("Wilhelmina"), "{transcript}");
    asked.never_instructs("Wilhelmina");
    stage.replied(asked, "Wilhelmina.").await;
    let traces = stage.traces.whole().list(1).await.unwrap();
    let assembly = traces[0].assembly.clone().unwrap();
    assert!(
        assembly
            .searches
            .iter()
            .any(|search| search.source == "history" && search.hits > 0 && search.best > 0.3)
    );
    let recalled: Vec<_> =
        assembly.chunks.iter().filter(|chunk| chunk.source.starts_with("recalled/")).collect();
    assert!(recalled.iter().any(|chunk| chunk.source.contains("id 10001") && chunk.fate == ChunkFate::Kept));
    let x_ray =
        familiar_connect::trace::render::markdown(&traces[0], familiar_connect::trace::Rights::Operator);
    assert!(x_ray.contains("### Searches") && x_ray.contains("| history |"), "{x_ray}");
}

#[tokio::test(start_paused = true)]
async fn contradiction_8_what_was_said_in_a_direct_message_never_comes_up_in_the_guild() {
    let mut stage = Stage::new().await;
    overheard(&stage, &dm("ben"), "ben", "My sister is called Wilhelmina and keeps goats", 1).await;
    chatter(&stage, &ferry(), 2, 40).await;
    let told = stage
        .prompt("ben", "what is Ben's sister called again? the one with the goats", "I could not say.")
        .await;
    assert!(!told.contains("Wilhelmina"), "{told}");
    let asked =
        stage.asked_in(&dm("ben"), "ben", "what is my sister called again? the one with the goats").await;
    assert!(asked.transcript().contains("Wilhelmina"), "{}", asked.transcript());
    stage.replied_in(&dm("ben"), asked, "Wilhelmina.").await;
}

#[tokio::test(start_paused = true)]
async fn a13_the_same_guild_remembers_across_its_channels_and_another_does_not() {
    let mut stage = Stage::new().await;
    overheard(&stage, &channel(2, "#deck"), "ben", "My sister is called Wilhelmina and keeps goats", 1).await;
    let told = stage.prompt("alice", "what is Ben's sister called?", "Wilhelmina.").await;
    assert!(told.contains("Wilhelmina"), "{told}");
    let elsewhere = in_guild(8, channel(9, "#elsewhere"));
    let told = stage.prompt_in(&elsewhere, "alice", "what is Ben's sister called?", "No idea.").await;
    assert!(!told.contains("Wilhelmina"), "{told}");
}

#[tokio::test(start_paused = true)]
async fn contradiction_20_the_speakers_note_is_always_there() {
    // No room for anything that is found.
    let narrow = "text_lull_timeout = 0.01\n[typing_simulation]\nenabled = false\n\
                  [modes.text_conversation_rp.layers]\ncontent = 0\n";
    let mut stage = Stage::with(narrow, MESSAGES).await;
    let people = stage.dir.path().join("familiars/mika/memory/people");
    std::fs::create_dir_all(&people).unwrap();
    let note = |who: &str, text: &str| {
        std::fs::write(people.join(format!("{}.md", person(who).account.slug())), text).unwrap();
    };
    note("alice", "Alice keeps bees.");
    note("ben", "Ben paints boats.");
    overheard(&stage, &ferry(), "ben", "hello", 1).await;
    let transcript = stage.prompt("alice", "hi", "Evening.").await;
    assert!(transcript.contains("Alice keeps bees."), "{transcript}");
    assert!(!transcript.contains("Ben paints boats."), "nobody waits for Ben: {transcript}");
    note("alice", "Alice has sold her bees.");
    let told = stage.prompt("alice", "hi again", "Evening.").await;
    assert!(told.contains("Alice has sold her bees."), "y13: {told}");
}

#[tokio::test(start_paused = true)]
async fn contradiction_20_whoever_waits_has_their_note_whatever_the_effort() {
    let narrow = "text_lull_timeout = 0.01\n[typing_simulation]\nenabled = false\n\
                  [modes.text_conversation_rp.layers]\ncontent = 0\n";
    let mut stage = Stage::with(narrow, MESSAGES).await;
    let people = stage.dir.path().join("familiars/mika/memory/people");
    std::fs::create_dir_all(&people).unwrap();
    for (who, text) in
        [("alice", "Alice keeps bees."), ("ben", "Ben paints boats."), ("dora", "Dora sings bass.")]
    {
        std::fs::write(people.join(format!("{}.md", person(who).account.slug())), text).unwrap();
    }
    let mut asked = stage.asked("ben", "hi").await;
    for (who, text) in [("dora", "hey"), ("alice", "hello")] {
        stage.says(who, text).await;
        stage.restarts().await;
        asked.abandoned().await;
        asked = stage.next_request().await;
    }
    for text in ["Alice keeps bees.", "Ben paints boats.", "Dora sings bass."] {
        assert!(asked.transcript().contains(text), "{text} in {}", asked.transcript());
    }
    stage.replied(asked, "Evening, all.").await;
    let trace = &stage.traces.whole().list(1).await.unwrap()[0];
    assert_eq!(trace.pending.len(), 3, "all of them waited");
    let chunks = &trace.assembly.as_ref().unwrap().chunks;
    let notes: Vec<u8> = chunks
        .iter()
        .filter(|chunk| chunk.source.starts_with("people/"))
        .map(|chunk| chunk.importance)
        .collect();
    assert_eq!(notes, [5, 5, 5], "never left out");
}

#[tokio::test(start_paused = true)]
async fn people_who_are_here_or_named_are_known_in_that_order() {
    let mut stage = Stage::new().await;
    let people = stage.dir.path().join("familiars/mika/memory/people");
    std::fs::create_dir_all(&people).unwrap();
    for (who, text) in
        [("alice", "Alice keeps bees."), ("ben", "Ben paints boats."), ("dora", "Dora sings bass.")]
    {
        std::fs::write(people.join(format!("{}.md", person(who).account.slug())), text).unwrap();
    }
    std::fs::write(
        people.join("_aliases.json"),
        format!("{{\"dodo\": \"{}\"}}", person("dora").account.slug()),
    )
    .unwrap();
    overheard(&stage, &ferry(), "ben", "hello", 1).await;
    let told = stage.prompt("alice", "has anybody seen Dodo?", "No.").await;
    for text in ["Alice keeps bees.", "Ben paints boats.", "Dora sings bass."] {
        assert!(told.contains(text), "{told}");
    }
    let traces = stage.traces.whole().list(1).await.unwrap();
    let chunks = &traces[0].assembly.as_ref().unwrap().chunks;
    let kept: Vec<(&str, u8)> = chunks
        .iter()
        .filter(|chunk| chunk.source.starts_with("people/"))
        .map(|chunk| (chunk.source.as_str(), chunk.importance))
        .collect();
    let slug = |who: &str| format!("people/{}.md", person(who).account.slug());
    assert_eq!(kept, [(slug("alice").as_str(), 5), (slug("ben").as_str(), 3), (slug("dora").as_str(), 3)]);
}

#[tokio::test(start_paused = true)]
async fn a7_what_had_to_make_room_comes_back_by_its_words_and_the_note_says_what_is_missing() {
    let narrow = "text_lull_timeout = 0.01\n[typing_simulation]\nenabled = false\n\
                  [modes.text_conversation_rp.layers]\nrecent_history = 120\nhistory_summary = 0\n";
    let mut stage = Stage::with(narrow, MESSAGES).await;
    stage.talk("alice", "the lantern on the mizzen mast is cracked", "I will see to it.").await;
    for n in 0..6 {
        stage
            .says(
                "ben",
                &format!(
                    "there is more rain in the forecast for this week than there was before, number {n}"
                ),
            )
            .await;
        let asked = stage.next_request().await;
        if n == 5 {
            assert!(!asked.transcript().contains("mizzen"), "{}", asked.transcript());
        }
        stage.replied(asked, "So it is.").await;
    }
    // The turn at which the history was cut says so.
    let traces = stage.traces.whole().list(10).await.unwrap();
    let notes: Vec<_> = traces.iter().flat_map(|trace| &trace.assembly.as_ref().unwrap().notes).collect();
    assert!(
        notes.iter().any(|note| note.starts_with("recent_history: ") && note.ends_with("tokens spilled")),
        "m1: {notes:?}"
    );
    let message = stage.says("alice", "what about the cracked lantern on the mast?").await;
    let asked = stage.next_request().await;
    assert!(asked.transcript().contains("mizzen"), "m2: {}", asked.transcript());
    stage.replied(asked, "Mended.").await;
    let traces = stage.traces.whole().list(1).await.unwrap();
    let chunks = &traces[0].assembly.as_ref().unwrap().chunks;
    let back = chunks.iter().find(|chunk| chunk.source.starts_with("spilled/")).unwrap();
    assert_eq!((back.importance, &back.fate), (2, &ChunkFate::Kept), "one step less important than it was");
    // Deleted words do not come back.
    let stored = stage.stored_in(&ferry()).await;
    let first = stored.iter().find(|turn| turn.message.as_ref() == Some(&message)).unwrap();
    assert!(first.ordinal > 1);
    let gone = MessageId::from(1001);
    stage.deletes(&ferry(), &gone).await;
    let told = stage.prompt("alice", "and the lantern on the mast, is it cracked still?", "No.").await;
    assert!(!told.contains("mizzen"), "{told}");
}

#[tokio::test(start_paused = true)]
async fn a5_what_was_found_a_moment_ago_comes_along_and_is_worth_half_of_the_searches() {
    let settings = "text_lull_timeout = 0.01\n[typing_simulation]\nenabled = false\n\
                    [plan.text.effort_3_4]\nfound_tokens = 160\n[plan.text.effort_5_6]\nfound_tokens = 160\n\
                    [plan.text.effort_7_8]\nfound_tokens = 160\n";
    let mut stage = Stage::with(settings, MESSAGES).await;
    let told = "My sister Wilhelmina keeps goats on the north hill, nine of them, brown ones with long ears that eat the \
                hedge of our uncle bare every spring, for which he blames the council, the weather, both his knees and \
                the baker, who once sold him a fence made of biscuit, or so he tells whoever sits long enough beside \
                him at the harbour wall with a bag of plums and nowhere else to go before the evening boat leaves";
    overheard(&stage, &ferry(), "ben", told, 1).await;
    chatter(&stage, &ferry(), 2, 302).await;
    stage.talk("alice", "do you remember what Ben's sister keeps?", "Goats.").await;
    let told = stage.prompt("alice", "do you remember where his sister keeps goats?", "On a hill.").await;
    assert!(told.contains("north hill"), "{told}");
    let assembly = stage.traces.whole().list(1).await.unwrap()[0].assembly.clone().unwrap();
    let warm = assembly.providers.iter().find(|outcome| outcome.provider == "warm").unwrap();
    assert!(matches!(warm.status, ProviderStatus::Ok { contributions: 1.. }), "{warm:?}");
    let plan = assembly.plan.unwrap();
    assert!(plan.notes.iter().any(|note| note.contains("still warm")), "{plan:?}");
    assert_eq!(plan.searches, 4, "of 8");
    // Somebody else's finds are not theirs.
    stage.talk("cleo", "do you remember where his sister keeps goats?", "On a hill.").await;
    let assembly = stage.traces.whole().list(1).await.unwrap()[0].assembly.clone().unwrap();
    let warm = assembly.providers.iter().find(|outcome| outcome.provider == "warm").unwrap();
    assert_eq!(warm.status, ProviderStatus::Ok { contributions: 0 });
}

/// Finds of a prompt: those with what stands around them, and those alone; and their tokens in all.
async fn told(stage: &mut Stage, words: &str) -> (usize, usize, u32) {
    stage.talk("alice", words, "Aye.").await;
    let assembly = stage.traces.whole().list(1).await.unwrap()[0].assembly.clone().unwrap();
    let kept = assembly.chunks.iter().filter(|chunk| chunk.fate == ChunkFate::Kept);
    let mut finds: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
    let mut tokens = 0;
    for chunk in kept.filter(|chunk| chunk.source.starts_with("recalled/")) {
        tokens += chunk.tokens;
        let find = chunk.source.split('.').next().unwrap_or_default();
        *finds.entry(find.to_owned()).or_default() += 1;
    }
    let whole = finds.values().filter(|lines| **lines > 1).count();
    (whole, finds.len() - whole, tokens)
}

#[tokio::test(start_paused = true)]
async fn a5_what_a_question_may_mean_fills_its_room_and_the_best_is_told_with_what_stands_around_it() {
    const COLOURS: [&str; 24] = [
        "red", "green", "blue", "white", "black", "grey", "brown", "pink", "orange", "purple", "teal",
        "ivory", "amber", "coral", "indigo", "khaki", "lilac", "maroon", "navy", "ochre", "olive", "plum",
        "ruby", "sand",
    ];
    let mut stage = Stage::new().await;
    let said = (0..).zip(COLOURS);
    for (at, colour) in said {
        let words = format!(
            "{colour} was the lantern that the harbour master hung over berth {at} when the herring came in, and \
             {colour} it stayed until the {colour} paint was gone and somebody had to fetch another tin of {colour}"
        );
        overheard(&stage, &ferry(), "ben", &words, 3 * at).await;
        overheard(&stage, &ferry(), "cleo", &format!("the tide table, page {at}"), 3 * at + 1).await;
        overheard(&stage, &ferry(), "ben", &format!("so says the almanac, line {at}"), 3 * at + 2).await;
    }
    chatter(&stage, &ferry(), 80, 400).await;
    let (whole, alone, tokens) =
        told(&mut stage, "which lantern did the harbour master hang over the berth for the herring?").await;
    assert!(whole <= 2 && whole > 0 && alone >= 6, "{whole} whole, {alone} alone");
    assert!((750..=1_100).contains(&tokens), "{tokens} tokens");
}
