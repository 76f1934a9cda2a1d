//! Figures that a test counts and that stand on a page of the documentation as it counts them.

use std::path::Path;
use std::sync::Mutex;

/// The page holds `made` between `<!-- counted: NAME -->` and `<!-- end -->`. With `UPDATE_REFERENCE` set it is put there.
pub fn stands_on_page(page: &str, name: &str, made: &str) {
    static WRITING: Mutex<()> = Mutex::new(());
    let _alone = WRITING.lock();
    // Some of them stand in a crate's own tests.
    let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join("docs"));
    let path = folders.find(|docs| docs.is_dir()).unwrap().join(page);
    let text = std::fs::read_to_string(&path).unwrap();
    let (begin, end) = (format!("<!-- counted: {name} -->\n"), "<!-- end -->");
    let (before, rest) = text.split_once(&begin).unwrap_or_else(|| panic!("{page} has no {begin:?}"));
    let (told, after) = rest.split_once(end).unwrap();
    if std::env::var_os("UPDATE_REFERENCE").is_some() {
        std::fs::write(&path, format!("{before}{begin}{made}{end}{after}")).unwrap();
    } else {
        assert!(
            told == made,
            "docs/{page}, {name:?}: run this test with UPDATE_REFERENCE=1; counted now:\n{made}"
        );
    }
}
