//! What the answers of the model server and of Discord mean.

use std::sync::Arc;

use super::ReportScreen;
use super::messages;
use super::report::{CheckStatus, DoctorCheck};
use crate::config::{LiveConfig, LlmKeySource, Secrets, SubscriptionKind};
use crate::discord::{
    ChannelState, ConnectionRecord, DiscordFindings, Switches, TokenState, application_of, invite_link,
};
use crate::domain::ChannelId;
use crate::llm::{
    KeyAccount, KeyState, LlmSetupError, ModelFindings, NetworkUse, ServerState, Trial, other_host,
};

/// Less than this on a key is gone within an evening.
const CREDIT_WARN_USD: f64 = 0.5;

pub(super) fn judge_models(
    found: Option<&Result<ModelFindings, LlmSetupError>>,
    config: Option<&Arc<LiveConfig>>,
    secrets: &Secrets,
    screen: ReportScreen,
) -> Vec<DoctorCheck> {
    let (Some(found), Some(config)) = (found, config) else { return vec![messages::model_needs_settings()] };
    let found = match found {
        Ok(found) => found,
        Err(LlmSetupError::BaseUrl(bad)) => return vec![messages::model_setup_wrong(&bad.to_string())],
        Err(LlmSetupError::Http(error)) => return vec![messages::https_broken(&error.to_string())],
    };
    let choice = found.choice.to_string();
    let mut checks = vec![match &found.server {
        ServerState::None | ServerState::NotAsked
            if secrets.lacks_server(config.current().llm.base_url.as_deref()) =>
        {
            messages::key_lacks_server(screen)
        }
        ServerState::None => messages::rehearsal(screen),
        ServerState::Unfit(unfit) => messages::server_unfit(unfit, screen),
        ServerState::NotAsked if found.choice.base_url.is_none() => messages::model_not_looked_for(),
        ServerState::NotAsked => messages::model_not_asked(&choice),
        ServerState::Answers => messages::model_answers(&choice),
        // Whoever has answered is there, whatever their list says.
        ServerState::NoModel | ServerState::NoList(_) if found.has_answered() => {
            messages::model_answers(&choice)
        }
        ServerState::NoModel => {
            messages::server_has_no_model(found.choice.base_url.as_deref().unwrap_or_default())
        }
        // The key is what is wrong then.
        ServerState::NoList(_) if matches!(found.key, KeyState::Refused | KeyState::Missing) => {
            messages::model_answers(&choice)
        }
        ServerState::NoList(why) => messages::no_model_list(&choice, why),
        ServerState::WebPage => messages::model_is_a_page(&choice),
        ServerState::Unreachable(why) => messages::model_unreachable(&choice, why, screen),
    }];
    if found.server.is_away() {
        checks.push(messages::models_not_examined());
    }
    if matches!(found.server, ServerState::Answers | ServerState::NoModel | ServerState::NoList(_)) {
        checks.extend(key_checks(found, secrets.llm_key_source, screen));
        checks.extend(existence(found));
    }
    checks.extend(found.models.iter().filter(|model| !model.unsent.is_empty()).map(|model| {
        let keys: Vec<String> =
            model.unsent.iter().map(|(slot, field)| format!("llm.{slot}.{}", field.key())).collect();
        messages::sampling_unsent(&model.model, &keys)
    }));
    let main = found.models.first().map(|model| model.model.as_str()).unwrap_or_default();
    if !found.unnamed.is_empty() {
        let used = found.unnamed.iter().find(|model| *model == main);
        checks.push(messages::several_models(used.map(String::as_str), &found.unnamed));
    }
    checks.extend(found.trial.as_ref().map(|trial| match trial {
        Trial::Answered(takes) => messages::trial_answered(main, *takes),
        Trial::Late => messages::trial_late(main),
        Trial::Failed(why) => messages::trial_failed(main, why),
    }));
    let unpriced: Vec<&str> =
        found.models.iter().filter(|model| !model.has_price).map(|model| model.model.as_str()).collect();
    if !unpriced.is_empty() {
        checks.push(messages::price_unknown(&unpriced, config.current().llm.unpriced_token_cap()));
    }
    checks.push(match config.current().llm.daily_cost_cap_usd {
        Some(cap) => messages::cost_cap(found.spent_today_usd, cap),
        None => messages::no_cost_cap(found.spent_today_usd),
    });
    let token_cap = config.current().llm.unpriced_token_cap();
    checks.extend(
        token_cap
            .filter(|cap| found.unpriced_today >= *cap)
            .map(|cap| messages::token_cap_reached(found.unpriced_today, cap)),
    );
    checks
}

fn key_checks(found: &ModelFindings, source: Option<LlmKeySource>, screen: ReportScreen) -> Vec<DoctorCheck> {
    // A relay that speaks as OpenRouter does takes keys of its own.
    let own_server = found.choice.base_url.as_deref().filter(|base_url| other_host(base_url).is_some());
    match &found.key {
        KeyState::Unknown => vec![messages::key_not_known()],
        KeyState::Missing => vec![messages::key_missing(own_server, screen)],
        KeyState::Refused => vec![messages::key_refused(source.map(LlmKeySource::variable), own_server)],
        KeyState::Known(account) => vec![messages::key_accepted(), credit(account)],
    }
}

fn credit(account: &KeyAccount) -> DoctorCheck {
    let status = match account.left_usd {
        Some(left) if left <= 0.0 => CheckStatus::Fail,
        Some(left) if left < CREDIT_WARN_USD => CheckStatus::Warn,
        _ => CheckStatus::Ok,
    };
    messages::credit_check(account.left_usd, account.used_usd, status)
}

fn existence(found: &ModelFindings) -> Vec<DoctorCheck> {
    if found.server != ServerState::Answers {
        return Vec::new();
    }
    let main = found.models.first().map(|model| model.model.as_str()).unwrap_or_default();
    let replaced =
        found.passed_over.iter().map(|model| messages::model_replaced(model, main, &found.offered));
    let missing = found.models.iter().filter(|model| model.listed == Some(false)).map(|model| {
        match found.has_answered() && model.model == main {
            // Many a gateway does not list all that it has.
            true => messages::model_unlisted(&model.model),
            false => messages::model_missing(&model.model, &model.slots),
        }
    });
    let missing: Vec<DoctorCheck> = replaced.chain(missing).collect();
    if missing.is_empty() { vec![messages::models_listed(found.models.len())] } else { missing }
}

pub(super) fn text_channels(config: &LiveConfig) -> Vec<ChannelId> {
    let subscriptions = config.subscriptions();
    subscriptions
        .iter()
        .filter(|row| row.kind == SubscriptionKind::Text)
        .map(|row| row.channel.clone())
        .collect()
}

pub(super) fn discord_bot(
    found: Option<&DiscordFindings>,
    config: Option<&Arc<LiveConfig>>,
    secrets: &Secrets,
    reach: NetworkUse,
    screen: ReportScreen,
) -> Vec<DoctorCheck> {
    let Some(token) = &secrets.discord_token else { return vec![messages::no_token()] };
    let Some(found) = found else {
        return vec![match (reach, config) {
            (NetworkUse::Offline, _) => messages::discord_offline(),
            (NetworkUse::Online, _) => messages::discord_needs_settings(),
        }];
    };
    let kept_out = |why| vec![why, messages::bot_not_examined()];
    let bot = match &found.token {
        TokenState::Accepted(bot) => bot,
        TokenState::Refused => return kept_out(messages::token_refused()),
        TokenState::Unreadable(why) => return kept_out(messages::discord_unreadable("discord_token", why)),
        TokenState::Unknown(why) => return kept_out(messages::discord_silent(why, screen)),
    };
    let application = application_of(token);
    let mut checks = vec![messages::token_accepted(bot)];
    let knows_presence = config.is_some_and(|config| config.current().discord.presence);
    checks.extend(of_switches(found.switches, knows_presence, application));
    checks.push(match found.servers {
        Some(0) => messages::no_server(application.map(invite_link).as_deref()),
        Some(count) => messages::servers(count),
        None => messages::servers_not_known(),
    });
    match &found.channels {
        None => checks.push(messages::channels_not_known()),
        Some(channels) if channels.is_empty() => checks.push(messages::no_channel()),
        Some(channels) => checks.extend(of_channels(channels)),
    }
    checks
}

/// What is to be switched on or off on the page of its bot; the intents that only `discord.presence` needs where it is on.
fn of_switches(
    switches: Option<Switches>,
    knows_presence: bool,
    application: Option<u64>,
) -> Vec<DoctorCheck> {
    let Some(switches) = switches else { return vec![messages::intent_not_known()] };
    let mut checks = vec![match switches.message_content {
        true => messages::intent_on(),
        false => messages::intent_off(application),
    }];
    let lacking = [(switches.presence, "Presence Intent"), (switches.members, "Server Members Intent")];
    let lacking: Vec<_> = lacking.into_iter().filter(|(is_on, _)| !is_on).map(|(_, name)| name).collect();
    if knows_presence && !lacking.is_empty() {
        checks.push(messages::presence_off(&lacking, application));
    }
    if switches.code_grant {
        checks.push(messages::code_grant_on(application));
    }
    checks
}

fn of_channels(channels: &[(ChannelId, ChannelState)]) -> Vec<DoctorCheck> {
    let open = channels.iter().filter(|(_, state)| matches!(state, ChannelState::Open(_))).count();
    let mut checks = Vec::new();
    if open > 0 {
        checks.push(messages::channels_open(open));
    }
    checks.extend(channels.iter().filter_map(|(id, state)| match state {
        ChannelState::Open(_) => None,
        ChannelState::Lacks { name, permissions } => Some(messages::channel_lacks(id, name, permissions)),
        ChannelState::Closed(why) => Some(messages::channel_closed(id, why)),
        ChannelState::Unreadable(why) => {
            Some(messages::discord_unreadable("discord_channels", &format!("channel {id}: {why}")))
        }
        ChannelState::Unknown(why) => Some(messages::channel_not_known(id, why)),
    }));
    checks
}

/// Channels named one by one; beyond that something else is wrong.
const NAMED: usize = 8;

/// What the program itself wrote down of its connection, when it last ran. Why it was not let in is told already where it is
/// not now.
pub(super) fn connection(record: &ConnectionRecord, found: Option<&DiscordFindings>) -> Vec<DoctorCheck> {
    let is_in = found.is_none_or(|found| matches!(found.token, TokenState::Accepted(_)));
    let trouble = record.trouble.iter().filter(|_| is_in).map(|why| messages::not_connected(why));
    let unread = record.unread.iter().map(|(kind, times)| messages::events_unread(kind, *times));
    let undescribed = record.undescribed.iter().map(|guild| messages::server_undescribed(*guild));
    let refused = record.refused.iter().map(|(channel, why)| messages::silent_there(*channel, why));
    trouble.chain(unread.take(NAMED)).chain(undescribed.take(NAMED)).chain(refused.take(NAMED)).collect()
}
