//! What an import did, for people (Markdown) and for programs (one JSON object).

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;

use familiar_cards::lore::{FeatureUse, LoreLibrary, Lorebook, Shelved, Support};
use familiar_cards::macros::{unknown_macros, volatile_macros};
use familiar_cards::{Card, Container, Spec};
use serde::Serialize;
use serde_json::{Map, Value};

use super::install::SharedFile;
use crate::domain::FamiliarId;
use crate::text::short::{counted, one_line};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ImportStatus {
    Created,
    /// An existing familiar took the new card; edits were kept.
    Updated,
    /// The same file had been imported before.
    Unchanged,
    /// Nothing was written, because that was asked for.
    DryRun,
}

/// The report of `familiar init`. Its JSON is an interface: names stay.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ImportReport {
    pub id: FamiliarId,
    pub name: String,
    /// Whether that is its file's, because nobody named it.
    #[serde(skip)]
    pub is_nameless: bool,
    pub nickname: Option<String>,
    pub container: Container,
    pub spec: Spec,
    /// Greetings with text: the first and the alternates.
    pub greetings: usize,
    /// Greetings for groups with text.
    pub group_greetings: usize,
    /// Entries of the card's book, disabled ones included.
    pub lore_entries: usize,
    /// Disabled ones among them.
    pub lore_disabled: usize,
    /// Length of each single text field, in characters.
    pub fields: Map<String, Value>,
    /// One line for every lenient step.
    pub warnings: Vec<String>,
    pub status: ImportStatus,
    pub path: PathBuf,
    pub sha256: String,
    pub tags: Vec<String>,
    /// Files whose edits were kept although the new card says something else there.
    pub kept_edits: Vec<String>,
    /// Macros that stay as written, as `name in field`.
    pub unsupported_macros: Vec<String>,
    /// Macros that keep the stable part of the prompt from being cached, as `name in field`.
    pub uncached_macros: Vec<String>,
    /// What the book's entries ask for, one line each.
    pub lore_features: Vec<String>,
}

impl ImportReport {
    /// The report of a card that is about to be written.
    pub(crate) fn new(id: FamiliarId, path: PathBuf, sha256: String, card: &Card) -> Self {
        let lengths = card.fields().map(|(name, text)| (name.to_owned(), Value::from(text.chars().count())));
        let full = |list: &[String]| list.iter().filter(|text| !text.trim().is_empty()).count();
        let entries = card.book.as_ref().map(|book| book.entries.as_slice()).unwrap_or_default();
        let (unsupported_macros, uncached_macros) = macro_lines(card);
        let mut warnings = card.warnings.clone();
        let others = card.alternate_greetings.iter().chain(&card.group_only_greetings);
        let empty = others.filter(|text| text.trim().is_empty()).count();
        if empty > 0 {
            warnings.push(format!("{} without words left out", counted(empty as u64, "greeting")));
        }
        Self {
            id,
            name: card.name.clone(),
            is_nameless: false,
            nickname: card.nickname.clone(),
            container: card.container,
            spec: card.spec,
            greetings: card.greetings().count(),
            group_greetings: full(&card.group_only_greetings),
            lore_entries: entries.len(),
            lore_disabled: entries.iter().filter(|entry| !entry.enabled).count(),
            fields: lengths.into_iter().collect(),
            warnings,
            status: ImportStatus::Created,
            path,
            sha256,
            tags: card.tags.clone(),
            kept_edits: Vec::new(),
            unsupported_macros,
            uncached_macros,
            lore_features: card.book.as_ref().map(feature_lines).unwrap_or_default(),
        }
    }

    /// Adds what the three-way comparison kept.
    pub(crate) fn note_kept(&mut self, kept: &[SharedFile]) {
        for file in kept.iter().filter(|file| file.conflict) {
            self.warnings
                .push(format!("your version of {} was kept; the new card's is in card.json", file.path));
            self.kept_edits.push(file.path.clone());
        }
    }

    /// `a V3 card from a PNG file`.
    pub fn card_told(&self) -> String {
        let (spec, container) = (self.spec.as_str(), self.container.as_str());
        format!("a {} card from a {} file", spec.to_uppercase(), container.to_uppercase())
    }

    /// `3 greetings, 1 for groups`.
    pub fn greetings_told(&self) -> String {
        let all = counted(self.greetings as u64, "greeting");
        if self.group_greetings == 0 { all } else { format!("{all}, {} for groups", self.group_greetings) }
    }

    /// `3 lore entries, 1 of them disabled`.
    pub fn lore_told(&self) -> String {
        entries_told(self.lore_entries, self.lore_disabled)
    }

    /// The report as `import-report.md`.
    pub fn to_markdown(&self) -> String {
        let mut out = format!("# How {} was imported\n\n", one_line(&self.name));
        let _ = writeln!(
            out,
            "- {}, SHA-256 `{}`\n- {}\n- {}",
            self.card_told(),
            self.sha256,
            self.greetings_told(),
            self.lore_told()
        );
        if !self.tags.is_empty() {
            let _ = writeln!(out, "- tags: {}", one_line(&self.tags.join(", ")));
        }
        let _ = writeln!(
            out,
            "\nThe original file is kept beside the fields in `memory/self/`, and all of its JSON in `card.json`."
        );
        report_section(&mut out, "What had to be bent", &self.warnings);
        report_section(&mut out, "Macros that keep the prompt from being cached", &self.uncached_macros);
        report_section(&mut out, "Macros that leave nothing", &self.unsupported_macros);
        report_section(&mut out, "What the lorebook asks for", &self.lore_features);
        out.push_str("\n## Field lengths, in characters\n\n");
        for (name, length) in &self.fields {
            let _ = writeln!(out, "- {name}: {length}");
        }
        out
    }
}

/// `3 lore entries, 1 of them disabled`.
pub fn entries_told(entries: usize, disabled: usize) -> String {
    let all = counted(entries as u64, "lore entry");
    if disabled == 0 { all } else { format!("{all}, {disabled} of them disabled") }
}

fn report_section(out: &mut String, title: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    let _ = write!(out, "\n## {title}\n\n");
    for line in lines {
        let _ = writeln!(out, "- {}", one_line(line));
    }
}

/// The book's features, one line each, and after them the keys that are not what they look like.
pub(crate) fn feature_lines(book: &Lorebook) -> Vec<String> {
    let shelved = Shelved { name: book.name.clone(), book: book.clone(), is_characters: true };
    let library = LoreLibrary::new(&[shelved]);
    book.features()
        .into_iter()
        .map(|FeatureUse { name, entries, support }| {
            let what = match support {
                Support::Honoured => "this works",
                Support::HonouredInStOrder => {
                    "this works with render.mode = \"st\"; otherwise what was called up stands before the newest message"
                }
                Support::Preserved => "this is kept, but does nothing here",
            };
            let uses = if entries == 1 { "uses" } else { "use" };
            format!("{} {uses} {name}: {what}", counted(entries as u64, "entry"))
        })
        .chain(library.notes().iter().cloned())
        .collect()
}

/// Macros of the fields that make the stable block, and of everything that is prompted.
fn macro_lines(card: &Card) -> (Vec<String>, Vec<String>) {
    const STABLE: [&str; 5] = ["system_prompt", "description", "personality", "scenario", "mes_example"];
    let texts =
        card.fields()
            .into_iter()
            .filter(|(name, _)| !matches!(*name, "creator_notes" | "creator" | "character_version"))
            .chain(card.alternate_greetings.iter().map(|text| ("alternate_greetings", text.as_str())))
            .chain(card.group_only_greetings.iter().map(|text| ("group_only_greetings", text.as_str())))
            .chain(card.book.iter().flat_map(|book| {
                book.entries.iter().map(|entry| ("character_book", entry.content.as_str()))
            }));
    let (mut unsupported, mut uncached) = (BTreeSet::new(), BTreeSet::new());
    for (field, text) in texts {
        let line = |name: String| format!("{{{{{name}}}}} in {field}");
        let unknown = unknown_macros(text).into_iter();
        unsupported.extend(unknown.map(line));
        if STABLE.contains(&field) {
            uncached.extend(volatile_macros(text).into_iter().map(line));
        }
    }
    (unsupported.into_iter().collect(), uncached.into_iter().collect())
}
