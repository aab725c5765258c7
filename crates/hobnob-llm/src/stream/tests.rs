//! How streams end, and that a full queue holds the sender back.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::oneshot;

use super::{ModelStream, QUEUE_CAPACITY};
use crate::error::ProviderError;
use crate::event::{ModelCompletion, ModelEvent, StopReason};

fn finished() -> ModelEvent {
    ModelEvent::Finished(ModelCompletion { stop: StopReason::End, usage: None, cost: None })
}

#[tokio::test]
async fn nothing_comes_after_the_end() {
    let mut stream = ModelStream::start(|events| async move {
        events.send(finished()).await;
        events.send(ModelEvent::Text("late".into())).await;
    });
    assert_eq!(stream.next().await, Some(Ok(finished())));
    assert_eq!(stream.next().await, None);

    let error = ProviderError::Cut("it".into());
    let sent = error.clone();
    let mut stream = ModelStream::start(|events| async move { events.fail(sent).await });
    assert_eq!(stream.next().await, Some(Err(error)));
    assert_eq!(stream.next().await, None);
}

#[tokio::test]
async fn work_that_ends_without_a_word_is_an_error() {
    let mut stream = ModelStream::start(|_| async {});
    assert!(matches!(stream.next().await, Some(Err(ProviderError::Cut(_)))));
    assert_eq!(stream.next().await, None);
}

#[tokio::test]
async fn a_slow_reader_slows_the_work_and_a_gone_one_ends_it() {
    let sent = Arc::new(AtomicUsize::new(0));
    let (dropped, ended) = oneshot::channel::<()>();
    let count = Arc::clone(&sent);
    let mut stream = ModelStream::start(|events| async move {
        let _until_the_end = dropped;
        loop {
            events.send(ModelEvent::Text("x".into())).await;
            count.fetch_add(1, Ordering::Relaxed);
        }
    });
    assert!(stream.next().await.is_some());
    // The task runs whenever this test yields, and still cannot get further ahead.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert!(sent.load(Ordering::Relaxed) <= QUEUE_CAPACITY + 1);
    drop(stream);
    ended.await.unwrap_err();
}
