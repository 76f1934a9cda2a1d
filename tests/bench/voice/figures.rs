//! Figures beside what they should be.

use std::time::Duration;

use crate::table::{Table, percentile};

/// Rows of one table.
pub struct Figures {
    table: Table,
}

impl Figures {
    pub fn new(title: &str) -> Self {
        Self { table: Table::new(title, &["", "p50", "p95", "of", "aim", "reached"]) }
    }

    /// Times with the bounds of their median and their 95th percentile, in milliseconds.
    pub fn times(&mut self, name: &str, mut times: Vec<Duration>, aims: (Option<u64>, Option<u64>)) {
        if times.is_empty() {
            self.row(name, ["-".to_owned(), "-".to_owned(), "0".to_owned()], "-".to_owned(), None);
            return;
        }
        let (half, most) = (percentile(&mut times, 50), percentile(&mut times, 95));
        let is_below =
            |time: Duration, aim: Option<u64>| aim.is_none_or(|aim| time <= Duration::from_millis(aim));
        let aim = match aims {
            (None, None) => "-".to_owned(),
            (Some(half), None) => format!("p50 {half}"),
            (None, Some(most)) => format!("p95 {most}"),
            (Some(half), Some(most)) => format!("{half} / {most} ms"),
        };
        let reached = (aims != (None, None)).then(|| is_below(half, aims.0) && is_below(most, aims.1));
        self.row(name, [ms(half), ms(most), times.len().to_string()], aim, reached);
    }

    /// A share of all.
    pub fn share(&mut self, name: &str, part: usize, all: usize, aim: Option<f64>) {
        let share = if all == 0 { 0.0 } else { part as f64 / all as f64 };
        let reached = aim.map(|aim| all > 0 && share >= aim);
        let aim = aim.map_or("-".to_owned(), |aim| format!("at least {}", percent(aim)));
        self.row(name, [percent(share), String::new(), all.to_string()], aim, reached);
    }

    /// A share of all that should be small.
    pub fn waste(&mut self, name: &str, part: usize, all: usize, aim: f64) {
        let share = if all == 0 { 0.0 } else { part as f64 / all as f64 };
        let aimed = format!("at most {}", percent(aim));
        self.row(name, [percent(share), String::new(), all.to_string()], aimed, Some(share <= aim));
    }

    /// Ratios with the bound of their median.
    pub fn ratio(&mut self, name: &str, mut ratios: Vec<f64>, aim: Option<f64>) {
        ratios.sort_by(f64::total_cmp);
        let at =
            |percent: usize| ratios.get((ratios.len() * percent / 100).min(ratios.len().saturating_sub(1)));
        let shown = |ratio: Option<&f64>| ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
        let reached = aim.map(|aim| at(50).is_some_and(|ratio| *ratio <= aim));
        let aim = aim.map_or("-".to_owned(), |aim| format!("p50 {aim}"));
        self.row(name, [shown(at(50)), shown(at(95)), ratios.len().to_string()], aim, reached);
    }

    /// Marks from 0 to 1, of which the mean should be high.
    pub fn score(&mut self, name: &str, marks: &[f64], aim: Option<f64>) {
        let mean = marks.iter().sum::<f64>() / marks.len().max(1) as f64;
        let reached = aim.map(|aim| !marks.is_empty() && mean >= aim);
        let aim = aim.map_or("-".to_owned(), |aim| format!("mean {aim}"));
        self.row(name, [format!("mean {mean:.3}"), String::new(), marks.len().to_string()], aim, reached);
    }

    fn row(&mut self, name: &str, [half, most, of]: [String; 3], aim: String, reached: Option<bool>) {
        let reached = reached.map_or("", |reached| if reached { "yes" } else { "NO" });
        self.table.row(&[name.to_owned(), half, most, of, aim, reached.to_owned()]);
    }

    pub fn note(&mut self, note: String) {
        self.table.note(note);
    }

    pub fn table(self) -> Table {
        self.table
    }
}

/// How well an answer is timed, by EVA's curve (voice 1, "Turn-taking score curve"): best from 0.5 to 2 s behind
/// the last sound, half as good at once, worth nothing from 3.5 s on.
pub fn timing_of_answer(after: Duration) -> f64 {
    let seconds = after.as_secs_f64();
    (0.5 + seconds).min((3.5 - seconds) / 1.5).clamp(0.0, 1.0)
}

/// How well it gives way, by the same: the sooner the better, worth nothing from 2 s on.
pub fn timing_of_silence(after: Duration) -> f64 {
    (1.0 - after.as_secs_f64() / 2.0).clamp(0.0, 1.0)
}

pub fn ms(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1000.0)
}

pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}
