//! Durations of calls as a histogram with logarithmic buckets: four to each power of two, so a
//! percentile is off by a quarter at most. Histograms of any ranges can be added up.
//!
//! Every record of usage has one; a backend stores its bytes.

/// Shorter durations, in microseconds, share the first bucket.
const FIRST_BOUND: u64 = 1 << FIRST_POWER;
const FIRST_POWER: u32 = 4;
/// Buckets to each power of two, as a power of two.
const PARTS_POWER: u32 = 2;
const PARTS: u64 = 1 << PARTS_POWER;
/// The last bucket begins at two hours and has all that is longer.
const BUCKETS: usize = 1 + 29 * PARTS as usize;

/// How long calls took, in microseconds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallDurations {
    /// The count of each bucket, up to the last one that is not empty.
    counts: Vec<u64>,
}

impl CallDurations {
    /// Counts a call of this many microseconds.
    pub fn add(&mut self, micros: u64) {
        self.count(bucket_of(micros), 1);
    }

    /// Adds the calls of another histogram.
    pub fn merge(&mut self, other: &Self) {
        for (bucket, count) in other.counts.iter().enumerate() {
            self.count(bucket, *count);
        }
    }

    /// How many calls were counted.
    pub fn calls(&self) -> u64 {
        self.counts.iter().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// The duration in microseconds that this percentage of calls did not exceed; `None` without
    /// calls. Calls count as spread evenly over their bucket.
    pub fn percentile(&self, percent: u8) -> Option<u64> {
        let calls = u128::from(self.calls());
        let rank = (calls * u128::from(percent.min(100))).div_ceil(100).max(1);
        let mut before = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            let count = u128::from(*count);
            if rank <= before + count {
                let (start, width) = bounds(bucket);
                let inside = u128::from(width) * (2 * (rank - before) - 1) / (2 * count);
                return Some(start.saturating_add(u64::try_from(inside).unwrap_or(width)));
            }
            before += count;
        }
        None
    }

    /// The buckets that are not empty, each as its number and its count (LEB128).
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (bucket, count) in (0_u8..).zip(&self.counts).filter(|(_, count)| **count != 0) {
            bytes.push(bucket);
            let mut rest = *count;
            while 0x80 <= rest {
                bytes.push((rest & 0x7F) as u8 | 0x80);
                rest >>= 7;
            }
            bytes.push(rest as u8);
        }
        bytes
    }

    /// Reads what [`Self::to_bytes`] wrote; `None` for any other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut durations = Self::default();
        let mut bytes = bytes.iter().copied();
        while let Some(bucket) = bytes.next() {
            let bucket = usize::from(bucket);
            let is_next = durations.counts.len() <= bucket && bucket < BUCKETS;
            let (mut count, mut shift) = (0_u64, 0_u32);
            loop {
                let byte = bytes.next()?;
                let part = u64::from(byte & 0x7F);
                count |= part.checked_shl(shift).filter(|it| it >> shift == part)?;
                shift += 7;
                if byte & 0x80 == 0 {
                    break;
                }
            }
            if !is_next || count == 0 {
                return None;
            }
            durations.count(bucket, count);
        }
        Some(durations)
    }

    fn count(&mut self, bucket: usize, calls: u64) {
        if self.counts.len() <= bucket {
            self.counts.resize(bucket + 1, 0);
        }
        self.counts[bucket] = self.counts[bucket].saturating_add(calls);
    }
}

fn bucket_of(micros: u64) -> usize {
    let Some(power) = micros.checked_ilog2().filter(|power| FIRST_POWER <= *power) else {
        return 0;
    };
    let part = (micros >> (power - PARTS_POWER)) & (PARTS - 1);
    let bucket = u64::from(power - FIRST_POWER) * PARTS + part + 1;
    usize::try_from(bucket).unwrap_or(BUCKETS).min(BUCKETS - 1)
}

/// The start of a bucket and its width.
fn bounds(bucket: usize) -> (u64, u64) {
    let Some(place) = bucket.checked_sub(1) else { return (0, FIRST_BOUND) };
    let (power, part) = (place as u64 / PARTS, place as u64 % PARTS);
    let width = (FIRST_BOUND / PARTS) << power;
    ((PARTS + part) * width, width)
}

#[cfg(test)]
mod tests;
