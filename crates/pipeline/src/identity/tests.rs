use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;

use super::codes::{CODES_MAX, TRIES_ALL};
use super::*;
use crate::clock::ManualClock;
use crate::config::FamiliarHome;
use crate::domain::{AccountId, Audience, ChannelId, FamiliarId, GuildId, Paired, Place, PlaceKind, Visible};

fn alone(account: u64) -> Place {
    let audience = Audience::Dm(AccountId::discord(account));
    Place { kind: PlaceKind::Dm, audience, ..Place::terminal(ChannelId::from(account)) }
}

fn guild(id: u64) -> Place {
    let (guild, kind) = (GuildId::from(id), PlaceKind::GuildText);
    let audience = Audience::Guild(guild.clone());
    Place { guild: Some(guild), kind, audience, ..Place::terminal(ChannelId::from(id)) }
}

struct Desk {
    pairing: Pairing,
    clock: ManualClock,
    home: FamiliarHome,
    _folder: tempfile::TempDir,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = FamiliarHome::new(folder.path(), &FamiliarId::new("ada").unwrap());
        let clock = ManualClock::at("2026-03-01T20:00:00Z".parse().unwrap());
        let pairing = Pairing::of(&home, Arc::new(clock.clone())).unwrap();
        Self { pairing, clock, home, _folder: folder }
    }

    /// As the next start reads it.
    fn restarted(&self) -> Pairing {
        Pairing::of(&self.home, Arc::new(self.clock.clone())).unwrap()
    }

    /// The next start says that this file cannot be read.
    #[track_caller]
    fn is_unreadable(&self, file: &Path) {
        let told = Pairing::of(&self.home, Arc::new(self.clock.clone())).unwrap_err().to_string();
        assert!(told.starts_with(&format!("{}: ", file.display())), "{told}");
    }

    fn code(&self, account: u64, place: &Place) -> String {
        self.pairing.invite(&AccountId::discord(account), place).unwrap().unwrap().code
    }

    fn gives(&self, account: u64, place: &Place, code: &str) -> Result<JoinedEnds, CodeRefusal> {
        self.pairing.redeem(&AccountId::discord(account), place, code).unwrap()
    }

    fn joins(&self, account: u64, from: &Place, with: &Place) {
        let code = self.code(account, from);
        self.gives(account, with, &code).unwrap();
    }

    /// A place with what is paired there, where everybody still is.
    fn at(&self, place: &Place) -> Place {
        let everybody = (0..1_000).map(AccountId::discord).collect();
        self.pairing.with_paired(place.clone(), &everybody)
    }

    /// What is said in `from` now: may it be known in `here`, as things are now?
    fn tells(&self, from: &Place) -> Audience {
        self.at(from).told_to().clone()
    }

    fn hears(&self, here: &Place, said: &Audience) -> bool {
        Visible::at(&self.at(here)).includes(said)
    }
}

#[test]
fn m14_what_is_said_from_now_on_is_known_at_the_other_end_and_nothing_before() {
    let desk = Desk::new();
    let before = desk.tells(&alone(1));
    assert_eq!(before, Audience::Dm(AccountId::discord(1)));
    desk.joins(1, &alone(1), &guild(7));
    let after = desk.tells(&alone(1));
    assert!(desk.hears(&guild(7), &after) && desk.hears(&alone(1), &after));
    assert!(!desk.hears(&guild(7), &before) && desk.hears(&alone(1), &before));
    assert!(!desk.hears(&guild(8), &after) && !desk.hears(&alone(2), &after));
    // Another server that joins later does not hear what was said until then.
    desk.joins(1, &guild(8), &alone(1));
    let later = desk.tells(&alone(1));
    assert!(!desk.hears(&guild(8), &after) && desk.hears(&guild(8), &later) && desk.hears(&guild(7), &later));
}

#[test]
fn m14_unpairing_holds_at_once_and_pairing_again_brings_nothing_back() {
    let desk = Desk::new();
    desk.joins(1, &alone(1), &guild(7));
    let shared = desk.tells(&alone(1));
    assert!(!desk.pairing.part(&AccountId::discord(2), &guild(7)).unwrap(), "not theirs to part");
    assert!(desk.pairing.part(&AccountId::discord(1), &guild(7)).unwrap());
    assert!(!desk.hears(&guild(7), &shared) && desk.hears(&alone(1), &shared));
    assert_eq!(desk.tells(&alone(1)), Audience::Dm(AccountId::discord(1)));
    desk.joins(1, &alone(1), &guild(7));
    assert!(!desk.hears(&guild(7), &shared), "what was taken back stays taken back");
    assert_ne!(desk.tells(&alone(1)), shared);
}

#[test]
fn contradiction_17_the_past_is_shared_by_a_second_command_and_with_those_who_are_there() {
    let desk = Desk::new();
    let past = Audience::Dm(AccountId::discord(1));
    assert_eq!(desk.pairing.share_past(&AccountId::discord(1)).unwrap(), []);
    desk.joins(1, &alone(1), &guild(7));
    assert!(!desk.hears(&guild(7), &past));
    let told = desk.pairing.share_past(&AccountId::discord(1)).unwrap();
    assert_eq!(told, [BondEnd::Guild(GuildId::from(7))]);
    assert!(desk.hears(&guild(7), &past));
    desk.joins(1, &alone(1), &guild(8));
    assert!(!desk.hears(&guild(8), &past), "who joins later is not told");
    desk.pairing.part(&AccountId::discord(1), &guild(7)).unwrap();
    assert!(!desk.hears(&guild(7), &past));
}

#[test]
fn m14_two_accounts_are_one_person_alone_and_nowhere_else() {
    let desk = Desk::new();
    let code = desk.code(1, &alone(1));
    desk.gives(2, &alone(2), &code).unwrap();
    assert_eq!(desk.at(&alone(2)).paired.accounts, [AccountId::discord(1)]);
    assert_eq!(desk.at(&alone(1)).paired.accounts, [AccountId::discord(2)]);
    assert_eq!(desk.at(&guild(7)).paired, Paired::default());
    let (of_one, of_two) = (desk.tells(&alone(1)), desk.tells(&alone(2)));
    assert!(desk.hears(&alone(2), &of_one) && desk.hears(&alone(1), &of_two) && of_one != of_two);
    // Two people who are one already do not become one with a third who is somebody else.
    desk.joins(3, &alone(3), &guild(7));
    let code = desk.code(1, &alone(1));
    assert_eq!(desk.gives(3, &alone(3), &code), Err(CodeRefusal::Already));
    assert!(desk.pairing.part(&AccountId::discord(2), &alone(2)).unwrap());
    assert!(!desk.hears(&alone(1), &of_two) && desk.hears(&alone(2), &of_two));
    assert!(desk.at(&alone(1)).paired.accounts.is_empty());
}

#[test]
fn m14_a_code_is_six_characters_lasts_ten_minutes_and_works_once() {
    let desk = Desk::new();
    let code = desk.code(1, &alone(1));
    assert_eq!(code.len(), CODE_LENGTH);
    assert!(code.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()), "{code}");
    assert_eq!(desk.gives(1, &alone(1), &code), Err(CodeRefusal::SamePlace));
    let written = format!(" {}-{} ", &code[..3].to_lowercase(), &code[3..]);
    assert!(desk.gives(1, &guild(7), &written).is_ok());
    assert_eq!(desk.gives(1, &guild(8), &code), Err(CodeRefusal::Wrong), "once");
    let old = desk.code(1, &alone(1));
    let new = desk.code(1, &alone(1));
    assert_eq!(desk.gives(1, &guild(8), &old), Err(CodeRefusal::Wrong), "the newest counts");
    desk.clock.advance(CODE_LIFETIME);
    assert_eq!(desk.gives(1, &guild(8), &new), Err(CodeRefusal::Wrong), "ten minutes");
    let codes: std::collections::HashSet<_> = (0..200).map(|_| desk.code(1, &alone(1))).collect();
    assert!(codes.len() > 195, "chance");
}

#[test]
fn m14_nobody_opens_a_server_to_what_somebody_else_says_alone() {
    let desk = Desk::new();
    let code = desk.code(1, &alone(1));
    assert_eq!(desk.gives(2, &guild(7), &code), Err(CodeRefusal::Wrong));
    let code = desk.code(1, &guild(7));
    assert_eq!(desk.gives(2, &alone(2), &code), Err(CodeRefusal::Wrong));
    assert_eq!(
        desk.gives(1, &guild(8), &code),
        Err(CodeRefusal::Wrong),
        "two servers have nobody to tell them"
    );
    let of_another = desk.pairing.invite(&AccountId::discord(2), &alone(1)).unwrap();
    assert_eq!(of_another, Err(CodeRefusal::NotHere));
    assert_eq!(desk.tells(&alone(1)), Audience::Dm(AccountId::discord(1)));
}

#[test]
fn m14_guessing_ends_after_five_and_for_all_together_after_a_hundred() {
    let desk = Desk::new();
    let code = desk.code(1, &alone(1));
    for _ in 0..TRIES_EACH {
        assert_eq!(desk.gives(9, &alone(9), "AAAAAA"), Err(CodeRefusal::Wrong));
    }
    assert_eq!(desk.gives(9, &alone(9), &code), Err(CodeRefusal::TooManyTries), "even the right one");
    desk.clock.advance(TRIES_WINDOW);
    let code = desk.code(1, &alone(1));
    for guess in 0..TRIES_ALL {
        let guesser = u64::from(100 + guess);
        assert_eq!(desk.gives(guesser, &alone(guesser), "no code"), Err(CodeRefusal::Wrong));
    }
    assert_eq!(desk.gives(1, &guild(7), &code), Err(CodeRefusal::TooManyTries));
    desk.clock.advance(TRIES_WINDOW);
    let code = desk.code(1, &alone(1));
    assert!(desk.gives(1, &guild(7), &code).is_ok());
}

#[test]
fn m14_no_code_stands_on_the_disk_and_what_is_paired_outlives_the_program() {
    let desk = Desk::new();
    desk.joins(1, &alone(1), &guild(7));
    let code = desk.code(2, &alone(2));
    let file = std::fs::read_to_string(desk.home.pairing_json()).unwrap();
    assert!(!file.contains(&code) && !file.to_lowercase().contains(&code.to_lowercase()));
    let shared = desk.tells(&alone(1));
    let again = Pairing::of(&desk.home, Arc::new(desk.clock.clone())).unwrap();
    assert_eq!(again.with_paired(alone(1), &Default::default()).paired.tells, Some(shared));
    assert!(again.redeem(&AccountId::discord(2), &guild(7), &code).unwrap().is_ok());
    std::fs::write(desk.home.pairing_json(), "{ broken").unwrap();
    desk.is_unreadable(&desk.home.pairing_json());
}

#[test]
fn m14_a_person_who_is_forgotten_leaves_nothing_here() {
    let desk = Desk::new();
    desk.joins(1, &alone(1), &guild(7));
    desk.code(1, &alone(1));
    assert!(desk.pairing.forget(&AccountId::discord(1)).unwrap());
    assert!(!desk.pairing.forget(&AccountId::discord(1)).unwrap());
    let file = std::fs::read_to_string(desk.home.pairing_json()).unwrap();
    assert!(!file.contains("\"1\""), "{file}");
}

#[test]
fn m14_open_codes_are_bounded() {
    let mut codes = super::codes::Codes::default();
    for account in 0..CODES_MAX as u64 + 5 {
        let account = AccountId::discord(account);
        codes
            .issue(&account, BondEnd::Alone(account.clone()), "2026-03-01T20:00:00Z".parse().unwrap())
            .unwrap();
    }
    assert_eq!(codes.len(), CODES_MAX);
}

#[derive(Debug, Clone)]
enum Step {
    Join(u64, u64),
    Account(u64, u64),
    Part(u64, Option<u64>),
    Past(u64),
    Say(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        (1..4_u64, 7..10_u64).prop_map(|(who, guild)| Step::Join(who, guild)),
        (1..4_u64, 1..4_u64).prop_map(|(who, other)| Step::Account(who, other)),
        (1..4_u64, proptest::option::of(7..10_u64)).prop_map(|(who, guild)| Step::Part(who, guild)),
        (1..4_u64).prop_map(Step::Past),
        (1..4_u64).prop_map(Step::Say),
    ];
    prop::collection::vec(step, 1..24)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Told by a model of its own: a set of joined places for each person; what is said is heard where it was joined at
    /// that moment and never parted since.
    #[test]
    fn m14_whatever_is_joined_and_parted_only_who_was_joined_all_the_while_hears(steps in steps()) {
        use std::collections::{BTreeMap, BTreeSet};
        let mut bonds = super::bonds::Bonds::default();
        let account = AccountId::discord;
        // Ends by number: accounts below 7, guilds from there on.
        let place = |end: u64| if end < 7 { alone(end) } else { guild(end) };
        let as_end = |end: u64| BondEnd::of(&place(end)).unwrap();
        let mut circles: Vec<BTreeSet<u64>> = Vec::new();
        let mut said: Vec<(u64, Audience, BTreeSet<u64>)> = Vec::new();
        let mut past: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
        for step in steps {
            match step {
                Step::Join(who, with) | Step::Account(who, with) => {
                    let is_taken = with < 7 && circles.iter().any(|circle| circle.contains(&with));
                    let at = circles.iter().position(|circle| circle.contains(&who));
                    let is_in = at.is_some_and(|at| circles[at].contains(&with)) || with == who;
                    let joined = bonds.join(&account(who), as_end(with)).is_ok();
                    prop_assert_eq!(joined, !is_taken && !is_in);
                    if joined {
                        let at = at.unwrap_or_else(|| { circles.push([who].into()); circles.len() - 1 });
                        circles[at].insert(with);
                    }
                }
                Step::Part(who, from) => {
                    let end = from.unwrap_or(who);
                    let at = circles.iter().position(|circle| circle.contains(&who));
                    let is_in = at.is_some_and(|at| circles[at].contains(&end));
                    prop_assert_eq!(bonds.part(&account(who), &as_end(end)), is_in);
                    if let Some(at) = at.filter(|_| is_in) {
                        let members: Vec<u64> = circles[at].iter().copied().collect();
                        circles[at].remove(&end);
                        let is_over = circles[at].len() < 2 || circles[at].iter().all(|end| *end >= 7);
                        let gone: BTreeSet<u64> = if is_over { members.iter().copied().collect() } else { [end].into() };
                        for (of, _, heard) in said.iter_mut().filter(|(of, ..)| members.contains(of)) {
                            if gone.contains(of) { heard.clear() } else { heard.retain(|other| !gone.contains(other)) }
                        }
                        for (of, heard) in past.iter_mut().filter(|(of, _)| members.contains(of)) {
                            if gone.contains(of) { heard.clear() } else { heard.retain(|other| !gone.contains(other)) }
                        }
                        if is_over { circles.remove(at); }
                    }
                }
                Step::Past(who) => {
                    bonds.share_past(&account(who));
                    if let Some(circle) = circles.iter().find(|circle| circle.contains(&who)) {
                        past.entry(who).or_default().extend(circle.iter().filter(|end| **end != who));
                    }
                }
                Step::Say(who) => {
                    let here = alone(who);
                    let told = Place { paired: bonds.at(&here, |_| true), ..here }.told_to().clone();
                    let circle = circles.iter().find(|circle| circle.contains(&who));
                    let heard = circle.into_iter().flatten().copied().filter(|end| *end != who).collect();
                    said.push((who, told, heard));
                }
            }
            for (of, audience, heard) in &said {
                for end in [1, 2, 3, 7, 8, 9] {
                    let here = place(end);
                    let visible = Visible::at(&Place { paired: bonds.at(&here, |_| true), ..here });
                    let by_past = *audience == Audience::Dm(account(*of))
                        && past.get(of).is_some_and(|heard| heard.contains(&end));
                    let expected = end == *of || heard.contains(&end) || by_past;
                    prop_assert_eq!(visible.includes(audience), expected, "{} of {} at {}", audience, of, end);
                }
            }
        }
    }
}

#[test]
fn who_opted_out_stays_out_when_they_are_forgotten_and_after_a_restart_until_they_say_otherwise() {
    let desk = Desk::new();
    let alice = AccountId::discord(1);
    assert!(!desk.pairing.has_opted_out(&alice));
    assert!(desk.pairing.opt_out(&alice).unwrap() && !desk.pairing.opt_out(&alice).unwrap());
    desk.pairing.forget(&alice).unwrap();
    let restarted = Pairing::of(&desk.home, Arc::new(desk.clock.clone())).unwrap();
    assert!(restarted.has_opted_out(&alice) && !restarted.has_opted_out(&AccountId::discord(2)));
    assert!(restarted.opt_in(&alice).unwrap() && !restarted.opt_in(&alice).unwrap());
    assert!(!Pairing::of(&desk.home, Arc::new(desk.clock.clone())).unwrap().has_opted_out(&alice));
}

#[test]
fn m17_it_learns_from_nobody_who_has_not_said_so_and_no_more_once_they_are_forgotten_or_opt_out() {
    let desk = Desk::new();
    let (alice, ben) = (AccountId::discord(1), AccountId::discord(2));
    assert!(!desk.pairing.learns() && !desk.pairing.learns_from(&alice));
    assert!(desk.pairing.lets_learn(&alice).unwrap() && !desk.pairing.lets_learn(&alice).unwrap());
    let restarted = Pairing::of(&desk.home, Arc::new(desk.clock.clone())).unwrap();
    assert!(restarted.learns_from(&alice) && !restarted.learns_from(&ben));
    assert!(restarted.ends_learning(&alice).unwrap() && !restarted.ends_learning(&alice).unwrap());
    restarted.lets_learn(&alice).unwrap();
    assert!(restarted.forget(&alice).unwrap() && !restarted.learns());
    restarted.lets_learn(&ben).unwrap();
    restarted.opt_out(&ben).unwrap();
    assert!(!restarted.learns_from(&ben) && !restarted.lets_learn(&ben).unwrap());
    restarted.opt_in(&ben).unwrap();
    assert!(!restarted.learns_from(&ben), "taking part again is not letting it learn");
}

#[test]
fn who_opted_out_is_paired_with_nothing_until_they_take_part_again() {
    let desk = Desk::new();
    let (ana, before) = (AccountId::discord(1), desk.code(1, &alone(1)));
    desk.pairing.opt_out(&ana).unwrap();
    let written = std::fs::read_to_string(desk.home.pairing_json()).unwrap();
    assert_eq!(desk.gives(1, &guild(7), &before), Err(CodeRefusal::OptedOut));
    assert_eq!(desk.gives(2, &alone(2), &before), Err(CodeRefusal::Wrong), "nobody else pairs them");
    assert_eq!(desk.pairing.invite(&ana, &guild(7)).unwrap().unwrap_err(), CodeRefusal::OptedOut);
    assert_eq!(
        std::fs::read_to_string(desk.home.pairing_json()).unwrap(),
        written,
        "nothing of them is kept"
    );
    desk.pairing.opt_in(&ana).unwrap();
    desk.joins(1, &alone(1), &guild(7));
}

#[test]
fn an_older_file_of_pairings_that_is_put_back_takes_nobody_back_in() {
    let desk = Desk::new();
    let (ana, ben, cem) = (AccountId::discord(1), AccountId::discord(2), AccountId::discord(3));
    let (file, again) = (desk.home.pairing_json(), || Pairing::of(&desk.home, Arc::new(desk.clock.clone())));
    desk.pairing.lets_learn(&ben).unwrap();
    desk.pairing.lets_learn(&cem).unwrap();
    let older = std::fs::read(&file).unwrap();
    desk.pairing.opt_out(&ana).unwrap();
    desk.pairing.ends_learning(&ben).unwrap();
    let newest = std::fs::read(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    assert!(again().unwrap().has_opted_out(&ana), "lost");
    std::fs::write(&file, &older).unwrap();
    let restarted = again().unwrap();
    assert!(restarted.has_opted_out(&ana) && !restarted.learns_from(&ben) && restarted.learns_from(&cem));
    // Whoever takes part again does so for good.
    restarted.opt_in(&ana).unwrap();
    assert!(!again().unwrap().has_opted_out(&ana));
    // Where there was no second copy yet there is one from the next start on.
    std::fs::write(&file, &newest).unwrap();
    std::fs::remove_file(desk.home.consents_json()).unwrap();
    again().unwrap().keep_twice().unwrap();
    std::fs::write(&file, &older).unwrap();
    let restarted = again().unwrap();
    assert!(restarted.has_opted_out(&ana) && !restarted.learns_from(&ben) && restarted.learns_from(&cem));
    // Nobody is taken back in by damage.
    std::fs::write(desk.home.consents_json(), "{ broken").unwrap();
    desk.is_unreadable(&desk.home.consents_json());
}

#[test]
fn what_an_older_file_of_pairings_lacks_stands_in_it_again_from_the_next_start_on() {
    let desk = Desk::new();
    let (ana, ben) = (AccountId::discord(1), AccountId::discord(2));
    desk.pairing.lets_learn(&ben).unwrap();
    let older = std::fs::read(desk.home.pairing_json()).unwrap();
    desk.pairing.opt_out(&ana).unwrap();
    desk.pairing.ends_learning(&ben).unwrap();
    std::fs::write(desk.home.pairing_json(), older).unwrap();
    desk.restarted().keep_twice().unwrap();
    std::fs::remove_file(desk.home.consents_json()).unwrap();
    let restarted = desk.restarted();
    assert!(restarted.has_opted_out(&ana) && !restarted.learns_from(&ben));
}

#[test]
fn a_second_copy_that_cannot_be_written_keeps_people_from_nothing_but_what_needs_it() {
    let desk = Desk::new();
    let (ana, ben, cem) = (AccountId::discord(1), AccountId::discord(2), AccountId::discord(3));
    desk.pairing.opt_out(&cem).unwrap();
    std::fs::remove_dir_all(desk.home.forgotten_dir()).unwrap();
    std::fs::write(desk.home.forgotten_dir(), "no folder").unwrap();
    assert!(desk.pairing.opt_out(&ana).unwrap(), "this holds by the file alone");
    desk.joins(2, &alone(2), &guild(7));
    desk.pairing.opt_in(&cem).unwrap_err();
    desk.pairing.lets_learn(&ben).unwrap_err();
    desk.pairing.keep_twice().unwrap_err();
    // What was told is what holds, after a restart too.
    std::fs::remove_file(desk.home.forgotten_dir()).unwrap();
    let restarted = desk.restarted();
    for pairing in [&desk.pairing, &restarted] {
        assert!(pairing.has_opted_out(&ana) && pairing.has_opted_out(&cem) && !pairing.learns_from(&ben));
    }
    assert_eq!(restarted.joined_with(&ben), desk.pairing.joined_with(&ben));
    // The next change brings it what it lacks.
    restarted.tells_alone(&ben).unwrap();
    std::fs::remove_file(desk.home.pairing_json()).unwrap();
    assert!(desk.restarted().has_opted_out(&ana));
}

#[test]
fn what_the_file_of_pairings_cannot_take_has_not_happened_after_a_restart_either() {
    let desk = Desk::new();
    let (ana, ben, file) = (AccountId::discord(1), AccountId::discord(2), desk.home.pairing_json());
    desk.joins(2, &alone(2), &guild(7));
    let before = std::fs::read(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir_all(file.join("in the way")).unwrap();
    desk.pairing.lets_learn(&ben).unwrap_err();
    desk.pairing.opt_out(&ana).unwrap_err();
    desk.pairing.part(&ben, &guild(7)).unwrap_err();
    std::fs::remove_dir_all(&file).unwrap();
    std::fs::write(&file, before).unwrap();
    for pairing in [&desk.pairing, &desk.restarted()] {
        assert!(!pairing.learns_from(&ben) && !pairing.has_opted_out(&ana));
        assert!(!pairing.joined_with(&ben).is_empty());
    }
}
