//! What stands in a familiar's way, without the network: `cargo run -p familiar-window --example examine -- data`.

#![allow(clippy::print_stdout, reason = "that is what it is for")]

use familiar_pipeline::config::Secrets;
use familiar_pipeline::llm::NetworkUse;
use familiar_window::doctor::{Patient, ReportScreen, examine};

#[tokio::main]
async fn main() {
    let data_dir = std::env::args().nth(1).unwrap_or_else(|| "data".to_owned()).into();
    let report = examine(Patient {
        data_dir,
        familiar: None,
        secrets: Ok(Secrets::default()),
        defaults_dir: None,
        reach: NetworkUse::Offline,
        local_ports: &[],
        screen: ReportScreen::Elsewhere,
    })
    .await;
    for check in report.checks {
        println!("{:?} {}: {}", check.status, check.name, check.message);
    }
}
