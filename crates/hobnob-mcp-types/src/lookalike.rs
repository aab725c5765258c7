//! Keys that another reader could take for one of ours.
//!
//! The envelope decoder and [`crate::params`] refuse such keys: a peer behind us may compare keys
//! without regard to case, and one text must not mean two things to two readers.

/// Whether a key would be taken for one of `names` by a reader that ignores case.
///
/// Such readers fold more than ASCII: `ſ` is an `s`, the Kelvin sign a `k`; some stop at a NUL.
pub(crate) fn is_disguised(key: &str, names: &[&str]) -> bool {
    if names.contains(&key) {
        return false;
    }
    let fold = |c: char| match c {
        'ſ' => 's',
        '\u{212A}' => 'k',
        other => other.to_ascii_lowercase(),
    };
    let seen = || key.trim_end_matches('\0').chars().map(fold);
    names.iter().any(|name| seen().eq(name.chars()))
}
