//! A menu at the terminal: the user moves with the arrow keys, with the first letter of an answer,
//! so that `y` and `n` work as everywhere else, or with its number.
//!
//! What must stay true: only Enter chooses, and only if it is pressed after the question was asked.

use super::quiet_keys::QuietKeys;
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

/// Whether the terminal takes sequences that move its cursor and erase lines.
pub fn moves_cursor() -> bool {
    std::env::var_os("TERM").is_none_or(|name| name != "dumb")
}

/// Asks on standard error; `None` if the user leaves without an answer. All texts must be safe.
///
/// Where the cursor cannot be moved, the answer that a key goes to is written below the others.
pub fn select(question: &str, answers: &[String], default: usize) -> io::Result<Option<usize>> {
    let (term, moves) = (Term::stderr(), moves_cursor());
    let _quiet = QuietKeys::for_question();
    let answers = &numbered(answers);
    let mut at = default.min(answers.len().saturating_sub(1));
    let end = if question.ends_with('?') { "" } else { ":" };
    term.write_line(&format!("{question}{end}"))?;
    if moves {
        term.hide_cursor()?;
    }
    let mut shown = lines(answers, at);
    let chosen = loop {
        shown.iter().try_for_each(|line| term.write_line(line))?;
        let pressed = match term.read_key() {
            Ok(key) => pressed(&key, answers, at),
            // No early return: the cursor must be shown again.
            Err(error) => break Err(error),
        };
        if moves {
            let columns = usize::from(term.size().1);
            term.clear_last_lines(shown.iter().map(|line| rows(line, columns)).sum())?;
        }
        let moved_to = |to: usize| match moves {
            true => lines(answers, to),
            false => vec![marked(&answers[to])],
        };
        match pressed {
            Pressed::Move(to) => (at, shown) = (to, moved_to(to)),
            Pressed::Nothing if moves => {}
            Pressed::Nothing => shown = Vec::new(),
            Pressed::Choose => break Ok(Some(at)),
            Pressed::Leave => break Ok(None),
            Pressed::Interrupt => break Err(io::ErrorKind::Interrupted.into()),
        }
    };
    if moves {
        term.show_cursor()?;
    }
    // Without cursor movement, the last line on the screen is the choice already.
    if let Ok(Some(at)) = chosen
        && moves
    {
        term.write_line(&marked(&answers[at]))?;
    }
    chosen
}

/// The answers, each with the digit that moves to it.
fn numbered(answers: &[String]) -> Vec<String> {
    let number = |(at, answer): (usize, &String)| match at {
        0..9 => format!("{answer} {}", paint(Tone::Dim, &format!("[{}]", at + 1))),
        _ => answer.clone(),
    };
    answers.iter().enumerate().map(number).collect()
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
        Key::Char(digit @ '1'..='9') => {
            let number = *digit as usize - '1' as usize;
            if number < answers.len() { Pressed::Move(number) } else { Pressed::Nothing }
        }
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
            (Key::Char('3'), 0, Pressed::Move(2)),
            (Key::Char('4'), 0, Pressed::Nothing),
            (Key::Char('0'), 1, Pressed::Nothing),
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
