//! Which files of a folder are parts of one log: `NAME`, `NAME.1`, `NAME.2.gz`, `NAME-20240210`,
//! and the form with the date before the extension.

/// The age of a part of a log; a smaller one is newer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PartAge {
    /// The file that is being written.
    Current,
    /// Rotated this many times.
    Turns(u32),
    /// Rotated on a day. A later day is newer, so its digits are stored inverted.
    Day(String),
}

/// How the bytes of a part are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PartForm {
    /// As they were written.
    Plain,
    /// A gzip stream, read from its beginning.
    Gzip,
}

/// A part by the name of its file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PartName {
    pub(crate) age: PartAge,
    pub(crate) form: PartForm,
    pub(crate) name: String,
}

/// The parts of a log among the names of a folder, the newest first.
pub(crate) fn parts_of<'name>(
    log: &str,
    names: impl Iterator<Item = &'name str>,
    limit: usize,
) -> Vec<PartName> {
    let mut parts: Vec<PartName> = names.filter_map(|name| part_of(log, name)).collect();
    parts.sort();
    // While a part is being compressed it exists twice; the plain one sorts first.
    parts.dedup_by(|next, kept| next.age == kept.age);
    parts.truncate(limit);
    parts
}

/// The part of `log` that a file is, if its name says so.
pub(crate) fn part_of(log: &str, name: &str) -> Option<PartName> {
    let (bare, form) = match name.strip_suffix(".gz") {
        Some(bare) if name != log => (bare, PartForm::Gzip),
        Some(_) => (name, PartForm::Gzip),
        None => (name, PartForm::Plain),
    };
    let age = if bare == log {
        PartAge::Current
    } else if let Some(suffix) = bare.strip_prefix(log) {
        age(suffix)?
    } else {
        // `app.log` becomes `app-2024-02-10.log`, but `app.1.log` may well be another log.
        let (stem, ending) = log.rsplit_once('.')?;
        let middle = bare.strip_prefix(stem)?.strip_suffix(ending)?.strip_suffix('.')?;
        age(middle).filter(|age| matches!(age, PartAge::Day(_)))?
    };
    Some(PartName { age, form, name: name.to_owned() })
}

/// The log that a file belongs to by its name alone; the file itself if it is no rotated part.
pub(crate) fn log_of(name: &str) -> String {
    let bare = name.strip_suffix(".gz").unwrap_or(name);
    for (at, _) in bare.char_indices().filter(|(_, letter)| matches!(letter, '.' | '-' | '_')) {
        let (stem, suffix) = bare.split_at(at);
        if stem.is_empty() {
            continue;
        }
        if age(suffix).is_some() {
            return stem.to_owned();
        }
        if let Some((middle, ending)) = suffix.rsplit_once('.')
            && ending.bytes().all(|it| it.is_ascii_alphabetic())
            && matches!(age(middle), Some(PartAge::Day(_)))
        {
            return format!("{stem}.{ending}");
        }
    }
    bare.to_owned()
}

/// Parses a suffix: `.1`, `-20240210`, `.2024-02-10`, `-2024-02-10_3`.
fn age(suffix: &str) -> Option<PartAge> {
    let text = suffix.strip_prefix(['.', '-', '_'])?;
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let others = text.chars().all(|it| it.is_ascii_digit() || "-_.T:".contains(it));
    if digits.is_empty() || !others || text.ends_with(['-', '.', '_']) {
        return None;
    }
    if digits.len() == text.len() && digits.len() <= 4 {
        return (suffix.starts_with('.')).then(|| digits.parse().ok().map(PartAge::Turns))?;
    }
    let year: u32 = digits.get(..4)?.parse().ok()?;
    let month: u32 = digits.get(4..6)?.parse().ok()?;
    let day = digits.len() <= 20 && (1970..2200).contains(&year) && (1..=12).contains(&month);
    let inverted = |digit: char| char::from(b'9' - (digit as u8 - b'0'));
    day.then(|| PartAge::Day(digits.chars().map(inverted).collect()))
}
