//! All cases of search. Tests of backends run them.
//!
//! What must stay true: a case that is not in the list never runs.

use super::sample::SearchableStore;
use super::{changes, filters, hostile, models, neighbours, words};
use crate::suite::case::{Case, cases, run};
use crate::suite::case_result::CaseResult;
use std::sync::Arc;

/// Runs all cases, each against an empty store that `make` creates.
pub async fn search(make: impl AsyncFn() -> Arc<dyn SearchableStore>) -> CaseResult {
    run(CASES, make).await
}

const CASES: &[Case<dyn SearchableStore>] = cases![
    words::words_are_found_in_other_forms,
    words::what_fits_better_comes_first,
    words::a_fit_says_how_much_of_the_query_is_there,
    filters::every_hit_of_every_search_fits,
    filters::a_page_is_filled_after_filtering,
    filters::nobody_finds_what_is_not_for_them,
    filters::no_score_says_what_others_captured,
    changes::what_was_said_before_is_not_found,
    changes::what_is_deleted_is_found_only_by_who_wants_it,
    changes::a_purged_one_is_not_found,
    changes::by_ids_returns_what_the_filter_allows,
    changes::a_filter_that_was_used_follows_changes,
    neighbours::a_turn_is_found_by_what_was_said_beside_it,
    neighbours::only_turns_of_the_same_talk_are_neighbours,
    neighbours::closeness_knows_what_was_said_around,
    neighbours::closeness_tells_questions_from_answers,
    neighbours::turns_stand_in_the_order_they_came_in,
    neighbours::closeness_counts_words_by_their_rarity,
    models::a_vector_is_taken_only_for_what_it_was_made_of,
    models::what_has_no_vector_is_known,
    models::models_do_not_meet,
    models::models_that_nobody_uses_are_forgotten,
    hostile::no_query_is_too_strange,
    hostile::no_vector_is_too_strange,
    hostile::a_huge_memory_is_found,
];
