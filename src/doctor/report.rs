//! The shape of what the doctor says.

use serde::Serialize;

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
}

impl DoctorCheck {
    pub(super) fn ok(name: &'static str, message: impl Into<String>) -> Self {
        Self { name, status: CheckStatus::Ok, message: message.into(), advice: None }
    }

    pub(super) fn skipped(name: &'static str, message: impl Into<String>) -> Self {
        Self { name, status: CheckStatus::Skipped, message: message.into(), advice: None }
    }

    pub(super) fn warn(name: &'static str, message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { name, status: CheckStatus::Warn, message: message.into(), advice: Some(advice.into()) }
    }

    pub(super) fn fail(name: &'static str, message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { name, status: CheckStatus::Fail, message: message.into(), advice: Some(advice.into()) }
    }
}

/// Everything that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DoctorReport {
    pub ok: bool,
    /// In the order in which people set a familiar up.
    pub checks: Vec<DoctorCheck>,
}

impl DoctorReport {
    pub(super) fn of(checks: Vec<DoctorCheck>) -> Self {
        Self { ok: checks.iter().all(|check| check.status != CheckStatus::Fail), checks }
    }

    /// The last line for people.
    pub fn summary(&self) -> String {
        super::messages::summary(self.count(CheckStatus::Fail), self.count(CheckStatus::Warn))
    }

    fn count(&self, status: CheckStatus) -> usize {
        self.checks.iter().filter(|check| check.status == status).count()
    }
}
