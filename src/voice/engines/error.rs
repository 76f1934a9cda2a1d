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
            error if error.is_permanent() => long,
            _ => mostly,
        }
    }

    /// Whether the same again will fail in the same way, whatever the network does.
    pub fn is_permanent(&self) -> bool {
        matches!(
            self,
            Self::Refused { .. }
                | Self::OutOfQuota { .. }
                | Self::OverCap { .. }
                | Self::OverHour { .. }
                | Self::Unsupported { .. }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
