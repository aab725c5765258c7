//! Every finite, non-zero list of numbers becomes a unit vector, and nothing else does.

use super::{BadVector, Vector};

#[test]
fn numbers_of_any_size_come_to_length_one() {
    for raw in [
        vec![3.0, 4.0],
        vec![f32::MAX; 384],
        vec![f32::MIN_POSITIVE / 4.0, 0.0],
        vec![-1e-30, 1e30],
        vec![1.0],
    ] {
        let vector = Vector::from_raw(raw.clone()).unwrap();
        let length: f64 = vector.as_slice().iter().map(|it| f64::from(*it).powi(2)).sum();
        assert!((length - 1.0).abs() < 1e-6, "{raw:?} came to {length}");
        for (unit, raw) in vector.as_slice().iter().zip(&raw) {
            assert_eq!(unit.is_sign_negative(), raw.is_sign_negative());
        }
    }
    assert_eq!(Vector::from_raw(vec![3.0, -4.0]).unwrap().as_slice(), [0.6, -0.8]);
}

#[test]
fn what_has_no_direction_is_refused() {
    for (raw, why) in [
        (vec![], BadVector::Empty),
        (vec![0.0, -0.0], BadVector::Zero),
        (vec![1.0, f32::NAN], BadVector::NotFinite(1)),
        (vec![f32::NEG_INFINITY, 1.0], BadVector::NotFinite(0)),
    ] {
        assert_eq!(Vector::from_raw(raw), Err(why));
    }
}
