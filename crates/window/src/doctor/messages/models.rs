//! What is said of models: whether one answers, which one, how it takes a conversation, what it costs.

use super::or_offline;
use crate::doctor::ReportScreen;
use crate::doctor::report::{CheckStatus, DoctorCheck, Remedy};
use crate::domain::{ChannelMode, Slot};
use crate::llm::{ModelFinding, RoleOrder, Takes, ToolForm, UnfitServer};
use crate::text::short::thousands;

/// What there is without a model.
const REHEARSES: &str = "a rehearsal stands in, with lines of the card, what it was told, and little else";

/// How a key for OpenRouter is given, by whoever reads this there.
fn set_a_key(screen: ReportScreen) -> &'static str {
    match screen {
        ReportScreen::Setup => "paste a key below",
        ReportScreen::Terminal | ReportScreen::Elsewhere | ReportScreen::Window => {
            "set OPENROUTER_API_KEY in .env"
        }
    }
}

pub(in super::super) fn model_needs_settings() -> DoctorCheck {
    DoctorCheck::skipped("model_server", "not asked: the settings come first")
}

pub(in super::super) fn model_not_asked(choice: &str) -> DoctorCheck {
    DoctorCheck::skipped("model_server", format!("not asked: --offline ({choice})"))
}

/// Nothing is set, and what may run on this machine was not asked.
pub(in super::super) fn model_not_looked_for() -> DoctorCheck {
    DoctorCheck::skipped(
        "model_server",
        "no server is set; one on this machine was not looked for: --offline",
    )
}

pub(in super::super) fn model_answers(choice: &str) -> DoctorCheck {
    DoctorCheck::ok("model_server", choice)
}

pub(in super::super) fn rehearsal(screen: ReportScreen) -> DoctorCheck {
    DoctorCheck::warn(
        "model_server",
        format!("no language model is connected: {REHEARSES}"),
        format!("{}, or start Ollama, LM Studio, llama.cpp or vLLM on this machine", set_a_key(screen)),
    )
    .mended_by(Remedy::Model)
}

/// What answers on this machine cannot be used as it is.
pub(in super::super) fn server_unfit(unfit: &UnfitServer, screen: ReportScreen) -> DoctorCheck {
    DoctorCheck::warn(
        "model_server",
        format!("{unfit}: without a model {REHEARSES}"),
        format!("{}; or {}", unfit.advice(), set_a_key(screen)),
    )
    .mended_by(Remedy::Model)
}

/// It is the one that the settings name.
pub(in super::super) fn server_has_no_model(base_url: &str) -> DoctorCheck {
    DoctorCheck::fail(
        "model_server",
        format!("{base_url} answers, but lists no model for conversations"),
        "load a model there; with Ollama: `ollama pull llama3.2:3b`",
    )
}

pub(in super::super) fn key_lacks_server(screen: ReportScreen) -> DoctorCheck {
    DoctorCheck::warn(
        "model_server",
        format!(
            "OPENAI_API_KEY is set, but llm.base_url names no server, so it is not used: without a model on this machine \
             {REHEARSES}"
        ),
        format!(
            "for OpenAI, set llm.base_url to https://api.openai.com/v1 and name a model as llm.main_prose.model; for OpenRouter, \
             {}",
            set_a_key(screen)
        ),
    )
}

pub(in super::super) fn no_model_list(choice: &str, why: &str) -> DoctorCheck {
    DoctorCheck::warn(
        "model_server",
        format!("{choice}; it gives no list of models: {why}"),
        "check that llm.base_url ends in /v1; if the server has no such list, only an answer tells whether it works",
    )
}

pub(in super::super) fn model_unreachable(choice: &str, why: &str, screen: ReportScreen) -> DoctorCheck {
    DoctorCheck::fail(
        "model_server",
        format!("{choice} cannot be reached: {why}"),
        format!("check the network and llm.base_url, or start the server{}", or_offline(screen)),
    )
}

/// What only a server that answers says.
pub(in super::super) fn models_not_examined() -> DoctorCheck {
    DoctorCheck::skipped("models", "keys and models are not examined, because no model server answers")
}

pub(in super::super) fn model_is_a_page(choice: &str) -> DoctorCheck {
    DoctorCheck::fail(
        "model_server",
        format!("{choice}: a web page came instead of a list of models"),
        "set llm.base_url to the model server's own address, up to /v1; no proxy may stand in between",
    )
}

pub(in super::super) fn model_setup_wrong(reason: &str) -> DoctorCheck {
    DoctorCheck::fail(
        "model_server",
        reason,
        "set llm.base_url to the server's address, such as http://localhost:1234/v1",
    )
}

pub(in super::super) fn key_accepted() -> DoctorCheck {
    DoctorCheck::ok("model_key", "the server knows it")
}

/// `own_server` is the address where it is not OpenRouter's.
pub(in super::super) fn key_missing(own_server: Option<&str>, screen: ReportScreen) -> DoctorCheck {
    let advice = match own_server {
        Some(base_url) => format!("set OPENAI_API_KEY in .env: it goes to {base_url}"),
        None => format!(
            "{}; for a server of your own set OPENAI_API_KEY in .env, and llm.base_url to its address",
            set_a_key(screen)
        ),
    };
    DoctorCheck::fail("model_key", "the server wants a key and there is none", advice)
        .mended_by(Remedy::Model)
}

/// `variable` is where the key was read from, `own_server` the address where it is not OpenRouter's.
pub(in super::super) fn key_refused(variable: Option<&str>, own_server: Option<&str>) -> DoctorCheck {
    let variable = variable.unwrap_or("OPENROUTER_API_KEY");
    DoctorCheck::fail(
        "model_key",
        "the server does not accept it",
        match own_server {
            Some(base_url) => format!("check {variable} in .env: it goes to {base_url}"),
            None => {
                format!("make a new one (https://openrouter.ai/settings/keys) and put it into {variable}")
            }
        },
    )
}

pub(in super::super) fn key_not_known() -> DoctorCheck {
    DoctorCheck::skipped("model_key", "this server says nothing about keys before it is asked for an answer")
}

pub(in super::super) fn credit_check(
    left: Option<f64>,
    used: Option<f64>,
    status: CheckStatus,
) -> DoctorCheck {
    let used = used.map_or_else(String::new, |used| format!(", ${used:.2} used so far"));
    let message = match left {
        Some(left) => format!("${:.2} left on this key{used}", left.max(0.0)),
        None => format!(
            "the key has no limit of its own{used}; whether the account has credit only an answer tells"
        ),
    };
    let advice = "add credit at https://openrouter.ai/settings/credits or raise the key's limit";
    match status {
        CheckStatus::Fail => DoctorCheck::fail("model_credit", message, advice),
        CheckStatus::Warn => DoctorCheck::warn("model_credit", message, advice),
        CheckStatus::Ok | CheckStatus::Skipped => DoctorCheck::ok("model_credit", message),
    }
}

pub(in super::super) fn models_listed(count: usize) -> DoctorCheck {
    DoctorCheck::ok("models", format!("every model that is used is in the server's list ({count})"))
}

pub(in super::super) fn model_missing(model: &str, slots: &[Slot]) -> DoctorCheck {
    let slots: Vec<String> = slots.iter().map(|slot| format!("llm.{slot}")).collect();
    DoctorCheck::fail(
        "models",
        format!("the server has no {model} ({})", slots.join(", ")),
        "choose one that the server lists, and write it there in character.toml",
    )
}

/// It was asked, and did.
pub(in super::super) fn model_unlisted(model: &str) -> DoctorCheck {
    DoctorCheck::ok("models", format!("the server's list does not name {model}, which answers all the same"))
}

pub(in super::super) fn model_replaced(model: &str, used: &str, listed: &[String]) -> DoctorCheck {
    DoctorCheck::warn(
        "models",
        format!("the server has no {model}, so {used} is used"),
        format!("name one that it has: {}", listed.join(", ")),
    )
}

pub(in super::super) fn sampling_unsent(model: &str, keys: &[String]) -> DoctorCheck {
    DoctorCheck::warn(
        "model_sampling",
        format!("{model} refuses {}; it is not sent", keys.join(", ")),
        "take it out of character.toml; for a Claude, set temperature to \"default\" or leave top_p out",
    )
}

pub(in super::super) fn window_check(model: &str, tokens: u32) -> DoctorCheck {
    DoctorCheck::ok("model_window", format!("{model} reads {tokens} tokens, enough for every mode in use"))
}

pub(in super::super) fn window_guessed(model: &str, tokens: u32) -> DoctorCheck {
    DoctorCheck::warn(
        "model_window",
        format!("how much {model} reads is not known; {tokens} tokens are assumed"),
        "set llm.main_prose.context_window to what the server was started with",
    )
}

/// How a model comes to read more.
fn larger_window(model: &ModelFinding) -> &'static str {
    if model.window_is_usual {
        "start Ollama with OLLAMA_CONTEXT_LENGTH=16384 and set llm.main_prose.context_window to the same"
    } else {
        "choose a model with a larger window"
    }
}

pub(in super::super) fn window_below_budget(
    model: &ModelFinding,
    mode: ChannelMode,
    wanted: u32,
) -> DoctorCheck {
    DoctorCheck::warn(
        "model_window",
        format!(
            "{} reads {} tokens, {mode} may use {wanted}: older messages will be left out sooner",
            model.model, model.window
        ),
        format!("{}, or lower modes.{mode}.budget_tokens", larger_window(model)),
    )
}

pub(in super::super) fn window_below_card(
    model: &ModelFinding,
    mode: ChannelMode,
    card: u32,
    reserve: u32,
) -> DoctorCheck {
    DoctorCheck::fail(
        "model_window",
        format!(
            "{} reads {} tokens; in {mode} what never leaves the card takes {card} and the reply {reserve}",
            model.model, model.window
        ),
        format!("{}, or shorten the card", larger_window(model)),
    )
}

pub(in super::super) fn several_models(used: Option<&str>, listed: &[String]) -> DoctorCheck {
    let name_one = format!("name one as llm.main_prose.model: {}", listed.join(", "));
    match used {
        Some(used) => DoctorCheck::warn(
            "model_choice",
            format!("the settings name no model, so {used} is used, the first of {}", listed.len()),
            name_one,
        ),
        None => DoctorCheck::fail(
            "model_choice",
            format!("the settings name no model, and the server has {}", listed.len()),
            name_one,
        ),
    }
}

pub(in super::super) fn trial_answered(model: &str, takes: Takes) -> DoctorCheck {
    let order = match takes.order {
        RoleOrder::Any => "",
        RoleOrder::Alternate => "; it is asked with people and familiar in turns, as its template wants",
        RoleOrder::AlternateWithoutSystem => {
            "; it is asked in turns and with the instructions in the first message, as its template wants"
        }
    };
    let tools = match takes.form() {
        ToolForm::Native => "",
        ToolForm::Text => "; it cannot be given tools, so it is told of them in words",
        ToolForm::None => "; it gets no tools",
    };
    DoctorCheck::ok("model_trial", format!("{model} answers a small conversation{order}{tools}"))
}

pub(in super::super) fn trial_late(model: &str) -> DoctorCheck {
    DoctorCheck::warn(
        "model_trial",
        format!("{model} has not answered a small conversation in time"),
        "it may only be loading: run the doctor again; if it stays so, choose a smaller model",
    )
}

pub(in super::super) fn trial_failed(model: &str, why: &str) -> DoctorCheck {
    DoctorCheck::fail(
        "model_trial",
        format!("{model} does not answer a small conversation: {why}"),
        "look into the server's log; another model, or a newer version of the server, may take it",
    )
}

pub(in super::super) fn price_unknown(models: &[&str], cap: Option<u64>) -> DoctorCheck {
    let until = cap.map_or_else(
        || "and no daily cap holds".to_owned(),
        |cap| format!("so at most {} tokens a day are used", thousands(cap)),
    );
    DoctorCheck::warn(
        "model_price",
        format!("the price of {} is not known, {until}", models.join(", ")),
        "set price_in_per_million and price_out_per_million where the model is named, or llm.daily_token_cap",
    )
}

pub(in super::super) fn no_cost_cap(spent: f64) -> DoctorCheck {
    DoctorCheck::ok("cost_cap", format!("${spent:.2} spent today; no daily cap is set"))
}

pub(in super::super) fn cost_cap(spent: f64, cap: f64) -> DoctorCheck {
    let message = format!("${spent:.2} of ${cap:.2} spent today");
    if spent < cap {
        return DoctorCheck::ok("cost_cap", message);
    }
    DoctorCheck::fail(
        "cost_cap",
        format!("{message}: no paid request is made"),
        "raise llm.daily_cost_cap_usd, or wait until midnight UTC",
    )
}

pub(in super::super) fn token_cap_reached(used: u64, cap: u64) -> DoctorCheck {
    DoctorCheck::fail(
        "token_cap",
        format!("{used} of {cap} tokens whose price is not known were used today: no more are asked for"),
        "set the model's price_in_per_million and price_out_per_million, raise llm.daily_token_cap, or wait until \
         midnight UTC",
    )
}
