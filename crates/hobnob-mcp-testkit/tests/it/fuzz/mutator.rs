//! A small mutator with a fixed seed: every run tests the same inputs on every machine.

/// Longer inputs find little more and take much longer.
const MAX_INPUT_LEN: usize = 512;

/// Pieces of the languages that the targets read.
const TOKENS: [&[u8]; 40] = [
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\"",
    b"\\",
    b"\\u0061",
    b"\\ud83d\\ude00",
    b"\\udc00",
    b"null",
    b"true",
    b"-0",
    b"1e400",
    b"12345678901234567890",
    b"\"id\":",
    b"\"method\":",
    b"\"params\":{",
    b"\"result\":",
    b"\"jsonrpc\":\"2.0\"",
    b"\"_meta\":{",
    b"\"Method\":1",
    b"\n",
    b"\r",
    b"\r\n",
    b"\n\n",
    b"data: ",
    b"event: ",
    b"id: ",
    b"retry: 9",
    b": ",
    b"\xEF\xBB\xBF",
    b"\0",
    b"\xFF",
    b"=?base64?",
    b"?=",
    b"localhost",
    b"127.0.0.1",
    b":8080",
];

/// Makes new inputs from known ones.
pub(super) struct Mutator {
    state: u64,
}

impl Mutator {
    /// A mutator whose choices follow from this seed, which must not be zero.
    pub(super) fn new(seed: u64) -> Self {
        assert_ne!(seed, 0, "xorshift never leaves zero");
        Self { state: seed }
    }

    /// One of `known` with a few changes.
    pub(super) fn next(&mut self, known: &[Vec<u8>]) -> Vec<u8> {
        let mut input = self.pick(known).clone();
        for _ in 0..=self.below(4) {
            self.change(&mut input, known);
        }
        input.truncate(MAX_INPUT_LEN);
        input
    }

    fn change(&mut self, input: &mut Vec<u8>, known: &[Vec<u8>]) {
        let at = self.below(input.len() + 1);
        match self.below(7) {
            0 if at < input.len() => input[at] ^= 1 << self.below(8),
            1 if at < input.len() => input[at] = self.number() as u8,
            2 => input.truncate(at),
            3 => drop(input.drain(..at)),
            4 => {
                let other = self.pick(known);
                let slice = &other[self.below(other.len() + 1)..];
                input.truncate(at);
                input.extend_from_slice(slice);
            }
            5 => {
                let end = at + self.below(input.len() - at + 1);
                let twice = input[at..end].to_vec();
                input.splice(at..at, twice);
            }
            _ => {
                let token = self.pick(&TOKENS);
                input.splice(at..at, token.iter().copied());
            }
        }
    }

    fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    fn below(&mut self, end: usize) -> usize {
        (self.number() % end as u64) as usize
    }

    /// Marsaglia's xorshift with 64 bits of state.
    fn number(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state
    }
}

#[test]
fn the_same_beginning_gives_the_same_run() {
    let known = vec![b"{\"a\":1}".to_vec(), b"data: x\n\n".to_vec()];
    let run = |seed| {
        let mut mutator = Mutator::new(seed);
        std::iter::repeat_with(|| mutator.next(&known)).take(100).collect::<Vec<_>>()
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}
