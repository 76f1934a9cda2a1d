//! What is said of models: which one, how it takes a conversation, what it costs.

use crate::doctor::report::DoctorCheck;
use crate::llm::{RoleOrder, Takes};

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
    let tools = if takes.no_tools { "; it takes no tools" } else { "" };
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
        format!("{model} refuses a small conversation: {why}"),
        "look into the server's log; another model, or a newer version of the server, may take it",
    )
}

pub(in super::super) fn price_unknown(models: &[&str], cap: Option<u64>) -> DoctorCheck {
    let until = cap.map_or_else(
        || "and no daily cap holds".to_owned(),
        |cap| format!("so at most {cap} tokens a day are used"),
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
