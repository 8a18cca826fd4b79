//! Collections whose generic parts are small: this library is downloaded by browsers.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

/// A map by numbers that the library itself gives: nobody outside chooses them, so they need no keyed hash.
pub(crate) type ByNumber<K, V> = HashMap<K, V, BuildHasherDefault<Numbers>>;

/// Hashes numbers that nobody outside chooses.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Numbers(u64);

impl Hasher for Numbers {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    #[inline]
    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    #[inline]
    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        // The golden ratio spreads numbers in a row, and those in equal steps, evenly over the upper bits.
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    #[inline]
    fn finish(&self) -> u64 {
        // A table takes the lower bits for the place.
        self.0.rotate_left(32)
    }
}

/// The set of the items. To collect one sorts them, by a sort of a few kilobytes for each type.
pub(crate) fn set<T: Ord>(items: impl IntoIterator<Item = T>) -> BTreeSet<T> {
    let mut set = BTreeSet::new();
    for item in items {
        set.insert(item);
    }
    set
}

/// The map of the entries; of two with one key it has the last.
pub(crate) fn map<K: Ord, V>(entries: impl IntoIterator<Item = (K, V)>) -> BTreeMap<K, V> {
    let mut map = BTreeMap::new();
    for (key, value) in entries {
        map.insert(key, value);
    }
    map
}

/// The items in order, those that are equal as they stood: one sort for all types.
pub(crate) fn sorted_by<T>(items: Vec<T>, compare: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    let order = order(items.len(), &|one, two| match (items.get(one), items.get(two)) {
        (Some(one), Some(two)) => compare(one, two),
        _ => Ordering::Equal,
    });
    let mut items: Vec<Option<T>> = items.into_iter().map(Some).collect();
    order.into_iter().filter_map(|at| items.get_mut(at)?.take()).collect()
}

fn order(length: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..length).collect();
    order.sort_by(|one, two| compare(*one, *two));
    order
}

#[cfg(test)]
mod tests {
    use std::hash::Hash;

    use super::*;

    #[test]
    fn sorts_and_keeps_what_is_equal_in_place() {
        let items = vec![(2, 'a'), (1, 'b'), (2, 'c'), (1, 'd')];
        let sorted = sorted_by(items, |one, two| one.0.cmp(&two.0));
        assert_eq!(sorted, [(1, 'b'), (1, 'd'), (2, 'a'), (2, 'c')]);
        assert_eq!(map([(1, 'a'), (2, 'b'), (1, 'c')]), BTreeMap::from([(1, 'c'), (2, 'b')]));
        assert_eq!(set([3, 1, 3]), BTreeSet::from([1, 3]));
    }

    #[test]
    fn numbers_in_steps_are_spread() {
        let hash = |key: (u32, u32)| {
            let mut hasher = Numbers::default();
            key.hash(&mut hasher);
            hasher.finish()
        };
        for step in [1, 2, 3, 64, 1 << 12, 1 << 20] {
            let places = set((0..1024).map(|at| hash((at % 3, at.wrapping_mul(step))) & 0xffff));
            assert!(places.len() > 900, "step {step}: {}", places.len());
        }
    }
}
