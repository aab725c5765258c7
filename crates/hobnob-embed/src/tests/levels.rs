//! The instruction sets of this processor, which must give equal results.

use fearless_simd::Level;

pub(crate) fn levels() -> Vec<Level> {
    let best = Level::new();
    let mut levels = vec![best, Level::baseline()];
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    levels.extend(best.as_avx2().map(Level::Avx2));
    levels
}
