//! What a window needs of a familiar on a stage.

use std::path::Path;
use std::sync::Arc;

use familiar_connect::cli::bundled;
use familiar_connect::config::{Defaults, LiveConfig, Redactor, Secrets};
use familiar_connect::discord::DiscordLink;
use familiar_connect::erase::{Eraser, NobodyThere, Stores};
use familiar_connect::familiar::LiveCharacter;
use familiar_connect::graph::Graph;
use familiar_connect::llm::UsageLedger;
use familiar_connect::voice::SpeechEngines;
use familiar_connect::window::{ExampleCard, HealthSource, SetupParts, WindowParts};
use tokio_util::sync::CancellationToken;

use super::stage::Stage;

/// Everything of the stage, with somebody who says how the program does.
pub fn parts(stage: &Stage, token: Option<&str>, health: Arc<dyn HealthSource>) -> WindowParts {
    let home = stage.config.home().clone();
    let config = LiveConfig::load(home.clone(), Defaults::embedded()).unwrap();
    let ledger = UsageLedger::open(home.root(), Arc::new(stage.clock.clone()));
    WindowParts {
        session: stage.session.clone(),
        history: Arc::clone(&stage.history),
        memory: Arc::clone(&stage.memory),
        traces: Arc::clone(&stage.traces),
        graph: Arc::new(Graph::over(Arc::clone(&stage.history), Arc::clone(&stage.memory))),
        pairing: Arc::clone(&stage.pairing),
        world: Arc::clone(&stage.world),
        eraser: Arc::new(eraser_of(stage)),
        health,
        character: Arc::new(LiveCharacter::load(home.clone()).unwrap()),
        config: Arc::clone(&config),
        clock: Arc::new(stage.clock.clone()),
        discord: DiscordLink::new(),
        engines: Arc::new(SpeechEngines::new(config, Secrets::default(), Arc::new(ledger))),
        calls: Arc::default(),
        user_name: "Ada".to_owned(),
        token: token.map(|token| token.to_owned().into()),
        address_file: home.window_file(),
        setup: setup_in(stage.dir.path()),
        assistants: None,
    }
}

/// Forgets as the program does that nobody talks with.
fn eraser_of(stage: &Stage) -> Eraser {
    let home = stage.config.home().clone();
    let stores = Stores {
        home: home.clone(),
        history: Arc::clone(&stage.history),
        traces: Arc::clone(&stage.traces),
        memory: Arc::clone(&stage.memory),
    };
    Eraser::new(stores, Arc::new(NobodyThere(home)), Arc::new(stage.clock.clone()))
}

/// As much of a first run as there is, in a folder.
pub fn setup_in(folder: &Path) -> SetupParts {
    let example = |example: &bundled::Example| ExampleCard {
        id: example.id.parse().unwrap(),
        name: example.name.to_owned(),
        file: example.card().unwrap(),
    };
    SetupParts {
        data_dir: folder.to_owned(),
        defaults_dir: None,
        env_dir: folder.to_owned(),
        examples: bundled::EXAMPLES.iter().map(example).collect(),
        local_ports: &[],
        redactor: Redactor::default(),
        ready: CancellationToken::new(),
    }
}
