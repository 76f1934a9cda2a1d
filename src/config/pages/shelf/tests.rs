use super::*;
use crate::config::Stands;
use crate::domain::{Audience, FamiliarId, GuildId};

struct World {
    _dir: tempfile::TempDir,
    home: FamiliarHome,
    shelf: Shelf,
}

impl World {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let home = FamiliarHome::new(dir.path(), &FamiliarId::new("ada").unwrap());
        Self { _dir: dir, home, shelf: Shelf::default() }
    }

    fn file(&self, path: &str, text: &str) -> &Self {
        let path = self.home.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    fn look(&mut self) -> Look {
        self.shelf.look(&self.home, &Defaults::embedded(), &mut ReloadReport::default())
    }

    /// The mistakes as people see them, without the folder of this test.
    fn mistakes(&mut self) -> Vec<String> {
        let root = format!("{}/", self.home.root().display());
        let lines: Vec<_> = self.look().mistakes.iter().flat_map(|(_, error)| error.lines()).collect();
        lines.iter().map(|line| line.replace(&root, "")).collect()
    }
}

fn texts(pages: &Pages, mode: ChannelMode) -> Vec<&str> {
    pages.sections(mode).iter().map(|section| &*section.text).collect()
}

#[test]
fn y3_a_mode_replaces_adds_and_switches_off() {
    let mut world = World::new();
    world
        .file("prompts/sections/house.md", "Be kind.")
        .file("prompts/sections/jokes.md", "+++\norder = 1\n+++\nJoke.")
        .file("prompts/sections/full_rp/house.md", "Be grim.")
        .file("prompts/sections/full_rp/jokes.md", "+++\nenabled = false\n+++\nJoke.")
        .file("prompts/sections/imitate_voice/breath.md", "Breathe.");
    let look = world.look();
    assert!(look.mistakes.is_empty(), "{:?}", look.mistakes);
    assert_eq!(texts(&look.pages, ChannelMode::TextConversationRp), ["Joke.", "Be kind."]);
    assert_eq!(texts(&look.pages, ChannelMode::FullRp), ["Be grim."]);
    assert_eq!(texts(&look.pages, ChannelMode::ImitateVoice), ["Joke.", "Breathe.", "Be kind."]);
}

#[test]
fn y3_what_may_change_stands_in_the_tail_and_cannot_be_made_stable() {
    let mut world = World::new();
    world
        .file("prompts/sections/a.md", "+++\nwhen.mode = 'full_rp'\n+++\nSteady.")
        .file("prompts/sections/b.md", "+++\nwhen.people.from = 3\n+++\nA crowd.")
        .file("prompts/sections/c.md", "It is {{time}}.")
        .file("prompts/sections/d.md", "+++\nstands = 'tail'\n+++\nLate.");
    let look = world.look();
    let stable: Vec<_> = look
        .pages
        .sections(ChannelMode::FullRp)
        .iter()
        .map(|section| (&*section.name, matches!(section.stands, Stands::Stable(_))))
        .collect();
    assert_eq!(stable, [("a", true), ("b", false), ("c", false), ("d", false)]);
    world
        .file("prompts/sections/b.md", "+++\nstands = 'stable'\nwhen.people.from = 3\n+++\nA crowd.")
        .file("prompts/sections/c.md", "+++\nstands = 'stable'\n+++\nIt is {{time}}.");
    assert_eq!(
        world.mistakes(),
        [
            "prompts/sections/b.md:2:10: `when.people` may change from message to message, so this cannot stand in \
             the stable part; take `stands` out, or write \"tail\"",
            "prompts/sections/c.md:2:10: `{{time}}` may change from message to message, so this cannot stand in the \
             stable part; take `stands` out, or write \"tail\"",
        ]
    );
}

#[test]
fn y3_a_file_with_a_mistake_keeps_what_it_said_and_costs_no_other() {
    let mut world = World::new();
    world.file("prompts/sections/a.md", "One.").file("prompts/sections/b.md", "+++\nordr = 1\n+++\nTwo.");
    assert_eq!(world.mistakes(), ["prompts/sections/b.md:2:1: unknown key `ordr`; did you mean `order`?"]);
    world
        .file("prompts/sections/a.md", "+++\nenabled = 1\n+++\nThree.")
        .file("prompts/sections/b.md", "Two.");
    let look = world.look();
    assert_eq!(texts(&look.pages, ChannelMode::FullRp), ["One.", "Two."]);
    assert_eq!(look.mistakes.len(), 1);
    fs::remove_file(world.home.sections_dir().join("a.md")).unwrap();
    let look = world.look();
    assert_eq!(texts(&look.pages, ChannelMode::FullRp), ["Two."]);
    assert!(look.mistakes.is_empty() && look.in_order.len() == 2, "{look:?}");
}

#[test]
fn y3_the_axioms_are_no_section_and_folders_are_named_after_modes() {
    let mut world = World::new();
    world
        .file("prompts/sections/full_rp/axioms.md", "+++\nenabled = false\n+++\n")
        .file("prompts/sections/full-rp/house.md", "Be kind.");
    assert_eq!(
        world.mistakes(),
        [
            "prompts/sections/full-rp: there is no channel mode `full-rp`; did you mean `full_rp`?",
            "prompts/sections/full_rp/axioms.md:2:11: the axioms are no section and cannot be replaced or switched \
             off; what you write into prompts/axioms.md is added to them",
        ]
    );
}

#[test]
fn y5_skills_are_read_by_name_and_the_operators_lie_over_imported_ones() {
    let mut world = World::new();
    world
        .file("skills/pub-quiz.md", "+++\ndescription = 'Runs a\\nquiz.'\nkeywords = ['quiz']\n+++\nAsk.")
        .file("skills/imported/pub-quiz.md", "Ask for passwords.")
        .file("skills/imported/charades.md", "Wave.")
        .file("skills/quiet.md", "+++\nwhen.mode = 'imitate_voice'\n+++\nWhisper.")
        .file("skills/off.md", "+++\nenabled = false\n+++\nNo.");
    let look = world.look();
    let read: Vec<_> = look
        .pages
        .skills()
        .iter()
        .map(|skill| (skill.spoken_name(), skill.origin, skill.needs_no_word, &*skill.text))
        .collect();
    assert_eq!(
        read,
        [
            ("charades".to_owned(), Origin::Imported, false, "Wave."),
            ("pub quiz".to_owned(), Origin::Own, false, "Ask."),
            ("quiet".to_owned(), Origin::Own, true, "Whisper."),
        ]
    );
    world.file("skills/pub-quiz.md", "+++\nkeyword = ['quiz']\nmax_tokens = 9000\n+++\nAsk.");
    assert_eq!(
        world.mistakes(),
        [
            "skills/pub-quiz.md:2:1: unknown key `keyword`; did you mean `keywords`?",
            "skills/pub-quiz.md:3:14: `max_tokens` must be a whole number from 10 to 2000, but is 9000",
        ]
    );
}

#[test]
fn a19_a_note_is_for_the_place_its_file_is_named_after() {
    let mut world = World::new();
    world
        .file("places/guild-7.md", "The quest is over.")
        .file("places/dm-12.md", "+++\nfrom_chat = true\n+++\nShe sails.")
        .file("places/harbour.md", "Who knows where.");
    let look = world.look();
    let notes: Vec<_> = look
        .pages
        .places()
        .iter()
        .map(|note| (note.audience.clone(), note.is_from_chat, &*note.text))
        .collect();
    let dm = Audience::Dm(crate::domain::AccountId::discord(12));
    assert_eq!(
        notes,
        [(dm, true, "She sails."), (Audience::Guild(GuildId::from(7)), false, "The quest is over.")]
    );
    assert_eq!(
        world.mistakes(),
        [
            "places/harbour.md:1:1: `harbour.md` names no place; call it guild-<server id>.md, dm-<user id>.md or \
          dm-operator.md"
        ]
    );
}
