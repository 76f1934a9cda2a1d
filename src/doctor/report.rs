//! The shape of what the doctor says.

use serde::Serialize;

/// How one thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
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
pub struct Check {
    /// What was looked at, in `snake_case`; the same name may come several times.
    pub name: &'static str,
    pub status: Status,
    pub message: String,
    /// What to do; with every [`Status::Warn`] and [`Status::Fail`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

impl Check {
    pub(super) fn ok(name: &'static str, message: impl Into<String>) -> Self {
        Self { name, status: Status::Ok, message: message.into(), advice: None }
    }

    pub(super) fn skipped(name: &'static str, message: impl Into<String>) -> Self {
        Self { name, status: Status::Skipped, message: message.into(), advice: None }
    }

    pub(super) fn warn(name: &'static str, message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { name, status: Status::Warn, message: message.into(), advice: Some(advice.into()) }
    }

    pub(super) fn fail(name: &'static str, message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { name, status: Status::Fail, message: message.into(), advice: Some(advice.into()) }
    }
}

/// Everything that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    pub ok: bool,
    /// In the order in which people set a familiar up.
    pub checks: Vec<Check>,
}

impl Report {
    pub(super) fn of(checks: Vec<Check>) -> Self {
        Self { ok: checks.iter().all(|check| check.status != Status::Fail), checks }
    }

    /// The last line for people.
    pub fn summary(&self) -> String {
        super::messages::summary(self.count(Status::Fail), self.count(Status::Warn))
    }

    fn count(&self, status: Status) -> usize {
        self.checks.iter().filter(|check| check.status == status).count()
    }
}
