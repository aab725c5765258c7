//! Parses git's configuration files as data: nothing they name is followed, included or run.
//!
//! `project` reads the remote's URL with it, and `sync` checks a repository's settings.

use std::iter::Peekable;
use std::str::Chars;

/// One setting of a configuration file. `include.path` is a setting like any other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GitSetting {
    /// In lower case, since git ignores its case.
    pub(super) section: String,
    /// With its case preserved: `origin` in `[remote "origin"]`.
    pub(super) subsection: Option<String>,
    /// The name of the setting in lower case, since git ignores its case.
    pub(super) key: String,
    /// `None` for a key without a value, which git reads as `true`.
    pub(super) value: Option<String>,
}

impl GitSetting {
    /// `section.key`, for messages and tables.
    pub(super) fn name(&self) -> String {
        format!("{}.{}", self.section, self.key)
    }
}

/// All settings of a file, in order; `None` for a file that git would refuse.
pub(super) fn parse_git_config(text: &str) -> Option<Vec<GitSetting>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    let mut reader = Reader(text.chars().peekable());
    let mut section: Option<(String, Option<String>)> = None;
    let mut settings = Vec::new();
    while let Some(next) = reader.0.next() {
        match next {
            '#' | ';' => reader.skip_line(),
            '[' => section = Some(reader.section()?),
            letter if letter.is_whitespace() => {}
            letter if letter.is_ascii_alphabetic() => {
                let (name, subsection) = section.clone()?;
                let (key, value) = reader.setting(letter)?;
                settings.push(GitSetting { section: name, subsection, key, value });
            }
            _ => return None,
        }
    }
    Some(settings)
}

struct Reader<'a>(Peekable<Chars<'a>>);

impl Reader<'_> {
    fn skip_line(&mut self) {
        while self.0.next_if(|it| *it != '\n').is_some() {}
    }

    fn skip_blanks(&mut self) {
        while self.0.next_if(|it| matches!(it, ' ' | '\t')).is_some() {}
    }

    /// Parses the rest of a section header, after its opening bracket.
    fn section(&mut self) -> Option<(String, Option<String>)> {
        let mut name = String::new();
        loop {
            match self.0.next()? {
                ']' => {
                    // The old form `[section.subsection]` has no upper case.
                    let name = name.to_ascii_lowercase();
                    return Some(match name.split_once('.') {
                        Some((name, subsection)) => (name.into(), Some(subsection.into())),
                        None => (name, None),
                    });
                }
                letter if letter.is_ascii_alphanumeric() || matches!(letter, '-' | '.') => {
                    name.push(letter);
                }
                ' ' | '\t' => break,
                _ => return None,
            }
        }
        self.skip_blanks();
        self.0.next_if_eq(&'"')?;
        let mut subsection = String::new();
        loop {
            match self.0.next()? {
                '"' => break,
                '\\' => subsection.push(self.0.next().filter(|it| *it != '\n')?),
                '\n' => return None,
                letter => subsection.push(letter),
            }
        }
        self.0.next_if_eq(&']')?;
        Some((name.to_ascii_lowercase(), Some(subsection)))
    }

    /// Parses a setting, after the first letter of its key.
    fn setting(&mut self, first: char) -> Option<(String, Option<String>)> {
        let mut key = String::from(first.to_ascii_lowercase());
        let legal = |it: &char| it.is_ascii_alphanumeric() || *it == '-';
        while let Some(letter) = self.0.next_if(legal) {
            key.push(letter.to_ascii_lowercase());
        }
        self.skip_blanks();
        match self.0.next() {
            None | Some('\n') => Some((key, None)),
            Some('#' | ';') => {
                self.skip_line();
                Some((key, None))
            }
            Some('=') => Some((key, Some(self.value()?))),
            Some(_) => None,
        }
    }

    fn value(&mut self) -> Option<String> {
        self.skip_blanks();
        let (mut value, mut is_quoted) = (String::new(), false);
        // Trailing blanks are not part of the value.
        let mut blanks = String::new();
        loop {
            let letter = match self.0.next() {
                None | Some('\n') if is_quoted => return None,
                None | Some('\n') => return Some(value),
                Some('#' | ';') if !is_quoted => {
                    self.skip_line();
                    return Some(value);
                }
                Some('"') => {
                    is_quoted = !is_quoted;
                    continue;
                }
                Some(blank @ (' ' | '\t')) if !is_quoted => {
                    blanks.push(blank);
                    continue;
                }
                Some('\\') => match self.0.next()? {
                    '\n' => continue,
                    'n' => '\n',
                    't' => '\t',
                    'b' => '\u{8}',
                    escaped @ ('"' | '\\') => escaped,
                    _ => return None,
                },
                Some(letter) => letter,
            };
            value.push_str(&std::mem::take(&mut blanks));
            value.push(letter);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::parse_git_config;

    fn lines(text: &str) -> Option<Vec<String>> {
        let line = |it: super::GitSetting| {
            let subsection = it.subsection.map(|it| format!("<{it}>")).unwrap_or_default();
            let value = it.value.map(|it| format!("={it}")).unwrap_or_default();
            format!("{}{subsection}.{}{value}", it.section, it.key)
        };
        parse_git_config(text).map(|settings| settings.into_iter().map(line).collect())
    }

    #[test]
    fn settings_are_read_as_git_reads_them() {
        for (text, expected) in [
            ("", &[][..]),
            ("[Core]\n\tBare = false ; no\n# x\n", &["core.bare=false"]),
            ("[remote \"Or\\\"ig\"]url=a b  # c", &["remote<Or\"ig>.url=a b"]),
            ("[remote.Origin]\nurl = \"a # b \"\\\n c", &["remote<origin>.url=a # b  c"]),
            ("\u{feff}[a]\r\nb\r\nc=\"x\\ty\"\r\n", &["a.b", "a.c=x\ty"]),
            ("[include]\npath=/etc/x", &["include.path=/etc/x"]),
        ] {
            let expected: Vec<String> = expected.iter().map(|it| (*it).to_owned()).collect();
            assert_eq!(lines(text), Some(expected), "{text:?}");
        }
        for broken in
            ["x=1", "[a", "[a]\n=1", "[a]\nb=\"x", "[a]\nb=\\q", "[a \"b]\nc=1", "[a]\nb c"]
        {
            assert_eq!(lines(broken), None, "{broken:?}");
        }
    }
}
