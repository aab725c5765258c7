//! Cue words before a number, which say what the number is.
//!
//! The rules about numbers use them when the form alone does not decide.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::composition::split_capitals;
use crate::text::before;

/// The kind of number that a cue word announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cue {
    Phone,
    Card,
    TaxId,
    SocialSecurity,
    /// Another number: of an order, a version, a time.
    Other,
}

/// How far before a number its cue word may be, in bytes.
const REACH: usize = 40;

const WORDS: [(Cue, &str); 5] = [
    (
        Cue::Phone,
        "phone phones tel telefon telefonnummer telephone téléphone mobile mobil mobilnummer \
        cell cellphone handy handynummer fax whatsapp call ring sms dial hotline anrufen \
        erreichbar teléfono telefono móvil movil celular telefone cellulare numéro rufnummer \
        phonenumber телефон тел gsm msisdn telefoon puhelin",
    ),
    (Cue::Card, "card cards visa mastercard amex diners kreditkarte pan cc"),
    (Cue::TaxId, "steuer steuernummer steueridentifikationsnummer idnr tin tax cpf"),
    (Cue::SocialSecurity, "ssn social"),
    (
        Cue::Other,
        "order orders invoice isbn issn sku part version build ticket tracking serial ref \
        reference rechnung rechnungsnummer bestellung bestellnummer commande kundennummer \
        customer case issue id article artikel artikelnummer account konto kontonummer \
        timestamp epoch time date ip port price total amount sum bytes size offset row \
        revision commit hash zip postal plz ean upc gtin doi patent rfc din iso batch lot \
        model seq parcel pid imei uid item sendungsnummer vin asset job run session",
    ),
];
/// Phone symbols, and words in scripts without spaces between words.
const SIGNS: [&str; 9] = ["☎", "📞", "📱", "✆", "电话", "手机", "電話", "携帯", "전화"];

/// The kind announced by the nearest cue word before the position, on the same line.
pub(crate) fn cue(text: &str, at: usize) -> Option<Cue> {
    let line = before(text, at, REACH).rsplit('\n').next().unwrap_or_default();
    let names = line.rsplit(|it: char| !it.is_alphabetic() && it != '_');
    let by_word = names.filter_map(cue_of_name).next();
    by_word.or_else(|| SIGNS.iter().any(|it| line.contains(it)).then_some(Cue::Phone))
}

/// The kind announced by the last cue word within a name: `userPhone`, `order_id`.
fn cue_of_name(name: &str) -> Option<Cue> {
    // In names with underscores, short words are parts of other words.
    let long = |word: &&str| !name.contains('_') || 4 < word.len() || is_id(word);
    let words = name.split('_').flat_map(split_capitals).filter(long);
    let last = || words.filter_map(|word| known(&word.to_lowercase())).last();
    known(&name.to_lowercase()).or_else(last)
}

/// The words as a hash table: numbers are frequent, and each looks up all words of its line.
static KNOWN: LazyLock<HashMap<&str, Cue>> = LazyLock::new(|| {
    let each = |(cue, words): (Cue, &'static str)| words.split(' ').map(move |word| (word, cue));
    WORDS.into_iter().flat_map(each).collect()
});

fn known(word: &str) -> Option<Cue> {
    KNOWN.get(word).copied()
}

fn is_id(word: &str) -> bool {
    word.eq_ignore_ascii_case("id")
}
