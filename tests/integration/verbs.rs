//! What scripts rely on: the shape of what the verbs print as JSON.

use serde_json::Value;

use crate::binary::machine_with_mika;
use crate::support::provider::{ChatRequest, ProviderWorld, Reply};

/// Each path of a JSON value with what stands there; of a list, what its members have between them.
fn shape(value: &Value, path: &str, into: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                // Names that are ids or measured things are not part of the shape.
                let name = if name.starts_with(|c: char| c.is_ascii_digit()) { "<n>" } else { name };
                shape(value, &format!("{path}.{name}"), into);
            }
        }
        Value::Array(members) => {
            into.push(format!("{path}: list"));
            for member in members {
                shape(member, &format!("{path}[]"), into);
            }
        }
        Value::String(_) => into.push(format!("{path}: text")),
        Value::Number(_) => into.push(format!("{path}: number")),
        Value::Bool(_) => into.push(format!("{path}: yes or no")),
        Value::Null => into.push(format!("{path}: nothing")),
    }
}

#[tokio::test]
async fn what_verbs_print_as_json_keeps_its_shape() {
    let machine = machine_with_mika().await;
    let mut mika = machine.start(&["chat"], &[]);
    mika.types("hello, do you remember my boat?").await;
    mika.leaves().await;
    let scene = "title = \"t\"\n[[people]]\nname = \"Ada\"\n[[steps]]\nwho = \"Ada\"\nsays = \"Pell?\"\nexpect = { speaks = true }\n";
    std::fs::write(machine.path().join("scene.toml"), scene).unwrap();
    let mut all = String::new();
    for verb in [
        &["list", "--json"][..],
        &["init", "mika.json", "--id", "other", "--dry-run", "--json"],
        &["export", "mika", "--output", "out.json", "--json"],
        &["context", "--list", "1", "--json"],
        &["context", "--json"],
        &["replay", "--dry-run", "--json"],
        &["doctor", "--offline", "--json"],
        &["simulate", "scene.toml", "--json"],
        &["simulate", "scene.toml", "--cost", "--json"],
    ] {
        let said = machine.run(verb).await;
        let printed = serde_json::from_str(&said.out);
        let printed: Value =
            printed.unwrap_or_else(|error| panic!("{verb:?}: {error}\n{}\n{}", said.out, said.err));
        let mut lines = Vec::new();
        shape(&printed, "", &mut lines);
        if matches!(verb[0], "context" | "replay") {
            // The record of a turn follows the program; what it is made of stays.
            lines = lines
                .iter()
                .map(|line| line.split(['.', ':', '[']).take(3).collect::<Vec<_>>().join("."))
                .collect();
        }
        lines.sort();
        lines.dedup();
        all.push_str(&format!("== familiar {}\n{}\n", verb.join(" "), lines.join("\n")));
    }
    insta::assert_snapshot!(all);
}

#[tokio::test]
async fn a_schedule_is_made_once_and_only_one_that_can_be_read() {
    let (machine, provider) = (machine_with_mika().await, ProviderWorld::start().await);
    let path = machine.data().join("familiars/mika/schedule.md");
    let make = async || {
        let mut made = machine.start_with(&["schedule", "make"], &provider);
        made.hangs_up();
        (made.ends().await.success(), made.log())
    };
    let asked = |request: &ChatRequest| request.prompt().contains("keeps the night ferry");
    provider.script_when(asked, Reply::says("She keeps odd hours.\n- 25:00-07:00 asleep: below"));
    let (is_made, told) = make().await;
    assert!(!is_made && told.contains("nothing was kept") && !path.exists(), "{told}");
    let hours = "- 06:00-14:00 asleep: below deck\n- 20:00-02:00 busy: at the rope";
    provider.script_when(asked, Reply::says(&format!("Here you are:\n\n{hours}\n\nEnjoy!")));
    let (is_made, told) = make().await;
    assert!(is_made, "{told}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("# The days of Mika\n\n{hours}\n"));
    let (is_made, told) = make().await;
    assert!(!is_made && told.contains("is there already"), "{told}");
    assert_eq!(provider.requests().into_iter().filter(asked).count(), 2);
}

#[tokio::test]
async fn without_a_model_no_schedule_is_made_and_that_is_said() {
    let machine = machine_with_mika().await;
    let made = machine.run(&["schedule", "make"]).await;
    assert_eq!(made.status.code(), Some(1), "{}", made.err);
    assert!(made.err.contains("no language model") && !made.err.contains("ask again"), "{}", made.err);
    assert!(!machine.data().join("familiars/mika/schedule.md").exists());
}

/// `/dev/full` takes nothing, as a disk that is full.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_cannot_be_printed_is_told_and_no_success() {
    let machine = machine_with_mika().await;
    std::fs::write(machine.path().join("case.json"), r#"{"card": {"name": "Mika"}, "chat": [["u", "hi"]]}"#)
        .unwrap();
    for verb in [
        &["list"][..],
        &["list", "--json"],
        &["prompt", "--case", "case.json"],
        &["doctor", "--offline"],
        &["chat", "--as", "Ana"],
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let said = machine.prints_to(verb, full).await;
        assert_eq!(said.status.code(), Some(1), "{verb:?}: {}", said.err);
        assert!(said.err.contains("No space left on device"), "{verb:?}: {}", said.err);
    }
}
