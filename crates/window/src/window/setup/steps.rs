//! Where the pages of the first run are.

pub(in super::super) const WHO: &str = "/setup";
pub(in super::super) const EXAMPLE: &str = "/setup/example";
pub(in super::super) const CARD: &str = "/setup/card";
pub(in super::super) const CAME: &str = "/setup/came";
pub(in super::super) const NAME: &str = "/setup/name";
pub(in super::super) const MODEL: &str = "/setup/model";
pub(in super::super) const DISCORD: &str = "/setup/discord";
pub(in super::super) const GO: &str = "/setup/go";
