//! All cases of memories. Tests of backends run them.
//!
//! What must stay true: a case that is not in the list never runs.

use super::{captures, changes, filters, merging, pages, places, replaced, texts, times, words};
use crate::memory::MemoryRepository;
use crate::suite::case::{Case, cases, run};
use crate::suite::case_result::CaseResult;
use std::sync::Arc;

/// Runs all cases, each against an empty store that `make` creates.
pub async fn memories(make: impl AsyncFn() -> Arc<dyn MemoryRepository>) -> CaseResult {
    run(CASES, make).await
}

const CASES: &[Case<dyn MemoryRepository>] = cases![
    captures::what_is_captured_is_there,
    captures::the_very_same_is_stored_once,
    captures::the_very_same_elsewhere_is_another,
    captures::what_is_gone_can_be_captured_again,
    captures::the_very_same_at_the_same_time_is_stored_once,
    captures::an_id_that_is_taken_is_not_given_again,
    captures::many_are_answered_in_their_order,
    changes::an_update_changes_what_it_names,
    changes::an_update_of_nothing_is_no_version,
    changes::an_update_for_another_version_is_refused,
    changes::an_update_into_the_very_same_is_refused,
    changes::a_deletion_can_be_taken_back,
    changes::a_restored_one_is_not_there_twice,
    changes::a_purged_one_leaves_nothing,
    changes::a_new_one_takes_the_place_of_others,
    changes::a_new_one_may_say_what_an_old_one_says,
    changes::what_cannot_be_superseded_leaves_all_as_it_was,
    changes::history_has_every_version,
    changes::history_has_the_latest_hundred,
    filters::every_filter_finds_what_fits_and_nothing_else,
    merging::the_very_same_again_brings_its_labels,
    merging::the_very_same_among_many_brings_its_labels,
    merging::the_very_same_has_several_sources,
    merging::what_belongs_to_someone_else_keeps_its_labels,
    merging::what_says_nearly_the_same_is_reported,
    pages::the_newest_come_first,
    pages::a_page_says_whether_there_is_another,
    pages::what_comes_and_goes_moves_no_page,
    pages::what_is_no_cursor_is_refused,
    places::nobody_sees_what_is_not_for_them,
    places::what_is_shared_is_changed_by_those_with_the_role,
    places::only_writers_capture_what_is_shared,
    places::a_cursor_shows_nothing_once_the_role_is_gone,
    places::names_that_look_alike_are_different,
    replaced::a_replaced_one_stays_and_names_the_newer,
    replaced::the_mark_goes_and_comes_with_the_newer_one,
    replaced::the_mark_can_be_taken_back,
    replaced::what_makes_no_sense_is_refused_and_marks_nothing,
    replaced::only_those_who_may_change_it_mark_it,
    texts::every_content_comes_back_as_it_was,
    texts::tags_are_of_any_script,
    texts::sources_are_of_any_script,
    times::what_has_expired_is_not_there,
    times::what_has_expired_can_be_restored_after_a_clean_up,
    times::what_has_expired_can_be_restored_before_a_clean_up,
    times::what_was_deleted_can_be_restored_after_its_end,
    times::what_was_deleted_goes_by_its_deletion_and_not_by_its_end,
    times::what_was_deleted_long_ago_goes_for_good,
    times::a_clean_up_is_for_all_and_for_many,
    times::a_clean_up_of_one_owner_leaves_the_others,
    words::namespaces_come_by_use,
    words::tags_come_by_use_and_prefix,
];
