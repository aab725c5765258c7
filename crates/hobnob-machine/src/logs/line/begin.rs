//! Whether an entry begins with a line. It runs for every line of a file, so it only reads the
//! first bytes.

use super::access::access_time;
use super::stamp::{digits, iso_date, month};

/// Whether the line begins like a known format; any other line belongs to the entry before.
pub(crate) fn begins_entry(line: &[u8]) -> bool {
    match line.first() {
        None | Some(b' ' | b'\t' | b'\r') => false,
        Some(b'{') => true,
        Some(b'<') => has_priority(line),
        Some(b'[') => {
            iso_date(&line[1..]).is_some() || month(line.get(5..).unwrap_or(b"")).is_some()
        }
        Some(b'0'..=b'9') => iso_date(line).is_some() || access_time(line).is_some(),
        Some(b'A'..=b'Z') => is_month_first(line) || is_glog(line) || access_time(line).is_some(),
        Some(b't' | b'l') if is_logfmt(line) => true,
        Some(_) => access_time(line).is_some(),
    }
}

fn has_priority(line: &[u8]) -> bool {
    let number = line[1..].iter().take_while(|it| it.is_ascii_digit()).count();
    (1..=3).contains(&number) && line.get(1 + number) == Some(&b'>')
}

fn is_month_first(line: &[u8]) -> bool {
    month(line).is_some()
        && line.get(3) == Some(&b' ')
        && line.get(9) == Some(&b':')
        && digits(line, 7, 2).is_some()
}

fn is_glog(line: &[u8]) -> bool {
    matches!(line.first(), Some(b'D' | b'I' | b'W' | b'E' | b'F'))
        && digits(line, 1, 4).is_some()
        && line.get(5) == Some(&b' ')
        && line.get(8) == Some(&b':')
}

/// Whether the line begins with a key that is common in logfmt.
fn is_logfmt(line: &[u8]) -> bool {
    [b"time=".as_slice(), b"ts=", b"timestamp=", b"level=", b"t="]
        .iter()
        .any(|key| line.starts_with(key))
}
