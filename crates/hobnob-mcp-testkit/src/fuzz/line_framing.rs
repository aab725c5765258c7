//! The framer finds the same lines however the bytes arrive, and the same as a simple parser.

use super::cut::{cuts, small_number};
use hobnob_mcp_transport::{Line, LineFramer};
use hobnob_mcp_types::EnvelopeParts;

/// The first byte is the limit of a line, the rest is the stream.
pub fn line_framing(data: &[u8]) {
    let (limit, stream) = small_number(data);
    let expected = read_whole(limit, stream);
    for reads in cuts(stream) {
        let mut framer = LineFramer::new(limit);
        let mut lines = Vec::new();
        for read in &reads {
            framer.push(read, &mut lines);
        }
        framer.finish(&mut lines);
        assert_eq!(lines, expected, "in {} reads", reads.len());
        // The end of the input ends the last line only once.
        framer.finish(&mut lines);
        assert_eq!(lines.len(), expected.len(), "a second end adds nothing");
    }
    for line in &expected {
        if let Line::Text(text) = line {
            assert!(text.len() <= limit && !text.contains(&b'\n'));
        }
    }
}

/// The lines the framer must find, by a slow and simple parser.
fn read_whole(limit: usize, stream: &[u8]) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut first = true;
    for line in stream.split(|byte| *byte == b'\n') {
        if line.len() > limit {
            lines.push(Line::TooLong { limit, envelope: Box::new(EnvelopeParts::of(line)) });
            continue;
        }
        // A byte order mark is dropped before the first line within the limit.
        let unmarked = line.strip_prefix(b"\xEF\xBB\xBF").filter(|_| first).unwrap_or(line);
        first = false;
        let text = unmarked.strip_suffix(b"\r").unwrap_or(unmarked);
        if !text.trim_ascii().is_empty() {
            lines.push(Line::Text(text.to_vec()));
        }
    }
    lines
}
