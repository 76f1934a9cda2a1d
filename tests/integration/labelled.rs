//! Talk in which every message says whether one would expect an answer (tests/talk/README.md): how often the program agrees.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use familiar_connect::simulate::Scene;

use crate::scenes::{files_in, plays};
use crate::support::page::stands_on_page;

/// Who is not expected to answer would rather not, where they may.
const SILENT: &str = "expect = { speaks = false }";
const PASSES: &str = "answers = [\"<silent>\", \"<silent>\", \"<silent>\"]\nexpect = { speaks = false }";
const SPEAKS: &str = "expect = { speaks = true }";

/// Worse than this in any language is worse than it was, whatever the page says.
const RECALL_MIN: f64 = 0.75;

/// With a model that passes.
const PRECISION_MIN: f64 = 0.95;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/talk")
}

/// How many messages there were of each kind.
#[derive(Debug, Default, Clone, Copy)]
struct Agreement {
    answered: u32,
    missed: u32,
    left_alone: u32,
    butted_in: u32,
    /// Of those left alone: the model was asked, and found that it was not meant.
    by_model: u32,
}

impl Agreement {
    fn add(&mut self, other: Self) {
        self.answered += other.answered;
        self.missed += other.missed;
        self.left_alone += other.left_alone;
        self.butted_in += other.butted_in;
        self.by_model += other.by_model;
    }

    /// Of what it said, how much was expected.
    fn precision(self) -> f64 {
        f64::from(self.answered) / f64::from((self.answered + self.butted_in).max(1))
    }

    /// The same with a model that never finds that it was not meant.
    fn precision_by_rules(self) -> f64 {
        f64::from(self.answered) / f64::from((self.answered + self.butted_in + self.by_model).max(1))
    }

    /// Of what was expected, how much it said.
    fn recall(self) -> f64 {
        f64::from(self.answered) / f64::from((self.answered + self.missed).max(1))
    }

    fn row(self, name: &str) -> String {
        format!(
            "| {name} | {} | {:.3} | {:.3} | {:.3} | {} |\n",
            self.answered + self.missed + self.left_alone + self.butted_in,
            self.precision(),
            self.precision_by_rules(),
            self.recall(),
            self.by_model
        )
    }
}

/// With a model that passes where it may and is not expected to answer, and answers everything else.
fn agreement_in(file: &Path) -> Agreement {
    let text = std::fs::read_to_string(file).unwrap();
    let scene = Scene::of(&text.replace(SILENT, PASSES), &file.display().to_string()).unwrap();
    let labels = |label: &str| u32::try_from(text.matches(label).count()).unwrap();
    let Ok(played) = plays(&scene) else {
        // What somebody replies to in it was never said.
        return Agreement { missed: labels(SPEAKS), ..Agreement::default() };
    };
    let mut found = Agreement::default();
    for verdict in &played.verdicts {
        match (verdict.expected.as_str(), &verdict.but) {
            ("it speaks", None) => found.answered += 1,
            ("it speaks", Some(_)) => found.missed += 1,
            ("it stays silent", None) => found.left_alone += 1,
            ("it stays silent", Some(_)) => found.butted_in += 1,
            other => panic!("{}: {other:?}", file.display()),
        }
    }
    assert_eq!(found.answered + found.missed, labels(SPEAKS), "{}", file.display());
    let passes =
        played.events.iter().filter(|event| event.what.contains("found that nothing was to be said"));
    found.by_model = u32::try_from(passes.count()).unwrap();
    found
}

#[test]
fn it_speaks_when_people_would_expect_it_to_in_six_languages() {
    let queue = Mutex::new(files_in(&folder()));
    let results = Mutex::new(BTreeMap::new());
    std::thread::scope(|threads| {
        for _ in 0..2 * std::thread::available_parallelism().map_or(2, usize::from) {
            threads.spawn(|| {
                loop {
                    let Some(file) = queue.lock().unwrap().pop() else { return };
                    let found = agreement_in(&file);
                    let path: Vec<String> = file
                        .strip_prefix(folder())
                        .unwrap()
                        .iter()
                        .map(|part| part.to_string_lossy().into_owned())
                        .collect();
                    let key = (path[0].clone(), path[1].clone());
                    results.lock().unwrap().entry(key).or_insert_with(Agreement::default).add(found);
                }
            });
        }
    });
    let results = results.into_inner().unwrap();
    let mut page =
        "| | Messages | Precision | If it never passes | Recall | Left to the model |\n|---|---|---|---|---|---|\n".to_owned();
    for half in ["held-out", "tuning"] {
        let mut all = Agreement::default();
        for ((_, language), found) in results.iter().filter(|((of, _), _)| of == half) {
            all.add(*found);
            page.push_str(&found.row(&format!("{half}, {language}")));
            assert!(found.recall() >= RECALL_MIN, "{half}, {language}: {found:?}");
        }
        assert!(all.precision() >= PRECISION_MIN, "{half}: {all:?}");
        page.push_str(&all.row(&format!("**{half}, all**")));
    }
    let messages: u32 =
        results.values().map(|one| one.answered + one.missed + one.left_alone + one.butted_in).sum();
    assert!(messages >= 400, "{messages}");
    stands_on_page("reference/performance.md", "when it speaks", &page);
}
