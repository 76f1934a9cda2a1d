//! PNG and APNG: walks the chunks itself, since the text chunks most tools write stand behind the pixels, where a
//! decoder that was asked for the header does not look (cards-and-lore 0.2).

use std::io::Read;

use base64::Engine;
use flate2::read::ZlibDecoder;
use serde_json::Value;

use super::{Container, Extracted, NO_CHARACTER, PNG_SIGNATURE};
use crate::payload::{self, quoted_name};
use crate::refusal::{Limit, Refusal, RefusalKind};
use crate::spec;
use crate::text::counted;

/// One chunk, borrowed from the file.
struct PngChunk<'a> {
    /// Where its length field begins, in bytes from the start of the file.
    offset: usize,
    kind: [u8; 4],
    data: &'a [u8],
    /// The stored checksum, where the file still has it.
    crc: Option<u32>,
}

impl PngChunk<'_> {
    fn checksum_holds(&self) -> bool {
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&self.kind);
        hasher.update(self.data);
        self.crc == Some(hasher.finalize())
    }

    fn is_text(&self) -> bool {
        matches!(&self.kind, b"tEXt" | b"zTXt" | b"iTXt")
    }
}

/// How the walk ended.
enum WalkEnd {
    /// At `IEND`, which begins at this byte.
    Whole(usize),
    /// The file stops between or inside chunks; the byte where the unfinished chunk begins.
    CutOff(usize),
    /// A chunk at this byte promises more than the file has.
    TooLong { offset: usize, declared: u32 },
}

/// Walks the chunks without copying or allocating by what a length field says. Chunks are shown one by one, since a
/// file of nothing but empty chunks would make a long list.
fn walk<'a>(bytes: &'a [u8], mut visit: impl FnMut(PngChunk<'a>)) -> WalkEnd {
    let mut at = PNG_SIGNATURE.len();
    loop {
        let Some((length, kind)) = chunk_header(bytes, at) else {
            return WalkEnd::CutOff(at);
        };
        let start = at + 8;
        let end = usize::try_from(length).ok().and_then(|length| start.checked_add(length));
        let Some((end, data)) = end.and_then(|end| bytes.get(start..end).map(|data| (end, data))) else {
            return WalkEnd::TooLong { offset: at, declared: length };
        };
        let crc = bytes.get(end..end + 4).and_then(|crc| crc.try_into().ok()).map(u32::from_be_bytes);
        if &kind == b"IEND" {
            return WalkEnd::Whole(at);
        }
        visit(PngChunk { offset: at, kind, data, crc });
        at = end + 4;
    }
}

fn chunk_header(bytes: &[u8], at: usize) -> Option<(u32, [u8; 4])> {
    let length = bytes.get(at..at + 4)?.try_into().ok()?;
    let kind = bytes.get(at + 4..at + 8)?.try_into().ok()?;
    Some((u32::from_be_bytes(length), kind))
}

/// A text chunk that may matter, still as it stands in the file.
struct Text<'a> {
    chunk: PngChunk<'a>,
    /// As written; of the cards' own keywords in lower case.
    keyword: String,
}

/// What the texts of one file may still hold, in bytes.
struct TextAllowance(u64);

impl TextAllowance {
    /// For a single text.
    fn one() -> Self {
        Self(Limit::InflatedText.value())
    }
}

const EXTERNAL_ASSET: &str = "chara-ext-asset_";

/// Card texts looked at in one file; old Risu cards have one per asset.
const TEXTS_MAX: usize = 1_000;

/// The chunk's keyword in lower case.
fn keyword(chunk: &PngChunk<'_>) -> Option<String> {
    // The PNG specification allows 79 bytes; Risu's asset keywords are longer.
    let head = &chunk.data[..chunk.data.len().min(300)];
    split_nul(head).map(|(keyword, _)| String::from_utf8_lossy(keyword).to_ascii_lowercase())
}

fn matters(keyword: &str) -> bool {
    matches!(keyword, "ccv3" | "chara" | "naidata" | "risuai") || keyword.starts_with(EXTERNAL_ASSET)
}

impl<'a> Text<'a> {
    /// `None` for a chunk that is nobody's business.
    fn of(chunk: PngChunk<'a>) -> Option<Self> {
        let folded = chunk.is_text().then(|| keyword(&chunk)).flatten().filter(|folded| matters(folded))?;
        // The path of an external asset is compared as written; only the fixed part of the keyword is folded.
        let keyword = match split_nul(chunk.data) {
            Some((written, _)) if folded.starts_with(EXTERNAL_ASSET) => {
                String::from_utf8_lossy(written).into_owned()
            }
            _ => folded,
        };
        Some(Self { chunk, keyword })
    }

    /// Where it stands in the file, in bytes.
    fn at(&self) -> u64 {
        u64::try_from(self.chunk.offset).unwrap_or(u64::MAX)
    }

    /// The path of the asset it holds.
    fn asset(&self) -> Option<&str> {
        let (head, path) = self.keyword.split_at_checked(EXTERNAL_ASSET.len())?;
        head.eq_ignore_ascii_case(EXTERNAL_ASSET).then(|| path.trim_start_matches(':'))
    }

    /// What it says, still encoded. `None` when it was ignored with a warning.
    ///
    /// # Errors
    /// A [`Refusal`] when it is larger than one text may be, or takes more room than is left.
    fn read(&self, room: &mut TextAllowance, warnings: &mut Vec<String>) -> Result<Option<Vec<u8>>, Refusal> {
        let (name, offset) = (quoted_name(&self.keyword), self.chunk.offset);
        let mut unreadable = |why: &str| {
            warnings.push(format!("the `{name}` chunk at byte {offset} was ignored: {why}"));
            Ok(None)
        };
        let Some((_, rest)) = split_nul(self.chunk.data) else { return Ok(None) };
        if Limit::TextChunk.exceeded_by(rest.len()) {
            return Err(Refusal::limit(
                Limit::TextChunk,
                format!("the text `{name}` in this picture is too large"),
            )
            .at(self.at()));
        }
        let (stream, is_deflated) = match (&self.chunk.kind, rest) {
            (b"tEXt", text) => (text, false),
            (b"zTXt", [0, stream @ ..]) => (stream, true),
            (b"zTXt", _) => return unreadable("its compression method is unknown"),
            (_, [flag, method, tail @ ..]) => {
                let text = split_nul(tail).and_then(|(_, tail)| split_nul(tail)).map(|(_, text)| text);
                match (flag, method, text) {
                    (0, _, Some(text)) => (text, false),
                    (1, 0, Some(stream)) => (stream, true),
                    (_, _, None) => return unreadable("it is cut short"),
                    _ => return unreadable("its compression method is unknown"),
                }
            }
            _ => return unreadable("it is cut short"),
        };
        let most = Limit::InflatedText.value().min(room.0);
        let mut text = Vec::new();
        let read = if is_deflated {
            ZlibDecoder::new(stream).take(most + 1).read_to_end(&mut text)
        } else {
            stream.take(most + 1).read_to_end(&mut text)
        };
        let size = u64::try_from(text.len()).unwrap_or(u64::MAX);
        room.0 = room.0.saturating_sub(size);
        if size > most {
            let limit =
                if most < Limit::InflatedText.value() { Limit::FileTexts } else { Limit::InflatedText };
            return Err(Refusal::limit(limit, format!("the text `{name}` in this picture is too large"))
                .at(self.at()));
        }
        if let Err(error) = read {
            return unreadable(&format!("it does not inflate ({error})"));
        }
        if text.contains(&0) {
            return unreadable("there is a NUL inside its text");
        }
        if !self.chunk.checksum_holds() {
            warnings.push(format!("the checksum of the `{name}` chunk at byte {offset} is wrong"));
        }
        Ok(Some(text))
    }
}

fn split_nul(data: &[u8]) -> Option<(&[u8], &[u8])> {
    let nul = data.iter().position(|&byte| byte == 0)?;
    Some((&data[..nul], &data[nul + 1..]))
}

/// Takes the card out of a PNG: the first `ccv3` that decodes, else the first `chara` that does. Only what is asked for
/// is read, so that texts nobody needs cost nothing.
pub(super) fn open_png(bytes: &[u8]) -> Result<Extracted, Refusal> {
    let mut warnings = Vec::new();
    let mut texts = Vec::new();
    let mut seen = 0_usize;
    let end = walk(bytes, |chunk| {
        if let Some(text) = Text::of(chunk) {
            seen += 1;
            if seen <= TEXTS_MAX {
                texts.push(text);
            }
        }
    });
    if seen > TEXTS_MAX {
        warnings.push(format!("only the first {TEXTS_MAX} of {seen} card texts were looked at"));
    }
    let card = pick(&texts, &mut warnings);
    let (value, offset) = match (card, end) {
        (Ok(Some(card)), end) => {
            match end {
                WalkEnd::Whole(_) => {}
                WalkEnd::CutOff(at) => warnings.push(format!("the file ends at byte {at} without IEND")),
                WalkEnd::TooLong { offset, .. } => {
                    warnings.push(format!("the file is cut off inside the chunk at byte {offset}"));
                }
            }
            card
        }
        (_, WalkEnd::TooLong { offset, declared }) => {
            return Err(Refusal::limit(
                Limit::DeclaredLength,
                format!(
                    "the picture is cut off: a part of {declared} bytes is not all there; download it again"
                ),
            )
            .at(u64::try_from(offset).unwrap_or(u64::MAX)));
        }
        (Err(refusal), _) => return Err(refusal),
        (Ok(None), WalkEnd::Whole(at) | WalkEnd::CutOff(at)) => return Err(no_card_inside(at, &warnings)),
    };
    let mut extracted = Extracted::new(Container::Png, value, offset, warnings);
    extracted.picture = Some(with_card(bytes, &[]));
    let book = texts.iter().find(|text| text.keyword == "naidata");
    let book = book.and_then(|text| text.read(&mut TextAllowance::one(), &mut Vec::new()).ok().flatten());
    extracted.side_book = book.and_then(|text| payload::decode(&text, &mut Vec::new()).ok());
    take_assets(&texts, &mut extracted);
    Ok(extracted)
}

/// The files that stand in chunks of their own, as many as there is room for.
fn take_assets(texts: &[Text<'_>], extracted: &mut Extracted) {
    let mut room = TextAllowance(Limit::ZipInflated.value());
    for (text, path) in texts.iter().filter_map(|text| Some((text, text.asset()?))) {
        let offset = text.chunk.offset;
        let data = match text.read(&mut room, &mut extracted.warnings) {
            Ok(Some(encoded)) => payload::base64(&encoded, &mut Vec::new())
                .map_err(|_| format!("the asset chunk at byte {offset} is not base64 and was ignored")),
            Ok(None) => continue,
            Err(refusal) => Err(format!("the asset chunk at byte {offset} was ignored: {}", refusal.error)),
        };
        match data {
            Ok(data) => extracted.files.push((path.to_owned(), data)),
            Err(warning) => extracted.warnings.push(warning),
        }
    }
}

/// The refusal for a PNG without a card, at the byte where the search ended; says so when chunks were ignored on the way.
fn no_card_inside(at: usize, warnings: &[String]) -> Refusal {
    let last = warnings.last().map(|warning| format!(" ({warning})")).unwrap_or_default();
    Refusal::new(RefusalKind::NotACard, format!("{NO_CHARACTER}{last}"))
        .at(u64::try_from(at).unwrap_or(u64::MAX))
}

/// The card's JSON and where it stands. A text that cannot be used makes way for the next.
fn pick(texts: &[Text<'_>], warnings: &mut Vec<String>) -> Result<Option<(Value, u64)>, Refusal> {
    let mut failed: Option<Refusal> = None;
    let mut no_card: Option<(Value, u64)> = None;
    for keyword in ["ccv3", "chara"] {
        // Half of it each: whatever the newer texts take, the older ones can still be read.
        let mut room = TextAllowance(Limit::FileTexts.value() / 2);
        let mut same = texts.iter().filter(|text| text.keyword == keyword);
        while let Some(text) = same.next() {
            let at = text.at();
            let mut notes = Vec::new();
            let read = match text.read(&mut room, warnings) {
                Ok(None) => continue,
                Ok(Some(encoded)) => payload::decode(&encoded, &mut notes),
                Err(refusal) => Err(refusal),
            };
            match read {
                Ok(value) if !spec::holds_card(&value) => {
                    warnings
                        .push(format!("the `{keyword}` chunk at byte {at} was passed over: it is no card"));
                    no_card.get_or_insert((value, at));
                }
                Ok(value) => {
                    warnings.append(&mut notes);
                    let others = same.count();
                    if others > 0 {
                        warnings.push(format!(
                            "the first `{keyword}` chunk counts; ignored: {}",
                            counted(others as u64, "other")
                        ));
                    }
                    if keyword == "ccv3" {
                        compare_with_chara(&value, texts, warnings);
                    }
                    return Ok(Some((value, at)));
                }
                // An offset into decoded text would mislead; the chunk's place in the file is what a person can find.
                Err(refusal) => {
                    warnings.push(format!(
                        "the `{keyword}` chunk at byte {at} was passed over: {}",
                        refusal.error
                    ));
                    failed.get_or_insert(refusal.at(at));
                }
            }
        }
    }
    // With no card anywhere, what there is instead decides the words of the refusal.
    match (no_card, failed) {
        (Some(found), _) => Ok(Some(found)),
        (None, Some(refusal)) => Err(refusal),
        (None, None) => Ok(None),
    }
}

/// Says where the two copies of a card differ, since other programs may show the other one.
fn compare_with_chara(ccv3: &Value, texts: &[Text<'_>], warnings: &mut Vec<String>) {
    let other = texts.iter().find(|text| text.keyword == "chara");
    let Some(Ok(Some(encoded))) = other.map(|other| other.read(&mut TextAllowance::one(), &mut Vec::new()))
    else {
        return;
    };
    let Ok(chara) = payload::decode(&encoded, &mut Vec::new()) else { return };
    let data = |value: &Value, field: &str| {
        value.get("data").and_then(|data| data.get(field)).or_else(|| value.get(field)).cloned()
    };
    let differ: Vec<&str> =
        ["name", "description", "personality", "scenario", "first_mes", "mes_example", "system_prompt"]
            .into_iter()
            .filter(|field| data(&chara, field).is_some_and(|old| data(ccv3, field) != Some(old)))
            .collect();
    if !differ.is_empty() {
        warnings.push(format!("`ccv3` and `chara` differ in {}; `ccv3` counts", differ.join(", ")));
    }
}

/// The same picture with the given texts (keyword, JSON) as base64 `tEXt` chunks before `IEND`, old ones removed. When the
/// file is cut off, whole chunks are kept.
pub(crate) fn with_card(bytes: &[u8], texts: &[(&str, &str)]) -> Vec<u8> {
    let mut out = PNG_SIGNATURE.to_vec();
    walk(bytes, |chunk| {
        if !(chunk.is_text() && keyword(&chunk).is_some_and(|keyword| matters(&keyword))) {
            push_chunk(&mut out, chunk.kind, chunk.data);
        }
    });
    for (keyword, json) in texts {
        let mut data = keyword.as_bytes().to_vec();
        data.push(0);
        data.extend_from_slice(base64::engine::general_purpose::STANDARD.encode(json).as_bytes());
        push_chunk(&mut out, *b"tEXt", &data);
    }
    push_chunk(&mut out, *b"IEND", &[]);
    out
}

fn push_chunk(out: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) {
    let length = u32::try_from(data.len()).unwrap_or(u32::MAX);
    out.extend_from_slice(&length.to_be_bytes());
    out.extend_from_slice(&kind);
    out.extend_from_slice(data);
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&kind);
    hasher.update(data);
    out.extend_from_slice(&hasher.finalize().to_be_bytes());
}
