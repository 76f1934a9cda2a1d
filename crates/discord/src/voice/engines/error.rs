//! What can go wrong with a speech engine, in classes that a caller acts on.

use std::time::Duration;

/// A speech engine did not do its work. `engine` is its name for people; `said` is what it, the system or a limit of
/// ours said, without secrets and without line breaks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// The key is missing, wrong or may not do this. Trying again is no use.
    #[error("{engine} refuses the key: {said}")]
    Refused { engine: &'static str, said: String },
    #[error("the account at {engine} has nothing left: {said}")]
    OutOfQuota { engine: &'static str, said: String },
    /// A cap of the settings is reached; in words which, and where it is set.
    #[error("{said}")]
    OverCap { said: String },
    /// One person has had as much as the settings allow in an hour, of which this is left. Everybody else goes on as usual.
    #[error("{said}")]
    OverHour { said: String, left: Duration },
    #[error("{engine} is asked too often: {said}")]
    RateLimited { engine: &'static str, retry_after: Option<Duration>, said: String },
    /// No connection, a broken one, or a server in trouble.
    #[error("{engine} cannot be reached: {said}")]
    Unreachable { engine: &'static str, said: String },
    /// Connected, but nothing came in time.
    #[error("{engine} fell silent: nothing came for {waited:?}")]
    Stalled { engine: &'static str, waited: Duration },
    /// It sent what cannot be understood.
    #[error("{engine} sent something that makes no sense: {said}")]
    Protocol { engine: &'static str, said: String },
    /// It does not take this request, model, voice or language.
    #[error("{engine} does not do this: {said}")]
    Unsupported { engine: &'static str, said: String },
}

impl EngineError {
    /// Without what the service or the system said, which may name an account, an address or a path: that is for the log.
    pub fn for_people(&self) -> String {
        let what = match self {
            Self::OverCap { said } | Self::OverHour { said, .. } => return said.clone(),
            Self::Refused { engine, .. } => format!("{engine} refuses the key"),
            Self::OutOfQuota { engine, .. } => format!("the account at {engine} has nothing left"),
            Self::RateLimited { engine, .. } => format!("{engine} is asked too often"),
            Self::Unreachable { engine, .. } => format!("{engine} cannot be reached"),
            Self::Stalled { engine, .. } => format!("{engine} fell silent"),
            Self::Protocol { engine, .. } => format!("{engine} sent something that makes no sense"),
            Self::Unsupported { engine, .. } => format!("{engine} does not do what it is asked"),
        };
        format!("{what}; more is in the log of whoever runs me")
    }

    /// How long the engine is not asked again: as long as it asks for itself, else `long` where the same again will fail,
    /// else `mostly`.
    pub(in crate::voice) fn pause(&self, mostly: Duration, long: Duration) -> Duration {
        match self {
            Self::RateLimited { retry_after: Some(after), .. } => *after,
            error if error.may_pass() => mostly,
            _ => long,
        }
    }

    /// Whether the same again may work later, without anybody changing anything: what no network can help will fail in
    /// the same way.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::RateLimited { .. }
            | Self::Unreachable { .. }
            | Self::Stalled { .. }
            | Self::Protocol { .. } => true,
            Self::Refused { .. }
            | Self::OutOfQuota { .. }
            | Self::OverCap { .. }
            | Self::OverHour { .. }
            | Self::Unsupported { .. } => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_is_left_alone_for_long_only_where_the_same_again_would_fail() {
        let [mostly, long, named] = [30, 600, 7].map(Duration::from_secs);
        let (engine, said) = ("Deepgram", "no".to_owned());
        let pause = |error: EngineError| error.pause(mostly, long);
        assert_eq!(pause(EngineError::Unreachable { engine, said: said.clone() }), mostly);
        assert_eq!(pause(EngineError::Refused { engine, said: said.clone() }), long);
        let limited = |retry_after| EngineError::RateLimited { engine, retry_after, said: said.clone() };
        assert_eq!([None, Some(named)].map(|after| pause(limited(after))), [mostly, named]);
    }

    #[test]
    fn people_are_not_told_what_a_service_said() {
        let error = EngineError::Refused {
            engine: "Deepgram",
            said: "key dg-12... of org acme is not valid".to_owned(),
        };
        assert_eq!(error.for_people(), "Deepgram refuses the key; more is in the log of whoever runs me");
        let cap = "the cap of 60 minutes a day is reached (stt.minutes_a_day)";
        assert_eq!(EngineError::OverCap { said: cap.to_owned() }.for_people(), cap);
    }
}
