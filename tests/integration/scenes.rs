//! Every scene of `tests/scenes` is played and has to come true; and what the verb says of scenes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Weak};

use familiar_connect::cli::bundled;
use familiar_connect::config::FamiliarHome;
use familiar_connect::domain::FamiliarId;
use familiar_connect::simulate::{PlayOptions, Played, Scene, line_of, play};
use familiar_connect::text::phrases::language_codes;
use tempfile::TempDir;

use crate::binary::machine_with_mika;
use crate::support::binary::Machine;
use crate::support::provider::{ProviderWorld, Reply};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenes")
}

/// Every file of a scene in a folder, in order.
pub fn files_in(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "toml") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn name_of(file: &Path) -> String {
    file.strip_prefix(folder()).unwrap().display().to_string()
}

thread_local! {
    static TAKEN_IN: Arc<TempDir> = taken_in();
}

/// The examples, taken in once for all threads that play at a time: most of a familiar's first start is that. A static would
/// never let go of its folder.
fn taken_in() -> Arc<TempDir> {
    static SHARED: Mutex<Weak<TempDir>> = Mutex::new(Weak::new());
    let mut shared = SHARED.lock().unwrap();
    if let Some(folder) = shared.upgrade() {
        return folder;
    }
    let folder = Arc::new(tempfile::tempdir().unwrap());
    bundled::EXAMPLES.iter().for_each(|example| drop(example.install(folder.path()).unwrap()));
    *shared = Arc::downgrade(&folder);
    folder
}

pub fn plays(scene: &Scene) -> anyhow::Result<Played> {
    let taken_in = TAKEN_IN.with(Arc::clone);
    let id = FamiliarId::new(scene.familiar.as_deref().unwrap_or(bundled::FIRST.id)).unwrap();
    let home = |data_dir: &Path| FamiliarHome::new(data_dir, &id).root().to_owned();
    let moves_in = |folder: &Path| {
        copy(&home(taken_in.path()), &home(folder));
        Ok(id.clone())
    };
    play(scene, &PlayOptions::default(), moves_in)
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            std::fs::copy(&from, &to).unwrap();
        }
    }
}

/// What of a scene did not come true, with what happened in it.
fn complaint(file: &Path, played: &Played) -> Option<String> {
    let text = std::fs::read_to_string(file).unwrap();
    let missed: Vec<String> = played
        .missed()
        .map(|verdict| {
            let line = verdict.at.map_or(0, |at| line_of(&text, at).0);
            format!(
                "  line {line}: expected: {}, but {}",
                verdict.expected,
                verdict.but.as_deref().unwrap_or_default()
            )
        })
        .collect();
    let events = played.events.iter().map(|one| format!("    {} {} {}", one.time, one.place, one.what));
    (!missed.is_empty()).then(|| {
        let events = events.collect::<Vec<_>>().join("\n");
        format!("{} ({})\n{}\n{events}", name_of(file), played.title, missed.join("\n"))
    })
}

#[test]
fn every_scene_comes_true_and_the_known_misses_are_those_that_are_told_of() {
    let queue = Mutex::new(files_in(&folder()));
    let results = Mutex::new(BTreeMap::new());
    let wanted = std::env::var("FAMILIAR_SCENES").unwrap_or_default();
    // Most of a scene is waiting for the disk.
    let workers = 4 * std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|threads| {
        for _ in 0..workers {
            threads.spawn(|| {
                loop {
                    let Some(file) = queue.lock().unwrap().pop() else { return };
                    if !name_of(&file).contains(&wanted) {
                        continue;
                    }
                    let scene = Scene::read(&file).unwrap_or_else(|error| panic!("{error}"));
                    let played = plays(&scene).unwrap();
                    results.lock().unwrap().insert(file, played);
                }
            });
        }
    });
    let results = results.into_inner().unwrap();
    let (mut wrong, mut known) = (Vec::new(), Vec::new());
    for (file, played) in &results {
        match (complaint(file, played), &played.known_miss) {
            (None, None) => {}
            (Some(_), Some(why)) => known.push(format!("{}: {why}", name_of(file))),
            (Some(complaint), None) => wrong.push(complaint),
            (None, Some(_)) => wrong.push(format!("{}: a known miss came true", name_of(file))),
        }
    }
    println!("{} scenes; known misses: {}\n{}", results.len(), known.len(), known.join("\n"));
    assert!(wrong.is_empty(), "{} scenes did not come true:\n{}", wrong.len(), wrong.join("\n\n"));
    if wanted.is_empty() {
        assert!(results.len() >= 120, "only {} scenes", results.len());
        let page = std::fs::read_to_string(folder().join("../../docs/guides/scenes.md")).unwrap();
        let misses = if known.len() == 1 { "is a known miss" } else { "are known misses" };
        let told = format!("{} scenes, of which {} {misses}", results.len(), known.len());
        assert!(page.contains(&told), "docs/guides/scenes.md has to say: {told}");
    }
}

#[test]
fn there_are_scenes_in_each_of_the_thirteen_languages() {
    let scenes = files_in(&folder()).into_iter().map(|file| Scene::read(&file).unwrap());
    let spoken: BTreeSet<String> = scenes.filter_map(|scene| scene.language).collect();
    let missing: Vec<&str> = language_codes().filter(|code| !spoken.contains(*code)).collect();
    assert_eq!(missing, [""; 0]);
}

/// A scene, and the one line that is said of it.
const MISTAKES: [(&str, &str); 8] = [
    ("title = \"t\"\ncolour = 1\n", "2:1: unknown field `colour`"),
    ("title = \"t\"\n", "1:1: nothing happens in it; add [[steps]]"),
    (
        "title = \"t\"\n[[people]]\nname = \"Ada\"\n[[steps]]\nwho = \"Bob\"\nsays = \"hello\"\n",
        "5:7: nobody is called \"Bob\"; [[people]] has Ada",
    ),
    (
        "title = \"t\"\n[[people]]\nname = \"Ada\"\n[[steps]]\nwho = \"Ada\"\nin = \"#x\"\nsays = \"hello\"\n",
        "6:6: no place is called \"#x\"; [[places]] has #general",
    ),
    (
        "title = \"t\"\n[[people]]\nname = \"Ada\"\n[[steps]]\nwho = \"Ada\"\nsays = \"hello\"\nafter = \"soon\"\n",
        "7:9: \"soon\" is no length of time; write it as \"90 s\", \"10 min\" or \"26 h\", a month at most",
    ),
    ("title = \"t\"\n[[steps]]\nsays = \"hello\"\n", "2:1: who does it? Say so by `who`"),
    (
        "title = \"t\"\n[[people]]\nname = \"Ada\"\n[[steps]]\nwho = \"Ada\"\ndeletes = \"first\"\n",
        "6:11: no message is called \"first\": give the `id` of an earlier step, a name, or \"familiar\"",
    ),
    (
        "title = \"t\"\n[[steps]]\nafter = \"1 s\"\nexpect = { notice = \"oops\" }\n",
        "4:21: no notice is called so; there are model_failed,",
    ),
];

#[test]
fn what_is_wrong_with_a_scene_is_said_with_its_line() {
    for (text, told) in MISTAKES {
        let error = Scene::of(text, "a.toml").unwrap_err().to_string();
        assert!(error.starts_with(&format!("a.toml:{told}")), "{text}\nsays {error}");
    }
}

#[test]
fn a_scene_in_which_a_bot_speaks_aloud_comes_to_its_end() {
    let text = "title = \"Music\"\n[[people]]\nname = \"Ada\"\n[[people]]\nname = \"Jukebox\"\nrole = \"bot\"\n\
                [[steps]]\nwho = \"Ada\"\njoins_call = true\n[[steps]]\nwho = \"Jukebox\"\njoins_call = true\n\
                [[steps]]\nwho = \"Jukebox\"\naloud = \"Pell, the next song is called heron\"\n\
                expect = { heard = false, speaks = false, asked = 0, stored_not = \"heron\" }\n";
    let played = plays(&Scene::of(text, "bot.toml").unwrap()).unwrap();
    assert_eq!(played.verdicts.len(), 4);
    assert!(played.missed().next().is_none(), "{:?}", played.verdicts);
}

fn write(machine: &Machine, name: &str, text: &str) {
    std::fs::write(machine.path().join(name), text).unwrap();
}

/// Every file of its data folder, with what is in it.
fn data_of(machine: &Machine) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![machine.data()];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.clone(), std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

#[tokio::test]
async fn the_verb_plays_a_scene_tells_of_it_and_leaves_the_operators_familiar_alone() {
    let machine = machine_with_mika().await;
    let scene = "title = \"Called by name\"\n[[people]]\nname = \"Ada\"\n[[steps]]\nwho = \"Ada\"\n\
                 says = \"Mika, is the rope dry?\"\nanswers = [\"As dry as the river.\"]\n\
                 expect = { speaks = true, posts = \"river\" }\n";
    write(&machine, "scene.toml", scene);
    write(&machine, "missed.toml", &scene.replace("posts = \"river\"", "posts = \"lake\""));
    let before = data_of(&machine);
    let said = machine.run(&["simulate", "scene.toml", "--familiar", "mika"]).await.assert_success();
    assert!(said.out.contains("Ada: Mika, is the rope dry?"), "{}", said.out);
    assert!(said.out.contains("came true  line 8: it speaks"), "{}", said.out);
    assert!(
        said.out.contains("scenes: 1, with misses: 0 (known: 0); expectations: 2, came true: 2, missed: 0"),
        "{}",
        said.out
    );
    let told = machine.run(&["simulate", "missed.toml", "--familiar", "mika"]).await;
    let line = "MISSED     line 8: expected: it says: \"lake\", but got: As dry as the river.\n";
    assert!(told.out.contains(line), "{}", told.out);
    let missed = machine.run(&["simulate", "missed.toml", "--familiar", "mika", "--json"]).await;
    assert_eq!(missed.status.code(), Some(1), "{}", missed.err);
    let printed: serde_json::Value = serde_json::from_str(&missed.out).unwrap();
    assert_eq!(printed["came_true"], false);
    assert_eq!(printed["scenes"][0]["expectations"][1]["but"], "got: As dry as the river.");
    let wrong = machine.run(&["simulate", "nowhere.toml"]).await;
    assert_eq!(wrong.status.code(), Some(1));
    assert_eq!(wrong.err, "familiar: there is no nowhere.toml\n");
    write(&machine, "typo.toml", &scene.replace("title", "titel"));
    let typo = machine.run(&["simulate", "scene.toml", "typo.toml"]).await;
    assert_eq!((typo.status.code(), typo.out.as_str()), (Some(2), ""));
    assert!(typo.err.starts_with("familiar: typo.toml:1:1: unknown field `titel`"), "{}", typo.err);
    assert_eq!(data_of(&machine), before, "nothing of theirs is touched");
}

#[cfg(unix)]
#[tokio::test]
async fn how_far_it_has_come_is_told_where_nothing_else_is() {
    let machine = Machine::new();
    let scene = "title = \"A rope\"\n[[people]]\nname = \"Ada\"\n[[steps]]\nwho = \"Ada\"\n\
                 says = \"Pell, is the rope dry?\"\nexpect = { speaks = true, posts = \"lake\" }\n";
    write(&machine, "known.toml", &format!("known_miss = \"it knows no lake\"\n{scene}"));
    write(&machine, "scene.toml", &scene.replace(", posts = \"lake\"", ""));
    let arguments = ["simulate", "known.toml", "scene.toml", "--quiet"];
    let said = machine.run(&arguments).await.assert_success();
    let count = "scenes: 2, with misses: 1 (known: 1); expectations: 3, came true: 2, missed: 1";
    assert!(said.out.ends_with(&format!("{count}\n")), "{}", said.out);
    assert_eq!(said.err, "");
    let mut seat = machine.sits_down(&arguments, &[], 120);
    let shown = seat.shows(count).await.text();
    assert!(shown.starts_with("scene 1 of 2: A rope …"), "{shown}");
    assert!(seat.ends().await.success());
}

#[tokio::test]
async fn an_example_plays_where_nobody_lives_yet_and_does_not_move_in() {
    let machine = Machine::new();
    let scene = "title = \"Called by name\"\n[[people]]\nname = \"Ada\"\n[[steps]]\nwho = \"Ada\"\n\
                 says = \"Mr Tarry, is the rope dry?\"\nanswers = [\"As dry as the river.\"]\n\
                 expect = { speaks = true, posts = \"river\" }\n";
    write(&machine, "scene.toml", scene);
    machine.run(&["simulate", "scene.toml", "--familiar", "tarry"]).await.assert_success();
    assert!(!machine.data().exists());
    let nobody = machine.run(&["simulate", "scene.toml", "--familiar", "mika"]).await;
    assert_eq!(nobody.status.code(), Some(1));
    assert!(nobody.err.contains("there is no familiar mika"), "{}", nobody.err);
}

#[tokio::test]
async fn own_models_are_waited_for_by_everybodys_clock_and_what_they_say_is_typed_by_the_scenes() {
    let machine = machine_with_mika().await;
    let scene = "title = \"Called by name\"\n[[people]]\nname = \"Ada\"\n[[steps]]\nwho = \"Ada\"\n\
                 says = \"Mika, is the rope dry?\"\n";
    write(&machine, "scene.toml", scene);
    let arguments = ["simulate", "scene.toml", "--familiar", "mika", "--model"];
    let provider = ProviderWorld::start().await;
    // There is a pause before another try, and one before each further message.
    provider.script(Reply::refuses(503, "too busy"));
    provider.script(Reply::says("It is dry.\n\nI hung it up.\n\nBy the stove."));
    let mut asks = machine.start_with(&arguments, &provider);
    asks.shows("Mika: By the stove.").await;
    assert!(asks.ends().await.success());
    let nobody = [
        ("FAMILIAR_LLM_BASE_URL", "http://127.0.0.1:9/v1"),
        ("OPENROUTER_API_KEY", "sk-test-only-0123456789"),
    ];
    let mut asks_nobody = machine.start(&arguments, &nobody);
    asks_nobody.shows("cannot reach http://127.0.0.1:9/v1").await;
    assert!(asks_nobody.ends().await.success());
}

#[tokio::test]
async fn a_scene_begins_by_the_clock_of_the_familiar_that_plays_it() {
    let machine = machine_with_mika().await;
    let home = FamiliarHome::new(&machine.data(), &FamiliarId::new("mika").unwrap());
    let written = std::fs::read_to_string(home.character_toml()).unwrap_or_default();
    let others = written.lines().filter(|line| !line.starts_with("display_tz"));
    let others = others.map(|line| format!("{line}\n")).collect::<String>();
    std::fs::write(home.character_toml(), format!("display_tz = \"Asia/Tokyo\"\n{others}")).unwrap();
    let scene = "title = \"An evening\"\nbegins = \"2026-03-02 20:00\"\n[[people]]\nname = \"Ada\"\n[[steps]]\n\
                 who = \"Ada\"\nsays = \"good evening\"\n";
    write(&machine, "scene.toml", scene);
    let said =
        machine.run(&["simulate", "scene.toml", "--familiar", "mika", "--json"]).await.assert_success();
    let printed: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let at = printed["scenes"][0]["events"][0]["at"].as_str().unwrap();
    assert!(at.starts_with("2026-03-02T11:00:00"), "{at}");
}

#[tokio::test]
async fn the_cost_of_an_evening_is_told_by_model_with_what_is_assumed() {
    let machine = machine_with_mika().await;
    let scene = "title = \"Called by name\"\n[[people]]\nname = \"Ada\"\n[[steps]]\nwho = \"Ada\"\n\
                 says = \"Mika, is the rope dry?\"\nanswers = [\"As dry as the river.\"]\n";
    write(&machine, "scene.toml", scene);
    let said = machine.run(&["simulate", "scene.toml", "--cost", "--json"]).await.assert_success();
    let printed: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let models = printed["cost"]["models"].as_array().unwrap();
    assert!(models.iter().any(|row| row["model"] == "z-ai/glm-5.2"), "{models:?}");
    for row in models {
        let (scenes, evening) = (row["scenes_usd"].as_f64().unwrap(), row["evening_usd"].as_f64().unwrap());
        assert!((scenes * 100.0 - evening).abs() < 1e-9, "one answer was given: {row}");
        assert!(row["prompt_tokens"].as_u64().unwrap() > 200, "{row}");
    }
    let said = machine.run(&["simulate", "scene.toml", "--cost", "--quiet"]).await.assert_success();
    assert!(
        said.out.contains("Assumed: an evening has 100 answers like the 1 of these scenes"),
        "{}",
        said.out
    );
}
