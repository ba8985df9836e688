//! Numbers without a pattern, the same at every run: SplitMix64.

/// A generator.
pub(crate) struct Chance(u64);

impl Chance {
    /// A generator whose numbers depend on `seed` alone.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        let limit = u64::try_from(limit).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next() % limit).unwrap_or(0)
    }

    /// An id in the manner of UUIDv7: ordered by `millis`, then without a pattern.
    pub(crate) fn id(&mut self, millis: u64) -> [u8; 16] {
        let tail = (u128::from(self.next()) << 64 | u128::from(self.next())) >> 48;
        let version = 0x7_u128 << 76;
        let variant = 0x2_u128 << 62;
        let masked = tail & !(0xF << 76) & !(0x3 << 62);
        ((u128::from(millis) << 80) | version | variant | masked).to_be_bytes()
    }
}
