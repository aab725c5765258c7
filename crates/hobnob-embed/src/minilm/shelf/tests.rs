//! Loaded once, kept while in use, let go after its rest, and loaded again.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::advance;

use super::Shelf;

const REST: Duration = Duration::from_secs(600);
const MOMENT: Duration = Duration::from_secs(1);

fn load(shelf: &Shelf<u32>, value: u32) -> Arc<u32> {
    let Ok(value) = shelf.reach().get(|| Ok::<_, Infallible>(value));
    value
}

fn is_empty(shelf: &Shelf<u32>) -> bool {
    shelf.slot.lock().unwrap().is_none()
}

/// Lets time pass, and the keeper look.
async fn pass(time: Duration) {
    advance(time).await;
    tokio::task::yield_now().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_not_used_is_let_go() {
    let shelf = Shelf::new(REST);
    assert_eq!(*load(&shelf, 1), 1);
    // Each use starts the rest anew, and nothing is loaded twice.
    for _ in 0..5 {
        pass(REST - MOMENT).await;
        assert_eq!(*load(&shelf, 2), 1);
    }
    pass(REST - MOMENT).await;
    assert!(!is_empty(&shelf));
    pass(2 * MOMENT).await;
    assert!(is_empty(&shelf));
    pass(10 * REST).await;
    assert_eq!(*load(&shelf, 3), 3);
    pass(REST + MOMENT).await;
    pass(REST + MOMENT).await;
    assert!(is_empty(&shelf));
}

#[tokio::test(start_paused = true)]
async fn what_is_in_use_is_kept() {
    let shelf = Shelf::new(REST);
    let used = load(&shelf, 1);
    for _ in 0..5 {
        pass(REST + MOMENT).await;
        assert!(!is_empty(&shelf));
    }
    drop(used);
    pass(REST + MOMENT).await;
    pass(REST + MOMENT).await;
    assert!(is_empty(&shelf));
}

#[test]
fn a_new_runtime_has_a_keeper_too() {
    let shelf = Shelf::new(REST);
    for value in [1, 2] {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            load(&shelf, value);
            pass(REST + MOMENT).await;
            pass(REST + MOMENT).await;
        });
        assert!(is_empty(&shelf), "after runtime {value}");
    }
}

#[tokio::test]
async fn a_failure_is_not_kept() {
    let shelf = Shelf::<u32>::new(REST);
    let reach = shelf.reach();
    assert_eq!(reach.get(|| Err("no file")), Err("no file"));
    assert_eq!(reach.get(|| Ok::<_, &str>(7)), Ok(Arc::new(7)));
}
