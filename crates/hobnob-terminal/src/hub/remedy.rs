//! What a person can do about a refusal: the file that holds the rule, and the command that changes
//! it. The commands that call tools add it to the error; assistants get the reason alone, because
//! the rules are the person's.

use crate::ended::{Code, Ended};
use crate::hub::reach::Hub;

/// What a refusal says whose reason is a rule in `config.toml`.
const BY_RULE: &str = "(config.toml, ";

/// What it says where no rule fits.
const BY_DEFAULT: &str = "asks by default";

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
        // A rule for exactly this tool is replaced; any other goes on denying beside a new one.
        let is_own = message.contains(&format!("rule `{shown} "));
        let command = if message.contains(BY_DEFAULT) || is_own {
            format!("to allow it, run: hobnob allow {shown}")
        } else if message.contains(BY_RULE) {
            "to change the rule, run: hobnob edit".to_owned()
        } else {
            return ended;
        };
        let file = self.settings_file();
        Ended::new(Code::Denied, format!("{message}; {command} (changes {})", file.display()))
    }
}
