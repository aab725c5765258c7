//! Loaded once, kept while in use, dropped when idle, and loaded again.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::advance;

use super::IdleCache;

const IDLE_TIMEOUT: Duration = Duration::from_secs(600);
const MOMENT: Duration = Duration::from_secs(1);

fn load(idle_cache: &IdleCache<u32>, value: u32) -> Arc<u32> {
    let Ok(value) = idle_cache.handle().get(|| Ok::<_, Infallible>(value));
    value
}

fn is_empty(idle_cache: &IdleCache<u32>) -> bool {
    idle_cache.slot.lock().is_none()
}

/// Advances the paused clock and lets the evictor run.
async fn pass(time: Duration) {
    advance(time).await;
    tokio::task::yield_now().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_not_used_is_let_go() {
    let idle_cache = IdleCache::new(IDLE_TIMEOUT);
    assert_eq!(*load(&idle_cache, 1), 1);
    // Each use restarts the timeout, and nothing is loaded twice.
    for _ in 0..5 {
        pass(IDLE_TIMEOUT - MOMENT).await;
        assert_eq!(*load(&idle_cache, 2), 1);
    }
    pass(IDLE_TIMEOUT - MOMENT).await;
    assert!(!is_empty(&idle_cache));
    pass(2 * MOMENT).await;
    assert!(is_empty(&idle_cache));
    pass(10 * IDLE_TIMEOUT).await;
    assert_eq!(*load(&idle_cache, 3), 3);
    pass(IDLE_TIMEOUT + MOMENT).await;
    pass(IDLE_TIMEOUT + MOMENT).await;
    assert!(is_empty(&idle_cache));
}

#[tokio::test(start_paused = true)]
async fn what_is_in_use_is_kept() {
    let idle_cache = IdleCache::new(IDLE_TIMEOUT);
    let used = load(&idle_cache, 1);
    for _ in 0..5 {
        pass(IDLE_TIMEOUT + MOMENT).await;
        assert!(!is_empty(&idle_cache));
    }
    drop(used);
    pass(IDLE_TIMEOUT + MOMENT).await;
    pass(IDLE_TIMEOUT + MOMENT).await;
    assert!(is_empty(&idle_cache));
}

#[test]
fn a_new_runtime_has_a_keeper_too() {
    let idle_cache = IdleCache::new(IDLE_TIMEOUT);
    for value in [1, 2] {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            load(&idle_cache, value);
            pass(IDLE_TIMEOUT + MOMENT).await;
            pass(IDLE_TIMEOUT + MOMENT).await;
        });
        assert!(is_empty(&idle_cache), "after runtime {value}");
    }
}

#[tokio::test]
async fn a_failure_is_not_kept() {
    let idle_cache = IdleCache::<u32>::new(IDLE_TIMEOUT);
    let handle = idle_cache.handle();
    assert_eq!(handle.get(|| Err("no file")), Err("no file"));
    assert_eq!(handle.get(|| Ok::<_, &str>(7)), Ok(Arc::new(7)));
}
