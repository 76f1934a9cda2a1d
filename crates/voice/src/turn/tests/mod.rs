mod labelled;
mod overlap;
mod proactive;
mod random;
mod temper;
mod turns;

use std::time::Duration;

use super::*;

/// A call in milliseconds.
struct Scene {
    machine: TurnMachine,
    now: u64,
    done: Vec<(u64, Effect)>,
    /// Whether their clients seem to have a button to talk.
    pushes: bool,
    /// Answers that are begun early are ready at once.
    is_quick: bool,
}

fn settings() -> TurnSettings {
    TurnSettings {
        names: vec!["Mika".to_owned()],
        tolerance: 0.0,
        min_interruption: Duration::from_secs(2),
        short_long_boundary: Duration::from_secs(30),
        joins_in_after: Some(Duration::from_secs(5)),
        interjection: Some(3),
        speculations: true,
        fillers: true,
        backchannels: true,
        notices_buttons: true,
        wake_window: None,
        ends_turns: false,
        hears_words: true,
        hears_partials: true,
    }
}

fn account(who: &str) -> AccountId {
    AccountId::discord(who.bytes().fold(7, |sum, letter| sum * 31 + u64::from(letter)))
}

impl Scene {
    fn of(people: &[&str]) -> Self {
        Self::with(people, settings())
    }

    /// It has been answering Ana for a second.
    fn answering_ana(people: &[&str]) -> Self {
        let mut scene = Self::of(people);
        scene.speaks(1, "ana", "The river is high tonight.");
        scene.wait(1_000);
        scene
    }

    fn with(people: &[&str], settings: TurnSettings) -> Self {
        Self::by_chance(people, settings, 3)
    }

    /// `seed` decides what is left to chance.
    fn by_chance(people: &[&str], settings: TurnSettings, seed: u64) -> Self {
        let machine = TurnMachine::new(settings, seed);
        let mut scene = Self { machine, now: 0, done: Vec::new(), pushes: false, is_quick: true };
        for who in people {
            scene.tell(TurnEvent::Joined {
                who: account(who),
                name: (*who).to_owned(),
                is_bot: *who == "robot",
                can_stop: false,
            });
        }
        scene
    }

    fn note(&mut self, effects: Vec<Effect>) {
        let begun = effects.iter().rev().find_map(|effect| match effect {
            Effect::Speculate { speculation, .. } => Some(*speculation),
            _ => None,
        });
        self.done.extend(effects.into_iter().map(|effect| (self.now, effect)));
        if let Some(speculation) = begun.filter(|_| self.is_quick) {
            self.tell(TurnEvent::Ready { speculation });
        }
    }

    fn tell(&mut self, event: TurnEvent) {
        let effects = self.machine.handle(Duration::from_millis(self.now), event);
        self.note(effects);
    }

    /// Time passes; what comes due is done in time.
    fn wait(&mut self, ms: u64) {
        let until = self.now + ms;
        while let Some(due) = self.machine.next_deadline() {
            let due = u64::try_from(due.as_micros().div_ceil(1_000)).unwrap();
            if due > until {
                break;
            }
            self.now = due.max(self.now);
            let effects = self.machine.tick(Duration::from_millis(self.now));
            self.note(effects);
        }
        self.now = until;
    }

    fn begins(&mut self, who: &str) {
        let at = Duration::from_millis(self.now);
        self.tell(TurnEvent::Voice { who: account(who), on: true, at });
    }

    /// Somebody begins, and goes on for so long.
    fn talks(&mut self, who: &str, ms: u64) {
        self.begins(who);
        self.wait(ms);
    }

    fn stops(&mut self, who: &str) {
        let at = Duration::from_millis(self.now);
        self.tell(TurnEvent::Voice { who: account(who), on: false, at });
    }

    fn partial(&mut self, who: &str, text: &str) {
        self.tell(TurnEvent::Partial { who: account(who), text: text.to_owned() });
    }

    fn finally(&mut self, who: &str, text: &str) {
        self.tell(TurnEvent::Final { who: account(who), text: text.to_owned(), answers: true });
    }

    /// Somebody makes a sound for so long, and the words come just before they stop.
    fn utters(&mut self, who: &str, ms: u64, text: &str) {
        self.talks(who, ms);
        self.partial(who, text);
        self.stops(who);
    }

    /// They stop, and so long after that their words are final.
    fn stops_and_is_understood(&mut self, who: &str, ms: u64, text: &str) {
        self.stops(who);
        self.wait(ms);
        self.finally(who, text);
    }

    /// Somebody says something for a second; words come 150 ms late, the final ones 250 ms after the end.
    fn says(&mut self, who: &str, text: &str) {
        self.talks(who, 1_000);
        self.stops(who);
        self.wait(100);
        self.partial(who, text);
        self.wait(150);
        self.finally(who, text);
    }

    fn opens(&mut self, reply: u64, whom: &str) {
        self.tell(TurnEvent::Opened { reply, whom: Some(account(whom)), unasked: false });
    }

    fn speaks(&mut self, reply: u64, whom: &str, text: &str) {
        self.opens(reply, whom);
        self.tell(TurnEvent::Saying { reply, text: text.to_owned() });
        self.tell(TurnEvent::Audible { reply });
    }

    fn closes(&mut self, reply: u64) {
        self.tell(TurnEvent::Closed { reply });
    }

    fn submitted(&self) -> Vec<(u64, String, bool)> {
        let mut all = Vec::new();
        for (at, effect) in &self.done {
            if let Effect::Submit { said } = effect {
                all.extend(said.iter().map(|one| (*at, one.text.clone(), one.verdict.is_for_familiar())));
            }
        }
        all
    }

    fn dropped(&self) -> Vec<DropReason> {
        let dropped = self.done.iter().filter_map(|(_, effect)| match effect {
            Effect::Dropped { why, .. } => Some(*why),
            _ => None,
        });
        dropped.collect()
    }

    fn when(&self, wanted: &Effect) -> Option<u64> {
        self.done.iter().find(|(_, effect)| effect == wanted).map(|(at, _)| *at)
    }

    fn count(&self, wanted: impl Fn(&Effect) -> bool) -> usize {
        self.done.iter().filter(|(_, effect)| wanted(effect)).count()
    }
}
