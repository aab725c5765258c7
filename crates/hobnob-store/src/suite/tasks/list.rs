//! All cases of tasks. Tests of backends run them.
//!
//! What must stay true: a case that is not in the list never runs.

use super::owned::TasksUnderTest;
use super::{blocking, claims, life, random, records};
use crate::suite::case::{Case, cases, run};
use crate::suite::case_result::CaseResult;
use crate::tasks::TaskRepository;

/// Runs all cases, each against an empty store that `make` creates.
pub async fn tasks(make: impl AsyncFn() -> TasksUnderTest) -> CaseResult {
    run(CASES, make).await
}

const CASES: &[Case<dyn TaskRepository>] = cases![
    records::a_new_task_is_pending,
    records::a_task_is_made_whole_or_not_at_all,
    records::nobody_reaches_the_tasks_of_others,
    records::lists_go_on_where_the_page_ended,
    records::every_filter_narrows,
    records::long_texts_are_cut_where_there_are_many,
    records::ids_and_lists_are_found_by_prefix,
    records::what_is_needed_is_not_deleted,
    life::an_edit_changes_what_it_names,
    life::times_go_with_the_status,
    life::what_is_over_must_be_reopened_first,
    life::history_tells_every_step,
    life::a_long_history_keeps_its_beginning_and_its_end,
    blocking::what_is_blocked_cannot_begin_or_be_completed,
    blocking::blockers_stay_in_order,
    blocking::cycles_of_waiting_are_named,
    blocking::cycles_of_parts_are_named,
    claims::what_matters_most_is_claimed_first,
    claims::a_named_task_is_claimed_or_the_reason_given,
    claims::a_claimed_task_is_its_workers,
    claims::a_claim_is_renewed_and_given_back,
    claims::a_lease_that_is_over_is_no_claim,
    random::no_life_differs_from_the_model,
];
