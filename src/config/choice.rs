//! Settings that are one of a few words.

/// One allowed word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Choice {
    /// The word.
    pub name: &'static str,
    /// What it means, a phrase.
    pub doc: &'static str,
}

/// Declares an enum whose variants are words in a settings file, so that the words are written once.
macro_rules! choice_enum {
    ($(#[$doc:meta])* $vis:vis enum $name:ident { $($variant:ident = $word:literal, $what:literal;)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis enum $name {
            $(#[doc = $what] $variant,)+
        }

        impl $name {
            /// The allowed words.
            pub(super) const CHOICES: &'static [$crate::config::choice::Choice] =
                &[$($crate::config::choice::Choice { name: $word, doc: $what },)+];

            /// The word in the settings file.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            /// Reads the word.
            pub(super) fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}
pub(super) use choice_enum;
