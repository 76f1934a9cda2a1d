//! A bounded map whose copies share everything that did not change.
//!
//! Owns the copy-on-write of the snapshots: one change copies the list of buckets and one bucket, whatever the size.
//! When a bucket is full, what was touched longest ago makes room. Start reading at [`Shelf`].

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Buckets of a shelf; a change copies this many pointers.
const BUCKETS: usize = 32;

/// Entries of a bucket; a shelf holds at most 2,048.
const PER_BUCKET: usize = 64;

type Bucket<K, V> = Arc<Vec<Arc<Entry<K, V>>>>;

/// Bounded, persistent: cloning is cheap, and a clone never sees later changes.
#[derive(Debug, Clone)]
pub(super) struct Shelf<K, V> {
    buckets: Vec<Bucket<K, V>>,
}

#[derive(Debug)]
struct Entry<K, V> {
    key: K,
    value: V,
    /// The number of the change that last touched it.
    touched: u64,
}

impl<K, V> Default for Shelf<K, V> {
    fn default() -> Self {
        Self { buckets: (0..BUCKETS).map(|_| Arc::default()).collect() }
    }
}

impl<K: Hash + Eq, V> Shelf<K, V> {
    pub(super) fn get(&self, key: &K) -> Option<&V> {
        let bucket = self.buckets.get(bucket_of(key))?;
        bucket.iter().find(|entry| entry.key == *key).map(|entry| &entry.value)
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.buckets.iter().map(|bucket| bucket.len()).sum()
    }
}

impl<K: Hash + Eq + Clone, V: Clone + Default> Shelf<K, V> {
    /// Changes one entry, made first where there is none. `stamp` grows with every change.
    pub(super) fn edit(&mut self, key: &K, stamp: u64, change: impl FnOnce(&mut V)) {
        let Some(slot) = self.buckets.get_mut(bucket_of(key)) else { return };
        let mut bucket: Vec<_> = slot.iter().map(Arc::clone).collect();
        let at = bucket.iter().position(|entry| entry.key == *key);
        let mut value = at.map(|at| bucket.swap_remove(at).value.clone()).unwrap_or_default();
        change(&mut value);
        if bucket.len() >= PER_BUCKET
            && let Some(oldest) = (0..bucket.len()).min_by_key(|index| bucket[*index].touched)
        {
            bucket.swap_remove(oldest);
        }
        bucket.push(Arc::new(Entry { key: key.clone(), value, touched: stamp }));
        *slot = Arc::new(bucket);
    }

    /// Changes every entry for which `change` says that it is to be.
    pub(super) fn edit_where(&mut self, is_wanted: impl Fn(&V) -> bool, change: impl Fn(&mut V)) {
        for slot in &mut self.buckets {
            if !slot.iter().any(|entry| is_wanted(&entry.value)) {
                continue;
            }
            let changed = slot.iter().map(|entry| {
                if !is_wanted(&entry.value) {
                    return Arc::clone(entry);
                }
                let mut value = entry.value.clone();
                change(&mut value);
                Arc::new(Entry { key: entry.key.clone(), value, touched: entry.touched })
            });
            *slot = Arc::new(changed.collect());
        }
    }

    pub(super) fn remove(&mut self, key: &K) {
        if self.get(key).is_none() {
            return;
        }
        let Some(slot) = self.buckets.get_mut(bucket_of(key)) else { return };
        *slot = Arc::new(slot.iter().filter(|entry| entry.key != *key).map(Arc::clone).collect());
    }
}

fn bucket_of<K: Hash>(key: &K) -> usize {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    usize::try_from(hasher.finish() % (BUCKETS as u64)).unwrap_or(0)
}
