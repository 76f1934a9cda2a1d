//! The window of the program as it is run.

use super::*;
use crate::binary::machine_with_mika;
use crate::support::provider::{ProviderWorld, Reply};

#[tokio::test]
async fn a_talk_in_the_window_of_a_running_familiar_and_its_x_ray() {
    let (machine, provider) = (machine_with_mika().await, ProviderWorld::start().await);
    let resting = machine.run(&["window"]).await;
    assert!(!resting.status.success() && resting.err.contains("does not run"), "{}", resting.err);

    let base = provider.base_url();
    let wired = [("FAMILIAR_LLM_BASE_URL", base.as_str()), ("OPENROUTER_API_KEY", "sk-test-only-0123456789")];
    let mut mika = machine.start(&["run", "--as", "Ada"], &wired);
    mika.shows("`familiar window` gives the address that opens it.").await;
    assert!(!mika.screen().contains("token="), "what is printed into a pipe signs nobody in");
    let printed = machine.run(&["window"]).await.assert_success();
    let ada = Browser::comes_in(printed.out.trim()).await;
    let (mut talk, mut turns) = (ada.follows("talk").await, ada.follows("turns").await);
    // The greeting at the keyboard may still be on its way.
    mika.shows("Evening, Ada.").await;

    provider.script(Reply::stream().text("The kettle ").text("is *hot*.").finish("stop"));
    ada.sends("/talk", &[("text", "Is the kettle on?")]).await;
    let mut said = String::new();
    while said != "The kettle is *hot*." {
        said.push_str(talk.next_named("piece").await["text"].as_str().unwrap());
    }
    let turn = talk.next_named("done").await["turn"].as_str().unwrap().to_owned();
    while turns.next_named("turn").await["turn"] != turn.as_str() {}
    let page = ada.goes_to(&format!("/xray/{turn}")).await.body;
    for shown in ["Is the kettle on?", "The kettle is <em>hot</em>.", "fake/model", "keeps the night ferry"] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    assert!(!page.contains("sk-test-only"), "no key stands in a record");
    assert!(!mika.screen().contains("The kettle"), "the keyboard is another place");

    mika.types("/quit").await;
    assert!(mika.ends().await.success(), "{}", mika.log());
    let after = machine.run(&["window"]).await;
    assert!(after.err.contains("does not run"), "{}", after.err);
    assert!(!machine.data().join("familiars/mika/.window").exists());
}

#[tokio::test]
async fn a_window_that_is_switched_off_or_cannot_open_stops_nothing() {
    let machine = machine_with_mika().await;
    let settings = machine.data().join("familiars/mika/character.toml");
    std::fs::write(&settings, "[window]\naddress = \"203.0.113.7\"\n").unwrap();
    let mut mika = machine.start(&["run"], &[]);
    mika.shows("The window stays closed, everything else works").await;
    mika.shows("FAMILIAR_WINDOW_TOKEN").await;
    mika.types("hello").await;
    mika.types("/quit").await;
    assert!(mika.ends().await.success(), "{}", mika.log());

    let token = [("FAMILIAR_WINDOW_TOKEN", "a token of the operator's own")];
    let mut mika = machine.start(&["run"], &token);
    mika.shows("203.0.113.7:8737 cannot be listened on").await;
    mika.hangs_up();
    assert!(mika.ends().await.success(), "{}", mika.log());

    std::fs::write(&settings, "[window]\nenabled = false\n").unwrap();
    for verb in ["run", "chat"] {
        let mut mika = machine.start(&[verb], &[]);
        mika.shows("You are talking with Mika.").await;
        let told = machine.run(&["window"]).await;
        assert!(told.err.contains("runs without a window"), "{}", told.err);
        mika.hangs_up();
        assert!(mika.ends().await.success(), "{}", mika.log());
        assert!(!mika.screen().contains("window"), "{}", mika.screen());
    }
}
