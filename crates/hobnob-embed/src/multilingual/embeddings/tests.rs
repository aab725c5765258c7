//! Packing keeps every number of six bits at every place.

use super::{MAX_VALUE, pack, unpack};

#[test]
fn numbers_are_unpacked_as_they_were() {
    for value in 0..=MAX_VALUE {
        let values = [value, MAX_VALUE - value, value ^ 0b10_1010, value / 2];
        let packed = pack(&values);
        assert_eq!(packed.len(), 3);
        assert_eq!(unpack([packed[0], packed[1], packed[2]]), values);
    }
}
