//! Reading cards: every container, every limit (cards-and-lore 1.5), every lenient rule (3).

use familiar_connect::familiar::{
    Card, Container, Limit, Refusal, RefusalKind, Spec, read_card, read_lorebook,
};
use serde_json::{Value, json};

use crate::support::cards::*;

mod folder;
pub mod fuzz;
mod real;
mod stable;

fn read(bytes: &[u8]) -> Card {
    read_card(bytes).unwrap_or_else(|refusal| panic!("{refusal}"))
}

fn refused(bytes: &[u8]) -> Refusal {
    match read_card(bytes) {
        Ok(card) => panic!("{} was read", card.name),
        Err(refusal) => {
            assert!(!refusal.to_string().contains('\n'), "one line: {refusal}");
            refusal
        }
    }
}

fn warned(card: &Card, words: &str) {
    assert!(card.warnings.iter().any(|warning| warning.contains(words)), "{words}: {:?}", card.warnings);
}

fn json_card(data: Value) -> Card {
    read(json!({"spec": "chara_card_v2", "spec_version": "2.0", "data": data}).to_string().as_bytes())
}

// --- containers ---

#[test]
fn png_cards_are_read_before_and_behind_the_pixels_from_every_kind_of_text() {
    let encoded = base64(v2("Ada").to_string());
    for text in [
        text("chara", &encoded),
        text("CHARA", &encoded),
        compressed("chara", &encoded),
        international("chara", &encoded, false),
        international("chara", &encoded, true),
    ] {
        for bytes in [png_of(&[text.clone(), pixels(), end()]), png_of(&[pixels(), text.clone(), end()])] {
            let card = read(&bytes);
            assert_eq!((card.name.as_str(), card.spec, card.container), ("Ada", Spec::V2, Container::Png));
            assert!(card.warnings.is_empty(), "{:?}", card.warnings);
            let avatar = card.avatar.unwrap();
            assert_eq!(avatar.extension, "png");
            assert!(!avatar.bytes.windows(5).any(|window| window.eq_ignore_ascii_case(b"chara")));
        }
    }
}

#[test]
fn ccv3_counts_before_chara_whatever_their_order() {
    let (old, new) =
        (text("chara", base64(v2("Old").to_string())), text("ccv3", base64(v3("New").to_string())));
    for texts in [[old.clone(), new.clone()], [new, old]] {
        let card = read(&png(&texts));
        assert_eq!((card.name.as_str(), card.spec), ("New", Spec::V3));
        warned(&card, "differ in name");
    }
}

#[test]
fn a_ccv3_that_does_not_decode_falls_back_to_chara() {
    let card = read(&png(&[text("ccv3", "!!!"), text("chara", base64(v2("Ada").to_string()))]));
    assert_eq!(card.name, "Ada");
    warned(&card, "passed over");
}

#[test]
fn a_ccv3_that_is_no_card_falls_back_to_chara() {
    let book = json!({"entries": [{"keys": ["a"], "content": "b"}]}).to_string();
    for other in ["[1]", "{}", "null", "{\"spec\": \"chara_card_v3\", \"data\": null}", &book] {
        let texts = [text("ccv3", base64(other)), text("chara", base64(v2("Ada").to_string()))];
        let card = read(&png(&texts));
        assert_eq!(card.name, "Ada", "{other}");
        warned(&card, "it is no card");
        let alone = refused(&png(&texts[..1]));
        assert!(alone.offset.is_some() && !alone.error.contains("holds no"), "{alone}");
    }
}

#[test]
fn of_two_chara_chunks_the_first_counts() {
    let texts =
        [text("chara", base64(v2("First").to_string())), text("chara", base64(v2("Second").to_string()))];
    let card = read(&png(&texts));
    assert_eq!(card.name, "First");
    warned(&card, "ignored");
}

#[test]
fn text_behind_iend_does_not_count() {
    let bytes = [png(&[]), text("chara", base64(v2("Late").to_string()))].concat();
    assert_eq!(refused(&bytes).kind, RefusalKind::NotACard);
}

#[test]
fn an_animated_png_is_a_png() {
    let frames =
        [chunk(b"acTL", &[0; 8]), chunk(b"fcTL", &[0; 26]), pixels(), chunk(b"fdAT", &[0; 8])].concat();
    let bytes = png_of(&[frames, text("chara", base64(v2("Ada").to_string())), end()]);
    assert_eq!(read(&bytes).name, "Ada");
}

#[test]
fn old_risu_assets_in_the_png_are_found() {
    let mut card = v3("Ada");
    card["data"]["assets"] = json!([{"type": "icon", "name": "main", "uri": "__asset:7", "ext": "gif"}]);
    for keyword in ["chara-ext-asset_:7", "chara-ext-asset_7"] {
        let texts = [text("ccv3", base64(card.to_string())), text(keyword, base64(b"GIF89a!"))];
        assert_eq!(read(&png(&texts)).avatar.unwrap().bytes, b"GIF89a!");
    }
}

#[test]
fn a_novel_ai_lorebook_in_the_picture_comes_along() {
    let book = json!({"lorebookVersion": 4, "entries": [{"text": "t", "keys": ["k"], "displayName": "n"}]});
    let texts = [text("chara", base64(v2("Ada").to_string())), text("naidata", base64(book.to_string()))];
    let card = read(&png(&texts));
    assert_eq!(card.book.as_ref().unwrap().entries[0].content, "t");
    warned(&card, "naidata");
}

#[test]
fn charx_takes_the_root_card_and_not_one_that_ends_like_it() {
    let decoy = v3("Decoy").to_string();
    let bytes = zip(&[
        ("assets/icon/image/card.json", decoy.as_bytes()),
        ("xcard.json", decoy.as_bytes()),
        ("card.json", v3("Ada").to_string().as_bytes()),
    ]);
    let card = read(&bytes);
    assert_eq!((card.name.as_str(), card.container, card.spec), ("Ada", Container::Charx, Spec::V3));
    assert_eq!(refused(&zip(&[("assets/card.json", decoy.as_bytes())])).kind, RefusalKind::NotACard);
}

#[test]
fn charx_icons_are_found_under_every_spelling() {
    for (uri, path) in [
        ("embeded://assets/icon/image/a.png", "assets/icon/image/a.png"),
        ("embedded://assets/a%20b.png", "assets/a b.png"),
        ("__asset:assets/a.png", "assets/a.png"),
    ] {
        let mut card = v3("Ada");
        card["data"]["assets"] = json!([{"type": "icon", "name": "main", "uri": uri, "ext": "png"}]);
        let picture = png(&[]);
        let bytes = zip(&[("card.json", card.to_string().as_bytes()), (path, &picture)]);
        assert_eq!(read(&bytes).avatar.unwrap().bytes, picture, "{uri}");
    }
}

#[test]
fn a_zip_behind_a_picture_is_found_by_its_end() {
    let card = v3("Ada").to_string();
    let bytes = [jpeg(None), zip(&[("card.json", card.as_bytes())])].concat();
    let card = read(&bytes);
    assert_eq!((card.name.as_str(), card.container), ("Ada", Container::JpegZip));
    assert_eq!(card.avatar.unwrap().extension, "jpg");
}

#[test]
fn webp_and_jpeg_comments_are_read_as_json_and_as_byte_lists() {
    let card = v2("Ada").to_string();
    let list = card.bytes().map(|byte| byte.to_string()).collect::<Vec<_>>().join(",");
    let wide: Vec<u8> = card.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for comment in [
        card.clone().into_bytes(),
        [b"ASCII\0\0\0", card.as_bytes()].concat(),
        [b"UNICODE\0", &wide[..]].concat(),
        [&[0; 8], list.as_bytes()].concat(),
        base64(&card).into_bytes(),
    ] {
        let found = read(&webp(&exif(&comment)));
        assert_eq!((found.name.as_str(), found.container), ("Ada", Container::Webp));
        assert_eq!(read(&webp(&[b"Exif\0\0", &exif(&comment)[..]].concat())).name, "Ada");
        let found = read(&jpeg(Some(&exif(&comment))));
        assert_eq!((found.name.as_str(), found.container), ("Ada", Container::Jpeg));
    }
    assert_eq!(refused(&webp(&exif(b"ASCII\0\0\0a holiday"))).kind, RefusalKind::NotACard);
}

#[test]
fn a_jpegs_comment_is_read_also_when_another_zip_follows_it() {
    let picture = jpeg(Some(&exif(v2("Ada").to_string().as_bytes())));
    for behind in [zip(&[("holiday.txt", b"sun")]), [b"PK\x05\x06", &[0xff; 18][..]].concat()] {
        assert_eq!(read(&[&picture[..], &behind].concat()).name, "Ada");
    }
    let with_card = zip(&[("card.json", v3("Bea").to_string().as_bytes())]);
    assert_eq!(read(&[&picture[..], &with_card].concat()).name, "Bea");
}

#[test]
fn every_refusal_of_a_file_names_a_byte() {
    let none = [zip(&[("x/card.json", b"{}")]), zip(&[("manifest.json", b"{}"), ("characters/a", b"")])];
    for bytes in none.into_iter().chain([jpeg(None), b"RIFF\x04\0\0\0WEBP".to_vec()]) {
        assert!(refused(&bytes).offset.is_some(), "{:?}", refused(&bytes));
    }
}

#[test]
fn yaml_cards_are_read() {
    let card = read(b"# made by hand\nname: Ada\ncontext: |\n  Line one\n  Line two\ngreeting: Hello\nexample_dialogue: 'x'\n");
    assert_eq!((card.name.as_str(), card.container, card.spec), ("Ada", Container::Yaml, Spec::V1));
    assert_eq!(card.description, "Line one\nLine two\n");
    assert_eq!((card.first_mes.as_str(), card.mes_example.as_str()), ("Hello", "x"));
    assert_eq!(card.raw["context"], "Line one\nLine two\n");
}

#[test]
fn content_decides_and_not_a_name() {
    for bytes in
        [&b""[..], b"   ", b"just some words", b"\0\x01\x02\x03", b"[1,2]", b"{\"foo\": 1}", b"- a\n- b"]
    {
        assert_eq!(refused(bytes).kind, RefusalKind::NotACard, "{bytes:?}");
    }
}

#[test]
fn what_is_recognised_and_not_read_says_what_to_do() {
    assert!(refused(b"rcc||rccv1||AA||BB||CC").error.contains("unencrypted"));
    let encrypted = png(&[text("chara", "rcc||rccv1||AAAA||BBBB||CCCC")]);
    assert_eq!(refused(&encrypted).kind, RefusalKind::Unsupported);
    let backyard = zip(&[("manifest.json", b"{}"), ("characters/a/character.json", b"{}")]);
    assert!(refused(&backyard).error.contains("BYAF"));
    let book = refused(json!({"entries": {"0": {"key": ["a"], "content": "b"}}}).to_string().as_bytes());
    assert_eq!(book.kind, RefusalKind::Lorebook);
    assert!(book.error.contains("familiar lore import"));
}

#[test]
fn a_file_without_a_character_says_so_in_words_that_whoever_has_it_knows() {
    let pictures =
        [png(&[]), jpeg(None), jpeg(Some(&exif(b"ASCII\0\0\0a holiday"))), webp(&exif(b"a holiday"))];
    for picture in pictures {
        let told = refused(&picture).to_string();
        assert!(told.starts_with("this picture holds no character: it may be a preview"), "{told}");
        assert!(!told.contains("byte") && !told.contains("chunk") && !told.contains("EXIF"), "{told}");
    }
    let whole = png(&[text("chara", base64(v2("Ada").to_string()))]);
    let torn = refused(&whole[..whole.len() - 40]).to_string();
    assert!(torn.contains("cut off") && torn.contains("download it again"), "{torn}");
    for (bytes, expected) in [
        (&b"[1,2]"[..], "is no character card; export the character again"),
        (b"{\"foo\": 1}", "it has neither name, description nor first_mes"),
        (b"\0\x01\x02\x03", "one is a PNG, JSON, CHARX, JPEG, WEBP or YAML file"),
        (&zip(&[("holiday.txt", b"sun")]), "this zip holds no character"),
    ] {
        let told = refused(bytes).to_string();
        assert!(told.contains(expected) && !told.contains("at byte"), "{told}");
    }
}

// --- specs ---

#[test]
fn flat_cards_of_every_dialect_are_v1() {
    for (card, name) in [
        (json!({"name": "A", "description": "d", "first_mes": "hi", "creatorcomment": "n"}), "A"),
        (json!({"char_name": "B", "char_persona": "d", "char_greeting": "hi", "example_dialogue": "e"}), "B"),
        (
            json!({"kind": "character", "name": "C", "greeting": "hi", "sampleChat": "e", "description": "n",
                "persona": {"kind": "text", "attributes": {"text": ["d"]}}}),
            "C",
        ),
        (json!({"spec": "tavern_ai", "name": "D", "description": "d", "first_mes": "hi"}), "D"),
    ] {
        let card = read(card.to_string().as_bytes());
        assert_eq!((card.name.as_str(), card.spec), (name, Spec::V1));
        assert_eq!((card.description.as_str(), card.first_mes.as_str()), ("d", "hi"), "{name}");
    }
}

#[test]
fn v3_fields_are_read_and_newer_versions_are_taken_with_a_word() {
    let mut card = v3("Ada");
    let found = read(card.to_string().as_bytes());
    assert_eq!(found.nickname.as_deref(), Some("Nick"));
    assert_eq!(found.group_only_greetings, ["All"]);
    card["spec_version"] = json!("3.7");
    card["data"]["creation_date"] = json!(1_703_462_400_000_u64);
    let found = read(card.to_string().as_bytes());
    warned(&found, "newer");
    warned(&found, "milliseconds");
}

// --- limits (1.5) ---

#[test]
fn limit_whole_file() {
    let refusal = refused(&vec![b' '; usize::try_from(Limit::File.value()).unwrap() + 1]);
    assert_eq!((refusal.limit, refusal.offset), (Some(Limit::File), Some(Limit::File.value())));
}

#[test]
fn limit_one_text_chunk() {
    let large = vec![b'A'; usize::try_from(Limit::TextChunk.value()).unwrap() + 1];
    let before = png_of(&[pixels()]).len();
    let refusal = refused(&png(&[text("chara", large)]));
    assert_eq!(refusal.limit, Some(Limit::TextChunk));
    assert_eq!(refusal.offset, Some(u64::try_from(before).unwrap()));
}

#[test]
fn limit_inflated_text() {
    let large = vec![b'A'; usize::try_from(Limit::InflatedText.value()).unwrap() + 1];
    for chunk in [compressed("chara", &large), international("ccv3", &large, true)] {
        assert!(chunk.len() < 100_000);
        let refusal = refused(&png(&[chunk]));
        assert_eq!(refusal.limit, Some(Limit::InflatedText));
        assert!(refusal.offset.is_some());
    }
}

#[test]
fn many_texts_together_inflate_to_a_bounded_size_and_a_good_card_behind_them_still_counts() {
    let almost = vec![b'A'; usize::try_from(Limit::InflatedText.value()).unwrap() - 1];
    let bomb = compressed("ccv3", &almost);
    let mut chunks = vec![bomb; 40];
    let refusal = refused(&png(&chunks));
    assert_eq!(refusal.kind, RefusalKind::Damaged, "{refusal:?}");
    chunks.push(text("chara", base64(v2("Ada").to_string())));
    let card = read(&png(&chunks));
    assert_eq!(card.name, "Ada");
    let too_much = card.warnings.iter().filter(|warning| warning.contains("is too large")).count();
    // Four of them fill the room; all others were given up after their first byte.
    assert!(too_much >= 35, "{too_much} of 40 in {:?}", card.warnings);
}

#[test]
fn a_newer_card_that_breaks_a_limit_makes_way_for_the_older_one() {
    let large = vec![b'A'; usize::try_from(Limit::InflatedText.value()).unwrap() + 1];
    let chara = text("chara", base64(v2("Ada").to_string()));
    for bomb in [compressed("ccv3", &large), text("ccv3", large.clone())] {
        let card = read(&png(&[bomb, chara.clone()]));
        assert_eq!(card.name, "Ada");
        assert!(card.warnings.iter().any(|warning| warning.contains("`ccv3`")), "{:?}", card.warnings);
    }
    // A text that nobody needs is not looked at.
    let good = text("ccv3", base64(v3("Eva").to_string()));
    let card = read(&png(&[good, compressed("ccv3", &large), chara]));
    assert_eq!(card.name, "Eva");
}

#[test]
fn limit_declared_length() {
    let bytes = png_of(&[pixels(), chunk_head(b"tEXt", u32::MAX), b"chara\0".to_vec()]);
    let refusal = refused(&bytes);
    assert_eq!(refusal.limit, Some(Limit::DeclaredLength));
    assert_eq!(refusal.offset, Some(u64::try_from(png_of(&[pixels()]).len()).unwrap()));
    let mut cut = webp(&exif(b"x"));
    cut[34..38].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(refused(&cut).limit, Some(Limit::DeclaredLength));
}

#[test]
fn limit_card_json_counts_what_is_read_and_not_what_is_declared() {
    let large = vec![b' '; usize::try_from(Limit::CardJson.value()).unwrap() + 1];
    let mut bytes = zip(&[("card.json", &large)]);
    assert_eq!(refused(&bytes).limit, Some(Limit::CardJson));
    // The central directory now says that the entry is one byte long.
    let directory = bytes.windows(4).rposition(|window| window == b"PK\x01\x02").unwrap();
    bytes[directory + 24..directory + 28].copy_from_slice(&1_u32.to_le_bytes());
    let refusal = refused(&bytes);
    assert!(refusal.limit == Some(Limit::CardJson) || refusal.kind == RefusalKind::Damaged, "{refusal:?}");
}

#[test]
fn limit_one_zip_entry_and_all_together() {
    let card = v3("Ada").to_string();
    let one = vec![0; usize::try_from(Limit::ZipAsset.value()).unwrap() + 1];
    let refusal = refused(&zip(&[("card.json", card.as_bytes()), ("assets/other/big.bin", &one)]));
    assert_eq!(refusal.limit, Some(Limit::ZipAsset));
    let part = ("assets/0.bin", &one[..one.len() - 1]);
    let bytes = zip_of_copies(part, 5, ("card.json", card.as_bytes()));
    assert_eq!(refused(&bytes).limit, Some(Limit::ZipInflated));
}

#[test]
fn limit_zip_entries() {
    let mut bytes = zip(&[("card.json", v3("Ada").to_string().as_bytes())]);
    let end = bytes.len() - 22;
    bytes[end + 8..end + 12].copy_from_slice(&[0xff, 0x7f, 0xff, 0x7f]);
    assert_eq!(refused(&bytes).limit, Some(Limit::ZipEntries));
}

#[test]
fn zip_paths_that_climb_are_dropped() {
    let picture = png(&[]);
    let card = v3("Ada").to_string();
    let bytes = zip(&[
        ("../evil.png", &picture),
        ("/abs.png", &picture),
        ("C:\\x.png", &picture),
        ("card.json", card.as_bytes()),
    ]);
    let card = read(&bytes);
    assert_eq!(card.warnings.iter().filter(|warning| warning.contains("unsafe path")).count(), 3);
    assert!(card.avatar.is_none());
}

#[test]
fn limit_json_depth() {
    let deep = format!("{{\"name\":{}1{}}}", "[".repeat(5000), "]".repeat(5000));
    assert_eq!(refused(deep.as_bytes()).limit, Some(Limit::JsonDepth));
    let refusal = refused(&png(&[text("chara", base64(&deep))]));
    assert_eq!(refusal.limit, Some(Limit::JsonDepth));
    assert_eq!(refusal.offset, Some(u64::try_from(png_of(&[pixels()]).len()).unwrap()));
}

#[test]
fn limit_book_entries_greetings_and_field() {
    let mut card = v2("Ada");
    card["data"]["character_book"] = json!({"entries": vec![json!({"keys": ["k"], "content": "c"}); 5001]});
    assert_eq!(refused(card.to_string().as_bytes()).limit, Some(Limit::BookEntries));
    let mut card = v2("Ada");
    card["data"]["alternate_greetings"] = json!(vec!["hi"; 201]);
    assert_eq!(refused(card.to_string().as_bytes()).limit, Some(Limit::Greetings));
    for field in ["description", "first_mes", "creator_notes"] {
        let mut card = v2("Ada");
        card["data"][field] = json!("x".repeat(1024 * 1024));
        assert!(read_card(card.to_string().as_bytes()).is_ok());
        card["data"][field] = json!("x".repeat(1024 * 1024 + 1));
        let refusal = refused(card.to_string().as_bytes());
        assert_eq!(refusal.limit, Some(Limit::Field));
        assert!(refusal.error.contains(field) && refusal.offset.is_some());
    }
}

#[test]
fn limit_yaml_aliases() {
    let mut bomb = "name: Ada\na0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let before = format!("*a{}, ", level - 1).repeat(9);
        bomb.push_str(&format!("a{level}: &a{level} [{}]\n", before.trim_end_matches(", ")));
    }
    assert_eq!(refused(bomb.as_bytes()).limit, Some(Limit::YamlNodes));
    let deep = format!("name: {}{}", "[".repeat(2000), "]".repeat(2000));
    assert_eq!(refused(deep.as_bytes()).limit, Some(Limit::YamlNodes));
}

// --- lenient rules (3) ---

#[test]
fn lenient_wrong_checksum() {
    let data = [b"chara\0", base64(v2("Ada").to_string()).as_bytes()].concat();
    let card = read(&png(&[chunk_with_wrong_checksum(b"tEXt", &data)]));
    assert_eq!(card.name, "Ada");
    warned(&card, "checksum");
}

#[test]
fn lenient_no_iend_and_cut_off_tail() {
    let card = text("chara", base64(v2("Ada").to_string()));
    for tail in [vec![], b"\0\0".to_vec(), [chunk_head(b"IDAT", 5000), vec![1, 2, 3]].concat()] {
        let card = read(&png_of(&[card.clone(), tail]));
        assert_eq!(card.name, "Ada");
        assert_eq!(card.warnings.len(), 1, "{:?}", card.warnings);
    }
    // The chunk is whole, only its checksum is missing.
    let whole = png_of(&[pixels(), card]);
    assert_eq!(read(&whole[..whole.len() - 4]).name, "Ada");
}

#[test]
fn lenient_nul_inside_a_text_value() {
    let card = text("chara", base64(v2("Ada").to_string()));
    let card = read(&png(&[text("ccv3", "a\0b"), text("Comment", "a\0b"), card]));
    assert_eq!(card.name, "Ada");
    warned(&card, "NUL");
}

#[test]
fn lenient_raw_json_instead_of_base64() {
    let card = read(&png(&[text("chara", v2("Ünï").to_string())]));
    assert_eq!(card.name, "Ünï");
    warned(&card, "bare JSON");
}

#[test]
fn lenient_invalid_utf8_mark_and_surrogates() {
    let card = read(b"\xef\xbb\xbf{\"name\":\"A\",\"description\":\"\xff\",\"first_mes\":\"\\ud83d\"}");
    assert_eq!((card.description.as_str(), card.first_mes.as_str()), ("\u{fffd}", "\u{fffd}"));
    for words in ["byte order mark", "UTF-8", "surrogate"] {
        warned(&card, words);
    }
}

#[test]
fn lenient_spec_without_data() {
    let card = read(br#"{"spec":"chara_card_v2","name":"A","description":"d"}"#);
    assert_eq!((card.name.as_str(), card.description.as_str(), card.spec), ("A", "d", Spec::V2));
    warned(&card, "root fields");
}

#[test]
fn lenient_root_and_data_disagree() {
    let mut card = v2("Inner");
    card["name"] = json!("Outer");
    let card = read(card.to_string().as_bytes());
    assert_eq!(card.name, "Inner");
    warned(&card, "`data` counts");
}

#[test]
fn lenient_shapes_of_lists_and_numbers() {
    let card = json_card(
        json!({"name": "A", "alternate_greetings": null, "tags": "a, b", "character_version": 1.5}),
    );
    assert!(card.alternate_greetings.is_empty());
    assert_eq!(card.tags, ["a", "b"]);
    assert_eq!(card.character_version, "1.5");
    assert_eq!(card.warnings.len(), 3, "{:?}", card.warnings);
    assert_eq!(json_card(json!({"name": "A", "alternate_greetings": "one"})).alternate_greetings, ["one"]);
}

#[test]
fn lenient_depth_prompt() {
    for (depth, role, expected) in [
        (json!(2), json!("user"), (2, "user")),
        (json!("3"), json!(2), (3, "assistant")),
        (json!(""), json!("nobody"), (4, "system")),
        (Value::Null, Value::Null, (4, "system")),
    ] {
        let card = json_card(
            json!({"name": "A", "extensions": {"depth_prompt": {"prompt": "p", "depth": depth, "role": role}}}),
        );
        let note = card.depth_prompt.unwrap();
        assert_eq!((note.depth, note.role.as_str()), expected);
    }
}

#[test]
fn lenient_book_shapes() {
    let card = json_card(json!({"name": "A", "character_book": {"entries": {
        "0": {"keys": "a, b", "content": "x", "insertion_order": "7", "id": 1},
        "1": {"keys": ["c"], "content": "y\r\nz", "id": 1, "position": "before_char_defs", "enabled": false},
        "2": {"keys": ["d"], "content": "w", "position": "after_char_defs"}}}}));
    let book = card.book.as_ref().unwrap();
    assert_eq!(book.entries.len(), 3);
    assert_eq!(book.entries[0].keys, ["a", "b"]);
    assert_eq!((book.entries[0].order, book.entries[0].enabled), (7, true));
    assert_eq!((book.entries[1].position.as_str(), book.entries[1].enabled), ("before", false));
    assert_eq!(book.entries[1].content, "y\nz");
    assert_eq!(book.entries[2].position.as_str(), "after");
    assert_eq!(book.entries.iter().map(|entry| entry.uid).collect::<Vec<_>>(), [0, 1, 2]);
    warned(&card, "used twice");
}

#[test]
fn lenient_line_ends_and_you_lines() {
    let card = read(br#"{"name":"A","mes_example":"You: hi\r\nA: You: no"}"#);
    assert_eq!(card.mes_example, "{{user}}: hi\nA: You: no");
    warned(&card, "CRLF");
    warned(&card, "You:");
    let card = json_card(json!({"name": "A", "mes_example": "You: hi"}));
    assert_eq!(card.mes_example, "You: hi");
}

#[test]
fn scripts_are_kept_as_data() {
    let card = json_card(json!({"name": "A", "extensions": {"regex_scripts": [{"findRegex": "x"}]}}));
    warned(&card, "never run");
    assert_eq!(card.raw["data"]["extensions"]["regex_scripts"][0]["findRegex"], "x");
}

// --- lorebooks (4.1) ---

#[test]
fn every_lorebook_format_is_read() {
    let entry = json!({"keys": ["k"], "content": "c", "enabled": false, "insertion_order": 3});
    for (book, format, on) in [
        (
            json!({"entries": {"0": {"uid": 0, "key": ["k"], "content": "c", "disable": true}}}),
            "world",
            false,
        ),
        (json!({"name": "n", "entries": [entry]}), "character_book", false),
        (json!({"spec": "lorebook_v3", "data": {"entries": [entry]}}), "lorebook_v3", false),
        (
            json!({"kind": "memory", "entries": [{"name": "n", "entry": "c", "keywords": ["k"], "enabled": true}]}),
            "agnai",
            true,
        ),
        (
            json!({"lorebookVersion": 5, "entries": [{"text": "c", "keys": ["k"], "enabled": false}]}),
            "novelai",
            false,
        ),
        (json!({"type": "risu", "data": [{"key": "k", "content": "c", "alwaysActive": true}]}), "risu", true),
    ] {
        let (book, _) = read_lorebook(book.to_string().as_bytes()).unwrap();
        assert_eq!(book.format.as_str(), format);
        let entry = &book.entries[0];
        assert_eq!((entry.keys.as_slice(), entry.content.as_str()), (&["k".to_owned()][..], "c"), "{format}");
        assert_eq!(entry.enabled, on, "{format}");
    }
    let refusal = read_lorebook(v2("Ada").to_string().as_bytes()).unwrap_err();
    assert_eq!(refusal.kind, RefusalKind::NotALorebook);
}

#[test]
fn world_files_keep_every_setting() {
    let book = json!({"entries": {"5": {"uid": 5, "key": ["k"], "keysecondary": ["s"], "comment": "T", "content": "c",
        "constant": true, "selective": true, "selectiveLogic": 3, "order": -2, "position": 4, "depth": 0, "role": 1,
        "probability": 30, "excludeRecursion": true, "preventRecursion": true, "delayUntilRecursion": 2,
        "scanDepth": 9, "caseSensitive": true, "matchWholeWords": false, "group": "g", "groupWeight": 7,
        "sticky": 1, "cooldown": 2, "delay": 3, "vectorized": true, "ignoreBudget": true, "outletName": "o",
        "triggers": ["normal"], "automationId": "z", "characterFilter": {"isExclude": false, "names": ["n"]}}}});
    let (book, warnings) = read_lorebook(book.to_string().as_bytes()).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    let e = &book.entries[0];
    assert_eq!((e.source_id.as_deref(), e.title.as_str(), e.order, e.depth), (Some("5"), "T", -2, 0));
    assert_eq!((e.logic.as_str(), e.position.as_str(), e.role.as_str()), ("and_all", "at_depth", "user"));
    assert_eq!((e.probability, e.delay_until_recursion, e.group_weight), (30.0, 2, 7));
    assert_eq!((e.scan_depth, e.case_sensitive, e.match_whole_words), (Some(9), Some(true), Some(false)));
    assert_eq!((e.sticky, e.cooldown, e.delay), (Some(1), Some(2), Some(3)));
    assert!(e.exclude_recursion && e.prevent_recursion && e.vectorized && e.ignore_budget && e.constant);
    assert_eq!((e.outlet_name.as_str(), e.triggers.as_slice()), ("o", &["normal".to_owned()][..]));
    assert_eq!(e.rest["automationId"], "z");
    assert_eq!(e.rest["characterFilter"]["names"][0], "n");
}

#[test]
fn lenient_fields_of_lore_that_cannot_be_read_are_named_with_what_counts_instead() {
    let world = br#"{"entries": {"0": {"key": ["k"], "comment": "Gate", "content": "c", "order": "abc", "depth": 1e999,
        "disable": "perhaps", "scanDepth": -1, "group": {"a": 1}, "position": "", "probability": null}}}"#;
    let (book, warnings) = read_lorebook(world).unwrap();
    assert_eq!((book.entries[0].order, book.entries[0].depth, book.entries[0].enabled), (100, 4, true));
    assert_eq!(
        warnings,
        [
            "the number 1e999 of `depth` is out of range; it was read as if it were not there",
            "`disable` of lorebook entry \"Gate\" cannot be \"perhaps\"; `enabled` was taken as true",
            "`order` of lorebook entry \"Gate\" cannot be \"abc\"; `insertion_order` was taken as 100",
            "`scanDepth` of lorebook entry \"Gate\" cannot be -1; it was left out",
            "`group` of lorebook entry \"Gate\" cannot be {\"a\":1}; it was left out",
        ]
    );
    let (book, warnings) =
        read_lorebook(br#"{"entries": {"0": {"uid": 0, "key": "gate, bell", "keysecondary": 5}}}"#).unwrap();
    assert_eq!(book.entries[0].keys, ["gate", "bell"]);
    assert!(warnings.len() == 2 && warnings[0].contains("were one string"), "{warnings:?}");
    assert!(warnings[1].contains("`keysecondary`") && warnings[1].contains("cannot be 5"), "{warnings:?}");
    // A card's book says so in the card's report; what its extensions say counts, and so is not missed at the top.
    let card = read(
        br#"{"name": "A", "first_mes": "hi", "talkativeness": 1e999, "character_book": {"token_budget": "lots", "entries": [
            {"keys": ["k"], "content": "c", "position": 0, "extensions": {"position": 4, "role": "nobody"}}]}}"#,
    );
    warned(&card, "`talkativeness`");
    warned(&card, "`token_budget` of the lorebook cannot be \"lots\"");
    warned(&card, "`role` of lorebook entry \"k\" cannot be \"nobody\"; `role` was taken as 0");
    assert!(!card.warnings.iter().any(|warning| warning.contains("`position`")), "{:?}", card.warnings);
}

#[test]
fn extensions_count_before_the_top_and_a_world_without_position_stands_before() {
    let card = json_card(json!({"name": "A", "character_book": {"entries": [{"keys": ["k"], "content": "c",
        "position": "before_char", "case_sensitive": false, "extensions": {"position": 4, "depth": 2, "role": 2,
        "case_sensitive": true, "exclude_recursion": true}}]}}));
    let entry = &card.book.unwrap().entries[0];
    assert_eq!((entry.position.as_str(), entry.depth, entry.role.as_str()), ("at_depth", 2, "assistant"));
    assert_eq!(entry.case_sensitive, Some(true));
    assert!(entry.exclude_recursion);
    let (book, _) = read_lorebook(br#"{"entries":{"0":{"uid":0,"key":["k"],"content":"c"}}}"#).unwrap();
    assert_eq!(book.entries[0].position.as_str(), "before");
}

#[test]
fn risu_folders_are_headings() {
    let card = json_card(json!({"name": "A", "character_book": {"entries": [
        {"keys": ["\u{f000}folder:1"], "content": "", "comment": "Places", "mode": "folder"},
        {"keys": ["k"], "content": "c", "folder": "\u{f000}folder:1"}]}}));
    warned(&card, "Places");
    let book = card.book.unwrap();
    assert_eq!(book.entries.len(), 1);
    assert_eq!(book.entries[0].section.as_deref(), Some("Places"));
}
