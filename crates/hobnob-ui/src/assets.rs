//! The files of the page, which are part of the program. `page_routes` serves them.
//!
//! What must stay true: they are the same for all visitors, so they need no session; browsers ask
//! each time whether they have changed.

use crate::answers::PageResponse;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use hobnob_mcp_http::ReplyBody;
use hobnob_text::hex;
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
};
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use ring::digest::{SHA256, digest};
use std::io::Write as _;
use std::sync::LazyLock;

/// One file of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asset {
    Page,
    Script,
    Style,
    Icon,
    /// The licences of the libraries in the script.
    Licenses,
}

/// A file in the forms in which it is sent.
struct PackedFile {
    plain: SentForm,
    gzip: Option<SentForm>,
}

/// The bytes of one form, and the tag by which browsers ask for a change of them.
struct SentForm {
    bytes: Bytes,
    tag: Option<HeaderValue>,
}

static PAGE: LazyLock<PackedFile> =
    LazyLock::new(|| pack(include_bytes!("../page/dist/index.html")));
static SCRIPT: LazyLock<PackedFile> = LazyLock::new(|| pack(include_bytes!("../page/dist/app.js")));
static STYLE: LazyLock<PackedFile> = LazyLock::new(|| pack(include_bytes!("../page/dist/app.css")));
static ICON: LazyLock<PackedFile> = LazyLock::new(|| pack(include_bytes!("../page/dist/icon.svg")));
static LICENSES: LazyLock<PackedFile> =
    LazyLock::new(|| pack(include_bytes!("../page/dist/licenses.txt")));

impl Asset {
    fn file(self) -> &'static PackedFile {
        match self {
            Self::Page => &PAGE,
            Self::Script => &SCRIPT,
            Self::Style => &STYLE,
            Self::Icon => &ICON,
            Self::Licenses => &LICENSES,
        }
    }

    fn content_type(self) -> &'static str {
        match self {
            Self::Page => "text/html; charset=utf-8",
            Self::Script => "text/javascript; charset=utf-8",
            Self::Style => "text/css; charset=utf-8",
            Self::Icon => "image/svg+xml",
            Self::Licenses => "text/plain; charset=utf-8",
        }
    }

    /// The file, or 304 if the browser has it.
    pub(crate) fn answer(self, headers: &HeaderMap) -> PageResponse {
        let file = self.file();
        let packed = file.gzip.as_ref().filter(|_| accepts_gzip(headers));
        let form = packed.unwrap_or(&file.plain);
        let has_it = form.tag.as_ref().is_some_and(|tag| names_tag(headers, tag));
        let mut answer = Response::new(match has_it {
            true => ReplyBody::Empty,
            false => ReplyBody::full(form.bytes.clone()),
        });
        if has_it {
            *answer.status_mut() = StatusCode::NOT_MODIFIED;
        }
        let sent = answer.headers_mut();
        sent.insert(CONTENT_TYPE, HeaderValue::from_static(self.content_type()));
        sent.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        sent.insert(VARY, HeaderValue::from_static("accept-encoding"));
        if packed.is_some() {
            sent.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        if let Some(tag) = &form.tag {
            sent.insert(ETAG, tag.clone());
        }
        answer
    }
}

fn pack(bytes: &'static [u8]) -> PackedFile {
    let digits = hex::encode(digest(&SHA256, bytes).as_ref());
    let tag = |suffix: &str| HeaderValue::try_from(format!("\"{digits}{suffix}\"")).ok();
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to a vector does not fail; if it did, the file is sent as it is.
    let packed = encoder.write_all(bytes).and_then(|()| encoder.finish()).ok();
    let packed = packed.filter(|packed| packed.len() < bytes.len());
    PackedFile {
        plain: SentForm { bytes: Bytes::from_static(bytes), tag: tag("") },
        gzip: packed.map(|packed| SentForm { bytes: packed.into(), tag: tag("-gzip") }),
    }
}

fn accepts_gzip(headers: &HeaderMap) -> bool {
    let values = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let refused = weight.trim().strip_prefix("q=").and_then(|weight| weight.parse().ok());
        name.trim().eq_ignore_ascii_case("gzip") && refused != Some(0.0)
    })
}

fn names_tag(headers: &HeaderMap, tag: &HeaderValue) -> bool {
    let values = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let mut tags = values.flat_map(|value| value.split(','));
    // A cache may have marked the tag as weak.
    tags.any(|named| named.trim().trim_start_matches("W/").as_bytes() == tag.as_bytes())
}
