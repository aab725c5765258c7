//! Percentiles against exact ones, and the bytes of a histogram.

use super::{BUCKETS, CallDurations, bounds, bucket_of};

fn of(durations: impl IntoIterator<Item = u64>) -> CallDurations {
    let mut histogram = CallDurations::default();
    durations.into_iter().for_each(|micros| histogram.add(micros));
    histogram
}

#[test]
fn buckets_have_no_gaps() {
    for bucket in 0..BUCKETS {
        let (start, width) = bounds(bucket);
        assert_eq!((bucket_of(start), bucket_of(start + width - 1)), (bucket, bucket));
    }
    let (last, _) = bounds(BUCKETS - 1);
    assert_eq!((bucket_of(last - 1), bucket_of(u64::MAX)), (BUCKETS - 2, BUCKETS - 1));
    assert!((3_600_000_000..3 * 3_600_000_000).contains(&last), "{last}");
}

#[test]
fn percentiles_are_off_by_a_quarter_at_most() {
    let mut random = fastrand::Rng::with_seed(1);
    for calls in [1, 2, 3, 19, 20, 21, 1_000] {
        let mut exact: Vec<u64> = (0..calls).map(|_| 1_u64 << random.u32(5..30)).collect();
        exact.iter_mut().for_each(|micros| *micros += random.u64(0..*micros));
        let histogram = of(exact.iter().copied());
        exact.sort_unstable();
        for percent in [1_u8, 50, 95, 99, 100] {
            let rank = (exact.len() * usize::from(percent)).div_ceil(100).max(1);
            let (found, exact) = (histogram.percentile(percent).unwrap(), exact[rank - 1]);
            let error = found.abs_diff(exact);
            assert!(error * 4 <= exact, "{percent} % of {calls}: {found} instead of {exact}");
        }
    }
    assert_eq!(of([]).percentile(50), None);
    assert_eq!(of([0]).percentile(0), of([0]).percentile(100));
}

#[test]
fn bytes_are_read_back_and_nothing_else_is() {
    let mut many = of([0, 15, 16, 1_000, 1_000, u64::MAX]);
    many.count(7, u64::MAX);
    for histogram in [of([]), of([5]), of((0..500).map(|it| it * it)), many] {
        let bytes = histogram.to_bytes();
        assert_eq!(CallDurations::from_bytes(&bytes), Some(histogram));
        for end in 1..bytes.len() {
            let part = CallDurations::from_bytes(&bytes[..end]);
            assert!(part.is_none_or(|part| part.to_bytes() == bytes[..end]));
        }
    }
    let too_large = [[5, 0xFF].as_slice(), &[0xFF; 9], &[1]].concat();
    for bytes in [&[5][..], &[5, 0], &[5, 1, 5, 1], &[6, 1, 5, 1], &[BUCKETS as u8, 1], &too_large]
    {
        assert_eq!(CallDurations::from_bytes(bytes), None, "{bytes:?}");
    }
}

#[test]
fn sums_have_the_calls_of_both() {
    let (one, other) = (of([5, 100, 9_000]), of([100, 1_000_000]));
    let mut sum = one.clone();
    sum.merge(&other);
    assert_eq!(sum, of([5, 100, 9_000, 100, 1_000_000]));
    assert_eq!(sum.calls(), 5);
}
