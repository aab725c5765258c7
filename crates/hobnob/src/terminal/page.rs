//! A page that a server wants visited. It is shown in full and never opened: what is behind it
//! is for the person to judge.

use super::person::Person;
use crate::render::safe;
use hobnob_mcp_types::elicitation::{ElicitAction, ElicitUrlParams};

/// The longest address that is shown.
const LONGEST: usize = 8 << 10;

/// Shows the address and asks whether it was visited.
pub(super) fn visit(asked: &ElicitUrlParams, person: &mut dyn Person) -> ElicitAction {
    let message = safe(&asked.message);
    if !is_page(&asked.url) {
        person.tell(&format!(
            "A server asks: {message}\nIts address is none that is visited (only http and https \
             are): {}",
            safe(&asked.url.chars().take(LONGEST).collect::<String>())
        ));
        return ElicitAction::Decline;
    }
    person.tell(&format!(
        "A server asks: {message}\nIt wants you to visit this page. Look where it leads before \
         you do:\n  {}",
        asked.url
    ));
    let choices = ["I have been there, go on", "No, I do not want that"].map(str::to_owned);
    match person.one_of("Well?", &choices, 1) {
        Some(0) => ElicitAction::Accept,
        Some(_) => ElicitAction::Decline,
        None => ElicitAction::Cancel,
    }
}

/// Addresses that contain anything a terminal or an eye could mistake are none.
fn is_page(url: &str) -> bool {
    let lower = url.get(..8).unwrap_or(url).to_ascii_lowercase();
    let known = lower.starts_with("https://") || lower.starts_with("http://");
    known && url.len() <= LONGEST && url.bytes().all(|byte| byte.is_ascii_graphic())
}
