//! How people and topics are connected: a drawing made here, and the same as a list.

use std::collections::{HashMap, HashSet};
use std::f64::consts::TAU;
use std::fmt::Write as _;
use std::sync::Arc;

use askama::Template;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::response::Response;

use super::memory::read_from_disk;
use super::messages;
use super::note_href::href;
use super::operator::{noted, overview, texts_of_messages};
use super::pages::{PageHead, Refusal, Visitor, html_page};
use super::shared::Shared;
use crate::domain::StoredId;
use crate::graph::{NamedNode, NodeId, NodeKind, Overview, Thing, Tie};
use crate::memory::store::NotePath;
use crate::text::keywords;
use crate::text::short::counted;
use crate::text::topics::is_no_topic;

/// People and topics that are shown, those most connected.
const THINGS: usize = 1_000;

/// Lines that are drawn, the strongest.
const LINES: usize = 1_500;

/// Names that stand in the drawing, of people and of topics; the others are in the list.
const PEOPLE_NAMED: usize = 40;
const TOPICS_NAMED: usize = 60;

/// A topic without a note is shown where so many people spoke of it, or somebody so many times.
const SPEAKERS: u32 = 2;
const TIMES: u32 = 3;

/// Others that are named beside one in the list.
const BESIDE: usize = 4;

/// The innermost circle, how far apart circles are, and how far apart things on one are at least.
const INNERMOST: f64 = 110.0;
const APART: f64 = 34.0;
const NEIGHBOURS_APART: f64 = 20.0;

/// Between people and topics.
const GAP: f64 = 70.0;

/// What stands so many times as far up or down as it stands to the side has its name over or under it.
const STEEP: f64 = 1.2;

/// Longest name in the drawing, in characters.
const NAME_CHARS: usize = 18;

#[derive(Debug, Template)]
#[template(path = "map.html")]
struct MapPage {
    page: PageHead,
    is_empty: bool,
    view_box: String,
    /// By how strong they are, of three: one path each.
    lines: [String; 3],
    dots: Vec<Dot>,
    lists: Vec<(&'static str, Vec<Entry>)>,
}

#[derive(Debug)]
struct Dot {
    kind: &'static str,
    x: String,
    y: String,
    radius: String,
    name: String,
    href: String,
    label: Option<Label>,
}

/// Its name beside it.
#[derive(Debug)]
struct Label {
    text: String,
    x: String,
    y: String,
    anchor: &'static str,
}

impl Label {
    /// Beside the thing; over or under it where topics stand closely beside each other, far up and far down.
    fn beside((x, y): (f64, f64), radius: f64, kind: &str, name: &str) -> Self {
        let is_steep = kind == "topic" && y.abs() > STEEP * x.abs();
        let (to, beside, anchor) = match (is_steep, y < 0.0, x < 0.0) {
            (true, true, _) => (x, y - radius - 5.0, "middle"),
            (true, false, _) => (x, y + radius + 13.0, "middle"),
            (false, _, true) => (x - radius - 4.0, y + 4.0, "end"),
            (false, _, false) => (x + radius + 4.0, y + 4.0, "start"),
        };
        let text = crate::text::short::shortened(name, NAME_CHARS);
        Self { text, x: figure(to), y: figure(beside), anchor }
    }
}

/// A thing in the list.
#[derive(Debug)]
struct Entry {
    name: String,
    href: String,
    ties: String,
    beside: String,
}

pub(super) async fn map_page(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
) -> Result<Response, Refusal> {
    let mut overview = overview(&shared.parts.graph, THINGS).await.map_err(|error| {
        tracing::warn!(%error, "how things are connected could not be read for the window");
        Refusal(StatusCode::INTERNAL_SERVER_ERROR)
    })?;
    let spoken_of = overview.things.iter().filter_map(|thing| thing.spoken_of).collect();
    let said = texts_of_messages(&shared.parts.history, spoken_of).await.unwrap_or_else(|error| {
        tracing::warn!(%error, "how topics are written could not be read for the window");
        HashMap::new()
    });
    name_topics(&mut overview, &said);
    let memory = Arc::clone(&shared.parts.memory);
    let notes = read_from_disk(move || noted(&memory)).await?;
    let overview = without_passing(&without_names(&overview), &notes);
    let page = shared.door.head(messages::MAP, "/memory", &visitor);
    Ok(html_page(&drawn(page, &overview, &notes)))
}

fn drawn(page: PageHead, overview: &Overview, notes: &Notes) -> MapPage {
    let names: Vec<String> = overview.things.iter().map(|thing| node_label(&thing.named)).collect();
    let (mut places, reach) = places_of(overview);
    let reach = centred(&mut places, reach);
    let weights = weights_of(overview);
    let most = weights.iter().copied().fold(1.0, f64::max);
    let (mut people, mut topics) = (0, 0);
    let dots = overview.things.iter().enumerate().map(|(at, thing)| {
        let (x, y) = places[at];
        let radius = 3.0 + 9.0 * (weights[at] / most).sqrt();
        let (kind, count, most_named) = match thing.named.id.kind {
            NodeKind::Person => ("person", &mut people, PEOPLE_NAMED),
            _ => ("topic", &mut topics, TOPICS_NAMED),
        };
        *count += 1;
        let label = (*count <= most_named).then(|| Label::beside((x, y), radius, kind, &names[at]));
        let (name, href) = (names[at].clone(), href_of(&thing.named, &names[at], notes));
        Dot { kind, x: figure(x), y: figure(y), radius: figure(radius), name, href, label }
    });
    MapPage {
        page,
        is_empty: overview.things.is_empty(),
        view_box: format!(
            "{} {} {} {}",
            figure(-reach.0 - 90.0),
            figure(-reach.1 - 32.0),
            figure(2.0 * reach.0 + 180.0),
            figure(2.0 * reach.1 + 64.0)
        ),
        dots: dots.collect(),
        lines: tie_paths(&overview.ties, &places),
        lists: lists_of(overview, &names, notes),
    }
}

/// Calls each topic by the word that somebody wrote, where the message is still kept.
fn name_topics(overview: &mut Overview, said: &HashMap<StoredId, String>) {
    for Thing { named, spoken_of, .. } in &mut overview.things {
        let words = spoken_of.and_then(|message| said.get(&message));
        let written = words.and_then(|words| keywords::written_as(words, &named.id.key));
        if let Some(word) = written {
            named.label = Some(word.into());
        }
    }
}

/// Without the topics that are called like somebody who stands there: who is spoken to is no topic.
fn without_names(overview: &Overview) -> Overview {
    let named = overview.things.iter().map(|thing| &thing.named);
    let people = named.filter(|named| named.id.kind == NodeKind::Person);
    let people: HashSet<String> = people.flat_map(|person| names_of(&node_label(person))).collect();
    only_those(overview, |_, Thing { named, .. }| {
        named.id.kind == NodeKind::Person || !people.contains(&node_label(named).to_lowercase())
    })
}

/// A whole name, and each word of it.
fn names_of(label: &str) -> Vec<String> {
    let whole = label.to_lowercase();
    let words = keywords::written_words(&whole).map(str::to_owned).collect::<Vec<_>>();
    words.into_iter().chain([whole]).collect()
}

/// The notes about people and topics.
type Notes = HashMap<NodeId, NotePath>;

/// Without the topics that somebody only mentioned: what no note is about, and is a word that comes up in any talk or was said
/// by one person alone, and not often.
fn without_passing(overview: &Overview, notes: &Notes) -> Overview {
    let is_person = |at: usize| overview.things[at].named.id.kind == NodeKind::Person;
    let mut people = vec![0_u32; overview.things.len()];
    for tie in &overview.ties {
        people[tie.one] += u32::from(is_person(tie.other));
        people[tie.other] += u32::from(is_person(tie.one));
    }
    only_those(overview, |at, Thing { named: NamedNode { id, .. }, times, .. }| {
        let is_talked_about = || people[at] >= SPEAKERS || *times >= TIMES;
        is_person(at) || notes.contains_key(id) || (is_talked_about() && !is_no_topic(&id.key))
    })
}

fn only_those(overview: &Overview, stays: impl Fn(usize, &Thing) -> bool) -> Overview {
    let (mut things, mut numbers) = (Vec::new(), HashMap::new());
    for (at, thing) in overview.things.iter().enumerate().filter(|(at, thing)| stays(*at, thing)) {
        numbers.insert(at, things.len());
        things.push(thing.clone());
    }
    let ties = overview.ties.iter().filter_map(|tie| {
        Some(Tie { one: *numbers.get(&tie.one)?, other: *numbers.get(&tie.other)?, strength: tie.strength })
    });
    Overview { things, ties: ties.collect() }
}

/// Its note; where it has none, whatever its name stands in.
fn href_of(thing: &NamedNode, name: &str, notes: &Notes) -> String {
    match notes.get(&thing.id) {
        Some(note) => href(note),
        None => {
            let words = form_urlencoded::Serializer::new(String::new()).append_pair("q", name).finish();
            format!("/memory?{words}")
        }
    }
}

fn node_label(thing: &NamedNode) -> String {
    match (&thing.label, thing.id.kind) {
        (Some(label), _) => label.to_string(),
        (None, NodeKind::Person) => messages::SOMEBODY.to_owned(),
        (None, _) => thing.id.key.to_string(),
    }
}

fn figure(number: f64) -> String {
    format!("{number:.1}")
}

/// How strongly each hangs together with all others.
fn weights_of(overview: &Overview) -> Vec<f64> {
    let mut weights = vec![0.0; overview.things.len()];
    for tie in &overview.ties {
        weights[tie.one] += tie.strength;
        weights[tie.other] += tie.strength;
    }
    weights
}

/// Where each stands, and how far the outermost is from the middle: people on the inner circles, each beside whom it hangs
/// together with most; topics around them, in the direction of those who speak of them.
fn places_of(overview: &Overview) -> (Vec<(f64, f64)>, f64) {
    let is_person = |at: &usize| overview.things[*at].named.id.kind == NodeKind::Person;
    let (people, topics): (Vec<usize>, Vec<usize>) = (0..overview.things.len()).partition(is_person);
    let mut places = vec![(0.0, 0.0); overview.things.len()];
    let reach = on_circles(&in_a_chain(&people, &overview.ties), INNERMOST, 0.0, &mut places);
    let mut directions: HashMap<usize, (f64, f64)> = HashMap::new();
    for Tie { one, other, strength } in &overview.ties {
        for (topic, person) in [(one, other), (other, one)] {
            if !is_person(topic) && is_person(person) {
                let pull = directions.entry(*topic).or_default();
                pull.0 += strength * places[*person].0;
                pull.1 += strength * places[*person].1;
            }
        }
    }
    let angle = |topic: &usize| directions.get(topic).map_or(0.0, |(x, y)| y.atan2(*x));
    let mut around = topics;
    around.sort_by(|a, b| angle(a).total_cmp(&angle(b)).then(a.cmp(b)));
    let begins = if people.is_empty() { INNERMOST } else { reach + GAP };
    // Turned so that as many as may be stand where they are drawn to.
    let turned = around.iter().enumerate().fold((0.0, 0.0), |sum: (f64, f64), (number, topic)| {
        let off = angle(topic) - TAU * number as f64 / around.len() as f64;
        (sum.0 + off.cos(), sum.1 + off.sin())
    });
    let reach = on_circles(&around, begins, turned.1.atan2(turned.0), &mut places).max(reach);
    (places, reach)
}

/// Moves what is drawn so that it stands around the middle, which few things on a circle do not; how far it reaches from there to
/// the sides, and up and down. A few things are not drawn larger than many.
fn centred(places: &mut [(f64, f64)], reach: f64) -> (f64, f64) {
    let span = |of: fn(&(f64, f64)) -> f64| {
        let least = places.iter().map(of).fold(f64::INFINITY, f64::min);
        let most = places.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
        ((least + most) / 2.0, (most - least) / 2.0)
    };
    if places.is_empty() {
        return (reach, reach);
    }
    let ((x, half_wide), (y, half_high)) = (span(|place| place.0), span(|place| place.1));
    for place in places {
        *place = (place.0 - x, place.1 - y);
    }
    (half_wide.max(2.0 * INNERMOST), half_high.max(INNERMOST / 2.0))
}

/// Each behind the one that it hangs together with most of those before.
fn in_a_chain(people: &[usize], ties: &[Tie]) -> Vec<usize> {
    let mut beside: HashMap<usize, Vec<usize>> = HashMap::new();
    for tie in ties {
        beside.entry(tie.one).or_default().push(tie.other);
        beside.entry(tie.other).or_default().push(tie.one);
    }
    let mut left: std::collections::BTreeSet<usize> = people.iter().copied().collect();
    let mut chain = Vec::with_capacity(people.len());
    while let Some(first) = left.first().copied() {
        let mut next = Some(first);
        while let Some(one) = next {
            left.remove(&one);
            chain.push(one);
            next = beside.get(&one).into_iter().flatten().copied().find(|other| left.contains(other));
        }
    }
    chain
}

/// Puts these on as many circles as they need, in their order all around from an angle on; the radius of the last.
fn on_circles(order: &[usize], innermost: f64, from: f64, places: &mut [(f64, f64)]) -> f64 {
    let holds = |circles: u32| -> f64 {
        (0..circles).map(|circle| TAU * (innermost + f64::from(circle) * APART) / NEIGHBOURS_APART).sum()
    };
    let circles = (1..).find(|circles| holds(*circles) >= order.len() as f64).unwrap_or(1);
    for circle in 0..circles {
        let own: Vec<usize> = order.iter().skip(circle as usize).step_by(circles as usize).copied().collect();
        let radius = innermost + f64::from(circle) * APART;
        let shifted = f64::from(circle) / f64::from(circles);
        for (number, at) in own.iter().enumerate() {
            let angle = from + TAU * (number as f64 + shifted) / own.len() as f64;
            places[*at] = (radius * angle.cos(), radius * angle.sin());
        }
    }
    if order.is_empty() { 0.0 } else { innermost + f64::from(circles - 1) * APART }
}

/// The strongest ties as paths: a third of them strong, a third less so, the rest faint.
fn tie_paths(ties: &[Tie], places: &[(f64, f64)]) -> [String; 3] {
    let drawn = &ties[..ties.len().min(LINES)];
    let third = drawn.len().div_ceil(3).max(1);
    let mut lines = [String::new(), String::new(), String::new()];
    for (number, tie) in drawn.iter().enumerate() {
        let ((x, y), (to_x, to_y)) = (places[tie.one], places[tie.other]);
        // Into a String nothing is refused.
        let _written = write!(lines[(number / third).min(2)], "M{x:.0} {y:.0}L{to_x:.0} {to_y:.0}");
    }
    lines
}

fn lists_of(overview: &Overview, names: &[String], notes: &Notes) -> Vec<(&'static str, Vec<Entry>)> {
    let mut beside: Vec<Vec<usize>> = vec![Vec::new(); names.len()];
    for tie in &overview.ties {
        beside[tie.one].push(tie.other);
        beside[tie.other].push(tie.one);
    }
    let entry = |at: usize| {
        let others: Vec<&str> = beside[at].iter().take(BESIDE).map(|other| names[*other].as_str()).collect();
        Entry {
            name: names[at].clone(),
            href: href_of(&overview.things[at].named, &names[at], notes),
            ties: counted(beside[at].len() as u64, "tie"),
            beside: others.join(", "),
        }
    };
    let of = |is_people: bool| -> Vec<Entry> {
        let chosen = (0..names.len())
            .filter(|at| (overview.things[*at].named.id.kind == NodeKind::Person) == is_people);
        chosen.map(entry).collect()
    };
    [(messages::PEOPLE, of(true)), (messages::TOPICS, of(false))]
        .into_iter()
        .filter(|(_, entries)| !entries.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thing(kind: NodeKind, key: &str, label: Option<&str>) -> Thing {
        let named = NamedNode { id: NodeId::new(kind, key), label: label.map(Into::into) };
        Thing { named, times: 0, spoken_of: None }
    }

    fn topic(stem: &str) -> Thing {
        thing(NodeKind::Topic, stem, None)
    }

    /// People who speak of topics, many of each.
    fn overview(people: usize, topics: usize) -> Overview {
        let named = |kind, at: usize| thing(kind, &at.to_string(), Some(&format!("n{at}")));
        let things = (0..people).map(|at| named(NodeKind::Person, at));
        let things = things.chain((people..people + topics).map(|at| named(NodeKind::Topic, at))).collect();
        let ties = (0..topics).map(|at| Tie {
            one: at % people,
            other: people + at,
            strength: (topics - at) as f64,
        });
        Overview { things, ties: ties.collect() }
    }

    #[test]
    fn a_thousand_things_stand_apart_and_only_some_of_them_are_named() {
        let all = overview(200, 800);
        let (places, reach) = places_of(&all);
        for (at, one) in places.iter().enumerate() {
            assert!(one.0.hypot(one.1) <= reach + 0.1);
            for other in &places[at + 1..] {
                assert!((one.0 - other.0).hypot(one.1 - other.1) > 8.0, "{one:?} lies on {other:?}");
            }
        }
        let page = drawn(PageHead::default(), &all, &Notes::new());
        assert_eq!(page.dots.len(), 1_000);
        assert_eq!(page.dots.iter().filter(|dot| dot.label.is_some()).count(), PEOPLE_NAMED + TOPICS_NAMED);
        assert_eq!(
            page.lists.iter().map(|(_, list)| list.len()).sum::<usize>(),
            1_000,
            "the list has all of them"
        );
    }

    #[test]
    fn a_topic_stands_on_the_side_of_those_who_speak_of_it() {
        let all = overview(4, 40);
        let (places, _) = places_of(&all);
        let near = all.ties.iter().filter(|tie| {
            let ((x, y), (to_x, to_y)) = (places[tie.one], places[tie.other]);
            x * to_x + y * to_y > 0.0
        });
        assert!(near.count() > 30);
    }

    #[test]
    fn a_few_things_stand_in_the_middle_of_the_drawing() {
        for (people, topics) in [(1, 1), (1, 2), (2, 1), (3, 0), (40, 200)] {
            let (mut places, reach) = places_of(&overview(people, topics));
            let (wide, high) = centred(&mut places, reach);
            for of in [|place: &(f64, f64)| place.0, |place: &(f64, f64)| place.1] {
                let least = places.iter().map(of).fold(f64::INFINITY, f64::min);
                let most = places.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
                assert!((least + most).abs() < 0.1, "{people} people, {topics} topics: {least} to {most}");
            }
            assert!(places.iter().all(|(x, y)| x.abs() <= wide + 0.1 && y.abs() <= high + 0.1));
        }
    }

    #[test]
    fn a_topic_is_called_as_somebody_wrote_it_and_else_by_its_stem() {
        let spoken_of = |stem, message| Thing { spoken_of: Some(StoredId(message)), ..topic(stem) };
        let things = vec![spoken_of("lighthous", 1), spoken_of("ferri", 2), topic("rope")];
        let mut all = Overview { things, ties: Vec::new() };
        let said = HashMap::from([(StoredId(1), "Who lit the lighthouse?".to_owned())]);
        name_topics(&mut all, &said);
        let names: Vec<String> = all.things.iter().map(|thing| node_label(&thing.named)).collect();
        assert_eq!(names, ["lighthouse", "ferri", "rope"]);
    }

    #[test]
    fn who_is_spoken_to_by_name_is_no_topic_beside_themselves() {
        let ana = thing(NodeKind::Person, "discord-1", Some("Ana of the Ferry"));
        let things = vec![ana, topic("ana"), topic("rope")];
        let tie = |one, other| Tie { one, other, strength: 1.0 };
        let all = Overview { things, ties: vec![tie(0, 1), tie(0, 2)] };
        let left = without_names(&all);
        let names: Vec<String> = left.things.iter().map(|thing| node_label(&thing.named)).collect();
        assert_eq!(names, ["Ana of the Ferry", "rope"]);
        assert_eq!(left.ties, [tie(0, 1)]);
    }

    #[test]
    fn what_somebody_only_mentioned_is_no_topic_and_what_is_noted_leads_to_its_note() {
        let spoken_of = |(stem, times)| Thing { times, ..topic(stem) };
        let person = |at: &str| thing(NodeKind::Person, at, None);
        // However often: people say "called" of anything.
        let topics = [("call", 20), ("rope", 3), ("regatta", 1), ("lighthous", 2)].map(spoken_of);
        let tie = |one, other| Tie { one, other, strength: 1.0 };
        let all = Overview {
            things: topics.into_iter().chain(["a", "b"].map(person)).collect(),
            ties: vec![tie(0, 4), tie(1, 4), tie(2, 4), tie(3, 4), tie(3, 5)],
        };
        let note = NotePath::new("topics/regatta.md").unwrap();
        let notes = Notes::from([(NodeId::topic("regatta"), note)]);
        let left = without_passing(&all, &notes);
        let keys: Vec<&str> = left.things.iter().map(|thing| &*thing.named.id.key).collect();
        assert_eq!((keys, left.ties.len()), (vec!["rope", "regatta", "lighthous", "a", "b"], 4));
        let page = drawn(PageHead::default(), &left, &notes);
        assert_eq!(page.dots[1].href, "/memory/note?path=topics%2Fregatta.md");
        assert_eq!(page.dots[0].href, "/memory?q=rope");
    }

    #[test]
    fn nothing_at_all_is_drawn_of_nothing() {
        let page = drawn(PageHead::default(), &Overview::default(), &Notes::new());
        assert!(page.is_empty && page.lists.is_empty() && page.lines.iter().all(String::is_empty));
    }
}
