//! Random worlds: servers with roles and gated channels, people who come and go, talk alone, pair and part. Whatever is
//! looked up anywhere, nobody is shown what they could not know (M12, contradiction 8).
//!
//! Two thousand reads in every run of the tests. At full size, as in the README: `FAMILIAR_READS=1000000 cargo test
//! --release --test integration recall::worlds -- --nocapture`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;

use familiar_connect::clock::SystemClock;
use familiar_connect::config::{Defaults, FamiliarHome, LiveConfig, RecallMethod};
use familiar_connect::context::recall::{GraphSource, NotesSource, Recall, RecallSource, SummarySource};
use familiar_connect::context::{ContextPipeline, PipelineParts};
use familiar_connect::domain::*;
use familiar_connect::familiar::LiveCharacter;
use familiar_connect::graph::Graph;
use familiar_connect::history::{
    Added, History, NewSummary, NewTurn, Summary, SummaryLevel, fingerprint_of_turns,
};
use familiar_connect::identity::{Membership, Pairing};
use familiar_connect::memory::Memory;
use familiar_connect::tools::{OutsideParts, ToolBox, ToolBoxParts, ToolContext, ToolTurn};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{Rng as _, SeedableRng as _};

use super::{Archive, query};
use crate::support::stage::{CARD, Stage, person, said_at};

/// Reads where nobody asks for more.
const READS: u64 = 2_000;

/// What happens in one world before the next one begins.
const EVENTS: u64 = 120;

/// Reads after each event.
const READS_EACH: u64 = 4;

const PEOPLE: [&str; 6] = ["alice", "ben", "cleo", "dora", "emil", "finn"];
const GUILDS: [u64; 2] = [7, 8];
const ROLES: [&str; 2] = ["crew", "officers"];

type Who = &'static str;

/// Where something is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Spot {
    Room(u64),
    Alone(Who),
}

#[derive(Debug, Clone)]
struct Room {
    guild: u64,
    /// Only who has this role can see it.
    gate: Option<&'static str>,
}

/// What a mark stands for, in the world's own terms.
#[derive(Debug, Clone)]
enum Learnt {
    InRoom { room: u64, was_gated: bool },
    Alone { who: Who, heard_in: BTreeSet<End>, is_shared: bool },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Guild(u64),
    Alone(Who),
}

/// Who is asked, in every world: a character and its settings, which nothing that happens changes.
struct Familiar {
    character: Arc<LiveCharacter>,
    config: Arc<LiveConfig>,
    _folder: Arc<tempfile::TempDir>,
}

impl Familiar {
    fn new() -> Self {
        let folder = Stage::installed("", CARD);
        let home = FamiliarHome::new(folder.path(), &FamiliarId::new("mika").unwrap());
        let config = LiveConfig::load(home.clone(), Defaults::embedded()).unwrap();
        Self { character: Arc::new(LiveCharacter::load(home).unwrap()), config, _folder: folder }
    }

    /// Its tools over these stores.
    fn tools(&self, history: &Arc<History>, memory: &Arc<Memory>) -> ToolBox {
        let (character, config) = (Arc::clone(&self.character), Arc::clone(&self.config));
        let (history, memory) = (Arc::clone(history), Arc::clone(memory));
        let pipeline = ContextPipeline::standard(PipelineParts {
            character: Arc::clone(&character),
            config: Arc::clone(&config),
            history: Arc::clone(&history),
            memory: Arc::clone(&memory),
            meaning: None,
            reranking: None,
        });
        let (graph, lore, recall) = (pipeline.graph(), pipeline.lore(), pipeline.recall());
        let outside = OutsideParts::default();
        ToolBox::standard(ToolBoxParts {
            config,
            character,
            history,
            memory,
            graph,
            lore,
            recall,
            notes: None,
            outside,
        })
    }
}

/// The world as its platform tells of it: nobody says that somebody has left or lost a role, it has to be asked.
#[derive(Debug, Default)]
struct Rolls {
    rooms: BTreeMap<u64, Room>,
    members: BTreeMap<(u64, Who), BTreeSet<&'static str>>,
}

#[derive(Debug, Default)]
struct Platform(Mutex<Rolls>);

#[async_trait]
impl Membership for Platform {
    async fn place_now(&self, place: &Place) -> Place {
        let rolls = self.0.lock().unwrap();
        let gated = rolls.rooms.iter().filter_map(|(id, room)| Some((*id, room.guild, room.gate?)));
        let sees = match &place.audience {
            Audience::Dm(account) => {
                let who = PEOPLE.into_iter().find(|who| person(who).account == *account).unwrap();
                let of = |guild: u64| rolls.members.get(&(guild, who));
                let guilds = GUILDS.into_iter().filter(|guild| of(*guild).is_some());
                let rooms =
                    gated.filter(|(_, guild, gate)| of(*guild).is_some_and(|roles| roles.contains(gate)));
                let rooms = rooms.map(|(id, ..)| Audience::Private(ChannelId::from(id)));
                guilds.map(|guild| Audience::Guild(GuildId::from(guild))).chain(rooms).collect()
            }
            Audience::Private(_) => {
                let id: u64 = place.channel.as_str().parse().unwrap();
                let Room { guild, gate } = rolls.rooms[&id];
                let same = gated.filter(|(_, of, role)| *of == guild && Some(*role) == gate);
                same.map(|(id, ..)| Audience::Private(ChannelId::from(id))).collect()
            }
            _ => Vec::new(),
        };
        Place { sees, ..place.clone() }
    }

    async fn is_in(&self, account: &AccountId, guild: &GuildId) -> Option<bool> {
        let (who, rolls) =
            (PEOPLE.into_iter().find(|who| person(who).account == *account)?, self.0.lock().unwrap());
        Some(rolls.members.contains_key(&(guild.as_str().parse().ok()?, who)))
    }
}

struct World {
    platform: Arc<Platform>,
    archive: Archive,
    /// Everything there is to look things up in, the graph and the summaries too.
    recall: Recall,
    tools: ToolBox,
    pairing: Arc<Pairing>,
    rooms: BTreeMap<u64, Room>,
    members: BTreeMap<(u64, Who), BTreeSet<&'static str>>,
    circles: Vec<BTreeSet<End>>,
    /// With whom somebody shares what they said before.
    pasts: BTreeMap<Who, BTreeSet<End>>,
    learnt: Vec<Learnt>,
    chance: StdRng,
    minute: i64,
}

impl World {
    async fn new(seed: u64, familiar: &Familiar) -> Self {
        let archive = Archive::new().await;
        let pairing = Arc::new(Pairing::of(&archive.home, Arc::new(SystemClock)).unwrap());
        let platform = Arc::new(Platform::default());
        pairing.asks(Arc::<Platform>::clone(&platform));
        let memory = Arc::new(Memory::at(&archive.home));
        let tools = familiar.tools(&archive.history, &memory);
        let graph = Arc::new(Graph::over(Arc::clone(&archive.history), Arc::clone(&memory)));
        let sources: Vec<Arc<dyn RecallSource>> = vec![
            Arc::clone(&archive.conversations) as Arc<dyn RecallSource>,
            Arc::new(NotesSource { memory: Arc::clone(&memory) }),
            Arc::new(GraphSource { graph }),
            Arc::new(SummarySource { history: Arc::clone(&archive.history) }),
        ];
        let recall = Recall::over(sources, std::time::Duration::from_secs(60));
        let mut chance = StdRng::seed_from_u64(seed);
        let rooms = (1..=6).map(|id| {
            let guild = GUILDS[usize::try_from(id % 2).unwrap()];
            (id, Room { guild, gate: if id > 4 { Some(ROLES[0]) } else { None } })
        });
        let rooms = rooms.collect();
        let mut members = BTreeMap::new();
        for who in PEOPLE {
            for guild in GUILDS {
                if chance.random_bool(0.7) {
                    members.insert((guild, who), BTreeSet::new());
                }
            }
        }
        Self {
            platform,
            archive,
            recall,
            tools,
            pairing,
            rooms,
            members,
            circles: Vec::new(),
            pasts: BTreeMap::new(),
            learnt: Vec::new(),
            chance,
            minute: 0,
        }
    }

    /// Who can open a room now.
    fn viewers(&self, room: u64) -> BTreeSet<Who> {
        let Room { guild, gate } = &self.rooms[&room];
        let may = |roles: &BTreeSet<&str>| gate.is_none_or(|gate| roles.contains(gate));
        let here = self.members.iter().filter(|((of, _), roles)| of == guild && may(roles));
        here.map(|((_, who), _)| *who).collect()
    }

    /// The same as the adapter would say it, and what the program makes of it. Who is looked for in a server and is not there
    /// is parted from it.
    async fn place(&mut self, spot: Spot) -> Place {
        *self.platform.0.lock().unwrap() = Rolls { rooms: self.rooms.clone(), members: self.members.clone() };
        if let Spot::Room(room) = spot {
            let guild = self.rooms[&room].guild;
            for who in PEOPLE {
                if !self.members.contains_key(&(guild, who)) {
                    self.parted(who, End::Guild(guild));
                }
            }
        }
        self.pairing.entered(&self.bare(spot)).await
    }

    fn bare(&self, spot: Spot) -> Place {
        match spot {
            Spot::Alone(who) => crate::support::stage::dm(who),
            Spot::Room(id) => {
                let Room { guild, gate } = &self.rooms[&id];
                let (channel, guild) = (ChannelId::from(id), GuildId::from(*guild));
                let audience = match gate {
                    Some(_) => Audience::Private(channel.clone()),
                    None => Audience::Guild(guild.clone()),
                };
                Place {
                    channel,
                    guild: Some(guild),
                    audience,
                    channel_name: Some(format!("#room{id}")),
                    ..crate::support::stage::ferry()
                }
            }
        }
    }

    /// Whether everybody in `here` may know something, by what happened and nothing of the program.
    fn may_be_known(&self, learnt: &Learnt, here: Spot) -> bool {
        match (learnt, here) {
            (Learnt::Alone { who, heard_in, is_shared }, here) => {
                let end = match here {
                    Spot::Alone(with) if with == *who => return true,
                    Spot::Alone(with) => End::Alone(with),
                    Spot::Room(room) => End::Guild(self.rooms[&room].guild),
                };
                if let End::Guild(guild) = end
                    && !self.members.contains_key(&(guild, *who))
                {
                    return false;
                }
                let by_past = !is_shared && self.pasts.get(who).is_some_and(|ends| ends.contains(&end));
                heard_in.contains(&end) || by_past
            }
            (Learnt::InRoom { room, was_gated }, here) => {
                let present = match here {
                    Spot::Alone(who) => [who].into(),
                    Spot::Room(room) => self.viewers(room),
                };
                let could = if *was_gated { self.viewers(*room) } else { self.guild(self.rooms[room].guild) };
                present.is_subset(&could)
            }
        }
    }

    fn guild(&self, guild: u64) -> BTreeSet<Who> {
        self.members.keys().filter(|(of, _)| *of == guild).map(|(_, who)| *who).collect()
    }

    fn someone(&mut self) -> Who {
        PEOPLE.choose(&mut self.chance).unwrap()
    }

    fn some_spot(&mut self) -> Spot {
        let rooms: Vec<u64> = self.rooms.keys().copied().collect();
        if self.chance.random_bool(0.3) {
            Spot::Alone(self.someone())
        } else {
            Spot::Room(*rooms.choose(&mut self.chance).unwrap())
        }
    }

    async fn something_happens(&mut self) {
        let who = self.someone();
        let guild = *GUILDS.choose(&mut self.chance).unwrap();
        match self.chance.random_range(0..20) {
            0 => drop(self.members.entry((guild, who)).or_default()),
            1 => drop(self.members.remove(&(guild, who))),
            2 | 3 => {
                let role = *ROLES.choose(&mut self.chance).unwrap();
                if let Some(roles) = self.members.get_mut(&(guild, who))
                    && !roles.remove(role)
                {
                    roles.insert(role);
                }
            }
            4 => {
                let gate = [None, Some(ROLES[0]), Some(ROLES[1])].choose(&mut self.chance).copied().unwrap();
                let room = self.chance.random_range(1..=6);
                self.rooms.get_mut(&room).unwrap().gate = gate;
            }
            5 => {
                if self.members.contains_key(&(guild, who)) {
                    self.pairs(who, End::Guild(guild));
                }
            }
            6 => {
                let other = self.someone();
                self.pairs(who, End::Alone(other));
            }
            7 => self.parts(who, End::Guild(guild)),
            8 => self.parts(who, End::Alone(who)),
            9 => self.shares_past(who),
            _ => {
                let spot = self.some_spot();
                self.says(spot).await;
            }
        }
    }

    fn circle_of(&self, who: Who) -> Option<usize> {
        self.circles.iter().position(|circle| circle.contains(&End::Alone(who)))
    }

    fn pairs(&mut self, who: Who, with: End) {
        let (spot, by) = match with {
            End::Guild(guild) => {
                (Spot::Room(*self.rooms.iter().find(|(_, room)| room.guild == guild).unwrap().0), who)
            }
            End::Alone(other) => (Spot::Alone(other), other),
        };
        let code =
            self.pairing.invite(&person(who).account, &self.bare(Spot::Alone(who))).unwrap().unwrap().code;
        let joined = self.pairing.redeem(&person(by).account, &self.bare(spot), &code).unwrap().is_ok();
        if joined {
            let at = self.circle_of(who).unwrap_or_else(|| {
                self.circles.push([End::Alone(who)].into());
                self.circles.len() - 1
            });
            self.circles[at].insert(with);
        }
    }

    fn parts(&mut self, who: Who, end: End) {
        let place = match end {
            End::Guild(guild) => {
                self.bare(Spot::Room(*self.rooms.iter().find(|(_, room)| room.guild == guild).unwrap().0))
            }
            End::Alone(who) => self.bare(Spot::Alone(who)),
        };
        self.pairing.part(&person(who).account, &place).unwrap();
        self.parted(who, end);
    }

    fn parted(&mut self, who: Who, end: End) {
        let Some(at) = self.circle_of(who).filter(|at| self.circles[*at].contains(&end)) else { return };
        let ends = self.circles[at].clone();
        self.circles[at].remove(&end);
        let is_over =
            self.circles[at].len() < 2 || self.circles[at].iter().all(|end| matches!(end, End::Guild(_)));
        let gone: BTreeSet<End> = if is_over { ends.clone() } else { [end].into() };
        let forget = |of: Who, heard: &mut BTreeSet<End>| {
            if gone.contains(&End::Alone(of)) {
                heard.clear()
            } else {
                heard.retain(|end| !gone.contains(end))
            }
        };
        for learnt in &mut self.learnt {
            if let Learnt::Alone { who, heard_in, .. } = learnt
                && ends.contains(&End::Alone(who))
            {
                forget(who, heard_in);
            }
        }
        for (who, heard) in self.pasts.iter_mut().filter(|(who, _)| ends.contains(&End::Alone(who))) {
            forget(who, heard);
        }
        if is_over {
            self.circles.remove(at);
        }
    }

    fn shares_past(&mut self, who: Who) {
        self.pairing.share_past(&person(who).account).unwrap();
        if let Some(at) = self.circle_of(who) {
            let others = self.circles[at].iter().copied().filter(|end| *end != End::Alone(who));
            self.pasts.entry(who).or_default().extend(others);
        }
    }

    /// Somebody says a marked word; sometimes the familiar repeats another, and sometimes it is noted.
    async fn says(&mut self, spot: Spot) {
        let place = self.place(spot).await;
        let who = match spot {
            Spot::Alone(who) => who,
            Spot::Room(room) => {
                let present: Vec<Who> = self.viewers(room).into_iter().collect();
                match present.choose(&mut self.chance) {
                    Some(who) => *who,
                    None => return,
                }
            }
        };
        let told = place.told_to().clone();
        let (mark, turn) = self.marked(spot, true);
        self.stored(&Place { audience: told.clone(), ..place.clone() }, Role::User, Some(who), &turn).await;
        if self.chance.random_bool(0.4) {
            let (_, turn) = self.marked(spot, false);
            self.stored(&place, Role::Assistant, None, &turn).await;
        }
        if self.chance.random_bool(0.3) {
            let note = format!("---\naudience: {told}\naliases: [Keeper{mark}]\n---\nKnows of {turn}");
            self.archive.note(&format!("discord-{}", 9_000 + mark), &note);
        }
    }

    /// A new mark and a sentence with it.
    fn marked(&mut self, spot: Spot, is_persons: bool) -> (usize, String) {
        let mark = self.learnt.len();
        self.learnt.push(match spot {
            Spot::Room(room) => Learnt::InRoom { room, was_gated: self.rooms[&room].gate.is_some() },
            Spot::Alone(who) => {
                let circle = self.circle_of(who).filter(|_| is_persons).map(|at| self.circles[at].clone());
                let is_shared = circle.is_some();
                let heard_in =
                    circle.unwrap_or_default().into_iter().filter(|end| *end != End::Alone(who)).collect();
                Learnt::Alone { who, heard_in, is_shared }
            }
        });
        (mark, format!("the treasure secretword{mark} lies near the old lighthouse"))
    }

    async fn stored(&mut self, place: &Place, role: Role, who: Option<Who>, content: &str) {
        self.minute += 1;
        let at = super::now() - jiff::SignedDuration::from_mins(5_000 - self.minute);
        let message = MessageId::from(1_000 + u64::try_from(self.minute).unwrap());
        let turn = NewTurn { role, author: who.map(person), ..said_at(place, "", content, at, message) };
        let stored = self.archive.history.append(turn).await.unwrap();
        self.sum_up(&stored).await;
    }

    /// A model sums every turn up for itself.
    async fn sum_up(&self, turn: &StoredTurn) {
        let history = &self.archive.history;
        let channel =
            history.seen_by(&Visible::only([turn.audience.clone()])).heard(vec![turn.id]).await.unwrap()[0]
                .channel
                .clone();
        let turns = history
            .whole()
            .stretch(&channel, turn.ordinal, turn.ordinal, TokenEncoding::CharsOver4)
            .await
            .unwrap();
        let new = NewSummary {
            channel,
            summary: Summary {
                level: SummaryLevel::Leaf,
                audience: turn.audience.clone(),
                first_ordinal: turn.ordinal,
                last_ordinal: turn.ordinal,
                first_at: turn.at,
                last_at: turn.at,
                source_tokens: 20,
                tokens: 20,
                text: format!("It was said that {}.", turn.content),
                writer: "test".to_owned(),
                made_at: turn.at,
            },
            parts: Vec::new(),
            inputs: fingerprint_of_turns(&turns),
        };
        assert_eq!(history.add_summary(new).await.unwrap(), Added::Stored);
    }

    /// What one of its tools tells somebody in a place.
    async fn said_by_tool(&mut self, place: &Place) -> String {
        let (name, arguments) = *CALLS.choose(&mut self.chance).unwrap();
        let call = ToolCall { id: "1".to_owned(), name: name.to_owned(), arguments: arguments.to_owned() };
        let context = ToolContext {
            caller: Some(person(self.someone())),
            ..ToolContext::new(
                Caller::Tenant.tools().unwrap(),
                TurnId(1),
                place.clone(),
                Visible::at(place),
                super::now(),
                TokenEncoding::CharsOver4,
            )
        };
        let told = self.tools.run(&[call], &context, &mut ToolTurn::default()).await;
        told.into_iter().map(|result| result.content).collect()
    }

    /// One look somewhere; how many marked words it showed.
    async fn read(&mut self) -> usize {
        let spot = self.some_spot();
        let place = self.place(spot).await;
        let visible = Visible::at(&place);
        let mut shown: Vec<(String, Audience)> = Vec::new();
        if self.chance.random_bool(0.1) {
            // What a tool says has been made for this place.
            let said = self.said_by_tool(&place).await;
            shown.push((said, place.audience.clone()));
        } else if self.chance.random_bool(0.25) {
            let questions = [
                ("where does the treasure near the old lighthouse lie?", RecallMethod::Fused),
                ("what did Alice say about the treasure?", RecallMethod::Text),
                ("how do Alice and Ben know each other?", RecallMethod::Hybrid),
                ("Keeper1 Keeper2 Keeper3 secretword1 secretword2", RecallMethod::Importance),
            ];
            let (question, method) = *questions.choose(&mut self.chance).unwrap();
            let mut query = query(question, method);
            query.circumstances.most = 50;
            let found = self.recall.run(&query, &visible, 32).await.found;
            shown.extend(
                found.into_iter().flat_map(|found| found.lines).map(|line| (line.text, line.audience)),
            );
        } else {
            let words = format!("treasure secretword{}", self.chance.random_range(0..=self.learnt.len()));
            let encoding = TokenEncoding::CharsOver4;
            let found = self.archive.history.seen_by(&visible).search(&words, 50, encoding).await.unwrap();
            shown.extend(found.into_iter().map(|found| (found.turn.content, found.turn.audience)));
        }
        let mut marks = 0;
        for (text, audience) in shown {
            assert!(Visible::at(&place).includes(&audience), "{audience} in {place:?}: {text}");
            for mark in super::leaks::marked(&text) {
                marks += 1;
                let learnt = &self.learnt[mark];
                assert!(
                    self.may_be_known(learnt, spot),
                    "secretword{mark} of {learnt:?} in {spot:?}: {text}"
                );
            }
        }
        marks
    }
}

/// What a model asks of its tools.
const CALLS: [(&str, &str); 6] = [
    ("memory_search", r#"{"query": "where does the treasure near the old lighthouse lie?", "limit": 20}"#),
    ("memory_search", r#"{"query": "what did Ben say of secretword3?"}"#),
    ("catch_me_up", r#"{"messages": 40}"#),
    ("who_was_here", "{}"),
    ("about_person", r#"{"name": "Alice"}"#),
    ("how_related", r#"{"first": "Alice", "second": "Ben"}"#),
];

fn wanted() -> u64 {
    std::env::var("FAMILIAR_READS").ok().and_then(|reads| reads.parse().ok()).unwrap_or(READS)
}

#[tokio::test(start_paused = true)]
async fn m12_in_random_worlds_no_read_shows_what_somebody_there_could_not_know() {
    let familiar = Familiar::new();
    let (mut reads, mut shown, mut seed) = (0_u64, 0_usize, 1);
    while reads < wanted() {
        let mut world = World::new(seed, &familiar).await;
        for _ in 0..EVENTS {
            world.something_happens().await;
            for _ in 0..READS_EACH {
                shown += world.read().await;
                reads += 1;
            }
        }
        seed += 1;
        if seed % 20 == 0 {
            println!("{reads} reads in {seed} worlds, {shown} marked words shown, 0 leaked");
        }
    }
    println!("{reads} reads in {} worlds, {shown} marked words shown, 0 leaked", seed - 1);
    assert!(shown as u64 > reads / 4, "a test that is shown nothing proves nothing: {shown} of {reads}");
}
