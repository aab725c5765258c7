//! What a line is, from its first characters: pure, and asked again with each character until it is
//! decided, which a handful of characters does.

/// The longest number of a list item.
const DIGITS: usize = 9;
/// A heading has at most so many marks.
const LEVELS: usize = 6;
/// The fewest marks of a fence or a rule.
pub(crate) const MARKS: usize = 3;

/// What the beginning of a line says about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Beginning {
    /// The characters that follow decide.
    Undecided,
    Text,
    Quote,
    Heading {
        level: usize,
    },
    /// A list item: what was read is its mark, and a space or the end of the line follows.
    Item,
    /// The whole line decides: `---`, or a list item that begins like one.
    Rule,
    /// The whole line decides: three backticks or tildes, and a language.
    Fence,
    /// The whole line is a row of a table.
    Row,
}

/// What a line is that begins with this character, apart from spaces.
pub(crate) fn first(letter: char) -> Beginning {
    match letter {
        '>' => Beginning::Quote,
        '|' => Beginning::Row,
        '-' | '*' | '_' => Beginning::Rule,
        '#' | '+' | '`' | '~' | '0'..='9' => Beginning::Undecided,
        _ => Beginning::Text,
    }
}

/// What a line is that begins with `token`, so far undecided, and then `next`.
pub(crate) fn next(token: &str, next: char) -> Beginning {
    let first = token.chars().next().unwrap_or(' ');
    let space = matches!(next, ' ' | '\t' | '\n');
    match first {
        '#' if next == '#' && token.len() < LEVELS => Beginning::Undecided,
        '#' if space => Beginning::Heading { level: token.len() },
        '+' if space => Beginning::Item,
        '`' | '~' if next == first && token.len() + 1 == MARKS => Beginning::Fence,
        '`' | '~' if next == first => Beginning::Undecided,
        '0'..='9' => number(token, next),
        _ => Beginning::Text,
    }
}

fn number(token: &str, next: char) -> Beginning {
    let ended = token.ends_with(['.', ')']);
    match next {
        ' ' | '\t' | '\n' if ended => Beginning::Item,
        '0'..='9' if !ended && token.len() < DIGITS => Beginning::Undecided,
        '.' | ')' if !ended => Beginning::Undecided,
        _ => Beginning::Text,
    }
}

/// What a line is of which only marks of one kind and spaces were read, when `next` comes.
pub(crate) fn rule(read: &str, next: char) -> Beginning {
    let mark = read.chars().next().unwrap_or(' ');
    if next == mark || matches!(next, ' ' | '\t') {
        return Beginning::Undecided;
    }
    let marks = read.chars().filter(|it| *it == mark).count();
    let spaced = read[1..].starts_with([' ', '\t']) || (read.len() == 1 && next == '\n');
    match next {
        '\n' if MARKS <= marks => Beginning::Rule,
        _ if spaced && mark != '_' => Beginning::Item,
        _ => Beginning::Text,
    }
}

/// The marks and the language of the line that opens code: `None` if it is text after all.
pub(crate) fn fence(line: &str) -> Option<(char, usize, &str)> {
    let mark = line.chars().next()?;
    let rest = line.trim_start_matches(mark);
    let marks = line.len() - rest.len();
    // Code in a sentence may begin with three backticks too.
    (mark == '~' || !rest.contains('`')).then(|| (mark, marks, rest.trim()))
}
