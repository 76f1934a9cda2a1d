//! Laying one settings file over another.

use std::collections::btree_map::Entry;

use super::tree::{Item, Node};

/// `over` on top of `base`: tables merge key by key at every depth; anything else, lists included, is replaced
/// whole. Every value keeps the place it was written at.
pub(super) fn merge(base: Node, over: Node) -> Node {
    match (base.item, over.item) {
        (Item::Table(mut below), Item::Table(above)) => {
            for (key, node) in above {
                match below.entry(key) {
                    Entry::Vacant(slot) => {
                        slot.insert(node);
                    }
                    Entry::Occupied(mut slot) => {
                        let merged = merge(slot.get().clone(), node);
                        slot.insert(merged);
                    }
                }
            }
            Node { item: Item::Table(below), place: over.place, key: over.key }
        }
        (_, item) => Node { item, place: over.place, key: over.key },
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::source::{Rank, Source};
    use super::*;

    fn node(text: &str) -> Node {
        Node::parse(&Arc::new(Source { name: "t".into(), text: text.into(), rank: Rank::Familiar })).unwrap()
    }

    #[test]
    fn tables_merge_deeply_and_lists_are_replaced() {
        let merged = merge(
            node("a = 1\nlist = [1, 2]\n[t]\nx = 1\n[t.deep]\nkeep = true\nswap = 1"),
            node("list = [3]\n[t.deep]\nswap = 2\nnew = 3"),
        );
        let leaves: Vec<_> =
            merged.leaves().into_iter().map(|(key, value)| format!("{key}={value}")).collect();
        assert_eq!(leaves, ["a=1", "list=[3]", "t.deep.keep=true", "t.deep.new=3", "t.deep.swap=2", "t.x=1"]);
    }

    #[test]
    fn values_remember_which_file_they_came_from() {
        let merged = merge(node("a = 1\nb = 1"), node("b = 2"));
        assert_eq!(merged.get(["a"]).unwrap().place.source.text, "a = 1\nb = 1");
        assert_eq!(merged.get(["b"]).unwrap().place.source.text, "b = 2");
    }
}
