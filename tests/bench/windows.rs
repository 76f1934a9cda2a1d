//! Pages of the window over ten thousand turns and as many notes, and what open windows cost whoever waits for an answer.

use std::time::Instant;

use futures::future::join_all;
use tokio::runtime::Runtime;

use crate::chat::{MESSAGES, message};
use crate::is_measuring;
use crate::table::{Table, micros, percentile};
use crate::windowed::{Browser, Windowed};

/// Windows that are open beside the familiar.
const WINDOWS: usize = 50;

/// What those windows show.
const SHOWN: [&str; 4] = ["/xray", "/rooms/41", "/memory", "/talk"];

/// How long a page takes, and how long the way to a prompt with windows open.
pub fn figures(runtime: &Runtime, rounds: usize) -> [Table; 2] {
    let (turns, recorded, notes) = if is_measuring() { (10_000, 10_000, 9_900) } else { (40, 400, 30) };
    runtime.block_on(async {
        let mut windowed = Windowed::new(turns, recorded, notes).await;
        let pages = pages(&windowed, recorded, notes, rounds).await;
        [pages, prompts(&mut windowed, rounds).await]
    })
}

async fn pages(windowed: &Windowed, recorded: u64, notes: u64, rounds: usize) -> Table {
    let title = format!("Pages of the window: {recorded} turns, {notes} notes");
    let mut table = Table::new(&title, &["page", "p50", "p95", "KB"]);
    for (name, page) in windowed.lists() {
        let (mut took, mut bytes) = (Vec::new(), 0);
        for _ in 0..rounds {
            let began = Instant::now();
            bytes = windowed.browser.loads(&page).await;
            took.push(began.elapsed());
        }
        let kilobytes = bytes.div_ceil(1_000).to_string();
        table.row(&[
            name.to_owned(),
            micros(percentile(&mut took, 50)),
            micros(percentile(&mut took, 95)),
            kilobytes,
        ]);
    }
    table
}

/// Looks at its page once more.
async fn look(browser: &Browser, number: usize) -> usize {
    browser.loads(SHOWN[number % SHOWN.len()]).await
}

async fn prompts(windowed: &mut Windowed, rounds: usize) -> Table {
    let columns = ["windows", "until the model is asked, p50", "p95", "p95 : none"];
    let mut table = Table::new("Open windows", &columns);
    let (_, template) = MESSAGES[1];
    let browser = windowed.browser.clone();
    // What is made once, and what is worked off behind the first messages, is not what windows cost.
    for round in 0..rounds {
        windowed.chat.says(&message(template, round as u64 + 1)).await;
    }
    let cases = ["none", "50 open, which load anew after each turn", "50 that load at that moment"];
    let mut took = cases.map(|_| Vec::new());
    // By turns: a machine that is slower for a while is so for all of them.
    for round in 0..rounds {
        for (case, took) in took.iter_mut().enumerate() {
            let said = message(template, (cases.len() * round + case) as u64);
            let loads = || join_all((0..WINDOWS).map(|number| look(&browser, number)));
            // As many follow what happens as may; the others are told to come again.
            let open = if case == 0 { 0 } else { WINDOWS };
            let open = join_all((0..open).map(|_| browser.opens("/events?topic=turns"))).await;
            let told = if case == 2 {
                futures::join!(windowed.chat.says(&said), loads()).0
            } else {
                windowed.chat.says(&said).await
            };
            took.push(told.until_asked);
            if case == 1 {
                loads().await;
            }
            drop(open);
        }
    }
    let mut none = None;
    for (name, took) in cases.iter().zip(&mut took) {
        let (half, most) = (percentile(took, 50), percentile(took, 95));
        let beside = most.as_secs_f64() / none.get_or_insert(most).as_secs_f64();
        table.row(&[(*name).to_owned(), micros(half), micros(most), format!("{beside:.2}")]);
    }
    table
}
