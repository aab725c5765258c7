//! All cases of trees. Tests of backends run them.
//!
//! What must stay true: a case that is not in the list never runs.

use super::owned::TreesUnderTest;
use super::{life, nodes, records, walks};
use crate::suite::case::{Case, cases, run};
use crate::suite::case_result::CaseResult;
use crate::trees::TreeRepository;

/// Runs all cases, each against an empty store that `make` creates.
pub async fn trees(make: impl AsyncFn() -> TreesUnderTest) -> CaseResult {
    run(CASES, make).await
}

const CASES: &[Case<dyn TreeRepository>] = cases![
    records::a_new_tree_has_its_root_and_one_claim,
    records::names_are_unique_for_their_owner,
    records::nobody_reaches_the_trees_of_others,
    records::lists_go_on_where_the_page_ended,
    records::metadata_is_put_in_place_of_what_was_there,
    records::names_and_ids_are_found_by_prefix,
    nodes::what_is_appended_is_read_again,
    nodes::nodes_are_appended_whole_or_not_at_all,
    nodes::pages_end_early_where_texts_are_long,
    nodes::words_are_found_in_any_case,
    life::claims_are_counted,
    life::the_last_release_schedules_a_tree,
    life::time_archives_a_tree_and_removes_it,
    life::a_claim_brings_a_tree_back,
    life::what_is_not_active_takes_no_changes,
    life::a_state_can_be_set,
    life::what_is_gone_is_removed_and_frees_its_name,
    walks::no_walk_differs_from_the_model,
    walks::branches_in_branches_are_drawn,
    walks::foreign_cursors_are_refused,
    walks::a_deep_tree_is_walked,
];
