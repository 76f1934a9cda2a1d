//! End-to-end encryption of a call: Discord's side of DAVE, and the people in it.
//!
//! A [`Delivery`] is the call's MLS group as its server sees it: it proposes who is added and removed, picks the commit
//! that counts, and waits for the bot to be ready before the people change their keys. The people are real members; of
//! the bot it knows only what it sends. One change is made after the other (daveprotocol.com, "Protocol").

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
    epoch: u64,
    transition: u16,
    waiting: VecDeque<Change>,
    under_way: Option<UnderWay>,
    /// How often the members have changed their keys.
    pub changes: usize,
    /// How often the bot said that it could not read a commit or welcome.
    pub refusals: usize,
}

enum Change {
    Person(u64),
    Bot(Vec<u8>),
    Gone(u32),
}

struct UnderWay {
    newcomer: Option<(u64, DaveSession)>,
    adds_bot: bool,
    /// What a person of the group would commit.
    by_people: Option<(Vec<u8>, Option<Vec<u8>>)>,
    /// What counts, once that is decided.
    commit: Option<Vec<u8>>,
    welcome: Option<Vec<u8>>,
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
            epoch: 0,
            transition: 0,
            waiting: VecDeque::new(),
            under_way: None,
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

    pub fn person_leaves(&mut self, user: u64) -> Vec<ToBot> {
        let mut out = self.settle_now();
        if let Some(session) = self.people.remove(&user)
            && let Some(leaf) = session.own_leaf_index()
        {
            out.extend(self.queue(Change::Gone(leaf.u32())));
        }
        out
    }

    pub fn bot_sends_key_package(&mut self, key_package: &[u8]) -> Vec<ToBot> {
        self.queue(Change::Bot(key_package.to_vec()))
    }

    /// The bot's connection is gone; nothing more can be said to it.
    pub fn bot_leaves(&mut self) {
        self.settle_now();
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
        let is_awaited = self.under_way.as_ref().is_some_and(|change| change.commit.is_none());
        if !is_awaited {
            // Somebody else was faster.
            return Vec::new();
        }
        let (_, rest) = MlsMessageIn::tls_deserialize_bytes(bytes).unwrap();
        let commit = bytes[..bytes.len() - rest.len()].to_vec();
        self.decide(commit, (!rest.is_empty()).then(|| rest.to_vec()))
    }

    pub fn bot_is_ready(&mut self, transition: u64) -> Vec<ToBot> {
        if transition == u64::from(self.transition) { self.settle() } else { Vec::new() }
    }

    /// A frame as a person sends it. `None` when they have nobody to talk with, or no keys yet.
    pub fn encrypt(&mut self, user: u64, frame: &[u8]) -> Option<Vec<u8>> {
        self.people.get_mut(&user)?.encrypt_opus(frame).ok().map(std::borrow::Cow::into_owned)
    }

    /// A frame of the bot as people hear it.
    pub fn decrypt(&mut self, frame: &[u8]) -> Option<Vec<u8>> {
        let bot = self.bot;
        self.people.values_mut().find_map(|session| session.decrypt(bot, MediaType::AUDIO, frame).ok())
    }

    /// Whether the bot may have keys that the people do not have yet: it changes its own as soon as it knows of a change,
    /// and says so on another way than its packets come.
    pub fn may_be_behind(&self) -> bool {
        self.under_way.as_ref().is_some_and(|change| change.commit.is_some())
    }

    /// Whether everybody has the same keys and nothing is to be changed.
    pub fn is_settled(&self) -> bool {
        self.under_way.is_none() && self.waiting.is_empty()
    }

    /// Whether the bot is in the group.
    pub fn has_bot(&self) -> bool {
        self.bot_is_member
    }

    fn queue(&mut self, change: Change) -> Vec<ToBot> {
        self.waiting.push_back(change);
        self.go_on()
    }

    fn go_on(&mut self) -> Vec<ToBot> {
        let mut out = Vec::new();
        while self.under_way.is_none() {
            let Some(change) = self.waiting.pop_front() else { break };
            out.extend(self.begin(change));
        }
        out
    }

    fn is_empty(&self) -> bool {
        self.people.is_empty() && !self.bot_is_member
    }

    fn begin(&mut self, change: Change) -> Vec<ToBot> {
        match change {
            Change::Person(user) => {
                let mut session = DaveSession::new(VERSION, user, self.channel, None).unwrap();
                let key_package = session.create_key_package().unwrap();
                session.set_external_sender(&self.external_sender).unwrap();
                if self.is_empty() {
                    // The first one founds the group.
                    self.epoch = 0;
                    self.people.insert(user, session);
                    return Vec::new();
                }
                let proposal = self.adding(&key_package);
                self.propose(&proposal, Some((user, session)), false)
            }
            Change::Bot(_) if self.is_empty() => {
                self.epoch = 0;
                self.bot_is_member = true;
                Vec::new()
            }
            Change::Bot(key_package) => {
                let proposal = self.adding(&key_package);
                self.propose(&proposal, None, true)
            }
            Change::Gone(_) if self.is_empty() => Vec::new(),
            Change::Gone(leaf) => {
                let proposal = self.removing(leaf);
                self.propose(&proposal, None, false)
            }
        }
    }

    fn group_id(&self) -> GroupId {
        GroupId::from_slice(&self.channel.to_be_bytes())
    }

    fn adding(&self, key_package: &[u8]) -> Vec<u8> {
        let crypto = OpenMlsRustCrypto::default();
        let key_package = KeyPackageIn::tls_deserialize_exact_bytes(key_package)
            .unwrap()
            .validate(crypto.crypto(), ProtocolVersion::Mls10)
            .unwrap();
        let proposal = ExternalProposal::new_add::<OpenMlsRustCrypto>(
            key_package,
            self.group_id(),
            GroupEpoch::from(self.epoch),
            &self.signer,
            SenderExtensionIndex::new(0),
        );
        in_a_list(&proposal.unwrap())
    }

    fn removing(&self, leaf: u32) -> Vec<u8> {
        let proposal = ExternalProposal::new_remove::<OpenMlsRustCrypto>(
            LeafNodeIndex::new(leaf),
            self.group_id(),
            GroupEpoch::from(self.epoch),
            &self.signer,
            SenderExtensionIndex::new(0),
        );
        in_a_list(&proposal.unwrap())
    }

    /// Everybody in the group hears of a change and makes a commit of it.
    fn propose(
        &mut self,
        proposal: &[u8],
        newcomer: Option<(u64, DaveSession)>,
        adds_bot: bool,
    ) -> Vec<ToBot> {
        let mut by_people = None;
        for session in self.people.values_mut() {
            let made =
                session.process_proposals(ProposalsOperationType::APPEND, proposal, None).unwrap().unwrap();
            by_people.get_or_insert((made.commit, made.welcome));
        }
        self.under_way = Some(UnderWay { newcomer, adds_bot, by_people, commit: None, welcome: None });
        let mut out = Vec::new();
        if self.bot_is_member {
            out.push(ToBot::Bytes([vec![op::PROPOSALS, 0], proposal.to_vec()].concat()));
        }
        if self.committer == Committer::People || !self.bot_is_member {
            out.extend(self.decide_by_people());
        }
        out
    }

    fn decide_by_people(&mut self) -> Vec<ToBot> {
        let made = self.under_way.as_mut().and_then(|change| change.by_people.take());
        made.map(|(commit, welcome)| self.decide(commit, welcome)).unwrap_or_default()
    }

    /// This commit counts.
    fn decide(&mut self, commit: Vec<u8>, welcome: Option<Vec<u8>>) -> Vec<ToBot> {
        let Some(change) = &mut self.under_way else { return Vec::new() };
        self.transition = self.transition.wrapping_add(1).max(1);
        let message = match (self.bot_is_member, change.adds_bot) {
            (true, _) => Some((op::ANNOUNCE_COMMIT, commit.clone())),
            (false, true) => Some((op::WELCOME, welcome.clone().unwrap())),
            (false, false) => None,
        };
        (change.commit, change.welcome) = (Some(commit), welcome);
        match message {
            Some((op, body)) => {
                let transition = self.transition.to_be_bytes().to_vec();
                vec![ToBot::Bytes([vec![op], transition, body].concat())]
            }
            None => self.settle(),
        }
    }

    /// Everybody changes their keys.
    fn settle(&mut self) -> Vec<ToBot> {
        let is_decided = self.under_way.as_ref().is_some_and(|change| change.commit.is_some());
        let Some(change) = self.under_way.take_if(|_| is_decided) else { return Vec::new() };
        let commit = change.commit.unwrap();
        for session in self.people.values_mut() {
            session.process_commit(&commit).unwrap();
        }
        if let Some((user, mut session)) = change.newcomer {
            session.process_welcome(&change.welcome.unwrap()).unwrap();
            self.people.insert(user, session);
        }
        self.bot_is_member |= change.adds_bot;
        self.epoch += 1;
        self.changes += 1;
        let mut out = vec![ToBot::Json(json!({"op": 22, "d": {"transition_id": self.transition}}))];
        out.extend(self.go_on());
        out
    }

    /// Ends what is under way without the bot.
    fn settle_now(&mut self) -> Vec<ToBot> {
        let mut out = Vec::new();
        if self.under_way.as_ref().is_some_and(|change| change.commit.is_none()) {
            out.extend(self.decide_by_people());
        }
        if self.under_way.as_ref().is_some_and(|change| change.commit.is_none()) {
            self.under_way = None;
        }
        out.extend(self.settle());
        out
    }
}

/// A list with one message, as proposals are sent.
fn in_a_list(message: &MlsMessageOut) -> Vec<u8> {
    VLBytes::new(message.tls_serialize_detached().unwrap()).tls_serialize_detached().unwrap()
}
