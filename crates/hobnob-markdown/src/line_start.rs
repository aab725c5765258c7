//! Classifies a line by its first characters. Pure; called again with each character until the kind
//! is decided, which takes only a few characters.

/// The longest number of a list item.
const MAX_DIGITS: usize = 9;
/// The deepest level of a heading.
const MAX_LEVEL: usize = 6;
/// The shortest run of marks of a fence or a rule.
pub(crate) const MIN_MARKS: usize = 3;

/// The kind of a line, as far as its beginning shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Beginning {
    /// The next characters decide.
    Undecided,
    Text,
    Quote,
    Heading {
        level: usize,
    },
    /// A list item: the mark was read, and a space or the end of the line follows.
    Item,
    /// The whole line decides: `---`, or a list item that begins like one.
    Rule,
    /// The whole line decides: three backticks or tildes, and a language.
    Fence,
    /// The whole line is a row of a table.
    Row,
}

/// The kind of a line that begins with this character, after spaces.
pub(crate) fn first(letter: char) -> Beginning {
    match letter {
        '>' => Beginning::Quote,
        '|' => Beginning::Row,
        '-' | '*' | '_' => Beginning::Rule,
        '#' | '+' | '`' | '~' | '0'..='9' => Beginning::Undecided,
        _ => Beginning::Text,
    }
}

/// The kind of a line that begins with `token`, which was undecided so far, and then `next`.
pub(crate) fn next(token: &str, next: char) -> Beginning {
    let first = token.chars().next().unwrap_or(' ');
    let space = matches!(next, ' ' | '\t' | '\n');
    match first {
        '#' if next == '#' && token.len() < MAX_LEVEL => Beginning::Undecided,
        '#' if space => Beginning::Heading { level: token.len() },
        '+' if space => Beginning::Item,
        '`' | '~' if next == first && token.len() + 1 == MIN_MARKS => Beginning::Fence,
        '`' | '~' if next == first => Beginning::Undecided,
        '0'..='9' => number(token, next),
        _ => Beginning::Text,
    }
}

fn number(token: &str, next: char) -> Beginning {
    let ended = token.ends_with(['.', ')']);
    match next {
        ' ' | '\t' | '\n' if ended => Beginning::Item,
        '0'..='9' if !ended && token.len() < MAX_DIGITS => Beginning::Undecided,
        '.' | ')' if !ended => Beginning::Undecided,
        _ => Beginning::Text,
    }
}

/// The kind of a line that has only marks of one kind and spaces so far, when `next` comes.
pub(crate) fn rule(read: &str, next: char) -> Beginning {
    let mark = read.chars().next().unwrap_or(' ');
    if next == mark || matches!(next, ' ' | '\t') {
        return Beginning::Undecided;
    }
    let marks = read.chars().filter(|it| *it == mark).count();
    let spaced = read[1..].starts_with([' ', '\t']) || (read.len() == 1 && next == '\n');
    match next {
        '\n' if MIN_MARKS <= marks => Beginning::Rule,
        _ if spaced && mark != '_' => Beginning::Item,
        _ => Beginning::Text,
    }
}

/// The marks and the language of the line that opens code; `None` if it is text after all.
pub(crate) fn fence(line: &str) -> Option<(char, usize, &str)> {
    let mark = line.chars().next()?;
    let rest = line.trim_start_matches(mark);
    let marks = line.len() - rest.len();
    // Inline code may begin with three backticks too.
    (mark == '~' || !rest.contains('`')).then(|| (mark, marks, rest.trim()))
}
