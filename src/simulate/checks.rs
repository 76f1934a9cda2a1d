//! Whether everything that a scene names is there.

use std::collections::BTreeSet;

use toml::Spanned;

use super::scene::{DM, FAMILIAR, NOTICES, ONLY_PLACE, PEOPLE_MAX, STEPS_MAX, Scene, SceneStep};

/// Something that is wrong, and the byte at which it stands.
#[derive(Debug)]
pub(super) struct Mistake {
    pub at: usize,
    pub what: String,
}

/// All that is wrong with a scene.
pub(super) fn mistakes(scene: &Scene) -> Vec<Mistake> {
    let mut found = Vec::new();
    if scene.steps.is_empty() {
        found.push(Mistake { at: 0, what: "nothing happens in it; add [[steps]]".to_owned() });
    }
    if scene.steps.len() > STEPS_MAX || scene.people.len() > PEOPLE_MAX || scene.places.len() > PEOPLE_MAX {
        let what =
            format!("a scene has at most {STEPS_MAX} steps, {PEOPLE_MAX} people and {PEOPLE_MAX} places");
        found.push(Mistake { at: 0, what });
    }
    if scene.card.is_some() && scene.familiar.is_some() {
        found.push(Mistake { at: 0, what: "`card` and `familiar` both say who plays; leave one".to_owned() });
    }
    let people: Vec<&Spanned<String>> = scene.people.iter().map(|person| &person.name).collect();
    let places: Vec<&Spanned<String>> = scene.places.iter().map(|place| &place.name).collect();
    twice(&people, "somebody of this name is there already", &mut found);
    twice(&places, "there is a place of this name already", &mut found);
    let mut names = NamedSoFar {
        people: people.iter().map(|name| name.get_ref().as_str()).collect(),
        places: places.iter().map(|name| name.get_ref().as_str()).collect(),
        messages: BTreeSet::new(),
        found,
    };
    if names.places.is_empty() {
        names.places.push(ONLY_PLACE);
    }
    for place in scene.places.iter().filter_map(|place| place.under.as_ref()) {
        names.is_place(place);
    }
    for step in &scene.steps {
        names.check(step);
    }
    names.found
}

fn twice(names: &[&Spanned<String>], what: &str, found: &mut Vec<Mistake>) {
    let mut seen = BTreeSet::new();
    for name in names {
        let is_taken = matches!(name.get_ref().as_str(), DM | FAMILIAR | "");
        if is_taken || !seen.insert(name.get_ref().to_lowercase()) {
            let what = if is_taken { "this name means something else; choose another" } else { what };
            found.push(Mistake { at: name.span().start, what: what.to_owned() });
        }
    }
}

/// The names that a scene has so far.
struct NamedSoFar<'s> {
    people: Vec<&'s str>,
    places: Vec<&'s str>,
    messages: BTreeSet<&'s str>,
    found: Vec<Mistake>,
}

impl<'s> NamedSoFar<'s> {
    fn wrong(&mut self, at: usize, what: impl Into<String>) {
        self.found.push(Mistake { at, what: what.into() });
    }

    fn is_place(&mut self, name: &Spanned<String>) {
        if !self.places.contains(&name.get_ref().as_str()) {
            let what =
                format!("no place is called {:?}; [[places]] has {}", name.get_ref(), self.places.join(", "));
            self.wrong(name.span().start, what);
        }
    }

    fn is_person(&mut self, name: &Spanned<String>) {
        if !self.people.contains(&name.get_ref().as_str()) {
            let what =
                format!("nobody is called {:?}; [[people]] has {}", name.get_ref(), self.people.join(", "));
            self.wrong(name.span().start, what);
        }
    }

    fn is_message(&mut self, name: &Spanned<String>) {
        let word = name.get_ref().as_str();
        if word != FAMILIAR && !self.messages.contains(word) && !self.people.contains(&word) {
            let what = format!(
                "no message is called {word:?}: give the `id` of an earlier step, a name, or \"familiar\""
            );
            self.wrong(name.span().start, what);
        }
    }

    fn check(&mut self, step: &'s Spanned<SceneStep>) {
        let at = step.span().start;
        let step = step.get_ref();
        let person = step.who.as_ref();
        if let Some(person) = person {
            self.is_person(person);
        }
        match &step.place {
            Some(place) if place.get_ref() == DM && person.is_some() => {}
            Some(place) if place.get_ref() == DM => {
                self.wrong(
                    place.span().start,
                    "`in = \"dm\"` is alone with somebody: say with whom, by `who`",
                );
            }
            Some(place) => self.is_place(place),
            None => {}
        }
        for message in [&step.replies_to, &step.to, &step.edits, &step.deletes].into_iter().flatten() {
            self.is_message(message);
        }
        if let Some(place) = &step.pairs_with {
            self.is_place(place);
        }
        if let Some(label) = &step.id
            && !self.messages.insert(label.get_ref())
        {
            self.wrong(label.span().start, "an earlier message has this `id`");
        }
        if step.at.is_some() && step.after.is_some() {
            self.wrong(at, "`at` and `after` both say when; leave one");
        }
        self.check_deeds(step, at);
        self.check_expected(step);
    }

    fn check_deeds(&mut self, step: &SceneStep, at: usize) {
        let talk = [step.says.is_some() && step.edits.is_none(), step.resets, step.greets];
        let does = step.deeds().len() + talk.iter().filter(|done| **done).count();
        if does > 1 {
            self.wrong(at, "one step is one thing that happens; make several of it");
        }
        let needs_nobody = step.resets || step.greets || does == 0;
        if !needs_nobody && step.who.is_none() {
            self.wrong(at, "who does it? Say so by `who`");
        }
        if does == 0 && step.at.is_none() && step.after.is_none() && step.expect.is_none() {
            self.wrong(at, "nothing happens in this step: no time passes, and nothing is done or expected");
        }
        if step.reacts.is_some() != step.to.is_some() {
            self.wrong(at, "`reacts` is the emoji and `to` the message; give both");
        }
        if step.edits.is_some() && step.says.is_none() {
            self.wrong(at, "`edits` wants `says`: how the message reads from now on");
        }
    }

    fn check_expected(&mut self, step: &SceneStep) {
        let Some(expect) = &step.expect else { return };
        let expect = expect.get_ref();
        match &expect.place {
            Some(place) if place.get_ref() != DM => self.is_place(place),
            _ => {}
        }
        if let Some(person) = &expect.answered {
            self.is_person(person);
        }
        if let Some(notice) = &expect.notice
            && !NOTICES.contains(&notice.get_ref().as_str())
        {
            let what = format!("no notice is called so; there are {}", NOTICES.join(", "));
            self.wrong(notice.span().start, what);
        }
    }
}
