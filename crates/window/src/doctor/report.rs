//! The shape of what the doctor says.

use serde::Serialize;

use crate::domain::TurnId;
use crate::home::Commands;
use crate::llm::NetworkUse;
use crate::memory::store::NotePath;

/// How one thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckStatus {
    /// As it should be.
    Ok,
    /// Not looked at, and why is in the message.
    Skipped,
    /// It works, but somebody should know.
    Warn,
    /// It does not work.
    Fail,
}

/// One thing that was looked at. Its JSON is an interface: names stay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DoctorCheck {
    /// What was looked at, in `snake_case`; the same name may come several times.
    pub name: &'static str,
    pub status: CheckStatus,
    pub message: String,
    /// What to do; with every [`CheckStatus::Warn`] and [`CheckStatus::Fail`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    /// Where the window does what the advice says.
    #[serde(skip)]
    pub remedy: Option<Remedy>,
}

/// Where in the window something is mended, or looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remedy {
    /// What a turn did.
    Turn(TurnId),
    /// A model is given.
    Model,
    /// Another model is chosen.
    Models,
    /// A bot of Discord is set up.
    Discord,
    /// The settings are mended.
    Settings,
    /// A note is mended.
    Note(NotePath),
}

impl DoctorCheck {
    /// With its commands written so.
    #[must_use]
    pub fn with_commands(self, commands: &Commands) -> Self {
        let message = commands.in_text(&self.message);
        Self { message, advice: self.advice.map(|advice| commands.in_text(&advice)), ..self }
    }

    pub(super) fn mended_by(self, remedy: impl Into<Option<Remedy>>) -> Self {
        Self { remedy: remedy.into(), ..self }
    }

    pub(super) fn ok(name: &'static str, message: impl Into<String>) -> Self {
        Self { name, status: CheckStatus::Ok, message: message.into(), advice: None, remedy: None }
    }

    pub(super) fn skipped(name: &'static str, message: impl Into<String>) -> Self {
        Self { name, status: CheckStatus::Skipped, message: message.into(), advice: None, remedy: None }
    }

    pub(super) fn warn(name: &'static str, message: impl Into<String>, advice: impl Into<String>) -> Self {
        let (message, advice) = (message.into(), Some(advice.into()));
        Self { name, status: CheckStatus::Warn, message, advice, remedy: None }
    }

    pub(super) fn fail(name: &'static str, message: impl Into<String>, advice: impl Into<String>) -> Self {
        let (message, advice) = (message.into(), Some(advice.into()));
        Self { name, status: CheckStatus::Fail, message, advice, remedy: None }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DoctorReport {
    pub ok: bool,
    /// In the order in which people set a familiar up.
    pub checks: Vec<DoctorCheck>,
    /// Whether servers could be asked.
    #[serde(skip)]
    pub reach: NetworkUse,
}

impl DoctorReport {
    /// Of checks that wanted no server, or asked those that they did.
    pub(super) fn of(checks: Vec<DoctorCheck>) -> Self {
        let ok = checks.iter().all(|check| check.status != CheckStatus::Fail);
        Self { ok, checks, reach: NetworkUse::Online }
    }

    /// With its commands written so.
    #[must_use]
    pub fn with_commands(self, commands: &Commands) -> Self {
        let checks = self.checks.into_iter().map(|check| check.with_commands(commands)).collect();
        Self { checks, ..self }
    }

    pub(super) fn count(&self, status: CheckStatus) -> usize {
        self.checks.iter().filter(|check| check.status == status).count()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn its_commands_work_as_pasted_where_it_was_given_a_folder_or_a_familiar() {
        let report = DoctorReport::of(vec![
            DoctorCheck::warn("memories", "some", "look with `familiar memory unwritten`"),
            DoctorCheck::warn("turns", "late: familiar context t42", "make one: familiar init <card>"),
        ]);
        let usual = Commands::new(Path::new("data"), None);
        assert_eq!(report.clone().with_commands(&usual), report);
        let both = report.with_commands(&Commands::new(Path::new("/srv/my data"), Some("mika")));
        let told: Vec<String> =
            both.checks.into_iter().flat_map(|check| [Some(check.message), check.advice]).flatten().collect();
        assert_eq!(
            told[1..],
            [
                "look with `familiar memory --data-dir \"/srv/my data\" --familiar mika unwritten`",
                "late: familiar context --data-dir \"/srv/my data\" --familiar mika t42",
                "make one: familiar init --data-dir \"/srv/my data\" <card>",
            ]
        );
    }
}
