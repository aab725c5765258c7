//! English words to their stems, as Porter's algorithm of 1980 does it: "repositories" and
//! "repository" become the same string. `words` calls it for every word of an index and of a query.
//!
//! What must stay true: only lower-case ASCII words change, and the same word always gives the same
//! stem. A stem need not be a word.

/// A word that is being shortened.
struct Stem(Vec<u8>);

/// The stem of a lower-case word; a word with other letters than `a` to `z` is its own stem.
pub(crate) fn stem(word: &str) -> String {
    if word.len() < 3 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word.to_owned();
    }
    let regular = IRREGULAR.iter().find(|(form, _)| *form == word);
    let word = regular.map_or(word, |(_, regular)| regular);
    let mut stem = Stem(word.as_bytes().to_vec());
    stem.plurals();
    stem.past_and_gerund();
    stem.final_y();
    stem.replace_longest(DERIVED, 0);
    stem.replace_longest(SHORTER, 0);
    stem.replace_longest(DROPPED, 1);
    stem.tidy_end();
    stem.0.into_iter().map(char::from).collect()
}

/// Forms that no rule about endings leads back to their word.
const IRREGULAR: &[(&str, &str)] = &[
    ("analyses", "analyze"),
    ("analysis", "analyze"),
    ("broke", "break"),
    ("broken", "break"),
    ("built", "build"),
    ("children", "child"),
    ("chose", "choose"),
    ("chosen", "choose"),
    ("creation", "create"),
    ("drawn", "draw"),
    ("drew", "draw"),
    ("found", "find"),
    ("gave", "give"),
    ("given", "give"),
    ("gone", "go"),
    ("held", "hold"),
    ("indices", "index"),
    ("kept", "keep"),
    ("knew", "know"),
    ("lost", "lose"),
    ("made", "make"),
    ("paid", "pay"),
    ("people", "person"),
    ("ran", "run"),
    ("said", "say"),
    ("sent", "send"),
    ("spent", "spend"),
    ("taken", "take"),
    ("told", "tell"),
    ("took", "take"),
    ("went", "go"),
    ("written", "write"),
    ("wrote", "write"),
];

const DERIVED: &[(&str, &str)] = &[
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("abli", "able"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
];

const SHORTER: &[(&str, &str)] = &[
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
];

const DROPPED: &[(&str, &str)] = &[
    ("al", ""),
    ("ance", ""),
    ("ence", ""),
    ("er", ""),
    ("ic", ""),
    ("able", ""),
    ("ible", ""),
    ("ant", ""),
    ("ement", ""),
    ("ment", ""),
    ("ent", ""),
    ("ion", ""),
    ("ou", ""),
    ("ism", ""),
    ("ate", ""),
    ("iti", ""),
    ("ous", ""),
    ("ive", ""),
    ("ize", ""),
];

impl Stem {
    fn ends(&self, suffix: &str) -> bool {
        self.0.ends_with(suffix.as_bytes())
    }

    fn before(&self, suffix: &str) -> usize {
        self.0.len() - suffix.len()
    }

    fn is_consonant(&self, at: usize) -> bool {
        match self.0[at] {
            b'a' | b'e' | b'i' | b'o' | b'u' => false,
            b'y' => at == 0 || !self.is_consonant(at - 1),
            _ => true,
        }
    }

    /// How often a vowel is followed by a consonant in the first `end` letters.
    fn measure(&self, end: usize) -> usize {
        (1..end).filter(|at| !self.is_consonant(at - 1) && self.is_consonant(*at)).count()
    }

    fn has_vowel(&self, end: usize) -> bool {
        (0..end).any(|at| !self.is_consonant(at))
    }

    fn doubles_consonant(&self) -> bool {
        let end = self.0.len();
        2 <= end && self.0[end - 1] == self.0[end - 2] && self.is_consonant(end - 1)
    }

    /// Whether the first `end` letters end like "hop": a short syllable that lost its `e`.
    fn is_short(&self, end: usize) -> bool {
        3 <= end
            && self.is_consonant(end - 3)
            && !self.is_consonant(end - 2)
            && self.is_consonant(end - 1)
            && !matches!(self.0[end - 1], b'w' | b'x' | b'y')
    }

    fn replace(&mut self, suffix: &str, by: &str) {
        self.0.truncate(self.before(suffix));
        self.0.extend_from_slice(by.as_bytes());
    }

    fn plurals(&mut self) {
        if self.ends("sses") {
            self.replace("sses", "ss");
        } else if self.ends("ies") {
            self.replace("ies", "i");
        } else if self.ends("s") && !self.ends("ss") {
            self.replace("s", "");
        }
    }

    fn past_and_gerund(&mut self) {
        if self.ends("eed") {
            if 0 < self.measure(self.before("eed")) {
                self.replace("eed", "ee");
            }
            return;
        }
        let Some(suffix) = ["ed", "ing"].into_iter().find(|suffix| self.ends(suffix)) else {
            return;
        };
        if !self.has_vowel(self.before(suffix)) {
            return;
        }
        self.replace(suffix, "");
        let end = self.0.len();
        if ["at", "bl", "iz"].into_iter().any(|lost| self.ends(lost)) {
            self.0.push(b'e');
        } else if self.doubles_consonant() {
            if !matches!(self.0[end - 1], b'l' | b's' | b'z') {
                self.0.pop();
            }
        } else if self.measure(end) == 1 && self.is_short(end) {
            self.0.push(b'e');
        }
    }

    fn final_y(&mut self) {
        if self.ends("y") && self.has_vowel(self.before("y")) {
            self.replace("y", "i");
        }
    }

    /// Replaces the longest suffix of a table, where more than `least` syllables are left.
    fn replace_longest(&mut self, table: &[(&str, &str)], least: usize) {
        // "-ion" is a suffix after `s` and `t` only: "adoption", but not "million".
        let after = |suffix: &str| self.before(suffix).checked_sub(1).and_then(|at| self.0.get(at));
        let ends = |suffix: &str| {
            self.ends(suffix) && (suffix != "ion" || matches!(after(suffix), Some(b's' | b't')))
        };
        let fits = table.iter().filter(|(suffix, _)| ends(suffix));
        if let Some((suffix, by)) = fits.max_by_key(|(suffix, _)| suffix.len())
            && least < self.measure(self.before(suffix))
        {
            self.replace(suffix, by);
        }
    }

    fn tidy_end(&mut self) {
        if self.ends("e") {
            let end = self.before("e");
            let measure = self.measure(end);
            if 1 < measure || (measure == 1 && !self.is_short(end)) {
                self.0.pop();
            }
        }
        if self.ends("ll") && 1 < self.measure(self.0.len()) {
            self.0.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[test]
    fn forms_of_a_word_have_one_stem() {
        let families = [
            "repository repositories",
            "create creates created creating creation",
            "delete deletes deleted deleting deletion",
            "query queries querying",
            "search searches searched searching",
            "commit commits committed committing",
            "message messages messaging",
            "connect connection connections connected connecting",
            "run runs running",
        ];
        for family in families {
            let stems: Vec<_> = family.split(' ').map(stem).collect();
            assert!(stems.iter().all(|it| *it == stems[0]), "{family}: {stems:?}");
        }
    }

    #[test]
    fn stems_are_those_of_the_published_examples() {
        let examples = [
            ("caresses", "caress"),
            ("ponies", "poni"),
            ("cats", "cat"),
            ("feed", "feed"),
            ("agreed", "agre"),
            ("plastered", "plaster"),
            ("motoring", "motor"),
            ("sing", "sing"),
            ("conflated", "conflat"),
            ("hopping", "hop"),
            ("falling", "fall"),
            ("filing", "file"),
            ("happy", "happi"),
            ("sky", "sky"),
            ("relational", "relat"),
            ("vietnamization", "vietnam"),
            ("hopefulness", "hope"),
            ("triplicate", "triplic"),
            ("adjustment", "adjust"),
            ("adoption", "adopt"),
            ("probate", "probat"),
            ("cease", "ceas"),
            ("controlling", "control"),
            ("rolling", "roll"),
        ];
        for (word, expected) in examples {
            assert_eq!(stem(word), expected, "{word}");
        }
    }

    #[test]
    fn what_is_not_an_english_word_stays() {
        for word in ["", "s", "id", "s3", "k8s", "größen", "été", "x86_64"] {
            assert_eq!(stem(word), word);
        }
    }
}
