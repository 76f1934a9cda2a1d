//! End-to-end encryption of a call: Discord's side of DAVE, and the people in it.
//!
//! A [`Delivery`] is the call's MLS group as its server sees it: it proposes who is added and removed, picks the commit
//! that counts, and waits for the bot to be ready before the people change their keys. It has members do without
//! encryption and found their group anew. The people are real members; of the bot it knows only what it sends. What has
//! to wait is proposed together (daveprotocol.com, "Protocol").

use std::collections::{BTreeMap, VecDeque};
use std::num::NonZeroU16;

use davey::{DaveSession, MediaType, ProposalsOperationType};
use openmls::prelude::tls_codec::{DeserializeBytes as _, Serialize as _};
use openmls::prelude::*;
use openmls_basic_credential::SignatureKeyPair;
use openmls_rust_crypto::OpenMlsRustCrypto;
use serde_json::{Value, json};

/// The protocol's version.
const VERSION: NonZeroU16 = NonZeroU16::new(1).unwrap();

/// The epoch of a group that nobody was added to yet.
const FIRST_EPOCH: u64 = 0;

/// Opcodes that are sent as bytes.
mod op {
    pub const EXTERNAL_SENDER: u8 = 25;
    pub const PROPOSALS: u8 = 27;
    pub const ANNOUNCE_COMMIT: u8 = 29;
    pub const WELCOME: u8 = 30;
}

/// Ends every frame that is encrypted between members.
pub const MARKER: [u8; 2] = [0xfa, 0xfa];

/// Whose commit counts when both sides make one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Committer {
    #[default]
    People,
    Bot,
}

/// What a change of keys is held back from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Hold {
    /// What is to be changed is not even proposed.
    Proposals,
    /// It is proposed, and no commit counts yet.
    Commit,
    /// The people have their new keys, and the bot is not told yet.
    Word,
    /// The bot has its new keys, and the people wait for word that all are ready.
    Keys,
    #[default]
    Nothing,
}

/// Something for the bot.
#[derive(Debug, Clone)]
pub enum ToBot {
    Json(Value),
    Bytes(Vec<u8>),
}

/// The group of one call.
pub struct Delivery {
    channel: u64,
    bot: u64,
    committer: Committer,
    signer: SignatureKeyPair,
    external_sender: Vec<u8>,
    people: BTreeMap<u64, DaveSession>,
    bot_is_member: bool,
    /// Whether members encrypt between them at all.
    is_encrypted: bool,
    epoch: u64,
    transition: u16,
    waiting: VecDeque<Change>,
    under_way: Option<UnderWay>,
    hold: Hold,
    /// The bot is ready for what is under way.
    is_ready: bool,
    /// What the bot is to be told of a change that the people have made already.
    unsaid: Vec<ToBot>,
    /// Commits that the bot still sends: one to each list of proposals, in their order.
    bot_owes: usize,
    /// How often the members have changed their keys.
    pub changes: usize,
    /// How often the bot said that it could not read a commit or welcome.
    pub refusals: usize,
}

enum Change {
    Person(u64),
    Bot(Vec<u8>),
    Gone(u32),
    /// They do without encryption.
    Downgrade,
    /// They found a new group.
    Anew,
}

/// A commit, and the welcome that goes with it where somebody is added.
type Offer = (Vec<u8>, Option<Vec<u8>>);

enum UnderWay {
    Commit(Box<Commit>),
    Downgrade,
    /// With the members of the new group, as soon as there is one.
    Anew(Option<BTreeMap<u64, DaveSession>>),
}

#[derive(Default)]
struct Commit {
    newcomers: Vec<(u64, DaveSession)>,
    adds_bot: bool,
    by_people: Option<Offer>,
    /// What whoever commits here would have count.
    offered: Option<Offer>,
    /// What counts, once that is decided.
    decided: Option<Offer>,
}

impl Delivery {
    pub fn new(channel: u64, bot: u64, committer: Committer) -> Self {
        let signer = SignatureKeyPair::new(SignatureScheme::ECDSA_SECP256R1_SHA256).unwrap();
        let credential = BasicCredential::new(vec![0; 8]);
        let external_sender = ExternalSender::new(signer.public().into(), credential.into());
        Self {
            channel,
            bot,
            committer,
            external_sender: external_sender.tls_serialize_detached().unwrap(),
            signer,
            people: BTreeMap::new(),
            bot_is_member: false,
            is_encrypted: true,
            epoch: FIRST_EPOCH,
            transition: 0,
            waiting: VecDeque::new(),
            under_way: None,
            hold: Hold::Nothing,
            is_ready: false,
            unsaid: Vec::new(),
            bot_owes: 0,
            changes: 0,
            refusals: 0,
        }
    }

    /// What the bot is told first.
    pub fn greeting(&self) -> ToBot {
        ToBot::Bytes([vec![op::EXTERNAL_SENDER], self.external_sender.clone()].concat())
    }

    pub fn person_enters(&mut self, user: u64) -> Vec<ToBot> {
        self.queue(Change::Person(user))
    }

    /// Who leaves before they were added is not added.
    pub fn person_leaves(&mut self, user: u64) -> Vec<ToBot> {
        let is_theirs = |change: &Change| matches!(change, Change::Person(of) if *of == user);
        if let Some(at) = self.waiting.iter().position(is_theirs) {
            self.waiting.remove(at);
            return Vec::new();
        }
        if let Some(UnderWay::Commit(change)) = &mut self.under_way
            && change.decided.is_none()
            && let Some(at) = change.newcomers.iter().position(|(of, _)| *of == user)
        {
            change.newcomers.remove(at);
            return self.revoke(user);
        }
        if matches!(self.under_way, Some(UnderWay::Anew(None))) {
            // Of the group to be they are none.
            self.people.remove(&user);
            return Vec::new();
        }
        let mut out = self.settle_now();
        if let Some(session) = self.people.remove(&user)
            && let Some(leaf) = session.own_leaf_index()
        {
            out.extend(self.queue(Change::Gone(leaf.u32())));
        }
        out
    }

    /// The members do without encryption from now on.
    pub fn downgrades(&mut self) -> Vec<ToBot> {
        self.queue(Change::Downgrade)
    }

    /// Everybody founds a new group, and encrypts from then on.
    pub fn founds_anew(&mut self) -> Vec<ToBot> {
        self.queue(Change::Anew)
    }

    /// From now on changes get no further than this; what is held back from something earlier goes on.
    pub fn holds(&mut self, hold: Hold) -> Vec<ToBot> {
        self.hold = hold;
        let mut out = Vec::new();
        if hold > Hold::Word {
            out.append(&mut self.unsaid);
        }
        out.extend(self.go_on());
        out
    }

    pub fn bot_sends_key_package(&mut self, key_package: &[u8]) -> Vec<ToBot> {
        if matches!(self.under_way, Some(UnderWay::Anew(None))) {
            return self.found(key_package);
        }
        self.queue(Change::Bot(key_package.to_vec()))
    }

    /// The bot's connection is gone; nothing more can be said to it.
    pub fn bot_leaves(&mut self) {
        self.settle_now();
        self.bot_owes = 0;
        self.unsaid.clear();
        if !std::mem::take(&mut self.bot_is_member) {
            return;
        }
        let bot = self.bot.to_be_bytes();
        let leaf = self.people.values().find_map(|session| {
            let mut members = session.group()?.members();
            members.find(|member| member.credential.serialized_content() == bot).map(|member| member.index)
        });
        if let Some(leaf) = leaf {
            self.queue(Change::Gone(leaf.u32()));
        }
    }

    /// What the bot would commit: a commit, and behind it a welcome where somebody is added.
    pub fn bot_commits(&mut self, bytes: &[u8]) -> Vec<ToBot> {
        self.bot_owes = self.bot_owes.saturating_sub(1);
        // One that answers earlier proposals lacks what has come since.
        if self.committer == Committer::Bot
            && self.bot_owes == 0
            && let Some(UnderWay::Commit(change)) = &mut self.under_way
        {
            let (_, rest) = MlsMessageIn::tls_deserialize_bytes(bytes).unwrap();
            let commit = bytes[..bytes.len() - rest.len()].to_vec();
            change.offered = Some((commit, (!rest.is_empty()).then(|| rest.to_vec())));
        }
        self.go_on()
    }

    pub fn bot_is_ready(&mut self, transition: u64) -> Vec<ToBot> {
        self.is_ready |= self.under_way.is_some() && transition == u64::from(self.transition);
        self.go_on()
    }

    /// A frame as a person sends it. `None` when they have nobody to talk with, or no keys yet.
    pub fn encrypt(&mut self, user: u64, frame: &[u8]) -> Option<Vec<u8>> {
        let session = self.people.get_mut(&user)?;
        if !self.is_encrypted {
            return Some(frame.to_vec());
        }
        session.encrypt_opus(frame).ok().map(std::borrow::Cow::into_owned)
    }

    /// A frame of the bot as people hear it.
    pub fn decrypt(&mut self, frame: &[u8]) -> Option<Vec<u8>> {
        let bot = self.bot;
        self.people.values_mut().find_map(|session| session.decrypt(bot, MediaType::AUDIO, frame).ok())
    }

    /// Whether the bot may have keys that the people do not have yet: it changes its own as soon as it knows of a change,
    /// and says so on another way than its packets come.
    pub fn may_be_behind(&self) -> bool {
        match &self.under_way {
            Some(UnderWay::Commit(change)) => change.decided.is_some(),
            Some(UnderWay::Anew(members)) => members.is_some(),
            Some(UnderWay::Downgrade) | None => false,
        }
    }

    /// Whether everybody has the same keys and nothing is to be changed.
    pub fn is_settled(&self) -> bool {
        self.under_way.is_none() && self.waiting.is_empty() && self.unsaid.is_empty()
    }

    /// Whether the bot waits for the people to change their keys.
    pub fn bot_waits(&self) -> bool {
        self.under_way.is_some() && self.is_ready
    }

    /// Whether the bot is in the group.
    pub fn has_bot(&self) -> bool {
        self.bot_is_member
    }

    fn queue(&mut self, change: Change) -> Vec<ToBot> {
        self.waiting.push_back(change);
        self.go_on()
    }

    /// As far as it gets.
    fn go_on(&mut self) -> Vec<ToBot> {
        let mut out = Vec::new();
        loop {
            let is_undecided = match &self.under_way {
                None if self.hold == Hold::Proposals || self.waiting.is_empty() => return out,
                None => {
                    out.extend(self.begin());
                    continue;
                }
                Some(UnderWay::Commit(change)) => change.decided.is_none(),
                Some(_) => false,
            };
            if is_undecided {
                if self.hold <= Hold::Commit {
                    return out;
                }
                let Some(told) = self.decide() else { return out };
                out.extend(told);
            } else if self.is_ready && self.hold == Hold::Nothing {
                out.extend(self.settle());
            } else {
                return out;
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.people.is_empty() && !self.bot_is_member
    }

    /// What comes next: all who come and go and have to wait, at once, or another kind of change alone.
    fn begin(&mut self) -> Vec<ToBot> {
        let mut commit = Commit::default();
        let mut proposals = Vec::new();
        while let Some(change) = self.waiting.pop_front() {
            if self.is_empty() {
                self.epoch = FIRST_EPOCH;
            }
            match change {
                Change::Person(user) => {
                    let (session, key_package) = self.newcomer(user);
                    if self.is_empty() || !self.is_encrypted {
                        // The first one founds the group.
                        self.people.insert(user, session);
                        continue;
                    }
                    proposals.push(self.adding(&key_package, self.epoch));
                    commit.newcomers.push((user, session));
                }
                Change::Bot(_) if self.is_empty() => self.bot_is_member = true,
                Change::Bot(key_package) => {
                    proposals.push(self.adding(&key_package, self.epoch));
                    commit.adds_bot = true;
                }
                Change::Gone(_) if self.is_empty() || !self.is_encrypted => {}
                Change::Gone(leaf) => proposals.push(self.removing(leaf)),
                alone if !proposals.is_empty() => {
                    self.waiting.push_front(alone);
                    break;
                }
                Change::Downgrade => return self.begin_downgrade(),
                Change::Anew => return self.begin_anew(),
            }
        }
        if proposals.is_empty() { Vec::new() } else { self.propose(&listed(&proposals), commit) }
    }

    fn begin_downgrade(&mut self) -> Vec<ToBot> {
        self.under_way = Some(UnderWay::Downgrade);
        let transition = self.next_transition();
        self.is_ready = !self.bot_is_member;
        vec![ToBot::Json(json!({"op": 21, "d": {"protocol_version": 0, "transition_id": transition}}))]
    }

    fn begin_anew(&mut self) -> Vec<ToBot> {
        assert!(self.bot_is_member && !self.people.is_empty(), "a new group of the bot and people");
        self.under_way = Some(UnderWay::Anew(None));
        let transition = self.next_transition();
        let mut out = vec![ToBot::Json(json!({
            "op": 24, "d": {"protocol_version": VERSION, "epoch": 1, "transition_id": transition},
        }))];
        if !self.is_encrypted {
            out.push(self.greeting());
        }
        out
    }

    /// The bot's key package for a new group is there: one of the people founds it and adds everybody.
    fn found(&mut self, key_package: &[u8]) -> Vec<ToBot> {
        let users: Vec<u64> = self.people.keys().copied().collect();
        let mut sessions: Vec<_> = users.iter().map(|user| self.newcomer(*user)).collect();
        let all: Vec<MlsMessageOut> =
            sessions.iter().map(|(_, package)| self.adding(package, FIRST_EPOCH)).collect();
        let others = sessions.iter().skip(1).map(|(_, package)| package.as_slice());
        let by_founder: Vec<MlsMessageOut> =
            others.chain([key_package]).map(|package| self.adding(package, FIRST_EPOCH)).collect();
        let mut members = sessions.iter_mut().map(|(session, _)| session);
        let founder = members.next().unwrap();
        let made =
            founder.process_proposals(ProposalsOperationType::APPEND, &listed(&by_founder), None).unwrap();
        let made = made.unwrap();
        let welcome = made.welcome.unwrap();
        founder.process_commit(&made.commit).unwrap();
        for member in members {
            member.process_welcome(&welcome).unwrap();
        }
        let members = users.into_iter().zip(sessions.into_iter().map(|(session, _)| session)).collect();
        self.under_way = Some(UnderWay::Anew(Some(members)));
        self.bot_owes += 1;
        let transition = self.transition.to_be_bytes().to_vec();
        vec![
            // Every member of a group to be might be the one whose commit counts.
            ToBot::Bytes([vec![op::PROPOSALS, 0], listed(&all)].concat()),
            ToBot::Bytes([vec![op::WELCOME], transition, welcome].concat()),
        ]
    }

    fn newcomer(&self, user: u64) -> (DaveSession, Vec<u8>) {
        let mut session = DaveSession::new(VERSION, user, self.channel, None).unwrap();
        let key_package = session.create_key_package().unwrap();
        session.set_external_sender(&self.external_sender).unwrap();
        (session, key_package)
    }

    fn next_transition(&mut self) -> u16 {
        self.transition = self.transition.wrapping_add(1).max(1);
        self.is_ready = false;
        self.transition
    }

    fn group_id(&self) -> GroupId {
        GroupId::from_slice(&self.channel.to_be_bytes())
    }

    fn adding(&self, key_package: &[u8], epoch: u64) -> MlsMessageOut {
        let crypto = OpenMlsRustCrypto::default();
        let key_package = KeyPackageIn::tls_deserialize_exact_bytes(key_package)
            .unwrap()
            .validate(crypto.crypto(), ProtocolVersion::Mls10)
            .unwrap();
        let proposal = ExternalProposal::new_add::<OpenMlsRustCrypto>(
            key_package,
            self.group_id(),
            GroupEpoch::from(epoch),
            &self.signer,
            SenderExtensionIndex::new(0),
        );
        proposal.unwrap()
    }

    fn removing(&self, leaf: u32) -> MlsMessageOut {
        let proposal = ExternalProposal::new_remove::<OpenMlsRustCrypto>(
            LeafNodeIndex::new(leaf),
            self.group_id(),
            GroupEpoch::from(self.epoch),
            &self.signer,
            SenderExtensionIndex::new(0),
        );
        proposal.unwrap()
    }

    /// Everybody in the group hears of changes and makes a commit of them.
    fn propose(&mut self, proposals: &[u8], commit: Commit) -> Vec<ToBot> {
        self.under_way = Some(UnderWay::Commit(Box::new(commit)));
        self.process(ProposalsOperationType::APPEND, proposals)
    }

    /// Nobody is to add this person any more.
    fn revoke(&mut self, user: u64) -> Vec<ToBot> {
        let user = user.to_be_bytes();
        let group =
            self.people.values().find_map(DaveSession::group).expect("the group that they are added to");
        let theirs = group.pending_proposals().find(|pending| {
            let Proposal::Add(add) = pending.proposal() else { return false };
            add.key_package().leaf_node().credential().serialized_content() == user
        });
        let reference = theirs.unwrap().proposal_reference_ref().tls_serialize_detached().unwrap();
        let list = VLBytes::new(reference).tls_serialize_detached().unwrap();
        self.process(ProposalsOperationType::REVOKE, &list)
    }

    /// What everybody makes of a list of proposals, or of what is taken back of them.
    fn process(&mut self, kind: ProposalsOperationType, list: &[u8]) -> Vec<ToBot> {
        let mut by_people = None;
        for session in self.people.values_mut() {
            if let Some(made) = session.process_proposals(kind, list, None).unwrap() {
                by_people.get_or_insert((made.commit, made.welcome));
            }
        }
        let is_anything_left = by_people.is_some() || self.people.is_empty();
        let mut out = Vec::new();
        if self.bot_is_member {
            out.push(ToBot::Bytes([vec![op::PROPOSALS, kind as u8], list.to_vec()].concat()));
            self.bot_owes += usize::from(is_anything_left);
        }
        if !is_anything_left {
            self.under_way = None;
        } else if let Some(UnderWay::Commit(change)) = &mut self.under_way {
            let is_by_people = self.committer == Committer::People || !self.bot_is_member;
            change.offered = by_people.clone().filter(|_| is_by_people);
            change.by_people = by_people;
        }
        out.extend(self.go_on());
        out
    }

    /// What is offered counts from now on; `None` while nothing is.
    fn decide(&mut self) -> Option<Vec<ToBot>> {
        let Some(UnderWay::Commit(change)) = &mut self.under_way else { return None };
        let (commit, welcome) = change.offered.take()?;
        let message = match (self.bot_is_member, change.adds_bot) {
            (true, _) => Some((op::ANNOUNCE_COMMIT, commit.clone())),
            (false, true) => Some((op::WELCOME, welcome.clone().unwrap())),
            (false, false) => None,
        };
        change.decided = Some((commit, welcome));
        let transition = self.next_transition().to_be_bytes().to_vec();
        let message = message.map(|(op, body)| ToBot::Bytes([vec![op], transition, body].concat()));
        if self.hold == Hold::Word {
            self.unsaid.extend(message);
            let told = self.settle();
            self.unsaid.extend(told);
            return Some(Vec::new());
        }
        self.is_ready = message.is_none();
        Some(message.into_iter().collect())
    }

    /// Everybody changes their keys.
    fn settle(&mut self) -> Vec<ToBot> {
        match self.under_way.take() {
            Some(UnderWay::Commit(change)) => {
                let (commit, welcome) = change.decided.unwrap();
                for session in self.people.values_mut() {
                    session.process_commit(&commit).unwrap();
                }
                for (user, mut session) in change.newcomers {
                    session.process_welcome(welcome.as_ref().unwrap()).unwrap();
                    self.people.insert(user, session);
                }
                self.bot_is_member |= change.adds_bot;
                self.epoch += 1;
            }
            Some(UnderWay::Downgrade) => self.is_encrypted = false,
            Some(UnderWay::Anew(members)) => {
                self.people = members.unwrap();
                self.epoch = FIRST_EPOCH + 1;
                self.is_encrypted = true;
            }
            None => return Vec::new(),
        }
        self.is_ready = false;
        self.changes += 1;
        vec![ToBot::Json(json!({"op": 22, "d": {"transition_id": self.transition}}))]
    }

    /// Ends what is under way without the bot.
    fn settle_now(&mut self) -> Vec<ToBot> {
        let mut out = Vec::new();
        if let Some(UnderWay::Commit(change)) = &mut self.under_way
            && change.decided.is_none()
        {
            change.offered = change.offered.take().or(change.by_people.take());
            out.extend(self.decide().unwrap_or_default());
        }
        let can_settle = match &self.under_way {
            Some(UnderWay::Commit(change)) => change.decided.is_some(),
            Some(UnderWay::Anew(members)) => members.is_some(),
            Some(UnderWay::Downgrade) => true,
            None => false,
        };
        if can_settle {
            out.extend(self.settle());
        } else {
            self.under_way = None;
        }
        out.extend(self.go_on());
        out
    }
}

/// Messages as proposals are sent.
fn listed(messages: &[MlsMessageOut]) -> Vec<u8> {
    let all: Vec<u8> =
        messages.iter().flat_map(|message| message.tls_serialize_detached().unwrap()).collect();
    VLBytes::new(all).tls_serialize_detached().unwrap()
}
