//! What it thinks with, and where it is met: keys that are entered once, tried before they are kept, and shown nowhere.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use secrecy::SecretString;

use super::super::door::SentForm;
use super::super::health::CheckView;
use super::super::messages;
use super::super::pages::{PageHead, Refusal, Visitor, html_page, off_the_way, on_disk, status_of_settings};
use super::steps::{DISCORD, GO, MODEL};
use super::token::{self, mistaken};
use super::{ModelsBy, Setup};
use crate::config::{
    LiveConfig, LlmKeySource, OldSecret, Secrets, SettingInput, SettingsWritten, may_be_key, note_secret,
};
use crate::discord::TokenState;
use crate::doctor::{KeyCheck, ModelsExamined, ReportScreen, examine_bot, examine_models};
use crate::domain::{Slot, Usage};
use crate::llm::{Spending, other_host};
use crate::trace::render::as_dollars;

/// What a long evening asks of a model: so many replies, and for each so many tokens read and written.
const EVENING_REPLIES: u32 = 100;
const REPLY_READS: u32 = 4_000;
const REPLY_WRITES: u32 = 150;

#[derive(Debug, Template)]
#[template(path = "setup_model.html")]
struct ModelPage {
    page: PageHead,
    notice: Option<String>,
    rehearses: bool,
    checks: Vec<CheckView>,
    evening: Option<String>,
    /// The variable in which a key stands already that is used.
    key_in: Option<&'static str>,
    /// It was kept here, and who runs has not read it.
    is_unread: bool,
    /// Whether one can be entered: what stands in the environment is not changed here.
    takes_key: bool,
    /// The host that a key is for, where a server other than OpenRouter is named.
    key_for: Option<String>,
    /// What can be chosen from: models of the operator's own server, where it has several.
    offered: Vec<Offered>,
    steps: Steps,
}

/// A model of the operator's own server.
#[derive(Debug)]
struct Offered {
    model: String,
    is_used: bool,
}

#[derive(Debug, Template)]
#[template(path = "setup_discord.html")]
struct DiscordPage {
    page: PageHead,
    notice: Option<String>,
    has_token: bool,
    is_unread: bool,
    takes_token: bool,
    /// What is looked at as it is pasted: a token's shape, what is said where it is missed, and what else it may be.
    shape: &'static str,
    no_token: &'static str,
    unlike: [(&'static str, &'static str); 4],
    checks: Vec<CheckView>,
    invite: Option<String>,
    steps: Steps,
}

/// How one goes on.
#[derive(Debug)]
struct Steps {
    is_first_run: bool,
    /// Whether there is somebody to go on with.
    has_familiar: bool,
    next: Option<&'static str>,
    go: &'static str,
}

impl Setup {
    /// Looks at the models anew, for the page that takes a key.
    async fn examine(
        &self,
        config: &Arc<LiveConfig>,
        secrets: &Secrets,
        spending: Spending,
    ) -> ModelsExamined {
        examine_models(config, secrets, self.parts().local_ports, spending, ReportScreen::Setup).await
    }

    /// The last look at the models.
    fn examined(&self) -> Option<ModelsExamined> {
        self.0.models.lock().as_ref().map(|(_, examined)| examined.clone())
    }

    fn steps(&self, next: Option<&'static str>) -> Steps {
        Steps {
            is_first_run: self.is_first_run(),
            has_familiar: self.chosen().is_some(),
            next: next.filter(|_| self.is_first_run()),
            go: GO,
        }
    }
}

/// What an evening costs at most: without what providers keep of prompts.
fn evening(examined: &ModelsExamined) -> Option<String> {
    let main = examined.main.as_ref()?;
    let reply = Usage { prompt_tokens: REPLY_READS, completion_tokens: REPLY_WRITES, ..Usage::default() };
    let usd = main.prices?.cost(&reply) * f64::from(EVENING_REPLIES);
    Some(if usd > 0.0 {
        messages::evening_costs(&main.model, EVENING_REPLIES, &as_dollars(usd))
    } else {
        messages::EVENING_IS_FREE.to_owned()
    })
}

/// What can be chosen from; nothing where there is one model only.
fn models_to_choose(examined: &ModelsExamined) -> Vec<Offered> {
    let used = examined.main.as_ref().map(|main| &main.model);
    let offer = |model: &String| Offered { model: model.clone(), is_used: Some(model) == used };
    if examined.offered.len() > 1 { examined.offered.iter().map(offer).collect() } else { Vec::new() }
}

pub(in super::super) async fn model_page(
    State(setup): State<Setup>,
    Extension(visitor): Extension<Visitor>,
) -> Result<Response, Refusal> {
    let (config, secrets) = setup.known().await?;
    let by = ModelsBy::of(&config, &secrets);
    let is_known = setup.0.models.lock().as_ref().is_some_and(|(known, _)| *known == by);
    if !is_known {
        let _once = setup.0.busy.lock().await;
        let examined = setup.examine(&config, &secrets, Spending::Nothing).await;
        *setup.0.models.lock() = Some((by, examined));
    }
    models_shown(&setup, &visitor, None).await
}

async fn models_shown(setup: &Setup, visitor: &Visitor, notice: Option<String>) -> Result<Response, Refusal> {
    let (config, secrets) = setup.known().await?;
    let examined = setup.examined();
    let named = secrets.over_llm(&config.current().llm).base_url;
    let key_in =
        secrets.llm_key_for(named.as_deref()).and(secrets.llm_key_source).map(LlmKeySource::variable);
    Ok(html_page(&ModelPage {
        page: setup.door().head(messages::ITS_MODEL, setup.place(MODEL), visitor),
        notice,
        rehearses: examined.as_ref().is_none_or(|examined| examined.rehearses),
        evening: examined.as_ref().and_then(evening),
        offered: examined
            .as_ref()
            .filter(|_| setup.chosen().is_some())
            .map(models_to_choose)
            .unwrap_or_default(),
        checks: examined
            .map(|examined| examined.checks.iter().map(CheckView::of).collect())
            .unwrap_or_default(),
        key_in,
        is_unread: key_in.is_some_and(|variable| setup.is_unread(variable)),
        takes_key: key_in.is_none_or(|variable| secrets.is_by_file(variable)),
        key_for: named.as_deref().and_then(other_host),
        steps: setup.steps(Some(DISCORD)),
    }))
}

/// The setting that says what it thinks with.
const MAIN_MODEL: &str = "llm.main_prose.model";

/// Has who was chosen think with one of the models that their server has, and says what became of it.
async fn choose_model(setup: &Setup, model: String) -> Result<String, Refusal> {
    let examined = setup.examined();
    let is_offered = examined.is_some_and(|examined| examined.offered.contains(&model));
    if !is_offered || setup.chosen().is_none() {
        return Err(Refusal(StatusCode::BAD_REQUEST));
    }
    Ok(match write_model(setup, Some(model.clone())).await? {
        Some(SettingsWritten::Done) => messages::model_chosen(&model),
        Some(SettingsWritten::ChangedMeanwhile) => messages::MODEL_NOT_CHOSEN.to_owned(),
        None => messages::MODEL_UNFIT.to_owned(),
    })
}

/// Takes a model out of the settings of who was chosen that the server does not have, as it was another's, and says so. One
/// that answered stays: not every list is whole.
async fn let_go_of_model(
    setup: &Setup,
    config: &LiveConfig,
    examined: &ModelsExamined,
) -> Result<Option<String>, Refusal> {
    let current = config.current();
    let is_named = current.llm.slots.get(&Slot::MainProse).is_some_and(|main| main.is_named);
    let missing = examined.main.as_ref().filter(|main| main.listed == Some(false) && !examined.has_answered);
    let Some(missing) = missing.filter(|_| is_named && setup.chosen().is_some()) else { return Ok(None) };
    let written = write_model(setup, None).await?;
    Ok(matches!(written, Some(SettingsWritten::Done)).then(|| messages::model_let_go(&missing.model)))
}

/// Writes what who was chosen thinks with, or nothing of it; `None` where the settings cannot take it.
async fn write_model(setup: &Setup, model: Option<String>) -> Result<Option<SettingsWritten>, Refusal> {
    let (config, _) = setup.known().await?;
    on_disk("the model could not be chosen in the window", status_of_settings, move || {
        let now = config.settings_text()?;
        let input = model.as_deref().map_or(SettingInput::Default, SettingInput::Said);
        let text = config.settings_with(&now, MAIN_MODEL, input)?;
        text.map(|text| config.write_settings(&now, &text)).transpose()
    })
    .await
}

/// Tries a key with one real request, and keeps it where it is not refused; without one, tries what is there. Where a model
/// was chosen, that is what is there now.
pub(in super::super) async fn post_model(
    State(setup): State<Setup>,
    Extension(visitor): Extension<Visitor>,
    mut form: SentForm,
) -> Result<Response, Refusal> {
    let key = entered(form.field("key"));
    if key.as_ref().is_some_and(|key| !may_be_key(key)) {
        let notice = Some(messages::NO_KEY.to_owned());
        let page = models_shown(&setup, &visitor, notice).await?;
        return Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response());
    }
    let once = setup.0.busy.lock().await;
    let chosen = match form.take("model") {
        none if none.is_empty() => None,
        model => Some(choose_model(&setup, model).await?),
    };
    let (config, mut secrets) = setup.known().await?;
    let named = secrets.over_llm(&config.current().llm).base_url;
    let used = secrets.llm_key_for(named.as_deref()).and(secrets.llm_key_source);
    // What is said of a key later names the variable of the server that it goes to, or of the one whose place it takes.
    let source = used.unwrap_or_else(|| match named.as_deref().and_then(other_host) {
        Some(_) => LlmKeySource::OpenAi,
        None => LlmKeySource::OpenRouter,
    });
    if let Some(key) = &key {
        setup.parts().redactor.learn(key);
        (secrets.llm_api_key, secrets.llm_key_source) = (Some(key.clone()), Some(source));
    }
    let mut by = ModelsBy::of(&config, &secrets);
    let mut examined = setup.examine(&config, &secrets, Spending::OneAnswer).await;
    let made = key.as_ref().map(|key| examined.made_of(key, named.as_deref()));
    let checked = match made {
        Some(KeyCheck::Taken) => SecretCheck::Taken,
        Some(KeyCheck::Untried) | None => SecretCheck::Untried,
        Some(KeyCheck::Refused) => SecretCheck::Refused(messages::KEY_REFUSED),
        Some(KeyCheck::NotOpenRouters) => SecretCheck::Refused(messages::NO_OPENROUTER_KEY),
    };
    let is_kept = key.is_some() && !matches!(checked, SecretCheck::Refused(_));
    // Before anything else that may fail: it was typed.
    let kept = kept_unless_refused(&setup, source.variable(), key, checked).await?;
    let let_go = if is_kept { let_go_of_model(&setup, &config, &examined).await? } else { None };
    if let_go.is_some() {
        let (config, _) = setup.known().await?;
        by = ModelsBy::of(&config, &secrets);
        examined = setup.examine(&config, &secrets, Spending::OneAnswer).await;
    }
    *setup.0.models.lock() = Some((by, examined));
    let notice = kept.map(|kept| kept + &let_go.map(|told| format!(" {told}")).unwrap_or_default());
    drop(once);
    models_shown(&setup, &visitor, chosen.or(notice)).await
}

pub(in super::super) async fn discord_page(
    State(setup): State<Setup>,
    Extension(visitor): Extension<Visitor>,
) -> Result<Response, Refusal> {
    discord_shown(&setup, &visitor, None).await
}

async fn discord_shown(
    setup: &Setup,
    visitor: &Visitor,
    notice: Option<String>,
) -> Result<Response, Refusal> {
    let secrets = setup.secrets().await?;
    let examined = setup.0.bot.lock().clone();
    Ok(html_page(&DiscordPage {
        page: setup.door().head(messages::ON_DISCORD, setup.place(DISCORD), visitor),
        notice,
        has_token: secrets.discord_token.is_some(),
        is_unread: setup.is_unread(DISCORD_TOKEN),
        takes_token: secrets.discord_token.is_none() || secrets.is_by_file(DISCORD_TOKEN),
        shape: token::TOKEN,
        no_token: messages::NO_TOKEN,
        unlike: token::UNLIKE,
        invite: examined
            .as_ref()
            .filter(|bot| matches!(bot.token, Some(TokenState::Accepted(_))))
            .and_then(|bot| bot.invite.clone()),
        checks: examined
            .map(|examined| examined.checks.iter().map(CheckView::of).collect())
            .unwrap_or_default(),
        steps: setup.steps(None),
    }))
}

/// Asks Discord about a token, and keeps it where it is not refused; without one, asks about the one that is there.
pub(in super::super) async fn post_discord(
    State(setup): State<Setup>,
    Extension(visitor): Extension<Visitor>,
    form: SentForm,
) -> Result<Response, Refusal> {
    let token = entered(form.field("token"));
    let mistaken =
        |entered| mistaken(entered).or_else(|| (!may_be_key(entered)).then_some(messages::NO_TOKEN));
    if let Some(why) = token.as_ref().and_then(mistaken) {
        let notice = Some(messages::not_kept(why));
        let page = discord_shown(&setup, &visitor, notice).await?;
        return Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response());
    }
    let once = setup.0.busy.lock().await;
    let (config, mut secrets) = setup.known().await?;
    if let Some(token) = &token {
        setup.parts().redactor.learn(token);
        secrets.discord_token = Some(token.clone());
    }
    let examined = examine_bot(&config, &secrets, ReportScreen::Setup).await;
    let checked = match examined.token {
        Some(TokenState::Refused) => SecretCheck::Refused(messages::TOKEN_REFUSED),
        Some(TokenState::Accepted(_)) => SecretCheck::Taken,
        Some(TokenState::Unreadable(_) | TokenState::Unknown(_)) | None => SecretCheck::Untried,
    };
    *setup.0.bot.lock() = Some(examined);
    let notice = kept_unless_refused(&setup, DISCORD_TOKEN, token, checked).await?;
    drop(once);
    discord_shown(&setup, &visitor, notice).await
}

/// The key or token in a field of a form; `None` where it was left empty.
fn entered(field: &str) -> Option<SecretString> {
    let value = field.trim();
    (!value.is_empty()).then(|| SecretString::from(value))
}

/// Where the bot's token stands.
const DISCORD_TOKEN: &str = "DISCORD_TOKEN";

/// What the server that a key or token is for makes of it.
#[derive(Debug, Clone, Copy)]
enum SecretCheck {
    Taken,
    /// It could not be asked, or did not say.
    Untried,
    /// It is not taken, in words.
    Refused(&'static str),
}

/// Writes a secret down that was entered and not refused, in the place of one that is there, and says what became of it.
async fn kept_unless_refused(
    setup: &Setup,
    name: &'static str,
    value: Option<SecretString>,
    checked: SecretCheck,
) -> Result<Option<String>, Refusal> {
    let Some(value) = value else { return Ok(None) };
    let is_untried = match checked {
        SecretCheck::Refused(why) => return Ok(Some(why.to_owned())),
        SecretCheck::Untried => true,
        SecretCheck::Taken => false,
    };
    let file = setup.parts().env_dir.join(".env");
    let kept = off_the_way(".env could not be written for the window", move || {
        Ok::<_, std::convert::Infallible>(note_secret(&file, name, &value, OldSecret::Goes))
    })
    .await?;
    if let Err(error) = kept {
        return Ok(Some(messages::secret_not_kept(name, &messages::as_sentence(&error.lines().join(" ")))));
    }
    setup.0.kept.lock().insert(name);
    let used = if setup.is_first_run() { messages::USED_AT_FIRST } else { messages::USED_ANEW };
    let tried = if is_untried { messages::KEPT_UNTRIED } else { "" };
    Ok(Some(messages::secret_kept(name, tried, used)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_key_is_used_a_server_of_this_machine_is_not_promised_and_how_it_is_taken_back_is_told() {
        let page = |key_in: Option<&'static str>| ModelPage {
            page: PageHead::default(),
            notice: None,
            rehearses: false,
            checks: Vec::new(),
            evening: None,
            key_in,
            is_unread: false,
            takes_key: true,
            key_for: None,
            offered: Vec::new(),
            steps: Steps { is_first_run: true, has_familiar: false, next: None, go: GO },
        };
        let without = page(None).render().unwrap();
        assert!(without.contains("Then try again above.") && !without.contains("a key goes first"));
        let with = page(Some("OPENROUTER_API_KEY")).render().unwrap();
        assert!(with.contains("a key goes first") && !with.contains("Then try again above."), "{with}");
        assert!(with.contains("To remove it, delete its line in") && !without.contains("To remove it"));
    }
}
