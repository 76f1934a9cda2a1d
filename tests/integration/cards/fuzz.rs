//! The fuzz targets' entry functions on whole seeds and on seeds that were damaged, without a fuzzer.

use proptest::prelude::*;

use super::stable::seeds;

#[path = "../../fuzz/entry.rs"]
mod entry;

const ENTRIES: [fn(&[u8]); 6] =
    [entry::png_card, entry::json_card, entry::charx, entry::webp, entry::yaml, entry::lorebook];

#[test]
fn every_target_takes_every_whole_seed() {
    for seed in seeds() {
        for entry in ENTRIES {
            entry(&seed);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_target_takes_damaged_seeds(
        seed in 0..9_usize,
        from in any::<prop::sample::Index>(),
        to in any::<prop::sample::Index>(),
        noise in prop::collection::vec(any::<u8>(), 0..12),
    ) {
        let whole = seeds().swap_remove(seed);
        let (from, to) = (from.index(whole.len()), to.index(whole.len()));
        // A piece is taken out, doubled or replaced by noise, depending on how the two places fall.
        let bytes = [&whole[..from], &noise, &whole[to..]].concat();
        for entry in ENTRIES {
            entry(&bytes);
        }
    }
}
