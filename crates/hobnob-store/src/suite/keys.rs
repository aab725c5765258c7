//! Test cases for shared keys, run against every backend.
//!
//! What must stay true: only ports are used, so that every backend can run it.

use super::case::{Case, cases, run};
use super::case_result::{CaseResult, equal};
use crate::keys::KeyRepository;
use std::sync::Arc;

/// Runs all cases, each against an empty store that `make` creates.
pub async fn keys(make: impl AsyncFn() -> Arc<dyn KeyRepository>) -> CaseResult {
    run(CASES, make).await
}

const CASES: &[Case<dyn KeyRepository>] =
    cases![the_first_key_of_a_name_stays, all_who_ask_at_once_get_the_same_key];

async fn the_first_key_of_a_name_stays(store: Arc<dyn KeyRepository>) -> CaseResult {
    let bytes = vec![0, 255, 7];
    equal(&store.get_or_create("one", bytes.clone()).await?, &bytes, "a new key")?;
    equal(&store.get_or_create("one", vec![1]).await?, &bytes, "a key that is there")?;
    equal(&store.get_or_create("two", vec![]).await?, &vec![], "the key of another name")
}

async fn all_who_ask_at_once_get_the_same_key(store: Arc<dyn KeyRepository>) -> CaseResult {
    let ask = |byte| store.get_or_create("key", vec![byte]);
    let (one, two, three) = tokio::join!(ask(1), ask(2), ask(3));
    let (one, two, three) = (one?, two?, three?);
    equal(&two, &one, "the second")?;
    equal(&three, &one, "the third")
}
