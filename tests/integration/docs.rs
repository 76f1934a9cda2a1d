//! The pages say what is: links lead somewhere, commands exist, settings parse, the map is the table that is enforced.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use assert_cmd::Command;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The READMEs and everything under `docs/`, by path from the repository's folder.
fn pages() -> BTreeMap<PathBuf, String> {
    let mut found = vec![root().join("README.md"), root().join("data/README.md")];
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                found.push(path);
            }
        }
    }
    let named =
        |path: PathBuf| (path.strip_prefix(root()).unwrap().to_owned(), fs::read_to_string(path).unwrap());
    found.into_iter().map(named).collect()
}

fn page(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

/// A page's lines outside code fences, and each fence with the word after its backticks.
struct Page<'a> {
    prose: Vec<&'a str>,
    fences: Vec<(&'a str, String)>,
}

impl<'a> Page<'a> {
    fn of(text: &'a str) -> Self {
        let mut page = Self { prose: Vec::new(), fences: Vec::new() };
        let mut fence: Option<(&str, String)> = None;
        for line in text.lines() {
            match (&mut fence, line.trim_start().strip_prefix("```")) {
                (None, Some(language)) => fence = Some((language.trim(), String::new())),
                (Some(_), Some(_)) => page.fences.extend(fence.take()),
                (Some((_, body)), None) => {
                    body.push_str(line);
                    body.push('\n');
                }
                (None, None) => page.prose.push(line),
            }
        }
        assert!(fence.is_none(), "a code fence is not closed");
        page
    }

    /// `[words](target)` outside code.
    fn links(&self) -> Vec<String> {
        let prose = self.prose.iter().map(|line| without_code_spans(line)).collect::<Vec<_>>().join("\n");
        prose
            .match_indices("](")
            .filter_map(|(at, _)| prose[at + 2..].split_once(')').map(|(target, _)| target.to_owned()))
            .collect()
    }

    /// Ids of headings, as the usual renderers make them.
    fn anchors(&self) -> BTreeSet<String> {
        self.prose
            .iter()
            .filter(|line| line.starts_with('#'))
            .map(|line| {
                line.trim_start_matches('#')
                    .trim()
                    .to_lowercase()
                    .chars()
                    .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
                    .map(|c| if c == ' ' { '-' } else { c })
                    .collect()
            })
            .collect()
    }
}

fn without_code_spans(line: &str) -> String {
    line.split('`').step_by(2).collect()
}

/// The text between single backticks.
fn code_spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

#[test]
fn every_link_leads_somewhere() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (name, text) in pages() {
        for link in Page::of(&text).links() {
            if link.starts_with("https://") {
                continue;
            }
            seen += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file {
                "" => root().join(&name),
                file => root().join(&name).parent().unwrap().join(file),
            };
            if !target.exists() {
                wrong.push(format!("{}: {link}", name.display()));
            } else if !anchor.is_empty() {
                let there = fs::read_to_string(&target).unwrap();
                if !Page::of(&there).anchors().contains(anchor) {
                    wrong.push(format!("{}: {link}: no such heading", name.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 40, "only {seen} links were found; is the reader broken?");
}

#[test]
fn every_page_is_reached_from_the_readme() {
    let pages = pages();
    let mut reached = BTreeSet::new();
    let mut ahead = vec![PathBuf::from("README.md")];
    while let Some(name) = ahead.pop() {
        let Some(text) = pages.get(&name).filter(|_| reached.insert(name.clone())) else { continue };
        let folder = name.parent().unwrap();
        ahead.extend(
            Page::of(text)
                .links()
                .iter()
                .map(|link| normal(&folder.join(link.split('#').next().unwrap_or_default()))),
        );
    }
    let missed: Vec<_> = pages.keys().filter(|name| !reached.contains(*name)).collect();
    assert!(missed.is_empty(), "no link leads to {missed:?}");
}

#[test]
fn no_two_pages_have_the_same_title() {
    let mut titled: BTreeMap<String, PathBuf> = BTreeMap::new();
    for (name, text) in pages() {
        let page = Page::of(&text);
        let title = page.prose.iter().find_map(|line| line.strip_prefix("# "));
        let title = title.unwrap_or_else(|| panic!("{} has no title", name.display()));
        if let Some(other) = titled.insert(title.to_lowercase(), name.clone()) {
            panic!("{} and {} are both called {title:?}", other.display(), name.display());
        }
    }
}

fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

#[test]
fn every_toml_example_parses() {
    let mut seen = 0;
    for (name, text) in pages() {
        for (language, body) in Page::of(&text).fences {
            if language == "toml" {
                seen += 1;
                if let Err(error) = body.parse::<toml::Table>() {
                    panic!("{}: {error}\n{body}", name.display());
                }
            }
        }
    }
    assert!(seen > 3, "only {seen} TOML examples were found");
}

/// The verbs of `familiar --help`.
fn verbs() -> BTreeSet<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_familiar")).arg("--help").output().unwrap();
    assert!(output.status.success());
    let help = String::from_utf8(output.stdout).unwrap();
    help.lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| line.starts_with("  "))
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|verb| *verb != "help")
        .map(str::to_owned)
        .collect()
}

/// The word after `familiar` where a page shows a command.
fn verb_of(command: &str) -> Option<&str> {
    let mut words = command.split_whitespace();
    let program = words.next()?;
    if !matches!(program, "familiar" | "target/release/familiar" | "/usr/local/bin/familiar") {
        return None;
    }
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        if word == "--data-dir" {
            words.next();
        } else if !word.starts_with('-') {
            return Some(word).filter(|word| word.chars().all(|c| c.is_ascii_lowercase() || c == '-'));
        }
    }
    None
}

#[test]
fn every_verb_is_documented_and_every_documented_verb_exists() {
    let verbs = verbs();
    let mut wrong = Vec::new();
    for (name, text) in pages() {
        let page = Page::of(&text);
        let spans = page.prose.iter().flat_map(|line| code_spans(line)).map(str::to_owned);
        let lines = page.fences.iter().flat_map(|(_, body)| body.lines()).map(str::to_owned);
        for command in spans.chain(lines) {
            let command = command
                .trim_start_matches("sudo -u familiar ")
                .replace("cargo run --release -- ", "familiar ");
            if let Some(verb) = verb_of(&command)
                && !verbs.contains(verb)
            {
                wrong.push(format!("{}: {command}", name.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "no such verb (there are {verbs:?}):\n{}", wrong.join("\n"));

    let reference = page("docs/reference/commands.md");
    let missing: Vec<_> =
        verbs.iter().filter(|verb| !reference.contains(&format!("`familiar {verb}"))).collect();
    assert!(missing.is_empty(), "docs/reference/commands.md does not have {missing:?}");
}

/// The names that `crates/discord/src/discord/commands` registers.
fn slash_commands() -> BTreeSet<String> {
    let text = fs::read_to_string(root().join("crates/discord/src/discord/commands/definitions.rs")).unwrap();
    let defined = ["command(", "managing("].into_iter().flat_map(|by| text.split(by).skip(1));
    let named = defined.filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next());
    named.map(str::to_owned).collect()
}

#[test]
fn every_slash_command_is_documented_and_every_documented_one_exists() {
    let reference = page("docs/reference/commands.md");
    let section = reference.split("\n## ").find(|part| part.starts_with("On Discord")).unwrap();
    let documented: BTreeSet<String> = section
        .lines()
        .filter_map(|line| line.strip_prefix("| `/"))
        .filter_map(|line| line.split([' ', '`']).next())
        .map(str::to_owned)
        .collect();
    assert_eq!(documented, slash_commands());
}

/// Rows of a Markdown table whose first cell is one code span: that, and the code spans of the last cell.
fn rows(text: &str) -> BTreeMap<String, BTreeSet<String>> {
    text.lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            let last = *cells.last().unwrap();
            let named = if last == "everything" { "*".to_owned() } else { String::new() };
            let imports =
                code_spans(last).map(str::to_owned).chain(Some(named).filter(|name| !name.is_empty()));
            (cells[0].trim_matches('`').to_owned(), imports.collect())
        })
        .collect()
}

#[test]
fn the_map_is_the_table_that_is_enforced() {
    let map = page("docs/architecture/map.md");
    let section = map.split("\n## ").find(|part| part.starts_with("Rooms\n")).unwrap();
    let walls = page("tests/architecture.rs");
    let table = walls.split_once("const ROOMS").unwrap().1.split_once("\n];").unwrap().0;
    // A long row stands on several lines.
    let table = table.split_whitespace().collect::<Vec<_>>().join(" ").replace("( \"", "(\"");
    let quoted = |text: &str| text.split('"').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let enforced: BTreeMap<String, BTreeSet<String>> = table
        .split_whitespace()
        .collect::<String>()
        .split("(\"")
        .skip(1)
        .map(|row| {
            let (room, imports) = row.split_once('"').unwrap();
            (room.to_owned(), quoted(imports).into_iter().collect())
        })
        .collect();
    assert_eq!(rows(section), enforced);
}

#[test]
fn files_named_in_the_walk_exist() {
    let walk = page("docs/architecture/one-message-walk.md");
    let named: Vec<&str> = walk
        .lines()
        .flat_map(code_spans)
        .filter(|span| span.contains("src/") && span.ends_with(".rs"))
        .collect();
    assert!(named.len() > 15, "only {} files were found", named.len());
    let missing: Vec<_> = named.iter().filter(|file| !root().join(file).is_file()).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn f27_the_container_image_has_the_voice_that_needs_nothing_else() {
    let image = fs::read_to_string(root().join("docs/operations/Containerfile")).unwrap();
    let run_time = image.rsplit("\nFROM ").next().unwrap();
    assert!(run_time.contains("apt-get install") && run_time.contains(" espeak-ng "), "{run_time}");
}

/// What a bench writes on the page of figures is there, with its version, commit and day.
#[test]
fn every_measured_table_is_there_and_says_of_what_it_is() {
    let page = page("docs/reference/performance.md");
    let parts: Vec<&str> = page.split("<!-- measured: ").skip(1).collect();
    assert!(parts.len() > 10, "only {} tables were found", parts.len());
    for part in parts {
        let (title, rest) = part.split_once(" -->").unwrap();
        let (table, _) = rest.split_once("<!-- end -->").unwrap();
        // Taken away as too old.
        if table.trim() == "*To be measured anew.*" {
            continue;
        }
        let rows = table.lines().filter(|line| line.starts_with("| ")).count();
        assert!(rows > 1, "{title}: the page has no figures");
        assert!(table.contains("*Version ") && table.contains("2026"), "{title}: of what are these figures?");
    }
}

/// The code that each part of the page of figures measures, and where that stood when there was one crate: figures may be older
/// than the walls. Of other parts no commit is told.
const MEASURED: &[(&str, &[&str], &[&str])] = &[
    (
        "From a message to its request",
        &["crates/pipeline/src/context", "crates/memory/src"],
        &["src/context", "src/archive", "src/graph", "src/history", "src/memory", "src/sqlite"],
    ),
    (
        "Start and memory",
        &["src/app", "crates/memory/src"],
        &["src/archive", "src/graph", "src/history", "src/memory", "src/sqlite"],
    ),
    ("Choosing tools", &["crates/session/src/tools/select"], &["src/tools/select"]),
    ("What a provider reads anew", &["crates/pipeline/src/context"], &["src/context"]),
    (
        "How well things are found",
        &["crates/pipeline/src/context/recall", "crates/memory/src/history"],
        &["src/context/recall", "src/history"],
    ),
    (
        "What the short card spares",
        &["crates/pipeline/src/familiar/short_card.rs"],
        &["src/familiar/short_card.rs"],
    ),
    (
        "What the ears make of people",
        &["crates/voice/src"],
        &[
            "src/voice/end_of_turn",
            "src/voice/endpoint",
            "src/voice/frame.rs",
            "src/voice/mouth",
            "src/voice/playout.rs",
            "src/voice/receive",
            "src/voice/speech_output",
            "src/voice/turn",
        ],
    ),
    (
        "What listening to somebody costs",
        &["crates/discord/src/discord/voice", "crates/discord/src/voice", "crates/voice/src"],
        &["src/discord/voice", "src/voice"],
    ),
    (
        "Calls",
        &["crates/discord/src/discord/voice", "crates/discord/src/voice", "crates/voice/src"],
        &["src/discord/voice", "src/voice"],
    ),
    ("The window", &["crates/window/src/window"], &["src/window"]),
    (
        "The parts, on their own",
        &["crates/pipeline/src/context", "crates/memory/src", "crates/cards/src"],
        &[
            "src/context",
            "src/archive",
            "src/graph",
            "src/history",
            "src/memory",
            "src/sqlite",
            "src/familiar",
            "src/text/macros",
        ],
    ),
];

/// After more commits than this to what it measures a figure is old. The busiest part has some 140 in a week.
const COMMITS_MAX: u32 = 300;

/// What git prints of this repository; `None` where there is no git, or it refuses.
fn git(arguments: &[&str]) -> Option<String> {
    let mut git = std::process::Command::new("git");
    let output = git.current_dir(root()).args(arguments).output().ok()?;
    Some(String::from_utf8(output.status.success().then_some(output.stdout)?).ok()?.trim().to_owned())
}

/// How many commits touched `paths` after that one; `None` where there is no repository, or not that commit: a copy may hold
/// the newest commits alone. A whole one that lacks it is wrong on the program's own machines.
fn commits_since(commit: &str, paths: &[&str]) -> Option<u32> {
    let is_shallow = git(&["rev-parse", "--is-shallow-repository"])? == "true";
    let range = format!("{commit}..HEAD");
    let count = git(&[&["rev-list", "--count", range.as_str(), "--"][..], paths].concat());
    if count.is_none() {
        let is_ci = std::env::var("CI").is_ok_and(|ci| ci == "true");
        assert!(is_shallow || !is_ci, "commit {commit} is not in this repository");
        // Past what a test that passes keeps to itself.
        let told = format!("commit {commit} is not in this copy: how old figures of it are is not known\n");
        std::io::stderr().write_all(told.as_bytes()).unwrap();
    }
    count?.parse().ok()
}

/// The commits that a text names.
fn commits_named(text: &str) -> Vec<&str> {
    let named = text.split("commit").skip(1).filter_map(|rest| rest.split_whitespace().next());
    let named = named.map(|word| word.trim_end_matches(|end: char| !end.is_ascii_alphanumeric()));
    named.filter(|word| word.len() >= 7 && word.chars().all(|digit| digit.is_ascii_hexdigit())).collect()
}

/// Every part of the page of figures that has a table says of which version the figures are, and none is more than a release
/// older than the program, or than so many commits to what it measures.
#[test]
fn no_figure_is_older_than_the_release_before() {
    let release = |version: &str| {
        let mut numbers = version.split('.').map(|number| number.parse::<u32>().unwrap());
        numbers.next().unwrap() * 1_000 + numbers.next().unwrap()
    };
    let now = release(env!("CARGO_PKG_VERSION"));
    for part in page("docs/reference/performance.md").split("\n## ").skip(1) {
        let heading = part.lines().next().unwrap();
        let said = part.split("ersion ").skip(1).filter_map(|rest| rest.split(',').next());
        let versions: Vec<u32> =
            said.filter(|version| version.split('.').count() == 3).map(release).collect();
        // What a test counts is never old.
        let mut parts = part.split("<!-- counted:");
        let measured: String = parts
            .next()
            .into_iter()
            .chain(parts.filter_map(|counted| Some(counted.split_once("<!-- end -->")?.1)))
            .collect();
        let has_table = measured.lines().any(|line| line.starts_with("|---"));
        assert!(!has_table || !versions.is_empty(), "{heading}: of which version are these figures?");
        assert!(versions.iter().all(|version| version + 1 >= now), "{heading}: measure it anew");
        for commit in commits_named(&measured) {
            let (_, paths, former) =
                MEASURED.iter().find(|(part, ..)| *part == heading).unwrap_or_else(|| {
                    panic!("{heading}: what code do these figures measure?");
                });
            assert!(paths.iter().all(|path| root().join(path).exists()), "{heading}: {paths:?}");
            let since = commits_since(commit, &[*paths, *former].concat()).unwrap_or_default();
            assert!(since <= COMMITS_MAX, "{heading}: {since} commits since {commit}, measure it anew");
        }
    }
}

#[test]
fn a_commit_is_read_where_figures_name_it() {
    let said = "*Version 0.1.0, commit\n7a767b53, 25 November.* Every commit counts; commit 31802b0: fewer.";
    assert_eq!(commits_named(said), ["7a767b53", "31802b0"]);
}
