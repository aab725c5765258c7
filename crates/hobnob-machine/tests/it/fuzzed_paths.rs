//! The fuzz target `path_resolver` on the stable toolchain: over its seeds and mixtures of them.

use std::fs;
use std::path::Path;

use crate::granted::rounds;
use crate::path_resolver::PathResolver;

fn seeds() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/path_resolver");
    let files = fs::read_dir(folder).expect("the seeds");
    let mut paths: Vec<_> = files.map(|file| file.expect("a seed").path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("a seed")).collect()
}

#[test]
fn no_text_leads_out() {
    let seeds = seeds();
    assert!(!seeds.is_empty(), "no seeds");
    let resolver = PathResolver::new();
    seeds.iter().for_each(|seed| resolver.check(seed));
    let mut random = fastrand::Rng::with_seed(12);
    for _ in 0..rounds(5_000, 500_000) {
        let mut input = Vec::new();
        for _ in 0..random.usize(1..4) {
            let seed = &seeds[random.usize(..seeds.len())];
            let from = random.usize(..=seed.len());
            input.extend_from_slice(&seed[from..random.usize(from..=seed.len())]);
            if random.u8(..8) == 0 {
                input.push(random.u8(..128));
            }
        }
        resolver.check(&input);
    }
}
