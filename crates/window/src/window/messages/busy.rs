//! What the queues are called.

pub(in crate::window) const FULLEST_MAILBOX: &str = "Messages for the fullest conversation";
pub(in crate::window) const HISTORY_WRITES: &str = "Writing what is said";
pub(in crate::window) const HISTORY_READS: &str = "Reading what was said";
