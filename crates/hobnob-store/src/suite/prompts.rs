//! Test cases for stored prompts, run against every backend.
//!
//! What must stay true: only ports are used, so that every backend can run it.

use super::case::{Case, cases, run};
use super::case_result::{CaseResult, equal};
use crate::memory::{PromptRepository, StoredPrompt};
use crate::owner::Owner;
use crate::time::Time;
use std::sync::Arc;

/// Runs all cases, each against an empty store that `make` creates.
pub async fn prompts(make: impl AsyncFn() -> Arc<dyn PromptRepository>) -> CaseResult {
    run(CASES, make).await
}

const CASES: &[Case<dyn PromptRepository>] = cases![
    what_is_saved_is_there,
    a_new_one_takes_the_place_of_the_old_one,
    each_owner_has_names_of_its_own,
    what_is_removed_is_gone,
];

async fn what_is_saved_is_there(store: Arc<dyn PromptRepository>) -> CaseResult {
    let ann = Owner::named("ann");
    equal(&store.all(ann.clone()).await?, &vec![], "all of none")?;
    let plain = prompt("ann", "b-plain", "{{a}} größer als {{b}} 🦀\0");
    let described =
        StoredPrompt { description: Some("für 誰か".into()), ..prompt("ann", "a_2", "") };
    for prompt in [&plain, &described] {
        store.save(prompt.clone()).await?;
        let found = store.find(ann.clone(), prompt.name.clone()).await?;
        equal(&found.as_ref(), &Some(prompt), "one by name")?;
    }
    equal(&store.all(ann.clone()).await?, &vec![described, plain], "all, by name")?;
    equal(&store.find(ann, "missing".into()).await?, &None, "one that is not there")
}

async fn a_new_one_takes_the_place_of_the_old_one(store: Arc<dyn PromptRepository>) -> CaseResult {
    let ann = Owner::named("ann");
    let old = StoredPrompt { description: Some("old".into()), ..prompt("ann", "name", "old") };
    store.save(old).await?;
    let new = StoredPrompt { updated: Time::from_millis(9), ..prompt("ann", "name", "new") };
    store.save(new.clone()).await?;
    equal(&store.find(ann.clone(), "name".into()).await?, &Some(new.clone()), "the new one")?;
    equal(&store.all(ann).await?, &vec![new], "all")
}

async fn each_owner_has_names_of_its_own(store: Arc<dyn PromptRepository>) -> CaseResult {
    let owners = ["ann", "bob", "", "ann\0", "Ann"];
    for owner in owners {
        store.save(prompt(owner, "name", owner)).await?;
    }
    for owner in owners {
        let expected = prompt(owner, "name", owner);
        let found = store.find(Owner::named(owner), "name".into()).await?;
        equal(&found, &Some(expected.clone()), "one's own")?;
        equal(&store.all(Owner::named(owner)).await?, &vec![expected], "all of one's own")?;
    }
    equal(&store.find(Owner::named("eve"), "name".into()).await?, &None, "nobody else's")?;
    equal(&store.remove(Owner::named("eve"), "name".into()).await?, &false, "nobody else's goes")?;
    equal(&store.remove(Owner::named("ann"), "name".into()).await?, &true, "one's own goes")?;
    equal(&store.all(Owner::named("bob")).await?.len(), &1, "others' stay")
}

async fn what_is_removed_is_gone(store: Arc<dyn PromptRepository>) -> CaseResult {
    let ann = Owner::named("ann");
    store.save(prompt("ann", "name", "text")).await?;
    equal(&store.remove(ann.clone(), "name".into()).await?, &true, "that it was there")?;
    equal(&store.remove(ann.clone(), "name".into()).await?, &false, "that it was not there")?;
    equal(&store.find(ann, "name".into()).await?, &None, "what was removed")
}

fn prompt(owner: &str, name: &str, template: &str) -> StoredPrompt {
    StoredPrompt {
        owner: Owner::named(owner),
        name: name.into(),
        description: None,
        template: template.into(),
        updated: Time::from_millis(7),
    }
}
