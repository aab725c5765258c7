//! Splits a text into command lines and words, as a shell does: quotes, backslashes, comments, and
//! variables, which become `${NAME}`.
//!
//! What must stay true: a text that a shell would do anything else with, such as pipes, redirections
//! and substitutions, is refused.

use super::pasted::PasteProblem;
use std::iter::Peekable;
use std::str::Chars;

/// The words of each line.
pub(super) fn split(text: &str) -> Result<Vec<Vec<String>>, PasteProblem> {
    let mut splitter =
        Splitter { rest: text.chars().peekable(), lines: Vec::new(), line: Vec::new() };
    while let Some(letter) = splitter.rest.next() {
        splitter.begin(letter)?;
    }
    splitter.end_line();
    Ok(splitter.lines)
}

/// Whether a text begins as an address of a server does.
pub(super) fn is_url(text: &str) -> bool {
    ["http://", "https://"]
        .iter()
        .any(|start| text.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start)))
}

/// Whether a word is `NAME=VALUE`.
pub(super) fn is_assignment(word: &str) -> bool {
    let legal = |it: char| it.is_ascii_alphanumeric() || it == '_';
    word.split_once('=').is_some_and(|(name, value)| {
        name.chars().all(legal)
            && !value.starts_with('=')
            && name.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_')
    })
}

struct Splitter<'a> {
    rest: Peekable<Chars<'a>>,
    lines: Vec<Vec<String>>,
    line: Vec<String>,
}

impl Splitter<'_> {
    /// Reads what begins with this letter: a word, a comment, or the end of a line.
    fn begin(&mut self, letter: char) -> Result<(), PasteProblem> {
        match letter {
            '\n' => self.end_line(),
            '\\' if self.continues() => {}
            '#' => while self.rest.next_if(|it| *it != '\n').is_some() {},
            blank if blank.is_whitespace() => {}
            other => {
                let word = self.word(other)?;
                self.line.push(word);
            }
        }
        Ok(())
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if !line.is_empty() {
            self.lines.push(line);
        }
    }

    /// Whether the line continues on the next one; skips its end.
    fn continues(&mut self) -> bool {
        self.rest.next_if_eq(&'\r');
        self.rest.next_if_eq(&'\n').is_some()
    }

    fn word(&mut self, first: char) -> Result<String, PasteProblem> {
        let mut word = String::new();
        let mut letter = first;
        loop {
            match letter {
                '\'' => self.quoted(&mut word)?,
                '"' => self.double_quoted(&mut word)?,
                '\\' if self.continues() => {}
                '\\' => word.extend(self.rest.next()),
                '$' => self.variable(&mut word)?,
                '`' | '|' | '&' | ';' | '<' | '>' | '(' | ')' => return Err(only_a_shell(letter)),
                other => word.push(other),
            }
            match self.rest.next_if(|it| !it.is_whitespace()) {
                Some(next) => letter = next,
                None => return Ok(word),
            }
        }
    }

    fn quoted(&mut self, word: &mut String) -> Result<(), PasteProblem> {
        loop {
            match self.rest.next() {
                Some('\'') => return Ok(()),
                Some(letter) => word.push(letter),
                None => return Err(unended('\'')),
            }
        }
    }

    fn double_quoted(&mut self, word: &mut String) -> Result<(), PasteProblem> {
        loop {
            match self.rest.next() {
                Some('"') => return Ok(()),
                Some('\\') if self.continues() => {}
                Some('\\') => match self.rest.next_if(|it| "\"\\$`".contains(*it)) {
                    Some(escaped) => word.push(escaped),
                    None => word.push('\\'),
                },
                Some('$') => self.variable(word)?,
                Some('`') => return Err(only_a_shell('`')),
                Some(letter) => word.push(letter),
                None => return Err(unended('"')),
            }
        }
    }

    /// Reads on after a `$`. `${NAME}` is the same here as in a shell.
    fn variable(&mut self, word: &mut String) -> Result<(), PasteProblem> {
        let first = self.rest.next_if(|it| it.is_ascii_alphabetic() || "_{(".contains(*it));
        match first {
            None => word.push('$'),
            Some('(') => return Err(only_a_shell('$')),
            Some('{') => word.push_str("${"),
            Some(letter) => {
                word.push_str("${");
                word.push(letter);
                while let Some(more) =
                    self.rest.next_if(|it| it.is_ascii_alphanumeric() || *it == '_')
                {
                    word.push(more);
                }
                word.push('}');
            }
        }
        Ok(())
    }
}

fn only_a_shell(sign: char) -> PasteProblem {
    PasteProblem::new(format!(
        "`{sign}` is for a shell, and Hobnob starts programs without one; paste the command of the \
         server alone, or put this into a script and paste the path of the script"
    ))
}

fn unended(sign: char) -> PasteProblem {
    PasteProblem::new(format!("a quotation that begins with {sign} does not end; paste all of it"))
}
