//! A list of answers at the terminal, of which the user chooses one: with the arrow keys, or with the
//! first letter of an answer, so that `y` and `n` work as everywhere else.
//!
//! What must stay true: only Enter chooses, so a key that was pressed too early agrees to nothing.

use super::tone::{Tone, paint};
use dialoguer::console::{Key, Term, measure_text_width};
use std::io;

/// What a key means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pressed {
    /// Go to this answer.
    Move(usize),
    Choose,
    Leave,
    Interrupt,
    Nothing,
}

/// Asks on standard error; `None` if the user leaves without an answer. All texts must be safe.
pub(crate) fn select(
    question: &str,
    answers: &[String],
    default: usize,
) -> io::Result<Option<usize>> {
    let term = Term::stderr();
    let mut at = default.min(answers.len().saturating_sub(1));
    term.write_line(&format!("{question}:"))?;
    term.hide_cursor()?;
    let chosen = loop {
        let lines = lines(answers, at);
        lines.iter().try_for_each(|line| term.write_line(line))?;
        let pressed = pressed(&term.read_key()?, answers, at);
        let columns = usize::from(term.size().1);
        term.clear_last_lines(lines.iter().map(|line| rows(line, columns)).sum())?;
        match pressed {
            Pressed::Move(to) => at = to,
            Pressed::Nothing => {}
            Pressed::Choose => break Ok(Some(at)),
            Pressed::Leave => break Ok(None),
            Pressed::Interrupt => break Err(io::ErrorKind::Interrupted.into()),
        }
    };
    term.show_cursor()?;
    if let Ok(Some(at)) = chosen {
        term.write_line(&marked(&answers[at]))?;
    }
    chosen
}

fn lines(answers: &[String], at: usize) -> Vec<String> {
    let line = |(number, answer): (usize, &String)| match number == at {
        true => marked(answer),
        false => format!("  {answer}"),
    };
    answers.iter().enumerate().map(line).collect()
}

fn marked(answer: &str) -> String {
    format!("{} {answer}", paint(Tone::Good, ">"))
}

/// The rows that a line takes on a screen of this many columns.
fn rows(line: &str, columns: usize) -> usize {
    measure_text_width(line).div_ceil(columns.max(1)).max(1)
}

fn pressed(key: &Key, answers: &[String], at: usize) -> Pressed {
    let count = answers.len().max(1);
    match key {
        Key::ArrowDown | Key::Tab => Pressed::Move((at + 1) % count),
        Key::ArrowUp | Key::BackTab => Pressed::Move((at + count - 1) % count),
        Key::Home => Pressed::Move(0),
        Key::End => Pressed::Move(count - 1),
        Key::Enter => Pressed::Choose,
        Key::Escape => Pressed::Leave,
        Key::CtrlC => Pressed::Interrupt,
        Key::Char(letter) => initial(*letter, answers, at).map_or(Pressed::Nothing, Pressed::Move),
        _ => Pressed::Nothing,
    }
}

/// The next answer, after the current one, that begins with this letter.
fn initial(letter: char, answers: &[String], at: usize) -> Option<usize> {
    let fits = |answer: &String| {
        let first = answer.chars().find(|it| it.is_alphanumeric());
        first.is_some_and(|first| first.to_lowercase().eq(letter.to_lowercase()))
    };
    let after = (at + 1..answers.len()).chain(0..=at);
    after.into_iter().find(|number| answers.get(*number).is_some_and(fits))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers() -> Vec<String> {
        ["Yes, this once", "Yes, always", "No"].map(Into::into).to_vec()
    }

    #[test]
    fn letters_and_arrows_move_and_only_enter_chooses() {
        let cases = [
            (Key::Char('y'), 2, Pressed::Move(0)),
            (Key::Char('Y'), 0, Pressed::Move(1)),
            (Key::Char('y'), 1, Pressed::Move(0)),
            (Key::Char('n'), 0, Pressed::Move(2)),
            (Key::Char('n'), 2, Pressed::Move(2)),
            (Key::Char('x'), 0, Pressed::Nothing),
            (Key::Char(' '), 0, Pressed::Nothing),
            (Key::ArrowDown, 2, Pressed::Move(0)),
            (Key::ArrowUp, 0, Pressed::Move(2)),
            (Key::Enter, 1, Pressed::Choose),
            (Key::Escape, 1, Pressed::Leave),
            (Key::CtrlC, 1, Pressed::Interrupt),
        ];
        for (key, at, expected) in cases {
            assert_eq!(pressed(&key, &answers(), at), expected, "{key:?} at {at}");
        }
        assert_eq!(pressed(&Key::Char('y'), &[], 0), Pressed::Nothing);
    }

    #[test]
    fn a_long_answer_takes_several_rows() {
        for (text, columns, expected) in [("", 80, 1), ("abcd", 4, 1), ("abcde", 4, 2), ("é", 1, 1)]
        {
            assert_eq!(rows(text, columns), expected, "{text} in {columns}");
        }
    }
}
