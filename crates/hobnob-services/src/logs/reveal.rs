//! Finds the value behind a token: compares it with the names of this machine, then with the
//! granted logs, which it reads again. Nothing about tokens is stored.
//!
//! Only the command line calls it, on behalf of the person; no tool does.

use hobnob_machine::logs::{LogControl, LogError, LogOutcome, LogReader, NoMask};
use hobnob_policy::{
    CallerPlace, GrantSet, GrantSubject, LogFilter, LogOperation, LogStart, LogWish,
};
use hobnob_secrets::{Anonymiser, PersonalToken};

/// Entries that are read at once.
const PAGE_SIZE: u32 = 5_000;

/// The value behind a token, and where it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevealedToken {
    /// The value as the log has it.
    pub value: String,
    /// The log it was found in; `None` for an account or the name of this machine.
    pub log: Option<String>,
}

/// Looks a token up in everything that is granted on this machine. `None` if nothing matches.
pub fn reveal(
    grants: &GrantSet,
    reader: &LogReader,
    anonymiser: &Anonymiser,
    token: &PersonalToken,
    control: &LogControl,
) -> Result<Option<RevealedToken>, LogError> {
    if let Some(name) = anonymiser.reveal_known(token) {
        return Ok(Some(RevealedToken { value: name.to_owned(), log: None }));
    }
    let who = GrantSubject { principal: None, place: CallerPlace::Local };
    // Without a grant there is no log to search.
    let Ok(permit) = grants.permit_log_list(who) else { return Ok(None) };
    for log in reader.list(&permit, control)? {
        let mut start = LogStart::Offset(0);
        loop {
            let filter = LogFilter::default();
            let operation = LogOperation::Query { filter, limit: PAGE_SIZE, start };
            let wish = LogWish { log: log.name.clone(), operation };
            let Ok(permit) = grants.permit_log(who, wish) else { break };
            // An unreadable log is skipped.
            let outcome = match reader.perform(&permit, &NoMask, control, &mut |_| {}) {
                Err(LogError::Cancelled) => return Err(LogError::Cancelled),
                Ok(LogOutcome::Page(page)) => page,
                Ok(LogOutcome::Followed(_)) | Err(_) => break,
            };
            let texts = outcome.entries.iter().flat_map(|entry| [&entry.message, &entry.source]);
            let found = texts.into_iter().find_map(|text| anonymiser.reveal_in(text, token));
            if let Some(value) = found {
                return Ok(Some(RevealedToken { value, log: Some(log.name) }));
            }
            match outcome.next_cursor {
                Some(cursor) => start = LogStart::Cursor(cursor),
                None => break,
            }
        }
    }
    Ok(None)
}
