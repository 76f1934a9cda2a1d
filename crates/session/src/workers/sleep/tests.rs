use std::fs;

use jiff::civil::date;

use super::*;
use crate::clock::SystemClock;
use crate::history::HistoryOptions;
use crate::memory::change::{ChangeFate, Pending};

const TODAY: Date = date(2026, 11, 10);

struct Notes {
    dir: tempfile::TempDir,
    store: Arc<MemoryStore>,
    history: History,
}

impl Notes {
    async fn of(notes: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("memory");
        for (path, text) in notes {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let store = Arc::new(MemoryStore::in_folder(root, Arc::new(SystemClock)));
        let history = History::open(&dir.path().join("history.db"), HistoryOptions::default()).await.unwrap();
        Self { dir, store, history }
    }

    fn told(&self) -> Vec<String> {
        findings(&self.store, TODAY)
            .unwrap()
            .iter()
            .map(|one| format!("{}: {}", one.matter, one.why))
            .collect()
    }

    async fn tidied(&self, most: usize) -> Tidied {
        let now = "2026-11-10T04:00:00Z".parse().unwrap();
        tidy_notes(&self.history, &self.store, TODAY, now, most).await.unwrap()
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.dir.path().join("memory").join(path)).unwrap()
    }
}

const ANA: &str = "# Ana

- Ana's cat is called Biscuit and sleeps all day. <!-- f=a to=guild:7 on=2026-10-01 imp=4 from=t:1 -->
- Ana's cat is called Biscuit, and sleeps all day! <!-- f=b to=guild:7 on=2026-10-05 from=t:9 -->
- Ana's cat is called Biscuit and sleeps all day. <!-- f=c to=dm:discord:1 on=2026-10-05 from=t:9 -->
";

#[tokio::test]
async fn sleep_finds_what_is_said_twice_to_the_same_people() {
    let notes = Notes::of(&[
        ("people/discord-1.md", ANA),
        ("topics/cats.md", "- Cats purr. <!-- f=x to=guild:7 -->\n"),
    ])
    .await;
    let told = notes.told();
    assert_eq!(told.len(), 1, "what was told in private is another matter: {told:?}");
    assert!(
        told[0].starts_with("said twice: “Ana's cat is called Biscuit, and sleeps all day!”"),
        "{told:?}"
    );
}

#[tokio::test]
async fn g5_sleep_finds_what_contradicts_itself_and_keeps_what_was_said_last() {
    let notes = Notes::of(&[(
        "people/discord-1.md",
        "- Ana lives in Ghent. <!-- f=a to=guild:7 by=discord:1 on=2026-01-01 slot=home -->\n\
         - Ana lives in Ostend. <!-- f=b to=guild:7 by=discord:1 on=2026-03-01 slot=home -->\n\
         - Ana likes tea. <!-- f=c to=guild:7 on=2026-02-01 -->\n\
         - Ana does not like tea. <!-- f=d to=guild:7 on=2026-04-01 -->\n\
         - Ana likes coffee. <!-- f=e to=guild:7 on=2026-04-01 -->\n",
    )])
    .await;
    assert_eq!(
        notes.told(),
        [
            "a contradiction: “Ana likes tea.” and, later, “Ana does not like tea.” (people/discord-1.md)",
            "a contradiction: “Ana lives in Ghent.” and, later, “Ana lives in Ostend.” (people/discord-1.md)",
        ]
    );
}

#[tokio::test]
async fn sleep_finds_what_is_long_over_and_leaves_what_matters() {
    let notes = Notes::of(&[(
        "people/discord-1.md",
        "- Ana wants to paint the boat. <!-- f=a to=guild:7 on=2026-08-01 kind=promise -->\n\
         - Ana wants to sail to Ruk. <!-- f=b to=guild:7 on=2026-11-01 kind=promise -->\n\
         - Ana had soup. <!-- f=c to=guild:7 on=2025-08-01 imp=1 -->\n\
         - Ana's sister is Cleo. <!-- f=d to=guild:7 on=2024-08-01 imp=5 -->\n\
         - Ana is a sailor. <!-- f=e to=guild:7 on=2024-08-01 -->\n\
         - A line of the operator's own.\n",
    )])
    .await;
    let told = notes.told();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].contains("had soup") && told[1].contains("paint the boat"), "{told:?}");
}

#[tokio::test]
async fn sleep_proposes_once_and_changes_nothing_without_a_yes() {
    let notes = Notes::of(&[
        ("people/discord-1.md", ANA),
        ("topics/bee-hives.md", "- Ten hives stand there. <!-- f=h to=guild:7 on=2026-10-01 -->\n- Wood. <!-- f=w to=guild:7 -->\n"),
        ("topics/hives-of-bees.md", "- They are painted blue. <!-- f=p to=guild:7 on=2026-10-02 -->\n"),
    ])
    .await;
    let before = (notes.text("people/discord-1.md"), notes.text("topics/hives-of-bees.md"));
    let first = notes.tidied(1).await;
    assert_eq!((first.proposed.len(), first.left, first.known), (1, 1, 0), "as much as a night may");
    let second = notes.tidied(20).await;
    assert_eq!((second.proposed.len(), second.left, second.known), (1, 0, 1));
    let third = notes.tidied(20).await;
    assert_eq!((third.proposed.len(), third.known), (0, 2), "what was proposed once is not proposed again");
    assert_eq!(before, (notes.text("people/discord-1.md"), notes.text("topics/hives-of-bees.md")));

    let waiting = Pending::all(&notes.store).unwrap();
    assert_eq!(waiting.len(), 2);
    for one in waiting {
        let fates = one.approve(&notes.store, TODAY).unwrap();
        assert!(fates.iter().all(|fate| *fate == ChangeFate::Written), "{fates:?}");
    }
    let ana = notes.text("people/discord-1.md");
    assert_eq!(ana.matches("until=2026-11-09").count(), 1, "the one that says less ends: {ana}");
    assert!(
        notes.text("topics/bee-hives.md").contains("painted blue"),
        "what the smaller note says has moved"
    );
    assert!(notes.told().is_empty(), "{:?}", notes.told());
}
