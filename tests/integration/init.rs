//! `familiar init` where nobody can be asked.

use assert_cmd::Command;

use crate::support::stage::CARD;

fn init(arguments: &[&str]) -> std::process::Output {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_familiar"))
        .env_clear()
        .current_dir(folder.path())
        .arg("init")
        .args(arguments)
        .output()
        .unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing may be made");
    output
}

#[test]
fn without_a_card_and_without_a_terminal_it_says_how_to_call_it() {
    let output = init(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    insta::assert_snapshot!(String::from_utf8(output.stderr).unwrap(), @r"
    familiar init: name a card, as in: familiar init card.png
    Without one a few questions are asked, and that needs a terminal.
    ");
}

#[test]
fn a_new_familiar_lives_by_the_clock_of_its_machine_and_keeps_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mika.json"), CARD).unwrap();
    let moves_in = |id: &str, zone: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_familiar"));
        command.env_clear().env("TZ", zone).current_dir(folder.path());
        command.args(["--data-dir", "data", "init", "mika.json", "--id", id]).assert().success();
        std::fs::read_to_string(folder.path().join("data/familiars").join(id).join("character.toml")).unwrap()
    };
    let settings = moves_in("mika", "Europe/Berlin");
    assert!(settings.contains("display_tz = \"Europe/Berlin\""), "{settings}");
    assert_eq!(moves_in("mika", "Asia/Tokyo"), settings, "it is there already");
    let settings = moves_in("second", "UTC");
    assert!(!settings.contains("display_tz"), "{settings}");
}

#[test]
fn options_that_are_about_a_card_want_one() {
    for option in [["--json", "--dry-run"], ["--id", "ada"], ["--name", "Ada"]] {
        let output = init(&option);
        assert_eq!(output.status.code(), Some(2), "{option:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("<FILE>"), "{output:?}");
    }
}
