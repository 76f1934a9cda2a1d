//! A reply that speaks for others, or announces itself.

/// How models write who speaks; `N` stands for the name.
const LABEL_FORMS: [&str; 10] =
    ["N:", "**N:**", "**N**:", "*N:*", "*N*:", "[N]:", "N：", "**N：**", "**N**：", "[N]："];

/// Cleans a whole reply (specs cards-and-lore 5, "Reply clean-up", with all names of the channel): a leading label
/// of the familiar's own is removed; from a line that begins with somebody else's label on, everything is cut, so a
/// reply that begins with one is empty. Code blocks are left alone: `alice:` may be a key there.
#[must_use]
pub fn strip_speaker_echo(reply: &str, own_names: &[&str], other_names: &[&str]) -> String {
    let mut filter = EchoFilter::new(own_names, other_names);
    let mut clean = filter.push(reply);
    clean.push_str(&filter.finish());
    clean
}

/// [`strip_speaker_echo`] for a reply that is still arriving. Holds back only what could still become a label: the
/// beginning of a line, for as long as it is also the beginning of a known label.
#[derive(Debug, Clone)]
pub struct EchoFilter {
    own: Vec<String>,
    others: Vec<String>,
    state: State,
    held: String,
    backticks: usize,
    in_code: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing was let through yet: own labels and white space go.
    ReplyStart,
    /// At the start of a later line.
    LineStart,
    /// Inside a line.
    InLine,
    /// Somebody else began to speak: the rest is not ours.
    Cut,
}

/// What the beginning of a line has turned out to be.
enum Verdict {
    Undecided,
    OwnLabel,
    OtherLabel,
    Words,
}

impl EchoFilter {
    /// A filter for one reply. Blank names are passed over.
    #[must_use]
    pub fn new(own_names: &[&str], other_names: &[&str]) -> Self {
        // A person who is called what the familiar is called cannot be told from it.
        let others: Vec<&str> =
            other_names.iter().filter(|name| !own_names.contains(name)).copied().collect();
        Self {
            own: labels(own_names),
            others: labels(&others),
            state: State::ReplyStart,
            held: String::new(),
            backticks: 0,
            in_code: false,
        }
    }

    /// Takes a piece of the reply and gives what can be shown now.
    pub fn push(&mut self, piece: &str) -> String {
        let mut shown = String::new();
        for character in piece.chars() {
            match self.state {
                State::Cut => break,
                State::InLine => self.in_line(character, &mut shown),
                State::ReplyStart | State::LineStart => {
                    self.held.push(character);
                    self.at_start(&mut shown);
                }
            }
        }
        shown
    }

    /// Whether the rest of the reply no longer matters: the request can be cancelled.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.state == State::Cut
    }

    /// What was still held back at the end of the reply.
    #[must_use]
    pub fn finish(self) -> String {
        match self.state {
            State::Cut => String::new(),
            State::ReplyStart => self.held.trim_start().to_owned(),
            State::LineStart | State::InLine => self.held,
        }
    }

    fn in_line(&mut self, character: char, shown: &mut String) {
        self.see_backtick(character);
        if character == '\n' && !self.in_code && !self.others.is_empty() {
            self.state = State::LineStart;
            self.held.push(character);
        } else {
            shown.push(character);
        }
    }

    fn at_start(&mut self, shown: &mut String) {
        match self.verdict() {
            Verdict::Undecided => {}
            Verdict::OwnLabel => self.held.clear(),
            Verdict::OtherLabel => {
                self.held.clear();
                self.state = State::Cut;
            }
            Verdict::Words => {
                let held = std::mem::take(&mut self.held);
                let line = held.trim_start();
                if self.state == State::LineStart {
                    shown.push_str(&held[..held.len() - line.len()]);
                }
                self.state = State::InLine;
                for character in line.chars() {
                    // A line that turned out to be words may itself hold the next line's beginning.
                    match self.state {
                        State::InLine => self.in_line(character, shown),
                        _ => self.held.push(character),
                    }
                }
            }
        }
    }

    fn verdict(&self) -> Verdict {
        let line = self.held.trim_start();
        if line.is_empty() {
            return Verdict::Undecided;
        }
        if self.state == State::ReplyStart && self.own.iter().any(|label| label == line) {
            return Verdict::OwnLabel;
        }
        if self.others.iter().any(|label| label == line) {
            return Verdict::OtherLabel;
        }
        let open = |label: &String| label.starts_with(line);
        let undecided =
            self.others.iter().any(open) || (self.state == State::ReplyStart && self.own.iter().any(open));
        if undecided { Verdict::Undecided } else { Verdict::Words }
    }

    fn see_backtick(&mut self, character: char) {
        if character == '`' {
            self.backticks += 1;
            if self.backticks == 3 {
                self.in_code = !self.in_code;
            }
        } else {
            self.backticks = 0;
        }
    }
}

fn labels(names: &[&str]) -> Vec<String> {
    let names = names.iter().map(|name| name.trim()).filter(|name| !name.is_empty());
    names.flat_map(|name| LABEL_FORMS.iter().map(move |form| form.replace('N', name))).collect()
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
        fn chopping_does_not_matter(reply in "(Cass|Alice|Bob|:|\\*\\*|\n| |hi|```){0,20}") {
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
