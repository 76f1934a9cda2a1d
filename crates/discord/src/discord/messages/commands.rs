//! What Discord is told about the commands: what they do, in every language.

use super::Tongue;
use super::say::say;

/// What a command does, by its name, or an option, by the names of what it belongs to and its own: `forget what words`. At most
/// 100 characters.
pub(in crate::discord) fn described(to: Tongue, path: &str) -> String {
    say(to, &format!("command_{}", path.replace(' ', "_")), &[])
}

/// The same words in the other languages, by Discord's names for their locales.
pub(in crate::discord) fn in_other_tongues(
    words: impl Fn(Tongue) -> String,
) -> impl Iterator<Item = (&'static str, String)> {
    let locales = [
        ("de", Tongue::German),
        ("es-ES", Tongue::Spanish),
        ("es-419", Tongue::Spanish),
        ("fr", Tongue::French),
        ("ja", Tongue::Japanese),
        ("pt-BR", Tongue::Portuguese),
    ];
    locales.into_iter().map(move |(locale, to)| (locale, words(to)))
}
