//! Databases compared by what is in them.

use std::path::Path;

/// What is in a database, row for row: its bytes also change when a journal is folded into it, which changes nothing.
pub fn rows_of(database: &Path) -> Vec<u8> {
    let connection = rusqlite::Connection::open(database).unwrap();
    // The tables inside of a full-text index are SQLite's; what is indexed stands in others.
    let mut tables = connection
        .prepare(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'
             ORDER BY name",
        )
        .unwrap();
    let tables: Vec<String> =
        tables.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
    assert!(!tables.is_empty(), "{}", database.display());
    let mut all = String::new();
    for table in tables {
        let mut rows = connection.prepare(&format!("SELECT * FROM \"{table}\"")).unwrap();
        let columns = rows.column_count();
        let read = |row: &rusqlite::Row<'_>| {
            (0..columns)
                .map(|column| row.get::<_, rusqlite::types::Value>(column))
                .collect::<Result<Vec<_>, _>>()
        };
        let mut rows: Vec<String> =
            rows.query_map([], read).unwrap().map(|row| format!("{:?}", row.unwrap())).collect();
        rows.sort();
        all.push_str(&format!("{table}: {rows:#?}\n"));
    }
    all.into_bytes()
}
