//! Joined handles: dropping one closes all its parts, releasing it closes none.

use crate::Held;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
fn one_hold_stands_for_several() {
    let let_go = Arc::new(AtomicUsize::new(0));
    let held = || {
        let let_go = Arc::clone(&let_go);
        Held::new(move || {
            let_go.fetch_add(1, Ordering::Relaxed);
        })
    };
    assert!(Held::together(Vec::new()).is_none());
    for (count, gone) in [(1, 1), (2, 3), (3, 6)] {
        drop(Held::together((0..count).map(|_| held()).collect()));
        assert_eq!(let_go.load(Ordering::Relaxed), gone, "{count}");
    }
    for count in 1..4 {
        let together = Held::together((0..count).map(|_| held()).collect()).unwrap();
        together.release();
        drop(together);
        assert_eq!(let_go.load(Ordering::Relaxed), 6, "{count} released");
    }
}
