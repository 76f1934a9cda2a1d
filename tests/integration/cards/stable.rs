//! Any card → unpack → load → export → unpack is stable, and no bytes at all make the readers fall over.

use familiar_connect::config::FamiliarHome;
use familiar_connect::familiar::{ExportFormat, export, load_character, read_card, read_lorebook};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::folder::{World, files};
use crate::support::cards::*;

/// Text as cards hold it, and as nobody expects it.
fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[ -~\\n]{0,60}",
        1 => any::<String>(),
        1 => Just(String::new()),
        1 => prop::sample::select(vec![
            "+++\nuid = 3\n+++\n", "{{user}}: a\r\nYou: b", "  \n", "\n", "\r", "爱 \u{7f}\u{0}", "\u{feff}x", "\"'''\"\"\"",
        ]).prop_map(str::to_owned),
    ]
}

/// Any JSON, small.
fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter("JSON has no infinities", |f| f.is_finite()).prop_map(Value::from),
        words().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key(), inner), 0..4)
                .prop_map(|list| Value::Object(list.into_iter().collect())),
        ]
    })
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![2 => "[a-z_]{1,8}", 1 => words(), 1 => Just("json".to_owned())]
}

/// An object that has some of the given fields, well-formed or not, and some of its own.
fn object(fields: &'static [&'static str]) -> impl Strategy<Value = Value> {
    let known =
        (prop::sample::select(fields), prop_oneof![2 => words().prop_map(Value::from), 1 => anything()])
            .prop_map(|(name, value)| (name.to_owned(), value));
    let own = (key(), anything());
    (prop::collection::vec(known, 0..14), prop::collection::vec(own, 0..3))
        .prop_map(|(known, own)| Value::Object(own.into_iter().chain(known).collect::<Map<_, _>>()))
}

const ENTRY: &[&str] = &[
    "keys",
    "key",
    "secondary_keys",
    "content",
    "comment",
    "name",
    "enabled",
    "constant",
    "selective",
    "insertion_order",
    "position",
    "priority",
    "id",
    "uid",
    "probability",
    "depth",
    "role",
    "case_sensitive",
    "extensions",
    "use_regex",
    "sticky",
    "group",
    "triggers",
    "folder",
    "mode",
];

const DATA: &[&str] = &[
    "description",
    "personality",
    "scenario",
    "first_mes",
    "mes_example",
    "creator_notes",
    "system_prompt",
    "post_history_instructions",
    "alternate_greetings",
    "group_only_greetings",
    "tags",
    "creator",
    "character_version",
    "nickname",
    "extensions",
    "assets",
    "source",
];

fn card() -> impl Strategy<Value = Value> {
    let entry = object(ENTRY).prop_map(|mut entry| {
        entry["content"] = json!(entry.get("content").and_then(Value::as_str).unwrap_or("c"));
        entry
    });
    let note = (words(), anything(), anything())
        .prop_map(|(prompt, depth, role)| json!({"prompt": prompt, "depth": depth, "role": role}));
    (
        object(DATA),
        prop::option::of(prop::collection::vec(entry, 0..5)),
        prop::option::of(note),
        prop::collection::vec(words(), 0..4),
        prop::sample::select(vec!["v1", "chara_card_v2", "chara_card_v3", "tavern_ai"]),
    )
        .prop_map(|(mut data, book, note, greetings, spec)| {
            data["name"] = json!("Ada");
            data["alternate_greetings"] = json!(greetings);
            if let Some(entries) = book {
                data["character_book"] = json!({"name": "B", "entries": entries});
            }
            if let Some(note) = note {
                if !data["extensions"].is_object() {
                    data["extensions"] = json!({});
                }
                data["extensions"]["depth_prompt"] = note;
            }
            match spec {
                "v1" => data,
                "tavern_ai" => {
                    data["spec"] = json!(spec);
                    data
                }
                _ => json!({"spec": spec, "spec_version": "2.0", "data": data}),
            }
        })
}

/// The files that hold the card's content, so without the bytes and the notes about this very import.
fn content(home: &FamiliarHome) -> Vec<(String, Vec<u8>)> {
    files(home.root())
        .into_iter()
        .filter(|(path, _)| {
            path.starts_with("memory/")
                && ![".original", ".import", "card.json", "avatar"].iter().any(|own| path.contains(own))
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn unpack_load_export_unpack_is_stable(card in card(), format in prop::sample::select(vec![
        ExportFormat::Json, ExportFormat::Png, ExportFormat::Charx,
    ])) {
        let first = World::new();
        first.import("a.json", card.to_string().as_bytes()).unwrap();
        let home = first.home("ada");
        let loaded = load_character(&home).unwrap();
        let exported = export(&home, format).unwrap().bytes;
        let second = World::new();
        second.import("b", &exported).unwrap();
        let again = second.home("ada");
        prop_assert_eq!(load_character(&again).unwrap(), loaded);
        prop_assert_eq!(content(&again), content(&home));
        // From here on nothing moves any more, not even the JSON.
        let once = export(&again, ExportFormat::Json).unwrap().bytes;
        let third = World::new();
        third.import("c.json", &once).unwrap();
        let twice = export(&third.home("ada"), ExportFormat::Json).unwrap().bytes;
        let json = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).unwrap();
        prop_assert_eq!(json(&twice), json(&once));
    }

    #[test]
    fn a_nested_card_nobody_edited_is_exported_as_it_was(card in card()) {
        prop_assume!(card.get("data").is_some_and(Value::is_object) && card["spec"] == "chara_card_v2");
        let world = World::new();
        world.import("a.json", card.to_string().as_bytes()).unwrap();
        let exported = export(&world.home("ada"), ExportFormat::Json).unwrap().bytes;
        prop_assert_eq!(serde_json::from_slice::<Value>(&exported).unwrap(), card);
    }

    #[test]
    fn random_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400), seed in 0..6_usize) {
        let heads: [&[u8]; 6] = [b"", PNG_SIGNATURE, b"PK\x03\x04", b"\xff\xd8\xff\xe1", b"RIFF\x10\0\0\0WEBPEXIF", b"{\"name\":"];
        let bytes = [heads[seed], &bytes].concat();
        let _ = read_card(&bytes);
        let _ = read_lorebook(&bytes);
    }
}

/// Whole files of every container, to be damaged.
pub(super) fn seeds() -> Vec<Vec<u8>> {
    let card = v3("Ada").to_string();
    let book = json!({"entries": {"0": {"uid": 0, "key": ["a"], "content": "b"}}}).to_string();
    let encoded = base64(&card);
    vec![
        png_card("ccv3", &v3("Ada")),
        png(&[compressed("chara", &encoded), international("ccv3", &encoded, true)]),
        card.clone().into_bytes(),
        zip(&[("card.json", card.as_bytes()), ("assets/icon/image/a.png", &png(&[]))]),
        [jpeg(None), zip(&[("card.json", card.as_bytes())])].concat(),
        webp(&exif(card.as_bytes())),
        jpeg(Some(&exif(card.as_bytes()))),
        b"name: Ada\ncontext: &a text\ngreeting: *a\n".to_vec(),
        book.into_bytes(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_files_are_read_or_refused_in_one_line(
        seed in 0..9_usize,
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = seeds().swap_remove(seed);
        for (at, value) in damage {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Err(refusal) = read_card(&bytes) {
            prop_assert!(!refusal.to_string().contains('\n'));
        }
        let _ = read_lorebook(&bytes);
    }
}
