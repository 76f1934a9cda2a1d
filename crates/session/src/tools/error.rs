//! Why a tool gave nothing.

/// Why a tool gave nothing. The model reads the words and may try again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    #[error("the arguments cannot be used: {0}")]
    Arguments(String),
    /// It could not look, or not do it.
    #[error("{0}")]
    Broken(String),
}

impl ToolError {
    /// That it could not look, or not do it, in the words of whatever stood in its way.
    pub fn broken(why: impl ToString) -> Self {
        Self::Broken(why.to_string())
    }
}
