//! The domain of an e-mail address: its form, its top-level domain, and whether it is an example.
//!
//! `email` reads domains with it.

use crate::text::listed;

/// Top-level domains of more than two letters that receive mail; country domains have two.
const TOP_LEVEL: &str = "\
    com org net edu gov mil int info biz name pro mobi jobs travel museum aero coop asia cat \
    tel post dev app tech online site store shop blog cloud xyz club top live email agency \
    studio design digital solutions systems software company world today news media group \
    global team work works zone life health care clinic dental bank finance financial money \
    capital ventures partners consulting services support network technology computer \
    engineering engineer science academy school university college education institute \
    foundation charity church law legal lawyer tax accountants insurance berlin hamburg koeln \
    cologne bayern wien tirol swiss zuerich london paris nyc tokyo amsterdam brussels gent \
    vlaanderen madrid barcelona eus gal bzh corsica scot wales cymru irish moscow sydney \
    melbourne quebec istanbul africa miami boston vegas city town house homes estate land \
    property realty rent build construction garden farm green energy solar bike car cars auto \
    taxi flights hotel holiday tours events party wedding photo photos photography gallery art \
    music audio video film movie theater band dance game games play fun sport sports football \
    run fitness yoga beer wine pub bar cafe coffee pizza kitchen restaurant food recipes \
    fashion style shoes jewelry beauty hair toys pet dog kids baby family love social \
    community chat forum wiki page website web host hosting domains link click space tools \
    codes code expert guru ninja rocks cool lol wtf one red blue pink black gold plus ink how \
    guide guitars training coach courses degree study press report reviews review vip win bid \
    trade market markets exchange investments fund loan credit cash gmbh ltd llc inc limited \
    holdings enterprises industries international center directory management marketing \
    productions graphics security earth eco bio ngo ong vet surgery hospital pharmacy doctor \
    google microsoft apple amazon ibm bmw audi sap";

/// Domains used as examples in documents, and domains in names of algorithms.
const EXAMPLES: &str = "\
    example.com example.org example.net example.edu domain.com domain.tld mydomain.com \
    test.com foo.com bar.com foo.bar openssh.com libssh.org";
/// Top-level domains that are not on the public Internet.
const RESERVED_TOP_LEVEL: &str = "test invalid example localhost local internal lan arpa";

/// The domain at the start of a text: labels separated by dots, the last one of letters.
pub(crate) fn read(text: &str) -> Option<&str> {
    let legal = |it: char| it.is_ascii_alphanumeric() || it == '-' || it == '.' || is_latin(it);
    let length: usize = text.chars().take_while(|it| legal(*it)).map(char::len_utf8).sum();
    let domain = text[..length].trim_end_matches(['.', '-']);
    let labels = domain
        .split('.')
        .all(|it| (1..=63).contains(&it.len()) && !it.starts_with('-') && !it.ends_with('-'));
    let (_, last) = domain.rsplit_once('.')?;
    (labels && is_top_level(last)).then_some(domain)
}

/// Whether people can have an address in this domain.
pub(crate) fn is_real(domain: &str) -> bool {
    let domain = domain.to_ascii_lowercase();
    let example = |it: &str| {
        domain.strip_suffix(it).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    let last = domain.rsplit('.').next().unwrap_or_default();
    let first = domain.split('.').next().unwrap_or_default();
    !EXAMPLES.split(' ').any(example)
        && !listed(RESERVED_TOP_LEVEL, last)
        && !first.starts_with("your")
        && !domain.starts_with("example.")
        && !domain.contains("noreply")
        && !domain.ends_with("gserviceaccount.com")
}

/// Whether it is a Latin letter beyond ASCII.
pub(crate) fn is_latin(character: char) -> bool {
    ('\u{c0}'..='\u{24f}').contains(&character) && character.is_alphabetic()
}

fn is_top_level(label: &str) -> bool {
    let lower = label.to_ascii_lowercase();
    let country = lower.len() == 2 && lower.bytes().all(|it| it.is_ascii_lowercase());
    country || lower.starts_with("xn--") || listed(TOP_LEVEL, &lower)
}
