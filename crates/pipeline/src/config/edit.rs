//! Changing a settings file for somebody without touching the rest of what they wrote.

use std::sync::Arc;

use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, Value};

use super::document::SourceText;
use super::error::{ConfigError, Problem};

/// A file that is being changed.
#[derive(Debug)]
pub(super) struct Edit {
    document: DocumentMut,
    /// The editing library writes plain newlines only.
    ends_like_windows: bool,
}

impl Edit {
    pub(super) fn of(source: &Arc<SourceText>) -> Result<Self, ConfigError> {
        let document = source
            .text
            .parse::<DocumentMut>()
            .map_err(|error| Problem::syntax(source, error.span().unwrap_or(0..0), error.message()))?;
        Ok(Self { document, ends_like_windows: source.text.contains("\r\n") })
    }

    /// The file's new text.
    pub(super) fn into_text(self) -> String {
        let text = self.document.to_string();
        if self.ends_like_windows { text.replace("\r\n", "\n").replace('\n', "\r\n") } else { text }
    }

    /// Whether a key stands at the top of the file.
    pub(super) fn has(&self, key: &str) -> bool {
        self.document.contains_key(key)
    }

    /// Sets the value under a path such as `mode` or `llm.main_prose.model`. Where something else than a table is in the way,
    /// nothing is set.
    pub(super) fn set(&mut self, path: &str, value: impl Into<Value>) {
        if let Some((table, key)) = self.table_of(path) {
            put(table, key, value.into());
        }
    }

    /// Takes away what is under a path.
    pub(super) fn remove(&mut self, path: &str) {
        if let Some((table, key)) = self.table_of(path) {
            table.remove(key);
        }
    }

    /// The table that a path leads into, and its name in there; tables that are missing come with it.
    fn table_of<'p>(&mut self, path: &'p str) -> Option<(&mut dyn TableLike, &'p str)> {
        let (tables, key) = path.rsplit_once('.').unwrap_or(("", path));
        let mut table: &mut dyn TableLike = self.document.as_table_mut();
        for name in tables.split('.').filter(|name| !name.is_empty()) {
            let item = table.entry(name).or_insert_with(|| {
                let mut missing = Table::new();
                // Without a header of its own where it holds nothing but tables.
                missing.set_implicit(true);
                Item::Table(missing)
            });
            table = item.as_table_like_mut()?;
        }
        Some((table, key))
    }

    /// Takes a text away from the top of the file. Where somebody wrote a comment beside it, the key stays, blank,
    /// so that the comment keeps its place.
    pub(super) fn clear_text(&mut self, key: &str) {
        let above =
            self.document.key(key).and_then(|key| key.leaf_decor().prefix()?.as_str().map(has_comment));
        let beside = self
            .document
            .get(key)
            .and_then(Item::as_value)
            .and_then(|value| value.decor().suffix()?.as_str().map(has_comment));
        if above == Some(true) || beside == Some(true) {
            self.set(key, "");
        } else {
            self.document.remove(key);
        }
    }

    /// Adds a row at the end of a list of tables.
    pub(super) fn push_row(&mut self, list: &str, fields: Vec<(&'static str, Value)>) {
        let rows = self.document.entry(list).or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
        if let Some(rows) = rows.as_array_of_tables_mut() {
            rows.push(fields.into_iter().collect());
        } else if let Some(rows) = rows.as_array_mut() {
            rows.push(Value::InlineTable(fields.into_iter().collect::<InlineTable>()));
        }
    }

    /// Overwrites the fields of the row at an index; those of `clearable` that are not given go, its other keys and its
    /// comments stay.
    pub(super) fn set_row(
        &mut self,
        list: &str,
        index: usize,
        clearable: &[&str],
        fields: Vec<(&'static str, Value)>,
    ) {
        let row = match self.document.get_mut(list) {
            Some(Item::ArrayOfTables(rows)) => rows.get_mut(index).map(|row| row as &mut dyn TableLike),
            Some(Item::Value(Value::Array(rows))) => {
                rows.get_mut(index).and_then(Value::as_inline_table_mut).map(|row| row as &mut dyn TableLike)
            }
            _ => None,
        };
        let Some(row) = row else { return };
        for key in clearable {
            if fields.iter().all(|(written, _)| written != key) {
                row.remove(key);
            }
        }
        for (key, value) in fields {
            put(row, key, value);
        }
    }

    /// Removes the row at an index, with the comment right above it. Comments set apart by a blank line belong to
    /// the file (its heading, often) and move to what follows.
    pub(super) fn remove_row(&mut self, list: &str, index: usize) {
        let mut left_over = String::new();
        match self.document.get_mut(list) {
            Some(Item::ArrayOfTables(rows)) if index < rows.len() => {
                let row = rows.remove(index);
                let above = row.decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default();
                above[..end_of_heading(above)].clone_into(&mut left_over);
                if let Some(next) = rows.get_mut(index) {
                    let below = next.decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default();
                    let joined = if has_comment(&left_over) {
                        format!("{left_over}{}", below.trim_start_matches('\n'))
                    } else if index == 0 {
                        // The file now begins with this row; the blank line above it would begin the file.
                        below.trim_start_matches('\n').to_owned()
                    } else {
                        below.to_owned()
                    };
                    next.decor_mut().set_prefix(joined);
                    left_over.clear();
                }
                if rows.is_empty() {
                    self.document.remove(list);
                }
            }
            Some(Item::Value(Value::Array(rows))) if index < rows.len() => {
                rows.remove(index);
            }
            _ => {}
        }
        if has_comment(&left_over) {
            let trailing = self.document.trailing().as_str().unwrap_or_default().to_owned();
            self.document.set_trailing(format!("{left_over}{trailing}"));
        }
    }
}

/// Puts a value into a table. Plain assignment would drop the comment after the one that was there.
fn put(table: &mut dyn TableLike, key: &str, value: Value) {
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            let decor = old.decor().clone();
            *old = value;
            *old.decor_mut() = decor;
        }
        None => {
            table.insert(key, Item::Value(value));
        }
    }
}

fn has_comment(decor: &str) -> bool {
    decor.contains('#')
}

/// Where the part of a comment block ends that is set apart by a blank line.
fn end_of_heading(above: &str) -> usize {
    above.rfind("\n\n").map_or(0, |at| at + 2)
}

#[cfg(test)]
mod tests {
    use super::super::document::Rank;
    use super::*;
    use crate::config::{Subscription, SubscriptionKind};

    fn edit(text: &str, change: impl FnOnce(&mut Edit)) -> String {
        let mut edit = Edit::of(&SourceText::of("t.toml", text, Rank::Channel)).unwrap();
        change(&mut edit);
        edit.into_text()
    }

    fn row(channel: u64) -> Subscription {
        Subscription::new(channel.into(), SubscriptionKind::Text, Some(9.into()))
    }

    #[test]
    fn a_new_value_keeps_the_comments_around_the_old_one() {
        let text =
            "# why\nmode   = \"full_rp\" # because\n\n# pace\n[typing_simulation]\nenabled = true # yes\n";
        let changed = edit(text, |edit| edit.set("mode", "imitate_voice"));
        assert_eq!(changed, text.replace("full_rp", "imitate_voice"));
    }

    #[test]
    fn a_new_key_goes_above_the_tables() {
        let changed = edit("# pace\n[typing_simulation]\nenabled = true\n", |edit| {
            edit.set("mode", "full_rp");
            edit.set("backdrop", "A ship.\nIn \"fog\".");
        });
        insta::assert_snapshot!(changed, @r#"
        mode = "full_rp"
        backdrop = """
        A ship.
        In "fog"."""
        # pace
        [typing_simulation]
        enabled = true
        "#);
    }

    #[test]
    fn clearing_keeps_a_commented_key_and_drops_a_bare_one() {
        let bare = edit("mode = \"full_rp\"\nbackdrop = \"x\"\n", |edit| edit.clear_text("backdrop"));
        assert_eq!(bare, "mode = \"full_rp\"\n");
        let commented = edit("mode = \"full_rp\"\n# the scene\nbackdrop = \"x\"\n", |edit| {
            edit.clear_text("backdrop");
        });
        assert_eq!(commented, "mode = \"full_rp\"\n# the scene\nbackdrop = \"\"\n");
    }

    #[test]
    fn windows_line_ends_stay() {
        let changed = edit("mode = \"full_rp\" # a\r\nchannel_name = \"#x\"\r\n", |edit| {
            edit.set("mode", "imitate_voice");
            edit.set("backdrop", "one");
        });
        assert_eq!(
            changed,
            "mode = \"imitate_voice\" # a\r\nchannel_name = \"#x\"\r\nbackdrop = \"one\"\r\n"
        );
    }

    #[test]
    fn rows_come_and_go_around_comments() {
        let text = "# Where Ada listens.\n\n# the lobby\n[[subscription]]\nchannel_id = 1 # number\nkind = \"text\"\n\n\
                    # the den\n[[subscription]]\nchannel_id = \"2\"\nkind = \"text\"\nnote = \"keep\"\n# end\n";
        let added = edit(text, |edit| edit.push_row("subscription", row(3).fields()));
        insta::assert_snapshot!(added, @r#"
        # Where Ada listens.

        # the lobby
        [[subscription]]
        channel_id = 1 # number
        kind = "text"

        # the den
        [[subscription]]
        channel_id = "2"
        kind = "text"
        note = "keep"

        [[subscription]]
        channel_id = "3"
        kind = "text"
        guild_id = "9"
        # end
        "#);
        let without_first = edit(&added, |edit| edit.remove_row("subscription", 0));
        assert!(
            without_first
                .starts_with("# Where Ada listens.\n\n# the den\n[[subscription]]\nchannel_id = \"2\"")
        );
        let moved = edit(&without_first, |edit| edit.set_row("subscription", 0, &[], row(5).fields()));
        assert!(
            moved.contains("channel_id = \"5\"\nkind = \"text\"\nnote = \"keep\"\nguild_id = \"9\""),
            "{moved}"
        );
        let none = edit(&moved, |edit| {
            edit.remove_row("subscription", 1);
            edit.remove_row("subscription", 0);
        });
        assert_eq!(none, "# Where Ada listens.\n\n# end\n");
    }

    #[test]
    fn rows_in_a_plain_list_work_too() {
        let text = "subscription = [{ channel_id = 1, kind = \"text\" }] # short\n";
        let added = edit(text, |edit| edit.push_row("subscription", row(2).fields()));
        assert!(added.ends_with("# short\n"), "{added}");
        assert_eq!(edit(&added, |edit| edit.remove_row("subscription", 0)).matches("channel_id").count(), 1);
    }
}
