//! Settings in the window.

use familiar_connect::domain::Slot;
use familiar_connect::llm::ModelFacts;
use familiar_connect::window::HealthNow;

use super::*;

/// Goes on from a page on which the file is edited.
async fn edits(ada: &Browser, page: &Shown, step: &str, text: &str) -> Shown {
    let (seen, looked) = (field(page, "seen"), field(page, "looked"));
    let text = text.replace('\n', "\r\n");
    let fields = [("seen", &*seen), ("looked", &*looked), ("step", step), ("text", &*text)];
    ada.sends("/settings/edit", &fields).await
}

#[tokio::test]
async fn every_setting_says_what_it_means_and_where_it_is_set() {
    let open = Open::begins().await;
    let page = open.browser().await.goes_to("/settings").await.body;
    for shown in ["display_tz", "llm.main_prose.model", "window.port", "Set in your file", "8737", "May be "]
    {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    let first = page.split("<h2").nth(1).unwrap();
    assert_eq!(first.matches("<div class=\"setting").count(), 10, "what people want first: {first}");
    // Only what the file says stands there as such: the port, and three limits of the stage.
    assert_eq!(page.matches("Set in your file").count(), 4, "{page}");
}

#[tokio::test]
async fn every_section_of_the_settings_is_a_link_away_before_the_first_setting() {
    let open = Open::begins().await;
    let page = open.browser().await.goes_to("/settings").await.body;
    let (head, settings) = page.split_once("<h2").unwrap();
    assert!(head.contains(">llm.main_prose</a>"), "{head}");
    let links: Vec<&str> = head.split("href=\"#group-").skip(1).collect();
    assert_eq!(links.len(), settings.matches("<details class=\"settings-group\"").count(), "{head}");
    for link in links {
        let (number, rest) = link.split_once("\">").unwrap();
        let name = rest.split_once("</a>").unwrap().0;
        let section = settings.split_once(&format!("id=\"group-{number}\"")).unwrap().1;
        assert!(section.split_once("</summary>").unwrap().0.contains(&format!(">{name}</h3>")), "{name}");
    }
}

#[tokio::test]
async fn a_setting_whose_model_is_not_the_one_that_is_asked_says_which_is() {
    let (open, ada) = Open::with_ada().await;
    let named = open.stage.config.current().llm.slots[&Slot::MainProse].model.clone();
    let now = "Now: <span class=\"mono\" dir=\"auto\">fake-8b</span>";
    for (model, is_told) in [(&*named, false), ("fake-8b", true)] {
        let models = vec![super::health::model(Slot::MainProse, model, None)];
        *open.doing.now.lock() = HealthNow { models, ..HealthNow::default() };
        let page = ada.goes_to("/settings").await.body;
        assert_eq!((page.contains("Now: "), page.contains(now)), (is_told, is_told), "{model}: {page}");
    }
}

#[tokio::test]
async fn a_setting_is_changed_by_its_own_field_and_put_back_to_its_default() {
    let open = Open::with("\n# Mine.\n[llm]\ndaily_cost_cap_usd = 2.0 # enough\n", CARD).await;
    let ada = open.browser().await;
    let file = open.stage.config.home().character_toml();
    let text = || std::fs::read_to_string(&file).unwrap();
    let before = text();
    ada.finds("/settings", &["href=\"/settings/set?key=llm.daily_cost_cap_usd\""]).await;
    let page = ada.goes_to("/settings/set?key=answers").await.body;
    assert!(page.contains("type=\"radio\" name=\"value\" value=\"") && page.contains(" checked"), "{page}");
    assert!(!page.contains("Back to the default"), "{page}");
    ada.finds("/settings/set?key=llm.daily_cost_cap_usd", &["value=\"2.0\"", "Back to the default"]).await;

    let sets = async |key: &str, value: &str, step: &str| {
        ada.sends("/settings/set", &[("key", key), ("value", value), ("step", step)]).await
    };
    let wrong = sets("llm.daily_cost_cap_usd", "lots", "set").await.body;
    assert!(wrong.contains("must be a number") && wrong.contains("value=\"lots\""), "{wrong}");
    let same = sets("llm.daily_cost_cap_usd", "2.0", "set").await.body;
    assert!(same.contains("Nothing is different yet"), "{same}");
    let looked = sets("llm.daily_cost_cap_usd", "3.5", "set").await;
    assert!(looked.body.contains("1 line added, 1 line removed"), "{}", looked.body);
    assert_eq!(text(), before, "looking saves nothing");
    let wanted = before.replace("2.0", "3.5");
    assert_eq!(edits(&ada, &looked, "save", &wanted).await.status, StatusCode::SEE_OTHER);
    assert_eq!(text(), wanted, "comments stay");
    let looked = sets("llm.daily_cost_cap_usd", "", "default").await;
    assert!(looked.body.contains("removed: "), "{}", looked.body);
    let without = before.replace("daily_cost_cap_usd = 2.0 # enough", "# enough");
    assert_eq!(edits(&ada, &looked, "save", &without).await.status, StatusCode::SEE_OTHER);
    assert_eq!(text(), without);

    for kept in ["window.port", "tts.openai_url", "nothing.such", ""] {
        let page = ada.goes_to(&format!("/settings/set?key={kept}")).await;
        assert_eq!(page.status, StatusCode::NOT_FOUND, "{kept}");
        assert_eq!(sets(kept, "1", "set").await.status, StatusCode::NOT_FOUND, "{kept}");
    }
}

#[tokio::test]
async fn a_model_is_chosen_from_the_list_of_its_server() {
    let (open, ada) = Open::with_ada().await;
    ada.finds("/settings/models", &["No list is known."]).await;
    let facts = ModelFacts {
        context_window: Some(131_072),
        prices: Some(super::health::PRICES),
        takes_tools: Some(true),
        ..ModelFacts::default()
    };
    let hostile = "evil/<script>alert(1)</script>";
    *open.doing.offered.lock() =
        vec![("maker/model".to_owned(), facts), (hostile.to_owned(), ModelFacts::default())];
    let field = ada.goes_to("/settings/set?key=llm.memory_writer.model").await.body;
    assert!(field.contains("href=\"/settings/models?job=memory_writer\""), "{field}");
    let page = ada.goes_to("/settings/models?job=memory_writer").await.body;
    super::hostile::is_harmless("models", &page);
    for shown in [
        "<option value=\"llm.memory_writer.model\" selected>Writing memories</option>",
        "131,072",
        "<td class=\"n\">$0.25</td><td class=\"n\">$0.10</td><td class=\"n\">$1.50</td>",
        "name=\"value\" value=\"maker/model\"",
        "not known",
        "<td>yes</td>",
        // What its server does not say is not told as a no.
        "<td><span class=\"soft\">–</span></td>",
    ] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    let looked = ada
        .sends("/settings/set", &[("key", "llm.memory_writer.model"), ("value", "maker/model")])
        .await
        .body;
    assert!(looked.contains("added: ") && looked.contains("value=\"save\""), "{looked}");
    assert!(looked.contains("model = &#34;maker/model&#34;"), "{looked}");
}

#[tokio::test]
async fn what_another_budget_makes_of_the_last_prompt_is_one_step_away() {
    let (mut open, ada) = Open::with_ada().await;
    assert!(!ada.goes_to("/settings").await.body.contains("/xray/compare"));
    open.stage.talk("alice", "Is the ferry late?", "Never.").await;
    let turn = open.stage.traces.whole().list(1).await.unwrap()[0].id;
    ada.finds("/settings", &[&format!("href=\"/xray/compare?one={turn}\"")]).await;

    // A slider from the least to twice what it is, on both pages; what it makes of the prompt is a part of the one.
    let mode = open.stage.traces.whole().list(1).await.unwrap()[0].mode;
    let page = ada.goes_to(&format!("/settings/set?key=modes.{mode}.budget_tokens")).await.body;
    let tries = format!("data-tries=\"/xray/compare?one={turn}&#38;budget=\"");
    assert!(page.contains(&tries) && page.contains("type=\"range\" data-slides=\"value\""), "{page}");
    assert!(page.contains("min=\"500\"") && page.contains("data-part=\"figures\""), "{page}");
    let page = ada.goes_to("/settings/set?key=llm.daily_cost_cap_usd").await.body;
    assert!(!page.contains("type=\"range\""), "{page}");
    let page = ada.goes_to(&format!("/xray/compare?one={turn}&budget=900")).await.body;
    let slider = page.split("data-slides=\"budget\"").nth(1).unwrap();
    assert!(slider.contains("min=\"500\" max=\"8000\" step=\"100\" value=\"900\""), "{slider}");
    assert!(page.contains("data-part=\"figures\"") && page.contains("<td class=\"n\">900</td>"), "{page}");
}

#[tokio::test]
async fn the_file_is_saved_after_a_look_and_never_with_a_mistake() {
    let open = Open::with("\n# Mine.\n[llm]\ndaily_cost_cap_usd = 2.0\n", CARD).await;
    let ada = open.browser().await;
    let file = open.stage.config.home().character_toml();
    let text = || std::fs::read_to_string(&file).unwrap();
    let before = text();
    let page = ada.goes_to("/settings/edit").await;
    let wrong = edits(&ada, &page, "look", &before.replace("cap_usd", "cap_uds")).await;
    assert!(
        wrong.body.contains("daily_cost_cap_uds") && wrong.body.contains("character.toml:"),
        "{}",
        wrong.body
    );
    assert!(!wrong.body.contains("value=\"save\""), "{}", wrong.body);
    edits(&ada, &wrong, "save", &before.replace("cap_usd", "cap_uds")).await;
    assert_eq!(text(), before);

    let wanted = before.replace("2.0", "3.5");
    let looked = edits(&ada, &page, "look", &wanted).await;
    assert!(looked.body.contains("1 line added, 1 line removed"), "{}", looked.body);
    assert_eq!(text(), before);
    std::fs::write(&file, format!("{before}\n# Theirs.\n")).unwrap();
    let meanwhile = edits(&ada, &looked, "save", &wanted).await;
    assert!(meanwhile.body.contains("was changed since you opened it"), "{}", meanwhile.body);
    assert_eq!(text(), format!("{before}\n# Theirs.\n"));
    let wanted = format!("{wanted}\n# Theirs.\n");
    let looked = edits(&ada, &meanwhile, "look", &wanted).await;
    let saved = edits(&ada, &looked, "save", &wanted).await;
    // It goes on where the setting stands, which says that it is saved, and once.
    let there = "/settings?saved=llm.daily_cost_cap_usd#llm.daily_cost_cap_usd";
    assert_eq!((saved.status, saved.header("location")), (StatusCode::SEE_OTHER, there));
    assert_eq!(text(), wanted, "comments stay");
    let page = ada.goes_to("/settings?saved=llm.daily_cost_cap_usd").await.body;
    assert!(page.contains(">3.5<") && page.contains("id=\"llm.daily_cost_cap_usd\""), "{page}");
    assert_eq!(page.matches(">Saved.<").count(), 1, "{page}");
    assert!(!ada.goes_to("/settings").await.body.contains(">Saved.<"));
    // A comment alone is no setting.
    let page = ada.goes_to("/settings/edit").await;
    let wanted = format!("{wanted}\n# Ours.\n");
    let looked = edits(&ada, &page, "look", &wanted).await;
    // Whoever comes back to what was answered comes to the page of it.
    let way = "data-way=\"/settings/edit\"";
    assert!(looked.body.contains(way) && !page.body.contains(way), "{}", looked.body);
    let saved = edits(&ada, &looked, "save", &wanted).await;
    assert_eq!(saved.header("location"), "/settings?saved=#");
    assert_eq!(ada.goes_to("/settings?saved=").await.body.matches(">Saved.<").count(), 1);
}

#[cfg(unix)]
#[tokio::test]
async fn what_was_written_stays_on_the_page_where_the_disk_does_not_take_it() {
    let open = Open::begins().await;
    let ada = open.browser().await;
    let csrf = ada.csrf().await;
    let wanted = "[llm]\r\ndaily_cost_cap_usd = 3.5\r\n";
    let sends = async |step: &str, seen: &str, looked: &str| {
        let fields = [("seen", seen), ("looked", looked), ("step", step), ("text", wanted), ("csrf", &*csrf)];
        let request = ada.request(Method::POST, "/settings/edit").header(ORIGIN, &ada.origin);
        Shown::of(with_form(request, &fields).send().await.unwrap()).await
    };
    // A folder that leads nowhere has no file, and takes none.
    let root = open.stage.config.home().root().to_owned();
    std::fs::rename(&root, root.with_extension("aside")).unwrap();
    std::os::unix::fs::symlink(root.with_extension("nowhere"), &root).unwrap();
    let looked = sends("look", "", "").await;
    let saved = sends("save", &field(&looked, "seen"), &field(&looked, "looked")).await;
    assert_eq!(saved.status, StatusCode::OK, "{}", saved.body);
    for told in ["That was not saved: could not write ", "daily_cost_cap_usd = 3.5", "value=\"save\""] {
        assert!(saved.body.contains(told), "{told}: {}", saved.body);
    }
}

/// Whoever has a browser's session has no account on the machine.
#[tokio::test]
async fn nothing_is_started_or_opened_to_others_by_settings_from_the_window() {
    let (open, ada) = Open::with_ada().await;
    let file = open.stage.config.home().character_toml();
    let before = std::fs::read_to_string(&file).unwrap();
    for added in [
        "\n[mcp.mine]\ncommand = \"sh\"\n",
        "\n[tts]\ncommand = \"sh -c id\"\n",
        "\n[tts]\nopenai_url = \"https://evil.example/v1\"\n",
    ] {
        let page = ada.goes_to("/settings/edit").await;
        let wanted = format!("{before}{added}");
        let looked = edits(&ada, &page, "look", &wanted).await;
        assert!(!looked.body.contains("value=\"save\""), "{added}: {}", looked.body);
        edits(&ada, &looked, "save", &wanted).await;
        assert_eq!(std::fs::read_to_string(&file).unwrap(), before, "{added}");
    }
    let page = ada.goes_to("/settings/edit").await;
    let wanted = before.replace("port = 0", "port = 0\naddress = \"0.0.0.0\"");
    let looked = edits(&ada, &page, "look", &wanted).await;
    assert!(looked.body.contains("changed only in the file"), "{}", looked.body);
}
