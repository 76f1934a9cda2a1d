//! What could be heard of the familiar, read from its sound.

use super::engines::{WORDS, pitch, word_of};

/// Frames of 20 ms that a tone must last to be a word that was heard: a third of one.
const FRAMES: usize = 5;

/// Listens to frames of 20 ms at 48 kHz.
#[derive(Debug, Default)]
pub struct Audible {
    run: Option<(usize, usize)>,
    words: Vec<usize>,
    /// Frames in which anything was to be heard.
    pub frames: usize,
}

impl Audible {
    pub fn hear(&mut self, frame: &[f32]) {
        let loud = frame.iter().map(|sample| sample * sample).sum::<f32>() / frame.len() as f32;
        if loud < 1e-5 {
            return;
        }
        self.frames += 1;
        let crossings = frame.windows(2).filter(|pair| (pair[0] < 0.0) != (pair[1] < 0.0)).count();
        let hz = crossings as f32 * 25.0;
        let heard = (0..WORDS.len()).min_by_key(|word| (pitch(*word) - hz).abs() as u32).unwrap_or_default();
        match &mut self.run {
            Some((word, frames)) if *word == heard => *frames += 1,
            _ => {
                self.over();
                self.run = Some((heard, 1));
            }
        }
    }

    fn over(&mut self) {
        if let Some((word, frames)) = self.run.take()
            && frames >= FRAMES
            && self.words.last() != Some(&word)
        {
            self.words.push(word);
        }
    }

    /// The words of each reply that could be heard, without the one that begins it.
    pub fn replies(mut self) -> Vec<Vec<usize>> {
        self.over();
        by_reply(self.words)
    }
}

/// The words of each reply in a text, without the one that begins it.
pub fn replies_in(text: &str) -> Vec<Vec<usize>> {
    by_reply(text.split_whitespace().filter_map(word_of).collect())
}

fn by_reply(words: Vec<usize>) -> Vec<Vec<usize>> {
    let mut replies: Vec<Vec<usize>> = Vec::new();
    for word in words {
        match replies.last_mut() {
            _ if word == 0 => replies.push(Vec::new()),
            Some(reply) => reply.push(word),
            None => replies.push(vec![word]),
        }
    }
    replies
}

/// How what is remembered fits to what was heard.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Fit {
    pub exact: usize,
    /// One word more or less.
    pub nearly: usize,
    /// Anything else: what is remembered, and what was heard of it.
    pub wrong: Vec<(Vec<usize>, Option<Vec<usize>>)>,
    /// Heard for more than a word, and not remembered.
    pub missing: usize,
}

/// Puts both side by side, in order.
pub fn compare(remembered: &[Vec<usize>], heard: &[Vec<usize>]) -> Fit {
    let mut fit = Fit::default();
    let mut next = 0;
    for reply in remembered {
        let is_this = |heard: &Vec<usize>| heard.iter().zip(reply).take(2).all(|(one, other)| one == other);
        let ahead = heard.get(next..).unwrap_or_default();
        // What was heard for a word or less may not be remembered; anything longer must be.
        let most = ahead.iter().position(|heard| heard.len() > 1).map_or(ahead.len(), |at| at + 1);
        let mut near = ahead.iter().take(most);
        let fits = |heard: &Vec<usize>| match reply.len() {
            0 | 1 => heard.len() <= reply.len() + 1 && is_this(heard),
            _ => heard.len() > 1 && is_this(heard),
        };
        let Some(at) = near.position(fits) else {
            // A single word at the very end of what was heard can be too short to be told.
            match reply.len() {
                0 | 1 => fit.nearly += 1,
                _ => fit.wrong.push((reply.clone(), None)),
            }
            continue;
        };
        fit.missing += ahead.iter().take(at).filter(|heard| heard.len() > 1).count();
        let Some(one) = ahead.get(at) else { continue };
        let same = one.iter().zip(reply).take_while(|(one, other)| one == other).count();
        let (longer, shorter) = (one.len().max(reply.len()), one.len().min(reply.len()));
        match longer - shorter {
            _ if same < shorter => fit.wrong.push((reply.clone(), Some(one.clone()))),
            0 => fit.exact += 1,
            1 => fit.nearly += 1,
            _ => fit.wrong.push((reply.clone(), Some(one.clone()))),
        }
        next += at + 1;
    }
    fit.missing += heard.get(next..).unwrap_or_default().iter().filter(|heard| heard.len() > 1).count();
    fit
}
