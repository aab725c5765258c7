//! Asks the user to visit a web page for a server.
//!
//! What must stay true: the URL is shown in full and never opened; the user judges it.

use super::asker::Asker;
use super::person::Person;
use crate::render::safe;
use hobnob_mcp_types::elicitation::{ElicitAction, ElicitUrlParams};

/// Characters of the longest URL that is shown.
const MAX_URL_LENGTH: usize = 8 << 10;

/// Shows the URL and asks whether the user has visited it.
pub(super) fn visit(
    asker: &Asker,
    asked: &ElicitUrlParams,
    person: &mut dyn Person,
) -> ElicitAction {
    asker.show_question(&asked.message, person);
    if !is_page(&asked.url) {
        person.tell(&format!(
            "The URL is refused, because only plain http and https URLs are allowed: {}",
            safe(&asked.url.chars().take(MAX_URL_LENGTH).collect::<String>())
        ));
        return ElicitAction::Decline;
    }
    person.tell(&format!(
        "You should visit this page. Look where it leads before you do:\n  {}",
        asked.url
    ));
    let choices = ["I have visited it, continue", "No, decline"].map(str::to_owned);
    match person.one_of("Continue?", &choices, 1) {
        Some(0) => ElicitAction::Accept,
        Some(_) => ElicitAction::Decline,
        None => ElicitAction::Cancel,
    }
}

/// Accepts http and https URLs without characters that a terminal or a reader could mistake.
fn is_page(url: &str) -> bool {
    let lower = url.get(..8).unwrap_or(url).to_ascii_lowercase();
    let known = lower.starts_with("https://") || lower.starts_with("http://");
    known && url.len() <= MAX_URL_LENGTH && url.bytes().all(|byte| byte.is_ascii_graphic())
}
