//! FNV-1a: a number for something, the same on every machine and in every release, which a hasher of the standard library
//! does not promise. For what is kept and for draws that can be repeated; not for what strangers could aim at.

/// What a number usually begins with.
pub const FNV_BASIS: u64 = 0xcbf2_9ce4_8422_2325;

/// The number of some bytes, or of some letters, in their order. Another beginning than [`FNV_BASIS`] gives other numbers.
#[must_use]
pub fn fnv(begin: u64, units: impl IntoIterator<Item: Into<u64>>) -> u64 {
    units.into_iter().fold(begin, |number, unit| {
        let unit: u64 = unit.into();
        (number ^ unit).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_that_everybody_has() {
        assert_eq!(fnv(FNV_BASIS, "".bytes()), FNV_BASIS);
        assert_eq!(fnv(FNV_BASIS, "a".bytes()), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv(FNV_BASIS, "foobar".bytes()), 0x8594_4171_f739_67e8);
        assert_eq!(fnv(FNV_BASIS, "foobar".chars()), fnv(FNV_BASIS, "foobar".bytes()));
    }
}
