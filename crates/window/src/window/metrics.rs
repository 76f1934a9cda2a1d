//! The program's figures in the text form that Prometheus reads (version 0.0.4).

use std::fmt::Write as _;
use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};

use super::busy::{Queue, queues};
use super::health::{HealthNow, Job, StageTimes, look, recent, times_of};
use super::pages::{Refusal, Visitor};
use super::shared::Shared;
use super::sign_in::Entered;
use crate::domain::Modality;

const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The figures of the page for programs that collect them; they come in with the operator's token.
pub(super) async fn show_metrics(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    if visitor.session.is_none() {
        let sent = headers.get(header::AUTHORIZATION).and_then(|sent| sent.to_str().ok());
        let token = sent.and_then(|sent| sent.strip_prefix("Bearer "));
        let token = token.ok_or(Refusal(StatusCode::UNAUTHORIZED))?;
        shared.door.sign_ins.operators(token).map_err(|refused| {
            Refusal(match refused {
                Entered::NotNow => StatusCode::TOO_MANY_REQUESTS,
                _ => StatusCode::UNAUTHORIZED,
            })
        })?;
    }
    let (now, traces) = (look(&shared).await?, recent(&shared).await?);
    let text = prometheus_text(&now, &times_of(&traces), &queues(&shared));
    Ok(([(header::CONTENT_TYPE, CONTENT_TYPE)], text).into_response())
}

/// The figures as they are now. All are gauges: those of a day begin anew at midnight, UTC.
fn prometheus_text(now: &HealthNow, times: &[StageTimes], queues: &[Queue]) -> String {
    let mut text = Gauges(String::new());
    text.head("familiar_info", "The version that runs; always 1.");
    text.value("familiar_info", &[("version", env!("CARGO_PKG_VERSION"))], 1.0);
    if let Some(bytes) = now.rss_bytes {
        text.head("process_resident_memory_bytes", "Memory that the program takes, in bytes.");
        text.value("process_resident_memory_bytes", &[], bytes as f64);
    }
    if let Some(discord) = &now.discord {
        text.head("familiar_discord_connected", "1 while it is connected with Discord, else 0.");
        let is_there = discord.trouble.is_none();
        text.value("familiar_discord_connected", &[], f64::from(u8::from(is_there)));
    }
    text.head("familiar_rehearses", "1 while no model is set, else 0.");
    text.value("familiar_rehearses", &[], f64::from(u8::from(now.server.is_none())));
    text.head("familiar_models_left_alone", "Models and servers that are not asked for a while.");
    text.value("familiar_models_left_alone", &[], now.left_alone.len() as f64);
    text.costs(now);
    text.head("familiar_queue_waiting", "What waits in a queue or is being done, by queue.");
    for queue in queues {
        text.value("familiar_queue_waiting", &[("queue", queue.id)], queue.waiting as f64);
    }
    text.head(
        "familiar_turn_seconds",
        "How long the newest turns took until something was there, by share of turns.",
    );
    for time in times {
        let how = if time.modality == Modality::Voice { "voice" } else { "text" };
        for (share, us) in [("0.5", time.half_us), ("0.95", time.most_us)] {
            let labels = [("stage", time.stage), ("modality", how), ("quantile", share)];
            text.value("familiar_turn_seconds", &labels, us as f64 / 1e6);
        }
    }
    text.0
}

struct Gauges(String);

impl Gauges {
    fn head(&mut self, name: &str, help: &str) {
        self.0.push_str(&format!("# HELP {name} {help}\n# TYPE {name} gauge\n"));
    }

    fn value(&mut self, name: &str, labels: &[(&str, &str)], value: f64) {
        self.0.push_str(name);
        for (number, (label, said)) in labels.iter().enumerate() {
            let before = if number == 0 { '{' } else { ',' };
            // Writing into a string cannot fail.
            let _written = write!(self.0, "{before}{label}=\"{}\"", label_value(said));
        }
        let end = if labels.is_empty() { "" } else { "}" };
        let _written = writeln!(self.0, "{end} {value}");
    }

    fn costs(&mut self, now: &HealthNow) {
        self.head("familiar_cost_today_usd", "What today cost so far, in US dollars, by job.");
        for costs in &now.today {
            self.value("familiar_cost_today_usd", &[("job", job_label(costs.job))], costs.usd);
        }
        if let Some(cap) = now.cap_usd {
            self.head("familiar_cost_cap_usd", "What a day may cost at most, in US dollars.");
            self.value("familiar_cost_cap_usd", &[], cap);
        }
        self.head("familiar_calls_today", "Calls of models that were answered today, by job.");
        for costs in &now.today {
            self.value("familiar_calls_today", &[("job", job_label(costs.job))], costs.calls as f64);
        }
        self.head("familiar_tokens_today", "Tokens of today, by job and kind.");
        for costs in now.today.iter().filter(|costs| matches!(costs.job, Job::Model(_))) {
            let job = job_label(costs.job);
            for (kind, count) in
                [("in", costs.tokens_in), ("cached", costs.cached), ("out", costs.tokens_out)]
            {
                self.value("familiar_tokens_today", &[("job", job), ("kind", kind)], count as f64);
            }
        }
    }
}

fn job_label(job: Job) -> &'static str {
    match job {
        Job::Model(slot) => slot.as_str(),
        Job::Hearing => "hearing",
        Job::Speaking => "speaking",
        Job::Pictures => "pictures",
    }
}

/// As a label's value is written.
fn label_value(text: &str) -> String {
    text.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_cannot_end_its_line_or_its_quotes() {
        let mut text = Gauges(String::new());
        text.value("x", &[("a", "one\"} 1\ny 2\\"), ("b", "川")], 0.5);
        assert_eq!(text.0, "x{a=\"one\\\"} 1\\ny 2\\\\\",b=\"川\"} 0.5\n");
    }
}
