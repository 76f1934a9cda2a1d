//! Messages of every effort that is measured, each round about other words.

use familiar_connect::context::TurnRequest;

use crate::corpus::{rank, word};
use crate::rig::Rig;

/// A message of each effort that is measured; the words are those of a round.
pub const MESSAGES: [(u8, &str); 5] = [
    (1, "hi Pell!"),
    (3, "we should go to the {} on sunday, Gwen says the {} looks fine from up there"),
    (5, "*leans on the railing and looks for the {}* Did the {} ever come back, I wonder."),
    (6, "do you remember what Chiyo said about the {} and the {} last winter?"),
    (9, "summarise everything that happened with the {}, the {} and Gwen since Farid and Alice met"),
];

/// The message as a round says it.
fn message(template: &str, round: u64) -> String {
    let mut parts = template.split("{}");
    let mut said = parts.next().unwrap_or_default().to_owned();
    for (at, part) in (0..).zip(parts) {
        // Not the commonest words: people ask about things.
        said.push_str(&word(rank(round * 8 + at + 77_000_000).max(30)));
        said.push_str(part);
    }
    said
}

/// A turn at `effort`, judged as the program does it.
pub fn request(rig: &Rig, effort: u8, template: &str, round: u64) -> TurnRequest {
    let request = rig.asking(&message(template, round));
    assert_eq!(request.plan.intent.effort.level(), effort, "{}", request.utterance());
    request
}
