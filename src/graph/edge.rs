//! How two things hang together.

use std::fmt;
use std::str::FromStr;

use super::node::{InvalidNode, kinds};

kinds! {
    /// What an edge says, read from its source to its target (specs mechanisms G2 to G6).
    EdgeKind {
        /// Says its name.
        Mentions = "mentions",
        /// Has it as a part of its text.
        Contains = "contains",
        /// Points to it.
        Links = "links",
        /// Is about it as a whole.
        About = "about",
        /// Was learnt from it.
        DerivedFrom = "derived_from",
        /// Came after it in the same channel.
        PrecededBy = "preceded_by",
        /// Is much like it.
        RemindedOf = "reminded_of",
        /// Says otherwise, and holds instead.
        Contradicts = "contradicts",
        /// Shares words or an occasion with it.
        RelatedTo = "related_to",
        /// Took part in it, or lies in it.
        PartOf = "part_of",
        /// Is called that.
        Called = "called",
        /// Speaks of it.
        TalksAbout = "talks_about",
        /// Knows about it.
        ExpertIn = "expert_in",
        /// Was of help to them: they said thanks.
        Helped = "helped",
        /// Was of their opinion.
        AgreedWith = "agreed_with",
        /// Spoke right after them.
        TalkedWith = "talked_with",
        /// Answered them by the platform's own reply.
        Answered = "answered",
        /// Showed them affection.
        CloseTo = "close_to",
        /// Was hard on them.
        QuarrelledWith = "quarrelled_with",
        /// Went into what several came to.
        SynthesizedInto = "synthesized_into",
    }
}

impl EdgeKind {
    /// What people do with each other.
    pub const SOCIAL: [Self; 6] = [
        Self::Helped,
        Self::AgreedWith,
        Self::TalkedWith,
        Self::Answered,
        Self::CloseTo,
        Self::QuarrelledWith,
    ];

    /// Whether it is one of [`Self::SOCIAL`].
    #[must_use]
    pub fn is_social(self) -> bool {
        Self::SOCIAL.contains(&self)
    }

    /// What a step over it costs on a path between two things: what says most about how they hang together is
    /// cheapest.
    pub(super) fn cost(self) -> f32 {
        match self {
            Self::CloseTo | Self::QuarrelledWith | Self::Helped => 1.0,
            Self::Answered | Self::AgreedWith => 1.1,
            Self::TalkedWith => 1.2,
            Self::About | Self::Mentions | Self::Called | Self::Links => 0.8,
            Self::ExpertIn | Self::Contradicts | Self::SynthesizedInto | Self::DerivedFrom => 1.2,
            Self::PartOf | Self::RemindedOf => 1.6,
            Self::RelatedTo | Self::TalksAbout => 2.0,
            Self::Contains | Self::PrecededBy => 2.5,
        }
    }
}
