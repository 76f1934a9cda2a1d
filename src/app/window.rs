//! The window, brought up beside everything else, and how the program does, gathered for it. That it does not open stops
//! nothing.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use console::strip_ansi_codes;

use super::App;
use crate::clock::SharedClock;
use crate::config::{LiveConfig, Secrets};
use crate::discord::ConnectionRecord;
use crate::doctor::{DoctorCheck, Patient, ReportScreen, examine, mcp_now, storage_now, troubles_today};
use crate::domain::Slot;
use crate::history::History;
use crate::home::Commands;
use crate::llm::{DayUsage, ModelDescription, ModelFacts, ModelSlots, NetworkUse, Prices, USUAL_PORTS};
use crate::mcp::{McpServers, McpStates};
use crate::trace::logging::LogLines;
use crate::window::{
    Assistants, Doorway, HealthNow, HealthSource, Job, JobCosts, ModelNow, SetupParts, Window, WindowError,
    WindowParts,
};

impl App {
    /// Opens the window where the settings want it, at the port that is open already where it is the right one; `None` where
    /// they do not. It is closed before the app is stopped.
    ///
    /// # Errors
    /// When it could not be opened; everything else works without it.
    pub async fn open_window(
        &self,
        user_name: String,
        secrets: &Secrets,
        setup: SetupParts,
        assistants: Option<Assistants>,
        doorway: Option<Doorway>,
        log: LogLines,
    ) -> Result<Option<Window>, WindowError> {
        if !self.config.current().window.enabled {
            return Ok(None);
        }
        let parts = WindowParts {
            session: self.session.clone(),
            history: Arc::clone(&self.history),
            memory: Arc::clone(&self.memory),
            traces: Arc::clone(&self.traces),
            graph: Arc::clone(&self.graph),
            pairing: Arc::clone(&self.pairing),
            world: Arc::clone(&self.world),
            eraser: Arc::clone(&self.eraser),
            health: Arc::new(Health::of(self, secrets, &setup, log)),
            character: Arc::clone(&self.character),
            config: Arc::clone(&self.config),
            clock: Arc::clone(&self.clock),
            discord: self.discord.clone(),
            engines: Arc::clone(&self.engines),
            calls: Arc::clone(&self.calls),
            user_name,
            token: secrets.window_token.clone(),
            address_file: self.config.home().window_file(),
            setup,
            assistants,
        };
        Window::open(parts, doorway).await.map(Some)
    }
}

/// The jobs that ask a model.
const ASKED: [Slot; 6] = [
    Slot::MainProse,
    Slot::ReasoningContext,
    Slot::PostProcessStyle,
    Slot::MemorySearch,
    Slot::HistorySummary,
    Slot::MemoryWriter,
];

#[derive(Debug)]
struct Health {
    models: Arc<ModelSlots>,
    config: Arc<LiveConfig>,
    history: Arc<History>,
    clock: SharedClock,
    secrets: Secrets,
    data_dir: PathBuf,
    commands: Commands,
    defaults_dir: Option<PathBuf>,
    log: LogLines,
    mcp: McpStates,
}

impl Health {
    fn of(app: &App, secrets: &Secrets, started: &SetupParts, log: LogLines) -> Self {
        Self {
            models: Arc::clone(&app.models),
            config: Arc::clone(&app.config),
            history: Arc::clone(&app.history),
            clock: Arc::clone(&app.clock),
            secrets: secrets.clone(),
            data_dir: started.data_dir.clone(),
            commands: Commands::of(app.config.home()),
            defaults_dir: started.defaults_dir.clone(),
            log,
            mcp: app.mcp.as_ref().map(McpServers::states).unwrap_or_default(),
        }
    }

    fn model(&self, job: Slot) -> ModelNow {
        let ModelDescription { model, context_window, .. } = self.models.slot(job).describe();
        ModelNow { job, prices: self.models.prices(&model), model, window: context_window }
    }

    fn discord(&self) -> Option<ConnectionRecord> {
        self.secrets.discord_token.as_ref()?;
        Some(ConnectionRecord::read(&self.config.home().connection_json()))
    }

    fn storage(&self) -> Vec<DoctorCheck> {
        let now = storage_now(self.config.home(), self.history.unstored());
        now.into_iter().map(|check| check.with_commands(&self.commands)).collect()
    }

    fn troubles(&self) -> Vec<DoctorCheck> {
        let (home, tz) = (self.config.home(), self.config.current().display_tz.clone());
        match troubles_today(home, &tz, self.clock.now()) {
            Ok(report) => report.with_commands(&self.commands).checks,
            Err(error) => {
                tracing::warn!(%error, "what went wrong today could not be read");
                Vec::new()
            }
        }
    }
}

#[async_trait]
impl HealthSource for Health {
    fn look(&self) -> HealthNow {
        let (health, ledger) = (self.models.health(), self.models.ledger());
        let today = ledger.today();
        let known = ledger.days();
        let behind = known.iter().map(|day| (day.day, background_cost(day))).collect();
        let mut days: Vec<_> = known.iter().map(|day| (day.day, day.cost_usd())).collect();
        if days.last().is_none_or(|(day, _)| *day < today.day) {
            days.push((today.day, 0.0));
        }
        HealthNow {
            discord: self.discord(),
            server: self.models.choice().base_url,
            models: self.asked(),
            left_alone: health.left_alone,
            last_answer: health.last_answer,
            days,
            behind,
            today: jobs(&today),
            cap_usd: self.config.current().llm.daily_cost_cap_usd,
            rss_bytes: resident_bytes(),
            storage: self.storage(),
            troubles: self.troubles(),
            mcp: mcp_now(&self.mcp),
            log: self.log.newest().iter().map(|line| strip_ansi_codes(line).into_owned()).collect(),
        }
    }

    fn offered(&self) -> Vec<(String, ModelFacts)> {
        self.models.offered()
    }

    fn rehearses(&self) -> bool {
        self.models.choice().rehearses()
    }

    fn asked(&self) -> Vec<ModelNow> {
        ASKED.map(|job| self.model(job)).into()
    }

    fn prices(&self, model: &str) -> Option<Prices> {
        self.models.prices(model)
    }

    async fn examine(&self) -> Vec<DoctorCheck> {
        let report = examine(Patient {
            data_dir: self.data_dir.clone(),
            familiar: Some(self.config.home().id().to_string()),
            secrets: Ok(self.secrets.clone()),
            defaults_dir: self.defaults_dir.clone(),
            reach: NetworkUse::Online,
            local_ports: USUAL_PORTS,
            screen: ReportScreen::Window,
        });
        report.await.with_commands(&self.commands).checks
    }
}

/// What a day cost for jobs that nobody waits for.
fn background_cost(day: &DayUsage) -> f64 {
    day.slots.iter().filter(|(slot, _)| slot.is_behind_the_scenes()).map(|(_, used)| used.cost_usd).sum()
}

fn jobs(day: &DayUsage) -> Vec<JobCosts> {
    let none = |job, calls, usd| JobCosts { job, calls, tokens_in: 0, cached: 0, tokens_out: 0, usd };
    let models = day.slots.iter().map(|(slot, used)| JobCosts {
        job: Job::Model(*slot),
        calls: used.calls,
        tokens_in: used.prompt_tokens,
        cached: used.cached_tokens,
        tokens_out: used.completion_tokens,
        usd: used.cost_usd,
    });
    let (speech, pictures) = (&day.speech, &day.pictures);
    let hearing = (speech.heard_seconds > 0.0).then(|| none(Job::Hearing, 0, speech.heard_usd));
    let speaking = (speech.said_characters > 0).then(|| none(Job::Speaking, 0, speech.said_usd));
    let seen = pictures.described + pictures.made;
    let pictures = (seen > 0).then(|| none(Job::Pictures, seen, pictures.usd));
    models.chain(hearing).chain(speaking).chain(pictures).collect()
}

/// What the program takes of the machine's memory, where the system has a file that says so.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1_024)
}
