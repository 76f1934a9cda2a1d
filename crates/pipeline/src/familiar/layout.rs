//! Which field of a card is which file of the familiar's folder. The table is the truth: a file that is not in it is
//! never read as a field (cards-and-lore 7.1).

use familiar_cards::text::unix_lines;

/// Folder of the unpacked card, from the familiar's root.
pub(crate) const SELF: &str = "memory/self";
/// Folder of the lorebooks.
pub(crate) const LORE: &str = "memory/lore";
/// The short card, where somebody wrote one; no field of any card, so neither read from one nor exported.
pub(crate) const SHORT: &str = "memory/self/short.md";
/// The card's JSON, whole.
pub(crate) const CARD_JSON: &str = "memory/self/card.json";
/// What the last import wrote.
pub(crate) const RECORD: &str = "memory/self/.import.json";
/// For people: what was bent on the way in.
pub(crate) const REPORT: &str = "import-report.md";
/// Settings; made once, then the owner's.
pub(crate) const CHARACTER_TOML: &str = "character.toml";
/// The original's name without its extension.
pub(crate) const ORIGINAL: &str = "memory/self/.original";
/// The note that goes into the chat; its file has front matter for depth and role.
pub(crate) const DEPTH_PROMPT: &str = "memory/self/depth_prompt.md";
/// Greetings, `00.md` first; groups' greetings are `group-00.md`.
pub(crate) const GREETINGS: &str = "memory/self/greetings";
/// The portrait without its extension.
pub(crate) const AVATAR: &str = "memory/self/assets/avatar";
/// Extensions a portrait may have.
pub(crate) const AVATAR_KINDS: [&str; 5] = ["png", "jpg", "webp", "gif", "avif"];

/// What it is called.
pub(crate) const NAME: &str = "memory/self/name.md";

/// Single text fields: the card's name for it, and its file.
pub(crate) const FIELDS: [(&str, &str); 9] = [
    ("name", NAME),
    ("nickname", "memory/self/nickname.md"),
    ("system_prompt", "memory/self/system_prompt.md"),
    ("description", "memory/self/description.md"),
    ("personality", "memory/self/personality.md"),
    ("scenario", "memory/self/scenario.md"),
    ("mes_example", "memory/self/mes_example.md"),
    ("post_history_instructions", "memory/self/post_history_instructions.md"),
    ("creator_notes", "memory/self/notes/creator_notes.md"),
];

/// Whether a file of `memory/self` counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldFile {
    /// It is one of the table, or a folder or record beside the fields.
    Read,
    Unread {
        /// The names that are read.
        known: Vec<String>,
    },
}

/// What a name directly in `memory/self` is.
pub fn field_file_of(name: &str) -> FieldFile {
    let known: Vec<String> = FIELDS
        .iter()
        .map(|(_, path)| *path)
        .chain([DEPTH_PROMPT, SHORT, CARD_JSON, GREETINGS, "memory/self/notes", "memory/self/assets"])
        .filter_map(|path| path.strip_prefix("memory/self/"))
        .filter(|name| !name.contains('/'))
        .map(str::to_owned)
        .collect();
    if known.iter().any(|known| known == name) { FieldFile::Read } else { FieldFile::Unread { known } }
}

/// A field's file: its text and one line end.
pub(crate) fn field_file(text: &str) -> Vec<u8> {
    format!("{text}\n").into_bytes()
}

/// The text of a field's file; people's editors may or may not end it with a line end.
pub(crate) fn field_text(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    let text = unix_lines(&text);
    text.strip_suffix('\n').unwrap_or(&text).to_owned()
}

/// A greeting's file; `prefix` is empty or `group-`.
pub(crate) fn greeting_path(prefix: &str, number: usize) -> String {
    format!("{GREETINGS}/{prefix}{number:02}.md")
}

/// The number of a greeting's file name, where it is one of that kind.
pub(crate) fn greeting_number(name: &str, prefix: &str) -> Option<usize> {
    let digits = name.strip_prefix(prefix)?.strip_suffix(".md")?;
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then(|| digits.parse().ok())?
}
