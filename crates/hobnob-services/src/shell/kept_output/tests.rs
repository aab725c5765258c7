//! Which output is kept, which is dropped, and its order.

use super::{KeptOutput, MAX_PIECES};
use hobnob_mcp_engine::OutputStream::{self, Stderr, Stdout};

/// The pieces in short form: `o:` or `e:` and the text.
fn kept(limit: usize, pushed: &[(OutputStream, &str)]) -> Vec<String> {
    let mut output = KeptOutput::new(limit);
    for (stream, text) in pushed {
        output.push(*stream, text);
    }
    let of = |stream| {
        let pieces = |it: &(OutputStream, &str)| (it.0 == stream).then(|| it.1.to_owned());
        pushed.iter().filter_map(pieces).collect::<String>()
    };
    for stream in [Stdout, Stderr] {
        if output.left_out(stream) == 0 {
            assert_eq!(output.text(stream), of(stream), "all of the stream");
        }
    }
    let short = |stream| if stream == Stdout { "o:" } else { "e:" };
    output.into_pieces().into_iter().map(|it| format!("{}{}", short(it.stream), it.text)).collect()
}

#[test]
fn pieces_keep_their_order() {
    let pushed = [(Stderr, "a"), (Stdout, "b"), (Stdout, "c"), (Stderr, ""), (Stderr, "d")];
    assert_eq!(kept(100, &pushed), ["e:a", "o:bc", "e:d"]);
    assert_eq!(kept(100, &[]), [""; 0]);
}

#[test]
fn the_beginning_and_the_end_are_kept() {
    let all = "0123456789";
    for cut in 0..=10 {
        let pushed = [(Stdout, &all[..cut]), (Stdout, &all[cut..])];
        assert_eq!(kept(6, &pushed), ["o:012\n[4 bytes left out]\n789"], "cut at {cut}");
        assert_eq!(kept(10, &pushed), ["o:0123456789"], "cut at {cut}");
    }
    let single: Vec<(OutputStream, &str)> = (0..10).map(|at| (Stdout, &all[at..=at])).collect();
    assert_eq!(kept(6, &single), ["o:012\n[4 bytes left out]\n789"]);
}

#[test]
fn one_stream_does_not_push_out_the_other() {
    let flood = "x".repeat(1000);
    let pushed = [(Stderr, "begin"), (Stdout, &*flood), (Stderr, "end"), (Stdout, "z")];
    let expected = ["e:begin", "o:xx", "o:\n[997 bytes left out]\nxz"];
    let shown = kept(4, &[(Stdout, &*flood), (Stdout, "z")]);
    assert_eq!(shown, [format!("{}{}", expected[1], &expected[2][2..])]);
    let shown = kept(20, &pushed);
    assert_eq!(shown.first().unwrap(), "e:begin");
    assert!(shown.contains(&"e:end".to_owned()), "{shown:?}");
    assert!(shown.last().unwrap().ends_with('z'), "{shown:?}");
}

#[test]
fn characters_are_never_cut() {
    for limit in 0..20 {
        let mut output = KeptOutput::new(limit);
        for _ in 0..10 {
            output.push(Stdout, "ä😀");
        }
        let text = output.text(Stdout);
        let inside: usize = text.chars().filter(|it| "ä😀".contains(*it)).map(char::len_utf8).sum();
        assert_eq!(inside as u64 + output.left_out(Stdout), 60, "limit {limit}");
        assert!(inside <= limit, "limit {limit}: {inside}");
    }
}

#[test]
fn small_pieces_are_bounded_in_number() {
    let mut output = KeptOutput::new(1 << 20);
    for _ in 0..100_000 {
        output.push(Stdout, "a");
        output.push(Stderr, "b");
    }
    assert!(output.left_out(Stdout) > 0);
    assert!(output.into_pieces().len() <= 4 * MAX_PIECES + 2);
}
