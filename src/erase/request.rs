//! What somebody wants forgotten, and how much that is.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::domain::{AccountId, ChannelId, StoredId};
use crate::history::{KeptTurn, SaidWords};
use crate::memory::forget::{FactFound, chain_of};
use crate::memory::store::NotePath;
use crate::text::keywords;

/// What is to be forgotten.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForgetWhat {
    /// A person: all they said, all that was answered to it, all that is noted of it and of them.
    Person(AccountId),
    /// A channel: all that was said there, and what was learnt from it.
    Channel(ChannelId),
    /// A fact by its id, those whose place it took, and the messages they were learnt from. What else these held stays noted
    /// where it holds none of the same words.
    Fact(String),
    /// A note about a topic by its name, and the messages its facts were learnt from.
    Topic(String),
    /// Any note by its path, and the messages its facts were learnt from.
    Note(NotePath),
    /// What one person said that holds all these words, and the facts that do and are by or about them.
    Words { person: AccountId, words: String },
}

/// Who asks for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asker {
    /// Whoever runs the program: may ask for anything.
    Operator,
    /// Somebody: may ask for what is theirs.
    Person(AccountId),
}

/// Whether a copy is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeepCopy {
    /// Sealed, for seven days, so that it can be undone.
    SevenDays,
    Nothing,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForgetRequest {
    pub what: ForgetWhat,
    pub by: Asker,
    pub keep: KeepCopy,
}

impl ForgetRequest {
    /// Whether whoever asks may. What is by or about somebody else is not theirs; whose a fact is, is looked at when it is
    /// looked up.
    pub(super) fn is_allowed(&self) -> bool {
        match (&self.by, &self.what) {
            (Asker::Operator, _) | (_, ForgetWhat::Fact(_)) => true,
            (Asker::Person(asker), ForgetWhat::Person(person) | ForgetWhat::Words { person, .. }) => {
                asker == person
            }
            (Asker::Person(_), ForgetWhat::Channel(_) | ForgetWhat::Topic(_) | ForgetWhat::Note(_)) => false,
        }
    }

    /// The person whose it is that is asked for, or who asks.
    pub(super) fn whose(&self) -> Option<&AccountId> {
        match (&self.what, &self.by) {
            (ForgetWhat::Person(person) | ForgetWhat::Words { person, .. }, _)
            | (ForgetWhat::Fact(_), Asker::Person(person)) => Some(person),
            _ => None,
        }
    }

    /// What it covers by rule, where these are all accounts of the person [whose](Self::whose) it is.
    pub(super) fn said(&self, accounts: &BTreeSet<AccountId>) -> Vec<SaidWords> {
        let accounts = accounts.iter().cloned();
        match &self.what {
            ForgetWhat::Person(_) => accounts.map(SaidWords::By).collect(),
            ForgetWhat::Words { words, .. } => {
                accounts.map(|account| SaidWords::With(account, words.clone())).collect()
            }
            ForgetWhat::Channel(channel) => vec![SaidWords::In(channel.clone())],
            ForgetWhat::Fact(_) | ForgetWhat::Topic(_) | ForgetWhat::Note(_) => Vec::new(),
        }
    }

    /// The channel that is to be forgotten whole.
    pub(super) fn channel(&self) -> Option<&ChannelId> {
        match &self.what {
            ForgetWhat::Channel(channel) => Some(channel),
            _ => None,
        }
    }

    /// Those of these facts that it names by itself, besides what belongs to a person or was learnt from what goes.
    pub(super) fn facts<'a>(
        &self,
        all: &'a [FactFound],
        accounts: &BTreeSet<AccountId>,
    ) -> Vec<&'a FactFound> {
        let is_theirs = |fact: &FactFound| accounts.iter().any(|account| fact.is_of(account));
        match &self.what {
            ForgetWhat::Person(_) | ForgetWhat::Channel(_) => Vec::new(),
            ForgetWhat::Words { words, .. } => {
                let wanted = words_in(words);
                let is_meant =
                    |fact: &&FactFound| !wanted.is_empty() && is_theirs(fact) && fact.holds(&wanted);
                all.iter().filter(is_meant).collect()
            }
            ForgetWhat::Fact(id) => {
                let mut chain = id.parse().map(|id| chain_of(all, &id)).unwrap_or_default();
                chain.retain(|fact| self.whose().is_none() || is_theirs(fact));
                chain
            }
            ForgetWhat::Topic(name) => {
                let note = format!("topics/{name}.md");
                all.iter().filter(|fact| fact.path.as_str() == note).collect()
            }
            ForgetWhat::Note(path) => all.iter().filter(|fact| fact.path == *path).collect(),
        }
    }

    /// Whether a turn goes because a fact that goes was learnt from it; what others said stays where somebody asks for
    /// themselves.
    pub(super) fn is_evidence(
        &self,
        turn: &KeptTurn,
        learnt_from: &BTreeSet<StoredId>,
        accounts: &BTreeSet<AccountId>,
    ) -> bool {
        learnt_from.contains(&StoredId(turn.id)) && (self.whose().is_none() || is_by(turn, accounts))
    }

    /// Whether it covers a turn by what that is, as the history itself decides it for those that are stored.
    pub(super) fn covers(&self, turn: &KeptTurn, accounts: &BTreeSet<AccountId>) -> bool {
        match &self.what {
            ForgetWhat::Person(_) => is_by(turn, accounts),
            ForgetWhat::Channel(channel) => turn.channel == channel.as_str(),
            ForgetWhat::Words { words, .. } => {
                let wanted = words_in(words);
                !wanted.is_empty()
                    && is_by(turn, accounts)
                    && turn.texts().any(|text| wanted.is_subset(&words_in(text)))
            }
            ForgetWhat::Fact(_) | ForgetWhat::Topic(_) | ForgetWhat::Note(_) => false,
        }
    }
}

fn is_by(turn: &KeptTurn, accounts: &BTreeSet<AccountId>) -> bool {
    turn.author.as_ref().is_some_and(|(by, ..)| accounts.iter().any(|account| account.to_string() == *by))
}

fn words_in(text: &str) -> BTreeSet<String> {
    keywords::terms(text).into_iter().collect()
}

/// How much a request covers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Plan {
    pub messages: usize,
    /// The familiar's own, in answer to them.
    pub replies: usize,
    /// Facts in the notes.
    pub facts: usize,
    pub notes: usize,
    /// Answers of models that nobody could read, and that mention it.
    pub unread: usize,
    /// Of a person whatever else there is: reactions, that they came or left, what is felt towards them, names they go by.
    pub traces: usize,
    /// Messages on the platform that hold transcripts. These do not come back.
    pub transcripts: usize,
    /// Sealed copies of what was forgotten before that hold some of it: of what goes for good only.
    pub copies: usize,
}

impl Plan {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What is still there: without what was forgotten before.
    pub fn besides_copies(self) -> Self {
        Self { copies: 0, ..self }
    }
}
