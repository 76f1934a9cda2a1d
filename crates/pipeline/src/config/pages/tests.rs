use super::*;
use crate::config::pages::SectionPlace;
use crate::config::pages::condition::{Condition, Occasion, Setting};
use crate::domain::{Audience, Effort, FamiliarId, GuildId, Modality, PlaceKind, Slot};

struct World {
    _dir: tempfile::TempDir,
    home: FamiliarHome,
    shelf: PageShelf,
}

impl World {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let home = FamiliarHome::new(dir.path(), &FamiliarId::new("ada").unwrap());
        Self { _dir: dir, home, shelf: PageShelf::default() }
    }

    fn file(&self, path: &str, text: &str) -> &Self {
        let path = self.home.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    fn look(&mut self) -> ShelfLook {
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
        .map(|section| (&*section.name, section.stands == SectionPlace::Stable))
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

fn skill(text: &str) -> Result<Option<Skill>, ConfigError> {
    page(&format!("+++\n{text}\n+++\nDo it."))
}

fn when(text: &str) -> Condition {
    skill(text).unwrap().unwrap().condition
}

fn wrong(text: &str) -> Vec<String> {
    skill(text).unwrap_err().lines()
}

const SETTING: Setting<'_> = Setting {
    mode: ChannelMode::FullRp,
    place: PlaceKind::Thread,
    is_nsfw: false,
    has_tools: true,
    model: "z-ai/GLM-5.1",
};

fn occasion() -> Occasion {
    Occasion { modality: Modality::Text, effort: Effort::new(5), slot: Slot::MainProse, people: 3 }
}

#[track_caller]
fn holds(text: &str, wanted: bool) {
    assert_eq!(when(text).holds(&SETTING, Some(&occasion())), wanted, "{text}");
}

#[test]
fn y3_every_fact_can_be_asked_for() {
    for (text, wanted) in [
        ("", true),
        ("[when]\n", true),
        ("when.mode = 'full_rp'", true),
        ("when.mode = ['imitate_voice', 'full_rp']", true),
        ("when.mode = 'imitate_voice'", false),
        ("when.place = 'guild'", true),
        ("when.place = ['dm', 'thread']", true),
        ("when.place = 'channel'", false),
        ("when.nsfw = true", false),
        ("when.nsfw = false", true),
        ("when.tools = true", true),
        ("when.model = 'glm'", true),
        ("when.model = ['gemma', 'llama']", false),
        ("when.modality = 'voice'", false),
        ("when.slot = 'main_prose'", true),
        ("when.effort.from = 5", true),
        ("when.effort = { from = 1, to = 4 }", false),
        ("when.people.to = 3", true),
        ("when.people.from = 4", false),
    ] {
        holds(text, wanted);
    }
}

#[test]
fn y3_facts_join_by_and_or_and_not() {
    holds("when = { mode = 'full_rp', tools = false }", false);
    holds("[[when]]\nmode = 'imitate_voice'\n[[when]]\ntools = true", true);
    holds("when.any = [{ place = 'dm' }, { people = { from = 3 } }]", true);
    holds("when.all = [{ place = 'guild' }, { nsfw = true }]", false);
    holds("when.not = { nsfw = true }", true);
    holds("when.not = [{ nsfw = true }, { tools = true }]", false);
    holds("when = { place = 'guild', not = { any = [{ mode = 'full_rp', people = { to = 2 } }] } }", true);
}

#[test]
fn y3_what_lasts_is_told_from_what_may_change() {
    assert!(when("when = { mode = 'full_rp', not = { model = 'gemma' } }").passing().is_none());
    for (text, key) in [
        ("when.people.from = 2", "people"),
        ("when.not = { any = [{ tools = true }, { effort = { from = 2 } }] }", "effort"),
        ("when.modality = 'voice'", "modality"),
        ("[[when]]\nslot = 'main_prose'", "slot"),
    ] {
        assert_eq!(when(text).passing(), Some(key), "{text}");
    }
}

#[test]
fn y3_mistakes_are_named_however_deep_they_stand() {
    assert_eq!(wrong("when.modes = 'full_rp'"), ["a.md:2:6: unknown key `when.modes`; did you mean `mode`?"]);
    assert_eq!(
        wrong("when.any = [{ mode = 'full_pr' }, { people = { form = 2 } }]"),
        [
            "a.md:2:22: `when.any[0].mode` must be one of \"full_rp\", \"text_conversation_rp\", \"imitate_voice\", \
             or a list of them, but is \"full_pr\"; did you mean \"full_rp\"?",
            "a.md:2:48: unknown key `when.any[1].people.form`; did you mean `from`?",
        ]
    );
    assert_eq!(
        wrong("when.effort = { from = 7, to = 3 }"),
        ["a.md:2:32: `when.effort.from` is 7, which must not exceed `when.effort.to`, which is 3"]
    );
    assert_eq!(
        wrong("when.any = []"),
        ["a.md:2:12: `when.any` must be a table of conditions, or a list of such tables, but is a list"]
    );
}

fn page(text: &str) -> Result<Option<Skill>, ConfigError> {
    Skill::read("a", Origin::Own, &SourceText::of("a.md", text, Rank::Familiar))
}

#[test]
fn y3_settings_stand_on_top_and_the_rest_is_text() {
    let read = page("+++\r\nstays = 3\r\n+++\r\n\r\nOne.\r\n\r\nTwo.\r\n").unwrap().unwrap();
    assert_eq!((&*read.text, read.stays), ("One.\n\nTwo.", 3));
    assert_eq!(&*page("Only text.\n+++\nmore").unwrap().unwrap().text, "Only text.\n+++\nmore");
    assert_eq!(page("+++\n+++\n").unwrap(), None);
}

#[test]
fn y3_mistakes_are_pointed_at_where_they_stand_in_the_file() {
    let lines = |text| page(text).unwrap_err().lines();
    assert_eq!(lines("+++\n\n stys = 3\n+++\nx"), ["a.md:3:2: unknown key `stys`; did you mean `stays`?"]);
    assert_eq!(
        lines("+++\nstays = 3\nx"),
        [
            "a.md:1:1: this is not valid TOML: the settings that begin here never end; put a line `+++` under them"
        ]
    );
}
