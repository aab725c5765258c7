//! What a person can do about a refusal: the file that holds the rule, and the command that changes
//! it. The commands that call tools add it to the error; assistants get the reason alone, because
//! the rules are the person's.

use crate::ended::{Code, Ended};
use crate::hub::reach::Hub;
use hobnob_text::shell_word;

/// Part of every refusal by a rule in `config.toml`.
const RULE_MARK: &str = "(config.toml, ";

/// Parts of a refusal, and of a call that waits for an answer, because no rule matches.
const DEFAULT_MARKS: [&str; 2] = ["asks by default", "no rule decides about it"];

impl Hub {
    /// The end of a command whose call of this tool was refused, with what to do about it.
    pub fn with_remedy(&self, tool: &str, ended: Ended) -> Ended {
        let message = ended.to_string();
        if ended.code() != Code::Denied {
            return ended;
        }
        let owned = self.names().owner(tool);
        let shown = match owned.server {
            Some(server) => format!("{server}/{}", owned.original),
            None => tool.to_owned(),
        };
        // `hobnob allow` replaces a rule for exactly this tool; another rule would still deny it.
        let is_own = message.contains(&format!("rule `{shown} "));
        let command = if DEFAULT_MARKS.iter().any(|mark| message.contains(mark)) || is_own {
            format!("to allow it, run: hobnob allow {}", shell_word(&shown))
        } else if message.contains(RULE_MARK) {
            "to change the rule, run: hobnob edit".to_owned()
        } else {
            return ended;
        };
        let file = self.places.settings();
        Ended::new(Code::Denied, format!("{message}; {command} (changes {})", file.display()))
    }
}
