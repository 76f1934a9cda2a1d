//! The tables of `history.db`, step by step. A step that was released is never edited; add the next one.

use rusqlite_migration::{M, Migrations};

/// Every step from an empty file to this version.
pub(super) static MIGRATIONS: Migrations<'static> = Migrations::from_slice(STEPS);

const STEPS: &[M<'static>] = &[
    M::up(include_str!("schema/01_turns.sql")),
    M::up(include_str!("schema/02_people.sql")),
    M::up(include_str!("schema/03_thoughts.sql")),
    M::up(include_str!("schema/04_lore.sql")),
    M::up(include_str!("schema/05_stems.sql")),
    M::up(include_str!("schema/06_crystals.sql")),
    M::up(include_str!("schema/07_offsets.sql")),
    M::up(include_str!("schema/08_counted.sql")),
    M::up(include_str!("schema/09_salt.sql")),
    M::up(include_str!("schema/10_changes.sql")),
    M::up(include_str!("schema/11_regards.sql")),
    M::up(include_str!("schema/12_passed_over.sql")),
    M::up(include_str!("schema/13_happenings.sql")),
    M::up(include_str!("schema/14_deliveries.sql")),
    M::up(include_str!("schema/15_thoughts_anew.sql")),
    M::up(include_str!("schema/16_variables.sql")),
    M::up(include_str!("schema/17_forgotten.sql")),
    M::up(include_str!("schema/18_words.sql")),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_migration_applies_to_an_empty_file() {
        let mut empty = rusqlite::Connection::open_in_memory().unwrap();
        crate::sqlite::words::register(&empty).unwrap();
        assert_eq!(MIGRATIONS.to_latest(&mut empty), Ok(()));
    }
}
