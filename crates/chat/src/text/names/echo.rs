//! A reply that speaks for others, announces itself, or writes on in the form of the prompt.

use super::LABEL_MAX_CHARS;
use crate::text::fences::OpenFence;

/// How models write who speaks, in [`plain_colons`]; `N` stands for the name.
const LABEL_FORMS: [&str; 6] = ["N:", "**N:**", "**N**:", "*N:*", "*N*:", "[N]:"];

/// The familiar's name as cards write it before its lines in example dialogue.
const UNFILLED: [&str; 2] = ["{{char}}", "{{Char}}"];

/// What cards write over an example of how they talk.
const EXAMPLE: &str = "<START>";

/// Cleans a whole reply (cards-and-lore 5, "Reply clean-up", with all names of the channel): a leading label
/// of the familiar's own is removed, and so are the marks that stand before people's lines in a prompt; from a line that
/// begins with somebody else's label on, everything is cut, so a reply that begins with one is empty. Code blocks are left alone: `alice:` may be a key there.
pub fn strip_speaker_echo(reply: &str, own_names: &[&str], other_names: &[&str]) -> String {
    let mut filter = EchoFilter::new(own_names, other_names);
    let mut clean = filter.push(reply);
    clean.push_str(&filter.finish());
    clean
}

/// [`strip_speaker_echo`] for a reply that is still arriving. Holds back only what could still become a label: the
/// beginning of a line, for as long as it is also the beginning of a known label.
#[derive(Debug, Clone, Default)]
pub struct EchoFilter {
    own: Vec<String>,
    /// Its labels of a card, which count where a reply takes up the form of the prompt: elsewhere it may talk about macros.
    unfilled: Vec<String>,
    others: Vec<String>,
    state: EchoState,
    held: String,
    fence: OpenFence,
    /// White space before a line of which something was taken off: it stays where words follow.
    margin: String,
    /// It began with a mark that the prompt puts before people's lines.
    is_transcript: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum EchoState {
    /// Nothing was let through yet: labels of its own, marks and white space go.
    #[default]
    ReplyStart,
    /// At the start of a later line.
    LineStart,
    /// Behind a label of its own that was taken off such a line.
    BehindLabel,
    /// Behind a mark of the prompt that was taken off it.
    BehindMark,
    InLine,
    /// Somebody else began to speak: the rest is not ours.
    Cut,
}

/// What the beginning of a line has turned out to be.
enum LineStart {
    Undecided,
    /// The familiar's own label, of so many bytes.
    OwnLabel(usize),
    /// A mark of the prompt, of so many bytes.
    Mark(usize),
    OtherLabel,
    Words,
}

impl EchoFilter {
    /// A filter for one reply. Blank names are passed over.
    pub fn new(own_names: &[&str], other_names: &[&str]) -> Self {
        // A person who is called what the familiar is called cannot be told from it.
        let others: Vec<&str> =
            other_names.iter().filter(|name| !own_names.contains(name)).copied().collect();
        let (own, unfilled) = (labels(own_names), labels(&UNFILLED));
        Self { own, unfilled, others: labels(&others), ..Self::default() }
    }

    /// Takes a piece of the reply and gives what can be shown now.
    pub fn push(&mut self, piece: &str) -> String {
        let mut shown = String::new();
        for character in piece.chars() {
            match self.state {
                EchoState::Cut => break,
                EchoState::InLine => self.in_line(character, &mut shown),
                EchoState::ReplyStart
                | EchoState::LineStart
                | EchoState::BehindLabel
                | EchoState::BehindMark => {
                    self.held.push(character);
                    self.at_start(&mut shown);
                }
            }
        }
        shown
    }

    /// Whether the rest of the reply no longer matters: the request can be cancelled.
    pub fn is_cut(&self) -> bool {
        self.state == EchoState::Cut
    }

    /// What was still held back at the end of the reply.
    pub fn finish(self) -> String {
        match self.state {
            EchoState::Cut => String::new(),
            EchoState::ReplyStart => self.held.trim_start().to_owned(),
            EchoState::BehindLabel | EchoState::BehindMark => match self.held.trim_start() {
                "" => String::new(),
                words => self.margin + words,
            },
            EchoState::LineStart | EchoState::InLine => self.held,
        }
    }

    fn in_line(&mut self, character: char, shown: &mut String) {
        self.fence.see(character);
        if character == '\n' && !self.fence.is_open {
            self.state = EchoState::LineStart;
            self.held.push(character);
        } else {
            shown.push(character);
        }
    }

    fn at_start(&mut self, shown: &mut String) {
        match self.verdict() {
            LineStart::Undecided => {}
            LineStart::OwnLabel(bytes) => {
                self.is_transcript |= matches!(marks_at(self.held.trim_start()), PromptMark::Whole(_));
                self.take_off(bytes, EchoState::BehindLabel);
            }
            LineStart::Mark(bytes) => {
                self.is_transcript = true;
                self.take_off(bytes, EchoState::BehindMark);
            }
            LineStart::OtherLabel => {
                self.held.clear();
                self.state = EchoState::Cut;
            }
            LineStart::Words => {
                let held = std::mem::take(&mut self.held);
                let line = held.trim_start();
                shown.push_str(&std::mem::take(&mut self.margin));
                if self.state == EchoState::LineStart {
                    shown.push_str(&held[..held.len() - line.len()]);
                }
                self.state = EchoState::InLine;
                for character in line.chars() {
                    // A line that turned out to be words may itself hold the next line's beginning.
                    match self.state {
                        EchoState::InLine => self.in_line(character, shown),
                        _ => self.held.push(character),
                    }
                }
            }
        }
    }

    fn take_off(&mut self, bytes: usize, then: EchoState) {
        let held = std::mem::take(&mut self.held);
        let line = held.trim_start();
        if self.state == EchoState::LineStart {
            held[..held.len() - line.len()].clone_into(&mut self.margin);
        }
        if self.state != EchoState::ReplyStart {
            self.state = then;
        }
        line[bytes..].clone_into(&mut self.held);
    }

    fn verdict(&self) -> LineStart {
        let line = self.held.trim_start();
        if line.is_empty() {
            return LineStart::Undecided;
        }
        // Only where it takes up the form of the prompt are marks no words: `[12:30] the ferry` may stand in a list.
        let in_form = self.state == EchoState::ReplyStart || self.is_transcript;
        if in_form {
            match mark_at(line) {
                PromptMark::Whole(bytes) => return LineStart::Mark(bytes),
                PromptMark::Open => return LineStart::Undecided,
                PromptMark::None => {}
            }
        } else {
            // What stands behind them decides: the name of somebody who is here makes it a line of a transcript.
            match marks_at(line) {
                PromptMark::Whole(bytes) => {
                    return self.label_at(line, bytes, false).unwrap_or(LineStart::Words);
                }
                PromptMark::Open => return LineStart::Undecided,
                PromptMark::None => {}
            }
        }
        let stamped = || stamped_label(line).filter(|_| self.state == EchoState::BehindMark);
        self.label_at(line, 0, in_form).or_else(stamped).unwrap_or(LineStart::Words)
    }

    /// What the known labels make of a line behind so many bytes of it; `None` where it begins with none of them. Only
    /// where it takes up the form of the prompt is a name that no card has filled one.
    fn label_at(&self, line: &str, behind: usize, in_form: bool) -> Option<LineStart> {
        let words = plain_colons(line[behind..].trim_start());
        let own = || self.own.iter().chain(self.unfilled.iter().filter(move |_| in_form));
        if own().any(|label| *label == words) {
            Some(LineStart::OwnLabel(line.len()))
        } else if self.others.contains(&words) {
            Some(LineStart::OtherLabel)
        } else {
            // White space at the end may still turn out to stand before a colon.
            let begun = words.trim_end_matches(is_blank);
            let may_become = |label: &String| label.starts_with(begun);
            own().chain(&self.others).any(may_become).then_some(LineStart::Undecided)
        }
    }
}

/// What the prompt puts before people's lines, at the beginning of a text.
enum PromptMark {
    None,
    /// It may still become one.
    Open,
    Whole(usize),
}

/// `[12:31]`, `[2026-03-01 12:31]`, `<START>`, `(about an hour later)`, `(answering Ana: “hello”)`: what recent history writes, and models copy.
fn mark_at(text: &str) -> PromptMark {
    let end = |close: &str, most: usize| match text.find(close) {
        Some(at) if at <= most => PromptMark::Whole(at + close.len()),
        None if text.len() <= most && !text.contains('\n') => PromptMark::Open,
        _ => PromptMark::None,
    };
    let begins = |opening: &str| text.starts_with(opening) || opening.starts_with(text);
    if text.starts_with('[') {
        let fits = |stamp: &str| {
            text.chars().zip(stamp.chars()).all(|(is, wanted)| match wanted {
                '0' => is.is_ascii_digit(),
                sign => is == sign,
            })
        };
        let stamp = STAMPS.into_iter().find(|stamp| fits(stamp));
        return stamp.map_or(PromptMark::None, |stamp| end("]", stamp.len() - 1));
    }
    if begins(EXAMPLE) {
        return end(">", EXAMPLE.len() - 1);
    }
    if begins("(answering ") {
        return end("”)", ANSWERING_BYTES);
    }
    if begins("(a little later)") || begins("(about ") {
        return match end(" later)", GAP_BYTES) {
            PromptMark::Whole(bytes) if !is_gap(&text[..bytes]) => PromptMark::None,
            mark => mark,
        };
    }
    PromptMark::None
}

/// The same of all marks that stand there together; it stays open for as long as another may follow.
fn marks_at(text: &str) -> PromptMark {
    let mut bytes = 0;
    loop {
        let rest = text[bytes..].trim_start();
        match mark_at(rest) {
            PromptMark::Whole(more) => bytes = text.len() - rest.len() + more,
            PromptMark::None if bytes > 0 => return PromptMark::Whole(bytes),
            mark => return mark,
        }
    }
}

/// The shapes of a clock, and of one that says its day.
const STAMPS: [&str; 2] = ["[00:00]", "[0000-00-00 00:00]"];

/// A name of 64 characters and a quotation of 80, of up to four bytes each.
const ANSWERING_BYTES: usize = 600;

/// Longer than `(about 59 minutes`.
const GAP_BYTES: usize = 24;

fn is_gap(mark: &str) -> bool {
    let span = mark.strip_prefix("(about ").and_then(|rest| rest.strip_suffix(" later)"));
    mark == "(a little later)"
        || span.is_some_and(|span| match span.split_once(' ') {
            Some(("a", "minute") | ("an", "hour")) => true,
            Some((count, "minutes" | "hours" | "days")) => count.bytes().all(|digit| digit.is_ascii_digit()),
            _ => false,
        })
}

/// Whether a line of a transcript begins with anybody's label; `None` where it does not.
fn stamped_label(line: &str) -> Option<LineStart> {
    let line = plain_colons(line);
    match line.split_once(':') {
        Some((name, _)) if name.contains('\n') || name.chars().count() > LABEL_MAX_CHARS => None,
        Some((_, "")) => Some(LineStart::Undecided),
        Some((_, words)) => words.starts_with(is_blank).then_some(LineStart::OtherLabel),
        None => {
            (!line.contains('\n') && line.chars().count() <= LABEL_MAX_CHARS).then_some(LineStart::Undecided)
        }
    }
}

/// Words with every colon as English writes it: narrow, and without the white space that French puts before it.
fn plain_colons(words: &str) -> String {
    let mut plain = String::with_capacity(words.len());
    for character in words.chars() {
        if matches!(character, ':' | '：') {
            plain.truncate(plain.trim_end_matches(is_blank).len());
            plain.push(':');
        } else {
            plain.push(character);
        }
    }
    plain
}

/// White space within a line, narrow and unbroken too.
fn is_blank(character: char) -> bool {
    character.is_whitespace() && character != '\n'
}

fn labels(names: &[&str]) -> Vec<String> {
    let names = names.iter().map(|name| name.trim()).filter(|name| !name.is_empty());
    names
        .flat_map(|name| LABEL_FORMS.iter().map(move |form| plain_colons(&form.replace('N', name))))
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn clean(reply: &str) -> String {
        strip_speaker_echo(reply, &["Cass", "Cassandra"], &["Alice", "Bob"])
    }

    #[test]
    fn the_familiars_own_label_is_removed() {
        for reply in
            ["Cass: hello", "\nCassandra: hello", "**Cass:** hello", "**Cass**: hello", "Cass: Cass: hello"]
        {
            assert_eq!(clean(reply), "hello", "{reply}");
        }
        assert_eq!(clean("Cassie: hello"), "Cassie: hello", "another name stays");
    }

    #[test]
    fn nobody_is_spoken_for() {
        assert_eq!(clean("I agree.\nAlice: me too\nCass: ha"), "I agree.");
        assert_eq!(clean("I agree.\n\n**Bob:** no"), "I agree.");
        assert_eq!(clean("Alice: I think"), "");
        assert_eq!(clean("Cass: yes\nBob: no"), "yes");
    }

    #[test]
    fn the_marks_of_the_prompt_are_taken_off_and_a_transcript_ends_where_others_speak() {
        for (reply, kept) in [
            ("[12:31] Cass: evening\n[12:32] Bob: that is nice", "evening"),
            ("[12:31] Cass: evening\n[12:32] Zed Zedson: that is nice", "evening"),
            ("[12:31] Cass: evening\n[12:32] Cass: and mind the rope", "evening\nand mind the rope"),
            ("[2026-03-02 12:31] Cass: evening", "evening"),
            ("[12:31] evening\n[12:32] mind the rope", "evening\nmind the rope"),
            ("[9:31] evening", "[9:31] evening"),
            ("(about an hour later) Cass: evening", "evening"),
            ("(about 12 minutes later) (answering Bob: “hm: really?”) evening", "evening"),
            ("(about time, later) evening", "(about time, later) evening"),
            ("(a little lamb) evening", "(a little lamb) evening"),
            (
                "At sea:\n[12:30] Ferry: leaves\n[12:50] Ferry: arrives",
                "At sea:\n[12:30] Ferry: leaves\n[12:50] Ferry: arrives",
            ),
            ("I agree.\nCass: ha", "I agree.\nha"),
            ("I agree.\n[11:57] Bob: Really?\n[11:58] Cass: Yes.", "I agree."),
            ("I agree.\n\n[2026-03-02 11:57] (about an hour later) **Bob:** no", "I agree."),
            ("I agree.\n[11:57] Cass: Yes.\n[11:58] Zed Zedson: hm", "I agree.\nYes."),
            (
                "At sea:\n[12:30] Bob boards\n[12:50] the rest",
                "At sea:\n[12:30] Bob boards\n[12:50] the rest",
            ),
            ("[12:31] Bob: hello", ""),
            ("<START>\n{{char}}: \"Oh.\"", "\"Oh.\""),
            ("{{char}}: evening", "evening"),
            ("In a card:\n{{char}}: my name", "In a card:\n{{char}}: my name"),
            ("<START", "<START"),
            ("[12:3", "[12:3"),
        ] {
            assert_eq!(clean(reply), kept, "{reply}");
        }
    }

    #[test]
    fn white_space_or_width_before_the_words_of_a_label_does_not_hide_it() {
        for colon in [":", " :", "\u{a0}:", "\u{202f}:", "：", " ："] {
            let (own, other) = (format!("Cass{colon} oui."), format!("Je veille.\nAlice{colon} Moi aussi."));
            assert_eq!(clean(&own), "oui.", "{own}");
            assert_eq!(clean(&other), "Je veille.", "{other}");
            assert_eq!(clean(&format!("Oui.\n[11:57] **Bob**{colon} Non.")), "Oui.", "{colon:?}");
        }
        let reply = "Deux choses :\nAlice est là : bien.\nBob\n: un signe";
        assert_eq!(clean(reply), reply);
    }

    #[test]
    fn naming_somebody_inside_a_line_is_no_label() {
        let reply = "I told Alice: no.\nBob is right\nAliceAndBob: a song";
        assert_eq!(clean(reply), reply);
    }

    #[test]
    fn keys_in_a_code_block_are_no_labels() {
        let reply = "Try this:\n```yaml\nAlice: 1\nBob: 2\n```\nThat works.";
        assert_eq!(clean(reply), reply);
    }

    #[test]
    fn words_are_not_held_back_longer_than_needed() {
        let mut filter = EchoFilter::new(&["Cass"], &["Alice"]);
        assert_eq!(filter.push("Ca"), "");
        assert_eq!(filter.push("ts are"), "Cats are");
        assert_eq!(filter.push(" nice\nAl"), " nice");
        assert_eq!(filter.push("so"), "\nAlso");
        assert_eq!(filter.push(".\nAlice: hm"), ".");
        assert!(filter.is_cut());
        assert_eq!(filter.push("more"), "");
        assert_eq!(filter.finish(), "");
    }

    proptest! {
        #[test]
        fn chopping_does_not_matter(reply in "(Cass|Alice|Bob|Zed|:|：|\u{202f}|\\*\\*|\n| |hi|```|\\[12:31\\]|\\(about an hour later\\)|\\(answering ){0,20}") {
            let mut filter = EchoFilter::new(&["Cass", "Cassandra"], &["Alice", "Bob"]);
            let mut by_char = String::new();
            for character in reply.chars() {
                by_char.push_str(&filter.push(&character.to_string()));
            }
            by_char.push_str(&filter.finish());
            prop_assert_eq!(by_char, clean(&reply));
        }

        #[test]
        fn what_is_kept_is_a_part_of_the_reply(reply in "\\PC{0,60}") {
            prop_assert!(reply.contains(clean(&reply).trim()));
        }
    }
}
