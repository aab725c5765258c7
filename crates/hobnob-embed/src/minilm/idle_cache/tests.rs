//! Loaded once, kept while in use, let go after its rest, and loaded again.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::advance;

use super::IdleCache;

const REST: Duration = Duration::from_secs(600);
const MOMENT: Duration = Duration::from_secs(1);

fn load(idle_cache: &IdleCache<u32>, value: u32) -> Arc<u32> {
    let Ok(value) = idle_cache.handle().get(|| Ok::<_, Infallible>(value));
    value
}

fn is_empty(idle_cache: &IdleCache<u32>) -> bool {
    idle_cache.slot.lock().unwrap().is_none()
}

/// Lets time pass, and the evictor look.
async fn pass(time: Duration) {
    advance(time).await;
    tokio::task::yield_now().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_not_used_is_let_go() {
    let idle_cache = IdleCache::new(REST);
    assert_eq!(*load(&idle_cache, 1), 1);
    // Each use starts the rest anew, and nothing is loaded twice.
    for _ in 0..5 {
        pass(REST - MOMENT).await;
        assert_eq!(*load(&idle_cache, 2), 1);
    }
    pass(REST - MOMENT).await;
    assert!(!is_empty(&idle_cache));
    pass(2 * MOMENT).await;
    assert!(is_empty(&idle_cache));
    pass(10 * REST).await;
    assert_eq!(*load(&idle_cache, 3), 3);
    pass(REST + MOMENT).await;
    pass(REST + MOMENT).await;
    assert!(is_empty(&idle_cache));
}

#[tokio::test(start_paused = true)]
async fn what_is_in_use_is_kept() {
    let idle_cache = IdleCache::new(REST);
    let used = load(&idle_cache, 1);
    for _ in 0..5 {
        pass(REST + MOMENT).await;
        assert!(!is_empty(&idle_cache));
    }
    drop(used);
    pass(REST + MOMENT).await;
    pass(REST + MOMENT).await;
    assert!(is_empty(&idle_cache));
}

#[test]
fn a_new_runtime_has_a_keeper_too() {
    let idle_cache = IdleCache::new(REST);
    for value in [1, 2] {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            load(&idle_cache, value);
            pass(REST + MOMENT).await;
            pass(REST + MOMENT).await;
        });
        assert!(is_empty(&idle_cache), "after runtime {value}");
    }
}

#[tokio::test]
async fn a_failure_is_not_kept() {
    let idle_cache = IdleCache::<u32>::new(REST);
    let handle = idle_cache.handle();
    assert_eq!(handle.get(|| Err("no file")), Err("no file"));
    assert_eq!(handle.get(|| Ok::<_, &str>(7)), Ok(Arc::new(7)));
}
