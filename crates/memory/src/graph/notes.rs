//! What a note says about what hangs together: its lines, whom and what they are about, what they come
//! from, and what they point to (G2, G5).
//!
//! Owns how Markdown becomes sayings. Must not know where files lie. Lines whose audience cannot be told say nothing.
//! Start reading at [`note_sayings`].

use std::ops::Range;
use std::sync::Arc;

use jiff::tz::TimeZone;

use super::kinds::{EdgeKind, NodeId, NodeKind, Saying};
use super::turns::{behind_phrase, each_once, telling};
use crate::domain::{Audience, StoredId};
use crate::memory::facts::{BlockKind, By, Evidence, FactData, FactKind, NotePage, PageBlock};
use crate::memory::store::NotePath;
use crate::text::keywords;
use crate::text::short::one_line;

/// Topics, names and links of one line.
const TOPICS: usize = 12;
const NAMES: usize = 8;
const LINKS: usize = 16;

/// Folders whose notes are about what they are called.
pub(super) const PEOPLE: &str = "people";
const TOPIC_NOTES: &str = "topics";

impl NodeId {
    /// A note, or an entry of lore, by its path.
    pub fn note(path: &str) -> Self {
        let kind = if path.starts_with("lore/") { NodeKind::Lore } else { NodeKind::Note };
        Self::new(kind, path)
    }

    /// Whom or what a note is about; `None` where it lies neither with the people nor with the topics.
    pub fn subject_of(note: &NotePath) -> Option<Self> {
        if note.is_in(PEOPLE) {
            Some(Self::new(NodeKind::Person, note.stem()))
        } else if note.is_in(TOPIC_NOTES) {
            keywords::terms(note.stem()).first().map(|stem| Self::topic(stem))
        } else {
            None
        }
    }
}

/// What a note says. One that cannot be read, or does not count, says nothing.
pub(super) fn note_sayings(path: &NotePath, text: &str) -> Vec<Saying> {
    let Some(page) = NotePage::parse(text).ok().filter(|page| page.front().is_enabled) else {
        return Vec::new();
    };
    let (note, subject) = (NodeId::note(path.as_str()), NodeId::subject_of(path));
    let mut folder = NoteFolder { path, note, subject, sayings: Vec::new() };
    folder.whole(&page);
    for (number, block) in page.blocks().iter().enumerate() {
        let is_line = !matches!(block.kind, BlockKind::Heading(_)) && !block.words.is_empty();
        if let Some(audience) = block.audience.as_ref().filter(|_| is_line) {
            folder.line(number, block, audience);
        }
    }
    folder.sayings
}

struct NoteFolder<'a> {
    path: &'a NotePath,
    note: NodeId,
    subject: Option<NodeId>,
    sayings: Vec<Saying>,
}

impl NoteFolder<'_> {
    /// What the note is called, and about whom or what it is.
    fn whole(&mut self, page: &NotePage) {
        let audience = &page.front().audience;
        let title = page.blocks().iter().find(|block| block.kind == BlockKind::Heading(1));
        let label = title
            .filter(|title| title.audience.as_ref() == Some(audience))
            .map_or(self.path.stem(), |title| title.words.as_str());
        let audience: Arc<str> = audience.to_string().into();
        let mut say = |from: &NodeId, to: &NodeId, kind| {
            self.sayings.push(Saying::once(from, to, kind, &audience, 0));
        };
        say(&self.note, &NodeId::label(label), EdgeKind::Reads);
        if let Some(subject) = &self.subject {
            say(&self.note, subject, EdgeKind::About);
        }
        let called = self.subject.as_ref().unwrap_or(&self.note);
        for alias in &page.front().aliases {
            let name = keywords::fold(alias);
            if !name.is_empty() {
                let node = NodeId::new(NodeKind::Alias, name);
                say(&node, &NodeId::label(alias), EdgeKind::Reads);
                say(called, &node, EdgeKind::Called);
            }
        }
    }

    /// A line that says something.
    fn line(&mut self, number: usize, block: &PageBlock, audience: &Audience) {
        let data = block.data.clone().unwrap_or_default();
        let name = block.fact().map_or_else(|| format!("p{number}"), ToString::to_string);
        let kind = if data.kind == FactKind::Lesson { NodeKind::Learning } else { NodeKind::Fact };
        let node = NodeId::new(kind, format!("{}#{name}", self.path));
        let (audience, at): (Arc<str>, i64) = (audience.to_string().into(), day_ms(&data));
        let mut say = |from: &NodeId, to: &NodeId, kind| {
            self.sayings.push(Saying::once(from, to, kind, &audience, at));
        };
        say(&node, &NodeId::label(&fact_words(&block.words, &data)), EdgeKind::Reads);
        say(&self.note, &node, EdgeKind::Contains);
        for StoredId(turn) in data.turns() {
            say(&node, &NodeId::new(NodeKind::Message, turn.to_string()), EdgeKind::DerivedFrom);
        }
        for learning in made_of(self.path, &data) {
            say(&learning, &node, EdgeKind::SynthesizedInto);
        }
        if let Some(was) = &data.was {
            say(&node, &NodeId::new(kind, format!("{}#{was}", self.path)), EdgeKind::Contradicts);
        }
        // What another fact took the place of is kept, and hangs together with nothing any more.
        if data.gone.is_some() {
            return;
        }
        if let (NodeKind::Learning, Some(By::Person(account))) = (kind, &data.by) {
            say(&node, &NodeId::person(account), EdgeKind::About);
        }
        if let Some(subject) = &self.subject {
            say(&node, subject, EdgeKind::About);
        }
        for topic in telling(&block.words, TOPICS) {
            say(&node, &NodeId::topic(&topic), EdgeKind::RelatedTo);
        }
        for name in folded_names(&block.words) {
            say(&node, &NodeId::new(NodeKind::Alias, name), EdgeKind::Mentions);
        }
        for link in links(self.path, &block.words) {
            say(&node, &NodeId::note(&link), EdgeKind::Links);
        }
        if let Some(person) = self.subject.as_ref().filter(|subject| subject.kind == NodeKind::Person) {
            for topic in behind_phrase(&block.words, "they_know") {
                say(person, &NodeId::topic(&topic), EdgeKind::ExpertIn);
            }
        }
    }
}

/// What a conclusion was made of, which it says as `from=f:a,f:b`: of the same note by their ids alone.
fn made_of(path: &NotePath, data: &FactData) -> impl Iterator<Item = NodeId> {
    data.from.iter().filter_map(move |one| {
        let Evidence::Other(other) = one else { return None };
        let part = other.strip_prefix("f:")?;
        let key = if part.contains('#') { part.to_owned() } else { format!("{path}#{part}") };
        Some(NodeId::new(NodeKind::Learning, key))
    })
}

/// The words, with the time they are true of where that has an end or a beginning.
fn fact_words(words: &str, data: &FactData) -> String {
    let words = one_line(words);
    match (data.since, data.until) {
        (None, None) => words,
        (Some(since), None) => format!("(from {since}) {words}"),
        (None, Some(until)) => format!("(until {until}) {words}"),
        (Some(since), Some(until)) => format!("({since} to {until}) {words}"),
    }
}

/// The day it was learnt, by its beginning in UTC; 0 where nobody says.
fn day_ms(data: &FactData) -> i64 {
    let day = data.on.and_then(|on| on.to_zoned(TimeZone::UTC).ok());
    day.map_or(0, |day| day.timestamp().as_millisecond())
}

/// Words that may be names, folded. What is nobody's name is a name that nobody has.
fn folded_names(words: &str) -> Vec<Arc<str>> {
    let folded = keywords::possible_names(words).map(keywords::fold);
    each_once(folded.filter(|word| word.chars().count() > 1), NAMES)
}

/// Notes that words point to.
fn links(from: &NotePath, words: &str) -> Vec<String> {
    let mut links: Vec<String> = Vec::new();
    for NoteLink { to, .. } in note_links(from, words) {
        let target = to.as_str().to_owned();
        if links.len() < LINKS && to != *from && !links.contains(&target) {
            links.push(target);
        }
    }
    links
}

/// A place in words that points to a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteLink {
    /// Where it stands, in bytes.
    pub range: Range<usize>,
    pub label: String,
    pub to: NotePath,
}

/// Where words point to notes, in the order in which that stands there: `[[topics/bees]]`, `[[bees|the bees]]` (a name alone
/// is a topic's) and `[bees](../topics/bees.md)`.
pub fn note_links(from: &NotePath, words: &str) -> Vec<NoteLink> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(open) = words[at..].find('[').map(|open| at + open) {
        match wiki_link(words, open).or_else(|| plain_link(from, words, open)) {
            Some(link) => {
                at = link.range.end;
                found.push(link);
            }
            None => at = open + 1,
        }
    }
    found
}

fn wiki_link(words: &str, open: usize) -> Option<NoteLink> {
    let inside = words[open..].strip_prefix("[[")?.split_once("]]")?.0;
    let (target, label) = inside.split_once('|').unwrap_or((inside, ""));
    let path = target.split('#').next().unwrap_or_default().trim();
    let ending = if path.ends_with(".md") { "" } else { ".md" };
    let to = match NotePath::new(format!("{path}{ending}")).ok().filter(|_| !inside.contains('['))? {
        bare if bare.folder().is_none() && !bare.is_note_in(&[]) => {
            NotePath::new(format!("{TOPIC_NOTES}/{bare}")).ok()?
        }
        to => to,
    };
    let label = Some(label.trim()).filter(|label| !label.is_empty()).unwrap_or(to.stem()).to_owned();
    Some(NoteLink { range: open..open + inside.len() + 4, label, to })
}

fn plain_link(from: &NotePath, words: &str, open: usize) -> Option<NoteLink> {
    let (label, behind) = words[open..].strip_prefix('[')?.split_once("](")?;
    let target = behind.split_once(')')?.0;
    let path = target.split('#').next().unwrap_or_default().trim();
    let to = path.ends_with(".md").then(|| beside(from, path)).flatten()?;
    let to = NotePath::new(to).ok().filter(|_| !label.contains(['[', ']']))?;
    Some(NoteLink { range: open..open + label.len() + target.len() + 4, label: label.to_owned(), to })
}

/// A path as it is meant beside a note.
fn beside(from: &NotePath, target: &str) -> Option<String> {
    let mut names: Vec<&str> = from.folder().map(|folder| folder.split('/').collect()).unwrap_or_default();
    for step in target.split('/') {
        match step {
            "." | "" => {}
            ".." => drop(names.pop()?),
            name => names.push(name),
        }
    }
    Some(names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(path: &str, text: &str) -> Vec<String> {
        let words =
            |Saying { from, to, kind, audience, .. }: &Saying| format!("{from} {kind} {to} [{audience}]");
        note_sayings(&NotePath::new(path).unwrap(), text).iter().map(words).collect()
    }

    #[test]
    fn words_point_to_notes_in_three_ways() {
        let from = NotePath::new("people/discord-1.md").unwrap();
        let words = "See [[topics/bees]], [[regatta|the race]], [a list](../lore/list.md#two), [[ and [x](https://x.y).";
        let found: Vec<_> = note_links(&from, words)
            .into_iter()
            .map(|link| (words[link.range].to_owned(), link.label, link.to.to_string()))
            .collect();
        let expected = [
            ("[[topics/bees]]", "bees", "topics/bees.md"),
            ("[[regatta|the race]]", "the race", "topics/regatta.md"),
            ("[a list](../lore/list.md#two)", "a list", "lore/list.md"),
        ];
        assert_eq!(found, expected.map(|(at, label, to)| (at.to_owned(), label.to_owned(), to.to_owned())));
        let top = &note_links(&from, "[[notes]] [[[[a]]")[..];
        assert_eq!(top.iter().map(|link| link.to.as_str()).collect::<Vec<_>>(), ["notes.md", "topics/a.md"]);
    }

    #[test]
    fn g2_a_note_says_what_it_holds_whom_it_names_and_where_it_comes_from() {
        let said = seen(
            "people/discord-1.md",
            "---\naudience: guild:7\naliases: [Ana]\n---\n# Ana\n\n## Family\n\n\
             - Ben is her brother, see [[topics/bees]] and [x](../topics/ropes.md). \
             <!-- f=ab to=dm:discord:1 from=t:9 on=2026-03-01 was=aa -->\n\
             - An old one. <!-- f=aa to=dm:discord:1 gone=2026-03-01 now=ab -->\n",
        );
        for expected in [
            "note/people/discord-1.md reads label/Ana [guild:7]",
            "note/people/discord-1.md about person/discord-1 [guild:7]",
            "person/discord-1 called alias/ana [guild:7]",
            "note/people/discord-1.md contains fact/people/discord-1.md#ab [dm:discord:1]",
            "fact/people/discord-1.md#ab derived_from message/9 [dm:discord:1]",
            "fact/people/discord-1.md#ab contradicts fact/people/discord-1.md#aa [dm:discord:1]",
            "fact/people/discord-1.md#ab about person/discord-1 [dm:discord:1]",
            "fact/people/discord-1.md#ab mentions alias/ben [dm:discord:1]",
            "fact/people/discord-1.md#ab links note/topics/bees.md [dm:discord:1]",
            "fact/people/discord-1.md#ab links note/topics/ropes.md [dm:discord:1]",
        ] {
            assert!(said.iter().any(|one| one == expected), "{expected}\n{}", said.join("\n"));
        }
        assert!(!said.iter().any(|one| one.starts_with("fact/people/discord-1.md#aa about")), "superseded");
    }

    #[test]
    fn contradiction_8_a_line_whose_audience_cannot_be_told_says_nothing() {
        let said = seen("people/discord-1.md", "# Ana\n\n- A secret. <!-- f=ab to=everybody -->\n");
        assert!(!said.iter().any(|one| one.contains("secret") || one.contains("#ab")), "{said:?}");
        assert!(seen("topics/x.md", "---\naudience: nobody\n---\nwords").is_empty());
    }

    #[test]
    fn g4_a_note_about_somebody_says_what_they_know_about() {
        let said = seen("people/discord-2.md", "- Ben plays the cello. <!-- f=ab to=guild:7 -->\n");
        assert!(said.contains(&"person/discord-2 expert_in topic/cello [guild:7]".to_owned()), "{said:?}");
    }

    #[test]
    fn g6_what_lessons_came_to_says_which() {
        let said = seen("people/discord-2.md", "- Short answers. <!-- f=s to=guild:7 from=f:a,f:b,f:c -->\n");
        let expected = "learning/people/discord-2.md#b synthesized_into fact/people/discord-2.md#s [guild:7]";
        assert!(said.contains(&expected.to_owned()), "{said:?}");
    }
}
