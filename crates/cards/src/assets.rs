//! The portrait among a card's assets. Remote addresses are never fetched (cards-and-lore 1.5).

use serde_json::{Map, Value};

use super::card::Picture;
use super::container::picture_kind;
use super::payload;
use super::refusal::Limit;
use crate::text::counted;

/// The card's portrait: the main icon, else the first icon, else the container's own picture.
pub(crate) fn avatar(
    data: &Map<String, Value>,
    own: Option<Vec<u8>>,
    files: &[(String, Vec<u8>)],
    warnings: &mut Vec<String>,
) -> Option<Picture> {
    let assets = data.get("assets").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let word =
        |asset: &Value, key: &str| asset.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut icons: Vec<&Value> = assets.iter().filter(|asset| word(asset, "type") == "icon").collect();
    icons.sort_by_key(|icon| word(icon, "name") != "main");
    let own = own.and_then(picture);
    let remote = assets.iter().filter(|asset| is_remote(&word(asset, "uri"))).count();
    if remote > 0 {
        warnings.push(format!("never fetched from the web: {}", counted(remote as u64, "asset")));
    }
    let mut missing = 0_usize;
    let mut found = None;
    for icon in icons {
        let uri = word(icon, "uri");
        if uri.starts_with("ccdefault:") && own.is_some() {
            break;
        }
        found = resolve(&uri, files).and_then(picture);
        if found.is_some() {
            break;
        }
        missing += usize::from(!is_remote(&uri) && !uri.starts_with("ccdefault:"));
    }
    if missing > 0 {
        warnings.push(format!("named by the card and not in the file: {}", counted(missing as u64, "icon")));
    }
    let first_icon = || {
        let named = |path: &str| path.starts_with("assets/icon/");
        files.iter().find(|(path, _)| named(path)).map(|(_, bytes)| bytes.clone()).and_then(picture)
    };
    found.or(own).or_else(first_icon)
}

fn is_remote(uri: &str) -> bool {
    let uri = uri.trim_start().to_ascii_lowercase();
    uri.starts_with("http:") || uri.starts_with("https:")
}

fn picture(bytes: Vec<u8>) -> Option<Picture> {
    picture_kind(&bytes).map(|extension| Picture { extension, bytes })
}

/// The bytes behind an asset's address: a file that came along, tried raw and URL-decoded, or a `data:` address.
fn resolve(uri: &str, files: &[(String, Vec<u8>)]) -> Option<Vec<u8>> {
    if let Some(data) = uri.strip_prefix("data:") {
        let (_, encoded) = data.split_once(";base64,")?;
        let bytes = payload::base64(encoded.as_bytes(), &mut Vec::new()).ok()?;
        return (!Limit::ZipAsset.exceeded_by(bytes.len())).then_some(bytes);
    }
    let path =
        ["embeded://", "embedded://", "__asset:"].iter().find_map(|scheme| uri.strip_prefix(scheme))?;
    let decoded = percent_decoded(path);
    files.iter().find(|(name, _)| name == path || *name == decoded).map(|(_, bytes)| bytes.clone())
}

fn percent_decoded(path: &str) -> String {
    let bytes = path.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let code = (byte == b'%')
            .then(|| bytes.get(at + 1..at + 3).and_then(|hex| std::str::from_utf8(hex).ok()))
            .flatten()
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        out.push(code.unwrap_or(byte));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn chosen(assets: Value, own: Option<&[u8]>, files: &[(&str, &[u8])]) -> (Option<Vec<u8>>, Vec<String>) {
        let data = json!({ "assets": assets });
        let files: Vec<(String, Vec<u8>)> =
            files.iter().map(|(path, bytes)| ((*path).to_owned(), bytes.to_vec())).collect();
        let mut warnings = Vec::new();
        let picture = avatar(data.as_object().unwrap(), own.map(<[u8]>::to_vec), &files, &mut warnings);
        (picture.map(|picture| picture.bytes), warnings)
    }

    const ONE: &[u8] = b"\x89PNG\r\n\x1a\n1";
    const TWO: &[u8] = b"GIF89a2";

    #[test]
    fn the_main_icon_wins_under_every_spelling_of_its_address() {
        for uri in ["embeded://a b.png", "embedded://a%20b.png", "__asset:a b.png"] {
            let assets = json!([{"type":"icon","name":"other","uri":"embeded://b.gif"},
                                {"type":"icon","name":"main","uri":uri}]);
            let (picture, _) = chosen(assets, None, &[("b.gif", TWO), ("a b.png", ONE)]);
            assert_eq!(picture.as_deref(), Some(ONE), "{uri}");
        }
    }

    #[test]
    fn web_addresses_are_never_fetched_and_the_own_picture_stands_in() {
        let (picture, warnings) =
            chosen(json!([{"type":"icon","name":"main","uri":"https://x.invalid/a.png"}]), Some(ONE), &[]);
        assert_eq!(picture.as_deref(), Some(ONE));
        assert!(warnings[0].contains("never fetched"));
    }
}
