//! Text from strangers stays text on every page.

use super::{STYLE, escape_html, web_page};
use http::StatusCode;

#[test]
fn what_comes_from_outside_is_text() {
    let hostile = "<script>alert('x')</script>&\"";
    let escaped = escape_html(hostile);
    assert_eq!(escaped, "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;&quot;");
    let response = web_page(StatusCode::OK, hostile, "", "");
    let text = String::from_utf8(response.body().to_vec()).unwrap();
    assert!(!text.contains("<script"), "{text}");
}

#[test]
fn every_page_is_kept_from_frames_caches_and_scripts() {
    let response = web_page(StatusCode::OK, "t", "b", "https://claude.ai");
    let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
    let policy = header("content-security-policy");
    for part in [
        "default-src 'none'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'self' https://claude.ai;",
        "style-src 'sha256-",
    ] {
        assert!(policy.contains(part), "{policy}");
    }
    assert!(!policy.contains("unsafe"));
    assert_eq!(header("x-frame-options"), "DENY");
    assert_eq!(header("referrer-policy"), "no-referrer");
    assert_eq!(header("cache-control"), "no-store");
    assert_eq!(header("x-content-type-options"), "nosniff");
}

/// The values that a declaration has in a part of the style sheet.
fn colours(part: &str) -> Vec<(&str, [f64; 3])> {
    let declarations = part.split([';', '{', '}']).filter_map(|it| it.trim().split_once(": #"));
    declarations
        .filter(|(name, _)| name.starts_with("--"))
        .map(|(name, digits)| {
            let at = |first: usize| match digits.len() {
                3 => digits[first..=first].repeat(2),
                _ => digits[2 * first..2 * first + 2].to_owned(),
            };
            let channel = |first| f64::from(u8::from_str_radix(&at(first), 16).unwrap()) / 255.0;
            (name, [channel(0), channel(1), channel(2)])
        })
        .collect()
}

/// The contrast of two colours, as WCAG 2.2 computes it.
fn contrast(one: [f64; 3], other: [f64; 3]) -> f64 {
    let luminance = |colour: [f64; 3]| {
        let [red, green, blue] = colour.map(|channel| match channel <= 0.04045 {
            true => channel / 12.92,
            false => ((channel + 0.055) / 1.055).powf(2.4),
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    };
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn pages_can_be_read_in_light_and_in_dark() {
    let (light, rest) = STYLE.split_once("@media (prefers-color-scheme: dark)").unwrap();
    let (dark, _) = rest.split_once("* {").unwrap();
    assert!(light.contains("color-scheme: light dark"));
    for part in [light, dark] {
        let colours = colours(part);
        let of = |name: &str| colours.iter().find(|(found, _)| *found == name).unwrap().1;
        for (text, back, least) in [
            ("--text", "--page", 7.0),
            ("--text", "--box", 7.0),
            ("--text", "--warning-box", 7.0),
            ("--quiet", "--page", 4.5),
            ("--action", "--page", 4.5),
            ("--on-action", "--action", 4.5),
            ("--line", "--page", 3.0),
            ("--warning", "--page", 3.0),
        ] {
            let found = contrast(of(text), of(back));
            assert!(least <= found, "{text} on {back}: {found} in {part}");
        }
    }
}

#[test]
fn every_page_has_landmarks_and_fits_a_phone() {
    let text = web_page(StatusCode::OK, "t", "b", "").into_body();
    let text = std::str::from_utf8(&text).unwrap();
    for part in ["<html lang=\"en\">", "<main><h1>t</h1>b</main>", "content=\"width=device-width"] {
        assert!(text.contains(part), "{text}");
    }
}
