//! `/ui/api/usage`: figures about calls, which the hub reads from its store: all
//! for the owner, its own for another principal.

use super::query::PageQuery;
use super::session_request::SessionRequest;
use crate::answers::{PageProblem, PageResponse, json};
use crate::ports::{NoUsage, UsageQuery};
use hobnob_store::Owner;
use hobnob_store::usage::{UsageGroup, UsageScope};

/// How many days back figures are kept.
const MAX_DAYS: u16 = 400;
const USUAL_DAYS: u16 = 7;

pub(super) async fn read(request: &SessionRequest<'_>) -> Result<PageResponse, PageProblem> {
    let query = PageQuery::of(request.request.uri().query());
    let days = query.number("days")?.unwrap_or(USUAL_DAYS);
    if !(1..=MAX_DAYS).contains(&days) {
        return Err(PageProblem::bad_input(format!("`days` must be 1 to {MAX_DAYS}")));
    }
    let by = match query.text("by")? {
        None => UsageGroup::Tool,
        Some(word) => UsageGroup::parse(&word).ok_or_else(|| {
            let known = UsageGroup::ALL.map(UsageGroup::as_str).join(", ");
            PageProblem::bad_input(format!("`by` must be one of: {known}"))
        })?,
    };
    let of = request
        .principal_page()
        .map_or(UsageScope::Everyone, |own| UsageScope::Of(Owner::named(own.principal().as_str())));
    match request.page.options.source.usage(UsageQuery { days, by }, of).await {
        Ok(usage) => json(&usage),
        Err(NoUsage::Off(why)) => Err(PageProblem::not_found(why)),
        Err(NoUsage::Failed(why)) => Err(PageProblem::internal(why)),
    }
}
