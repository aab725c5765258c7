//! One request per line on standard input, one answer per line on standard output.

use std::io::{BufRead as _, BufReader, Write as _};

use crate::answer::Echo;

/// The size of the input buffer, and the size at which pending answers are written.
const BUFFER_BYTES: usize = 64 * 1024;

pub(crate) fn serve(echo: &Echo) -> anyhow::Result<()> {
    let mut input = BufReader::with_capacity(BUFFER_BYTES, std::io::stdin().lock());
    let mut output = std::io::stdout().lock();
    let (mut line, mut answers) = (Vec::new(), Vec::new());
    while input.read_until(b'\n', &mut line)? > 0 {
        let before = answers.len();
        echo.answer(&line, &mut answers)?;
        if answers.len() > before {
            answers.push(b'\n');
        }
        line.clear();
        // Requests that arrived in one read are answered in one write.
        if input.buffer().is_empty() || answers.len() >= BUFFER_BYTES {
            output.write_all(&answers)?;
            output.flush()?;
            answers.clear();
        }
    }
    output.write_all(&answers)?;
    Ok(output.flush()?)
}
