//! Each format, and files that are made to do harm.

use super::pdf::tests::pdf_of;
use super::*;

async fn read(body: &[u8]) -> Result<Vec<String>, String> {
    let text = read_bytes(body.to_vec(), None, None, drop).await.map_err(|error| error.to_string())?;
    Ok(text.passages.into_iter().map(|one| one.text).collect())
}

#[tokio::test]
async fn text_markdown_pages_and_code_are_read_by_their_bytes() {
    for (body, told) in [
        (&b"Grappling costs two actions."[..], "Grappling costs two actions."),
        (b"\xef\xbb\xbf# Rules\nM\xc3\xa4rchen", "Märchen"),
        (b"\xff\xfeH\x00i\x00!\x00", "Hi!"),
        (b"<!DOCTYPE html><title>t</title><script>x</script><p>The bell rings.", "The bell rings."),
        (b"fn main() {\n    ring();\n}\n", "fn main() {\n    ring();\n}"),
        ("剣は毎朝磨かれる。".as_bytes(), "剣は毎朝磨かれる。"),
        ("Маяк зажигают в темноте.".as_bytes(), "Маяк зажигают в темноте."),
    ] {
        assert_eq!(read(body).await.unwrap(), [told]);
    }
}

#[tokio::test]
async fn what_cannot_be_read_is_said_with_what_would_help() {
    for (body, why) in [
        (&b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"[..], "no model that sees"),
        (b"PK\x03\x04\x14\x00\x00\x00", "neither text, PDF nor a picture"),
        (b"\x01\x02\x03\x04\x05\x06\x07", "neither text, PDF nor a picture"),
        (b"Gr\xfc\xdfe aus dem Norden", "not UTF-8"),
        (b"  \n \n", "empty"),
        (b"", "empty"),
        (b"%PDF-1.7 but nobody reads those here", "broken"),
    ] {
        let problem = read(body).await.unwrap_err();
        assert!(problem.contains(why), "{problem} is not {why}");
    }
    // Where no process can be begun a PDF is not read in this one either.
    assert!(read(&pdf_of(&["words"])).await.unwrap_err().contains("broken"));
}

#[tokio::test]
async fn of_a_long_document_the_beginning_is_kept_and_the_rest_is_counted() {
    let body = "Sea and sand. ".repeat(20_000);
    let text = read_bytes(body.clone().into_bytes(), None, None, drop).await.unwrap();
    assert_eq!(text.left_out, (body.len() - DOCUMENT_CHARS) as u64);
    let kept: usize = text.passages.iter().map(|one| one.text.chars().count()).sum();
    assert!(kept <= DOCUMENT_CHARS && kept > DOCUMENT_CHARS / 2, "{kept}");
}

#[tokio::test]
async fn secrets_are_taken_out_before_anything_is_kept() {
    let key = format!("sk-or-v1-{}", "0123456789abcdef".repeat(4));
    let passages = read(format!("The key is {key} for now.").as_bytes()).await.unwrap();
    assert!(
        !passages[0].contains("0123456789abcdef") && passages[0].contains("secret removed"),
        "{passages:?}"
    );
}

proptest::proptest! {
    #[test]
    fn no_bytes_break_the_reader_of_text(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..600)) {
        if let Ok(text) = plain::read_plain(&bytes) {
            passages::cut(&text);
        }
    }
}
