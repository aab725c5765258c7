//! Words and their stems, as data.

use super::{is_stop, stem};

fn stemmed(word: &str) -> String {
    let mut word = word.to_owned();
    stem(&mut word);
    word
}

#[test]
fn forms_of_a_word_have_one_stem() {
    let families = [
        "repository repositories",
        "create creates created creating",
        "delete deletes deleted deleting deletion",
        "query queries querying",
        "search searches searched searching",
        "commit commits committed committing",
        "message messages messaging",
        "connect connection connections connected connecting",
        "run runs running",
    ];
    for family in families {
        let stems: Vec<_> = family.split(' ').map(stemmed).collect();
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
        assert_eq!(stemmed(word), expected, "{word}");
    }
}

#[test]
fn what_is_not_an_english_word_stays() {
    for word in ["", "s", "id", "s3", "k8s", "größen", "été", "x86_64"] {
        assert_eq!(stemmed(word), word);
    }
}

#[test]
fn words_that_say_nothing_are_known() {
    assert!(is_stop("the") && is_stop("yourselves") && !is_stop("delete"));
}
