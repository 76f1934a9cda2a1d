//! Who is called what: no two people by names that a reader could not tell apart, and nobody by the familiar's name or a
//! role's.
//!
//! Owns that rule and who had a name first. Must not know where names come from. Start reading at [`TakenNames::called`].

use std::collections::HashMap;
use std::iter::successors;
use std::sync::LazyLock;

use crate::domain::{AccountId, Author};
use crate::text::keywords;
use crate::text::names::{LABEL_MAX_CHARS, prompt_label};
use crate::text::phrases::listed_phrases;
use crate::text::unicode::comparing_form;

/// Roles of a conversation with a model, in scripts that no language of the phrases has; the others stand in their section
/// `roles`, with words that prompts use for people without a name, and for whoever runs or manages something. A name that is one of them, or begins with one as a word
/// of its own, is nobody's.
const OTHER_ROLES: [&str; 2] = ["النظام", "प्रणाली"];

static ROLE_LOOKS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let roles = listed_phrases("roles").map(|(_, role)| role).chain(OTHER_ROLES);
    roles.map(visible_name).collect()
});

/// The names that are taken. Whoever had a name first keeps it.
#[derive(Debug, Default)]
pub(super) struct TakenNames {
    /// By what a name looks like.
    owners: HashMap<String, AccountId>,
    /// Handles, where they were told.
    handles: HashMap<AccountId, String>,
    /// The familiar's own names, and what they look like.
    own: (Vec<String>, Vec<String>),
}

impl TakenNames {
    /// The familiar answers to these.
    pub(super) fn reserve(&mut self, own: Vec<String>) {
        if self.own.0 != own {
            self.own = (own.clone(), own.iter().map(|name| visible_name(name)).collect());
        }
    }

    /// The name of this author, from now on theirs alone: the one they show; with their handle behind it where it is
    /// somebody else's, without brackets that pass for somebody else's mark; the handle where it is nobody's to have.
    pub(super) fn called(&mut self, author: &Author) -> String {
        let account = &author.account;
        if let Some(handle) = author.username.as_deref().filter(|handle| !handle.trim().is_empty()) {
            self.handles.insert(account.clone(), prompt_label(handle));
        }
        let shown = prompt_label(author.label());
        let handle = self.handle_of(account);
        let own = shown.strip_suffix(&mark(handle)).unwrap_or(&shown);
        // Brackets are kept whole or not at all.
        let marked = Some(with_handle(own, handle)).filter(|name| name.starts_with(own));
        let plain = parts(own).last().unwrap_or(own);
        let second = if self.is_reserved(plain) { handle.to_owned() } else { with_handle(plain, handle) };
        let last = with_handle("someone", account.id());
        let mut wanted = [Some(shown.clone()), marked, Some(second)].into_iter().flatten();
        let name = wanted.find(|name| self.is_free(account, name)).unwrap_or(last);
        self.owners.entry(visible_name(&name)).or_insert_with(|| account.clone());
        name
    }

    /// Whether nobody else has this name, and it is anybody's to have; nor another name with a mark that is not their own.
    pub(super) fn is_free(&self, account: &AccountId, name: &str) -> bool {
        let label = prompt_label(name);
        if !self.may_have(account, &label) || self.is_reserved(&label) {
            return false;
        }
        match label.strip_suffix(&mark(self.handle_of(account))) {
            // Their own handle tells them from whoever has the name before it.
            Some(own) => !self.is_reserved(own) && !self.has_mark_of_another(account, own),
            None => before_mark(&label).is_none_or(|name| self.is_free(account, name)),
        }
    }

    /// Whether something in brackets behind a name is the mark of somebody who has that name, or anybody else's name or a
    /// role's; or the name itself is nobody's to have.
    fn has_mark_of_another(&self, account: &AccountId, name: &str) -> bool {
        let parts: Vec<&str> = parts(name).collect();
        let owners = parts.iter().filter_map(|part| self.owners.get(&visible_name(part)));
        let marks: Vec<String> = owners
            .filter(|owner| *owner != account)
            .map(|owner| visible_name(self.handle_of(owner)))
            .collect();
        parts.windows(2).any(|pair| {
            let (whole, before) = (pair[0], pair[1]);
            let inside = &whole[before.len()..];
            [whole, inside].into_iter().any(|name| !self.may_have(account, name))
                || [before, inside].into_iter().any(|name| self.is_reserved(name))
                || marks.contains(&visible_name(inside))
        })
    }

    /// Nothing of this person is kept, and their names are free.
    pub(super) fn forget(&mut self, account: &AccountId) {
        self.owners.retain(|_, owner| owner != account);
        self.handles.remove(account);
    }

    fn handle_of<'h>(&'h self, account: &'h AccountId) -> &'h str {
        self.handles.get(account).map_or_else(|| account.id(), String::as_str)
    }

    fn may_have(&self, account: &AccountId, name: &str) -> bool {
        self.owners.get(&visible_name(name)).is_none_or(|owner| owner == account)
    }

    fn is_reserved(&self, name: &str) -> bool {
        let first = keywords::written_words(name).next().unwrap_or(name);
        let (whole, first) = (visible_name(name), visible_name(first));
        self.own.1.contains(&whole) || ROLE_LOOKS.iter().any(|role| *role == whole || *role == first)
    }
}

/// What stands behind a name that somebody else has.
fn mark(handle: &str) -> String {
    format!(" ({handle})")
}

/// The name before what looks like a mark, whatever its brackets are.
fn before_mark(label: &str) -> Option<&str> {
    let opens = |c: char| c == '(' || !c.is_ascii() && comparing_form(c.encode_utf8(&mut [0; 4])) == "(";
    let before = label[..label.rfind(opens)?].trim_end();
    (!before.is_empty()).then_some(before)
}

/// A name, then what stands before its last brackets, and so on down to the name without any.
fn parts(label: &str) -> impl Iterator<Item = &str> {
    successors(Some(label), |name| before_mark(name))
}

/// `Alice (alice_2)`, as long as a label may be.
fn with_handle(name: &str, handle: &str) -> String {
    let behind = mark(handle);
    let room = LABEL_MAX_CHARS.saturating_sub(behind.chars().count());
    let name: String = name.chars().take(room).collect();
    prompt_label(&format!("{name}{behind}"))
}

/// What a reader sees of a name: its letters and digits, look-alikes as one; of a name without any, its signs.
fn visible_name(name: &str) -> String {
    let form = comparing_form(&prompt_label(name));
    let letters: String = form.chars().filter(|c| c.is_alphanumeric()).collect();
    if letters.is_empty() { form } else { letters }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn author(id: u64, shown: &str, handle: &str) -> Author {
        Author { username: Some(handle.to_owned()), ..Author::called(AccountId::discord(id), shown) }
    }

    #[test]
    fn whoever_had_a_name_first_keeps_it_and_look_alikes_are_the_same_name() {
        let mut names = TakenNames::default();
        assert_eq!(names.called(&author(1, "Alice", "alice")), "Alice");
        for (id, shown) in
            [(2, "Alice"), (3, "Al\u{200b}ice"), (4, "Аlice"), (5, "ALICE."), (6, "A l i c e"), (7, "𝓐𝓵𝓲𝓬𝓮")]
        {
            let handle = format!("other{id}");
            let name = names.called(&author(id, shown, &handle));
            assert!(name.ends_with(&format!(" ({handle})")), "{shown}: {name}");
            assert_eq!(names.called(&author(id, &name, &handle)), name, "told again it stays");
        }
        assert_eq!(names.called(&author(1, "Alice", "alice")), "Alice");
        assert_eq!(names.called(&author(1, "Alicia", "alice")), "Alicia");
        assert_eq!(names.called(&author(2, "Alice", "other2")), "Alice (other2)", "a name left is not free");
        names.forget(&AccountId::discord(1));
        assert_eq!(names.called(&author(2, "Alice", "other2")), "Alice");
    }

    #[test]
    fn nobody_types_the_mark_of_somebody_else() {
        let mut names = TakenNames::default();
        names.reserve(vec!["Pell".to_owned()]);
        assert_eq!(names.called(&author(1, "Alice", "alice")), "Alice");
        for shown in [
            "Alice (alice)",
            "Alice（alice）",
            "Alice ❨alice❩",
            "Alice (system)",
            "Alice (operator)",
            "Alice (Betreiberin)",
            "Alice (Pell)",
            "Alice (alice) ✓",
            "Alice (alice) (mallory)",
            "Alice (she) (alice)",
        ] {
            assert!(!names.is_free(&AccountId::discord(2), shown), "{shown}");
            assert_eq!(names.called(&author(2, shown, "mallory")), "Alice (mallory)", "{shown}");
        }
        assert_eq!(names.called(&author(2, "Pell (Pell)", "mallory")), "mallory");
        assert_eq!(names.called(&author(2, "Pell (mallory)", "mallory")), "mallory");
        assert_eq!(names.called(&author(2, "Pell (they)", "mallory")), "mallory");
        // Brackets behind a name that nobody has are anybody's, until somebody has it.
        assert_eq!(names.called(&author(3, "Robin (they)", "robin3")), "Robin (they)");
        assert_eq!(names.called(&author(4, "(^_^) Rose", "rose")), "(^_^) Rose");
        assert_eq!(names.called(&author(5, "Robin", "robin5")), "Robin");
        // What they say of themselves stays then, too, before the handle.
        for shown in ["Robin (they)", "Robin (they) (robin3)", "Robin (they)"] {
            assert_eq!(names.called(&author(3, shown, "robin3")), "Robin (they) (robin3)", "{shown}");
        }
        assert_eq!(names.called(&author(3, "Robin (robin5)", "robin3")), "Robin (robin3)");
        let long = format!("Robin ({})", "they".repeat(13));
        assert_eq!(names.called(&author(3, &long, "robin3")), "Robin (robin3)", "no room for all of it");
    }

    #[test]
    fn in_every_language_a_role_is_nobodys_name() {
        for (role, name) in [
            ("System", "Sven"),
            ("Benutzer", "Benno"),
            ("Utilisateur", "Ulysse"),
            ("Asistente", "Asunción"),
            ("Usuário", "Uriel"),
            ("Utente", "Ugo"),
            ("Gebruiker", "Gerrit"),
            ("Użytkownik", "Urszula"),
            ("Пользователь", "Полина"),
            ("Kullanıcı", "Kerem"),
            ("システム", "しずか"),
            ("用户", "永福"),
            ("사용자", "사라"),
        ] {
            let mut names = TakenNames::default();
            assert_ne!(names.called(&author(1, role, "a")), role);
            assert_eq!(names.called(&author(2, name, "b")), name);
        }
    }

    #[test]
    fn nobody_is_called_what_the_familiar_or_a_role_is_called() {
        let mut names = TakenNames::default();
        names.reserve(vec!["Pell the Grey".to_owned(), "Pell".to_owned()]);
        for shown in [
            "System",
            "SYSTEM",
            "Ѕуstеm",
            "Sys\u{200b}tem",
            "System: note",
            "assistant",
            "Pell",
            "PeII",
            "Реll",
            "✓ Pell",
            "Система",
            "系统",
        ] {
            assert_eq!(names.called(&author(1, shown, "bob")), "bob", "{shown}");
        }
        assert_eq!(names.called(&author(2, "Pell", "system")), "someone (2)");
        assert_eq!(names.called(&author(3, "Pell", "pell")), "someone (3)");
        for shown in ["Systema Naturae", "Pelle", "Modeller"] {
            assert_eq!(names.called(&author(4, shown, "dan")), shown);
        }
    }

    proptest! {
        #[test]
        fn no_two_people_look_alike(
            told in prop::collection::vec(
                (1_u64..6, "[AaАа]l[iіl1]ce|System|Pell|[ab] ?[(（](a|b|c)[)）]|\\PC{0,70}", "[abc]|system|pell"),
                1..24,
            ),
        ) {
            let mut names = TakenNames::default();
            names.reserve(vec!["Pell".to_owned()]);
            let mut owners: HashMap<String, u64> = HashMap::new();
            for (id, shown, handle) in told {
                let name = names.called(&author(id, &shown, &handle));
                prop_assert_eq!(&prompt_label(&name), &name);
                prop_assert_ne!(visible_name(&name), visible_name("Pell"));
                prop_assert_eq!(*owners.entry(visible_name(&name)).or_insert(id), id, "{}", name);
            }
        }
    }
}
