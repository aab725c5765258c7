//! A pseudorandom number generator that gives the same numbers in every run, on every machine.

/// A sequence of pseudorandom numbers (SplitMix64).
pub(crate) struct RandomNumbers(u64);

impl RandomNumbers {
    /// The sequence with this number as its seed.
    pub(crate) fn numbered(number: u64) -> Self {
        Self(number.wrapping_mul(0xD1B5_4A32_D192_ED03))
    }

    /// The sequence with the FNV-1a hash of this text as its seed.
    pub(crate) fn of_text(text: &str) -> Self {
        let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        Self(text.bytes().fold(0xCBF2_9CE4_8422_2325, mix))
    }

    /// A number from 0 to `limit` − 1.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        let limit = u64::try_from(limit.max(1)).unwrap_or(u64::MAX);
        usize::try_from(self.next() % limit).unwrap_or_default()
    }

    /// A number from 0 up to, but not including, 1.
    pub(crate) fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}
