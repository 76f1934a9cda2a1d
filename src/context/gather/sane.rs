//! A look over what a provider said: nonsense does not get further than this.

use crate::context::contribution::Contribution;

/// Pieces of one provider; more than a prompt could ever hold.
const PIECES_MAX: usize = 4096;

/// One piece, in bytes: larger than the largest window.
const PIECE_BYTES_MAX: usize = 4 * 1024 * 1024;

/// No token is longer, in bytes, but of runs of the same sign, which are counted then.
const TOKEN_BYTES_MAX: u32 = 64;

/// The pieces that make sense: not empty, not endless, with a relevance that is a number from 0 to 1.
pub(super) fn looked_over(provider: &str, mut pieces: Vec<Contribution>) -> Vec<Contribution> {
    let before = pieces.len();
    pieces.retain(|piece| !piece.text.trim().is_empty() && piece.text.len() <= PIECE_BYTES_MAX);
    pieces.truncate(PIECES_MAX);
    if pieces.len() < before {
        tracing::warn!(
            provider,
            dropped = before - pieces.len(),
            "pieces that are empty or too many were dropped"
        );
    }
    for piece in &mut pieces {
        // A count that cannot be right is made anew: one that is too high costs its place, one that is too low the others'.
        let bytes = u32::try_from(piece.text.len()).unwrap_or(u32::MAX);
        let plausible = (bytes / TOKEN_BYTES_MAX).max(1)..=bytes;
        piece.tokens = piece.tokens.filter(|tokens| plausible.contains(tokens));
        piece.relevance = if piece.relevance.is_nan() { 0.0 } else { piece.relevance.clamp(0.0, 1.0) };
    }
    pieces
}
