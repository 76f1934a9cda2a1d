//! How near what was said comes to a question in meaning: each turn, the turns around it, and the session it belongs to
//! (memory 2.3: MiniLM turn, ±1 window, best in session). A window's vector is not made by the model: the average of
//! three turns' cosines ranks as well.

use super::index::{At, TurnViewer, Turns};
use super::meaning::Meant;
use crate::embedding::TurnVectors;

/// A turn counts as much as both of its neighbours.
const OWN: f32 = 2.0;

/// So many turns are called up by their meaning, whatever their words.
const CALLED_UP: usize = 100;

/// A cosine up to which two texts have no more to do with each other than any two, and one from which they say the same.
const UNRELATED: f32 = 0.3;
const SAME: f32 = 0.8;

/// Every turn that may be seen, held against a question.
#[derive(Debug)]
pub(super) struct Near {
    turns: Vec<f32>,
    windows: Vec<f32>,
    sessions: Vec<f32>,
    best_window: f32,
    best_session: f32,
}

impl Near {
    /// Goes through all turns that may be seen.
    pub(super) fn new(turns: &Turns, viewer: &TurnViewer<'_>, vectors: &TurnVectors, meant: &Meant) -> Self {
        let mut each = vec![0.0_f32; turns.end()];
        let all = 0..At::try_from(turns.end()).unwrap_or(At::MAX);
        for at in all.clone() {
            if let Some(entry) = viewer.of(at)
                && let Some(cosine) = vectors.cosine(meant.probe(), entry.id)
            {
                each[at as usize] = cosine.max(0.0);
            }
        }
        let mut near = Self {
            windows: vec![0.0; turns.end()],
            sessions: vec![0.0; turns.sessions().len()],
            turns: each,
            best_window: f32::MIN_POSITIVE,
            best_session: f32::MIN_POSITIVE,
        };
        for at in all {
            let Some(entry) = viewer.of(at) else { continue };
            let (mut sum, mut shares) = (OWN * near.turns[at as usize], OWN);
            for beside in [viewer.before(at), viewer.after(at)].into_iter().flatten() {
                sum += near.turns[beside as usize];
                shares += 1.0;
            }
            let window = sum / shares;
            near.windows[at as usize] = window;
            near.best_window = near.best_window.max(window);
            let session = &mut near.sessions[entry.session as usize];
            *session = session.max(window);
            near.best_session = near.best_session.max(*session);
        }
        near
    }

    /// The turns whose windows come nearest.
    pub(super) fn nearest(&self) -> Vec<At> {
        let mut all: Vec<At> = (0..At::try_from(self.windows.len()).unwrap_or(At::MAX))
            .filter(|at| self.windows[*at as usize] > 0.0)
            .collect();
        let nearest_first = |a: &At, b: &At| {
            self.windows[*b as usize].total_cmp(&self.windows[*a as usize]).then_with(|| b.cmp(a))
        };
        if all.len() > CALLED_UP {
            all.select_nth_unstable_by(CALLED_UP, nearest_first);
            all.truncate(CALLED_UP);
        }
        all
    }

    /// The turn with those around it, 0 to 1, 1 being the nearest of all.
    pub(super) fn window(&self, at: At) -> f32 {
        self.windows[at as usize] / self.best_window
    }

    /// The nearest of a session, 0 to 1, 1 being the nearest of all.
    pub(super) fn session(&self, session: u32) -> f32 {
        self.sessions[session as usize] / self.best_session
    }

    /// The turn alone, as a cosine.
    pub(super) fn cosine(&self, at: At) -> f32 {
        self.turns[at as usize]
    }

    /// How likely a turn is meant for its meaning alone, 0 to 1; comparable between questions.
    pub(super) fn likelihood(&self, at: At) -> f32 {
        ((self.cosine(at) - UNRELATED) / (SAME - UNRELATED)).clamp(0.0, 1.0)
    }
}
