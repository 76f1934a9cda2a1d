//! Which parts of which notes hold a word, so that a search reads what it finds and not everything there is.
//!
//! Owns the index from stems to parts. It is made when it is first asked, and only anew for notes that changed. Must not
//! know who may see what, or how finds are ranked. Start at [`Words::holding`].

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

use super::note::{Note, Section};
use crate::text::keywords;

/// Notes are indexed in so many shares: one that changed has a hundredth of ten thousand read again.
const SHARES: u64 = 64;

/// The index over all notes.
#[derive(Debug, Clone, Default)]
pub(super) struct Words {
    shares: Vec<Arc<Share>>,
}

/// Some of the notes.
#[derive(Debug, Default)]
struct Share {
    notes: Vec<Arc<Note>>,
    by_stem: OnceLock<HashMap<String, Vec<(u32, u32)>>>,
}

/// A part of a note that holds some of the words that were asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holding<'a> {
    /// The note.
    pub note: &'a Note,
    /// The part.
    pub section: Section<'a>,
    /// For each word whether it stands in the part or its heading.
    pub held: Vec<bool>,
}

impl Words {
    /// Over `notes`; shares that are the same in `before` are not made again.
    pub(super) fn new<'a>(notes: impl Iterator<Item = &'a Arc<Note>>, before: &Self) -> Self {
        let mut shares: Vec<Vec<Arc<Note>>> = vec![Vec::new(); usize::try_from(SHARES).unwrap_or(1)];
        for note in notes {
            shares[share_of(&note.slug)].push(Arc::clone(note));
        }
        let shares = shares.into_iter().enumerate().map(|(at, notes)| {
            let known = before.shares.get(at).filter(|known| known.is_of(&notes));
            known.map_or_else(|| Arc::new(Share { notes, by_stem: OnceLock::new() }), Arc::clone)
        });
        Self { shares: shares.collect() }
    }

    /// The parts that hold any of some stems, in the order of notes and parts. The first question after a change reads
    /// every note that came or changed: for a blocking thread.
    pub(super) fn holding(&self, stems: &[String]) -> Vec<Holding<'_>> {
        let mut found: BTreeMap<(&str, u32), (&Note, Vec<bool>)> = BTreeMap::new();
        for share in &self.shares {
            let by_stem = share.by_stem();
            for (at, stem) in stems.iter().enumerate() {
                for (number, part) in by_stem.get(stem).into_iter().flatten() {
                    let note = share.notes[*number as usize].as_ref();
                    let (_, held) = found
                        .entry((note.slug.as_str(), *part))
                        .or_insert_with(|| (note, vec![false; stems.len()]));
                    held[at] = true;
                }
            }
        }
        let holding = found.into_iter().filter_map(|((_, part), (note, held))| {
            let section = note.sections().nth(part as usize)?;
            Some(Holding { note, section, held })
        });
        holding.collect()
    }
}

impl Share {
    fn is_of(&self, notes: &[Arc<Note>]) -> bool {
        self.notes.len() == notes.len() && self.notes.iter().zip(notes).all(|(a, b)| Arc::ptr_eq(a, b))
    }

    fn by_stem(&self) -> &HashMap<String, Vec<(u32, u32)>> {
        self.by_stem.get_or_init(|| {
            let mut by_stem: HashMap<String, Vec<(u32, u32)>> = HashMap::new();
            for (number, note) in (0..).zip(&self.notes) {
                for (part, section) in (0..).zip(note.sections()) {
                    let heading = keywords::terms(section.heading.unwrap_or_default());
                    for stem in heading.into_iter().chain(keywords::terms(section.text)) {
                        let parts = by_stem.entry(stem).or_default();
                        if parts.last() != Some(&(number, part)) {
                            parts.push((number, part));
                        }
                    }
                }
            }
            by_stem
        })
    }
}

/// FNV-1a: where a note belongs must not change from roster to roster.
fn share_of(slug: &str) -> usize {
    let hash = slug.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    usize::try_from(hash % SHARES).unwrap_or(0)
}
