//! Cases of tasks as records: creation, lists, lookup, deletion and ownership. `list` has the
//! cases.

use super::owned::{OwnedTasks, TasksUnderTest, descriptions, ids, new_task, refused, some, time};
use crate::memory::{PageRequest, UsageCount};
use crate::suite::case_result::{CaseResult, equal, hold};
use crate::tasks::{
    ListName, NewTask, Priority, StoredTask, StoredTaskStatus, TaskEdit, TaskFilter, TaskId, Worker,
};

pub(super) async fn a_new_task_is_pending(store: TasksUnderTest) -> CaseResult {
    let owned = OwnedTasks::new(store);
    let first = owned.make(1, "first").await?;
    let second = owned.make(2, "second").await?;
    let made = owned
        .tasks
        .create(
            owned.at(3),
            NewTask {
                list: ListName::new("other"),
                priority: Priority::High,
                parent: Some(first.id.clone()),
                blockers: ids(&[&second, &first, &second]),
                ..new_task("made")
            },
        )
        .await?;
    let expected = StoredTask {
        id: made.id.clone(),
        list: ListName::new("other"),
        description: "made".into(),
        status: StoredTaskStatus::Pending,
        priority: Priority::High,
        parent: Some(first.id.clone()),
        blockers: ids(&[&second, &first]),
        open_blockers: ids(&[&second, &first]),
        result: None,
        claim: None,
        created: time(3),
        updated: time(3),
        started: None,
        finished: None,
    };
    equal(&made, &expected, "made")?;
    equal(&owned.get(4, &made).await?, &expected, "kept")?;
    let digits = made.id.as_str().strip_prefix("task_").unwrap_or_default();
    let legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    hold(digits.len() == 10 && digits.chars().all(legal), "an id is `task_` and ten of [a-z0-9]")
}

pub(super) async fn a_task_is_made_whole_or_not_at_all(store: TasksUnderTest) -> CaseResult {
    let owned = OwnedTasks::new(store);
    let first = owned.make(1, "first").await?;
    let none = TaskId::given("task_none");
    let part = NewTask { parent: Some(none.clone()), ..new_task("part") };
    refused(owned.tasks.create(owned.at(2), part).await, "task not found: task_none")?;
    let late = NewTask { blockers: vec![first.id.clone(), none.clone()], ..new_task("late") };
    refused(owned.tasks.create(owned.at(2), late).await, "task not found: task_none")?;
    equal(&owned.listed(3, TaskFilter::default()).await?, &vec!["first".to_owned()], "all")?;
    refused(owned.tasks.get(owned.at(3), none.clone()).await, "task not found: task_none")?;
    refused(owned.tasks.history(owned.at(3), none.clone()).await, "task not found: task_none")?;
    refused(owned.tasks.blockers(owned.at(3), none).await, "task not found: task_none")
}

pub(super) async fn nobody_reaches_the_tasks_of_others(store: TasksUnderTest) -> CaseResult {
    let owned = OwnedTasks::new(store);
    let hers = owned.make(1, "hers").await?;
    let other = owned.of("bob");
    let his = other.make(2, "his").await?;
    let gone = format!("task not found: {}", hers.id);
    let id = || hers.id.clone();
    refused(other.tasks.get(other.at(3), id()).await, &gone)?;
    refused(other.tasks.history(other.at(3), id()).await, &gone)?;
    refused(other.tasks.blockers(other.at(3), id()).await, &gone)?;
    refused(other.set(3, &hers, StoredTaskStatus::Completed).await, &gone)?;
    refused(other.tasks.delete(other.at(3), id()).await, &gone)?;
    refused(other.claim_this(3, &hers, "bob").await, &gone)?;
    refused(other.block(3, &his, &hers).await, &gone)?;
    refused(other.block(3, &hers, &his).await, &gone)?;
    let parent = TaskEdit { parent: Some(Some(id())), ..TaskEdit::default() };
    refused(other.edit(3, &his, parent).await, &gone)?;
    let part = NewTask { parent: Some(id()), ..new_task("part") };
    refused(other.tasks.create(other.at(3), part).await, &gone)?;
    let only_his = vec!["his".to_owned()];
    equal(&other.listed(3, TaskFilter::default()).await?, &only_his, "listed")?;
    equal(&other.ready(3).await?, &only_his, "ready")?;
    let ids = other.tasks.ids(other.at(3), String::new(), 10).await?;
    equal(&ids, &vec![his.id.clone()], "ids")?;
    equal(&other.tasks.lists(other.at(3), String::new(), 10).await?, &home(1), "lists")?;
    equal(&some(other.claim(3, "bob").await?)?.id, &his.id, "claimed")?;
    hold(other.claim(3, "bob").await?.is_none(), "nothing more to claim")?;
    equal(&owned.get(4, &hers).await?, &hers, "hers is untouched")
}

pub(super) async fn lists_go_on_where_the_page_ended(store: TasksUnderTest) -> CaseResult {
    let owned = OwnedTasks::new(store);
    for number in 0..7 {
        // A list is in order of creation, regardless of the tasks' times.
        owned.make(10 - number, &format!("{number}")).await?;
    }
    let mut seen = Vec::new();
    let mut after = None;
    let mut sizes = Vec::new();
    loop {
        let page = PageRequest { after: after.take(), limit: 3 };
        let part = owned.tasks.list(owned.at(20), TaskFilter::default(), page).await?;
        sizes.push(part.items.len());
        seen.extend(descriptions(&part.items));
        match part.next {
            // Tasks that are created or removed meanwhile do not shift the pages.
            Some(next) => after = Some(next),
            None => break,
        }
    }
    equal(&sizes, &vec![3, 3, 1], "pages")?;
    let all: Vec<String> = (0..7).map(|number| number.to_string()).collect();
    equal(&seen, &all, "everything once")?;
    let page = PageRequest { after: None, limit: 7 };
    let part = owned.tasks.list(owned.at(20), TaskFilter::default(), page).await?;
    equal(&part.next, &None, "a full last page has no next")?;
    for cursor in ["", "x", "after-", "after-xyz", "after--1", "7", "after-ffffffffffffffffff"] {
        let page = PageRequest { after: Some(cursor.into()), limit: 3 };
        let listed = owned.tasks.list(owned.at(20), TaskFilter::default(), page).await;
        refused(listed, "this cursor is not from a list of tasks: list again without it")?;
    }
    Ok(())
}

pub(super) async fn every_filter_narrows(store: TasksUnderTest) -> CaseResult {
    let owned = OwnedTasks::new(store);
    let whole = owned.make(1, "Whole: Ölofen").await?;
    let part = NewTask { parent: Some(whole.id.clone()), ..new_task("part 100%_x") };
    owned.tasks.create(owned.at(2), part).await?;
    let urgent = NewTask { priority: Priority::Urgent, ..new_task("urgent ÖLOFEN") };
    owned.tasks.create(owned.at(3), urgent).await?;
    let away = NewTask { list: ListName::new("away"), ..new_task("away") };
    let away = owned.tasks.create(owned.at(4), away).await?;
    owned.set(5, &whole, StoredTaskStatus::Completed).await?;
    owned.claim_this(5, &away, "w").await?;
    let all = TaskFilter::default();
    let contains = |text: &str| TaskFilter { contains: Some(text.into()), ..all.clone() };
    let statuses =
        |statuses: &[StoredTaskStatus]| TaskFilter { statuses: statuses.into(), ..all.clone() };
    let home = TaskFilter { list: Some(ListName::new("home")), ..all.clone() };
    let mine = |who| TaskFilter { worker: Some(Worker::new(who)), ..all.clone() };
    let parent = |id: &TaskId| TaskFilter { parent: Some(id.clone()), ..all.clone() };
    let (whole_words, urgent_words, part_words) = ("Whole: Ölofen", "urgent ÖLOFEN", "part 100%_x");
    let cases: &[(TaskFilter, &[&str])] = &[
        (all.clone(), &[whole_words, part_words, urgent_words, "away"]),
        (home.clone(), &[whole_words, part_words, urgent_words]),
        (TaskFilter { list: Some(ListName::new("ho")), ..all.clone() }, &[]),
        (statuses(&[StoredTaskStatus::Pending]), &[part_words, urgent_words]),
        (
            statuses(&[StoredTaskStatus::Completed, StoredTaskStatus::InProgress]),
            &[whole_words, "away"],
        ),
        (statuses(&[StoredTaskStatus::Failed]), &[]),
        (
            TaskFilter { priorities: vec![Priority::Urgent, Priority::Low], ..all.clone() },
            &[urgent_words],
        ),
        (parent(&whole.id), &[part_words]),
        (parent(&TaskId::given("task_none")), &[]),
        (mine("w"), &["away"]),
        (mine("v"), &[]),
        (contains("ölOFEN"), &[whole_words, urgent_words]),
        (contains("100%_X"), &[part_words]),
        (contains("%"), &[part_words]),
        (contains("a%y"), &[]),
        (contains("' OR 1 --"), &[]),
        (
            TaskFilter { statuses: vec![StoredTaskStatus::Pending], ..home },
            &[part_words, urgent_words],
        ),
    ];
    for (filter, expected) in cases {
        let expected: Vec<String> = expected.iter().map(|&word| word.to_owned()).collect();
        equal(&owned.listed(6, filter.clone()).await?, &expected, &format!("{filter:?}"))?;
    }
    // `ready` applies the same filter.
    let ready = |filter| owned.tasks.ready(owned.at(6), filter, 10);
    equal(
        &descriptions(&ready(contains("ölofen")).await?),
        &vec![urgent_words.to_owned()],
        "text",
    )?;
    equal(&descriptions(&ready(parent(&whole.id)).await?), &vec![part_words.to_owned()], "part")?;
    hold(
        ready(statuses(&[StoredTaskStatus::Failed])).await?.is_empty(),
        "what failed is not ready",
    )?;
    hold(ready(mine("w")).await?.is_empty(), "what is claimed is not ready")
}

pub(super) async fn long_texts_are_cut_where_there_are_many(store: TasksUnderTest) -> CaseResult {
    let owned = OwnedTasks::new(store);
    let long = "ö".repeat(5_000);
    let task = owned.make(1, &long).await?;
    let result = TaskEdit { result: Some(long.clone()), ..TaskEdit::default() };
    let whole = owned.edit(2, &task, result).await?;
    equal(&whole.description, &long, "whole when changed")?;
    equal(&owned.get(3, &task).await?, &whole, "whole when asked for")?;
    let waits = owned.make_after(4, "waits", &[&task]).await?;
    let cut = "ö".repeat(2_000) + "…";
    let listed = owned.tasks.list(owned.at(5), TaskFilter::default(), page(1)).await?.items;
    let ready = owned.tasks.ready(owned.at(5), TaskFilter::default(), 1).await?;
    let blockers = owned.tasks.blockers(owned.at(5), waits.id).await?;
    for tasks in [listed, ready, blockers] {
        equal(&descriptions(&tasks), &vec![cut.clone()], "a description among many")?;
        equal(&tasks[0].result.as_deref(), &Some(cut.as_str()), "a result among many")?;
    }
    let late = TaskFilter { contains: Some("ö".repeat(4_000)), ..TaskFilter::default() };
    equal(&owned.listed(5, late).await?, &vec![cut], "found by what was cut")?;
    equal(&some(owned.claim(6, "w").await?)?.description, &long, "whole when claimed")?;
    let odd = "a\0b\n\u{202e}\u{1F600}é";
    let odd_task = owned.make(7, odd).await?;
    equal(&owned.get(8, &odd_task).await?.description.as_str(), &odd, "kept as it is")
}

pub(super) async fn ids_and_lists_are_found_by_prefix(store: TasksUnderTest) -> CaseResult {
    let owned = OwnedTasks::new(store);
    let first = owned.make(1, "first").await?;
    let second = owned.make(2, "second").await?;
    let away = NewTask { list: ListName::new("ho/me"), ..new_task("away") };
    let away = owned.tasks.create(owned.at(3), away).await?;
    let ids = |prefix: &str, limit| owned.tasks.ids(owned.at(4), prefix.into(), limit);
    let newest_first = vec![away.id.clone(), second.id.clone(), first.id.clone()];
    equal(&ids("task_", 10).await?, &newest_first, "newest first")?;
    equal(&ids("", 2).await?, &newest_first[..2].to_vec(), "at most")?;
    equal(&ids(first.id.as_str(), 10).await?, &vec![first.id.clone()], "the whole id")?;
    equal(&ids("TASK%", 10).await?, &Vec::new(), "none")?;
    let lists = |prefix: &str, limit| owned.tasks.lists(owned.at(4), prefix.into(), limit);
    let both = [home(2), vec![UsageCount { word: "ho/me".into(), count: 1 }]].concat();
    equal(&lists("ho", 10).await?, &both, "most used first")?;
    equal(&lists("", 1).await?, &home(2), "at most")?;
    equal(&lists("ho/", 10).await?, &both[1..].to_vec(), "by prefix")?;
    equal(&lists("_o", 10).await?, &Vec::new(), "none")
}

pub(super) async fn what_is_needed_is_not_deleted(store: TasksUnderTest) -> CaseResult {
    let owned = OwnedTasks::new(store);
    let whole = owned.make(1, "whole").await?;
    let part = NewTask { parent: Some(whole.id.clone()), ..new_task("part") };
    let part = owned.tasks.create(owned.at(2), part).await?;
    let waits = owned.make_after(3, "waits", &[&whole, &part]).await?;
    let delete = |task: &StoredTask| owned.tasks.delete(owned.at(4), task.id.clone());
    let needed = |by: &str| {
        format!("task {} is still needed by {by}: delete or detach them first", whole.id)
    };
    refused(delete(&whole).await, &needed(&format!("{}, {}", part.id, waits.id)))?;
    equal(&delete(&waits).await?, &waits, "the answer is what was deleted")?;
    refused(
        owned.tasks.get(owned.at(5), waits.id.clone()).await,
        &format!("task not found: {}", waits.id),
    )?;
    refused(delete(&whole).await, &needed(part.id.as_str()))?;
    let alone = TaskEdit { parent: Some(None), ..TaskEdit::default() };
    owned.edit(5, &part, alone).await?;
    delete(&whole).await?;
    equal(&owned.listed(6, TaskFilter::default()).await?, &vec!["part".to_owned()], "left")
}

fn home(count: u64) -> Vec<UsageCount> {
    vec![UsageCount { word: "home".into(), count }]
}

fn page(limit: usize) -> PageRequest {
    PageRequest { after: None, limit }
}
