//! Accept errors by their numbers on Linux, and the pause after each.

use super::*;

const EINTR: i32 = 4;
const ENFILE: i32 = 23;
const EMFILE: i32 = 24;
const ECONNABORTED: i32 = 103;
const ENOBUFS: i32 = 105;

fn rest(pause: &mut Pause, code: i32) -> Option<u128> {
    pause.after(&io::Error::from_raw_os_error(code)).map(|rest| rest.as_millis())
}

#[cfg(target_os = "linux")]
#[test]
fn one_failed_connection_costs_no_rest() {
    let mut pause = Pause::default();
    assert_eq!(rest(&mut pause, ECONNABORTED), None);
    assert_eq!(rest(&mut pause, EINTR), None);
}

#[cfg(target_os = "linux")]
#[test]
fn running_out_of_descriptors_rests_longer_each_time() {
    let mut pause = Pause::default();
    let rests: Vec<_> = (0..9).map(|_| rest(&mut pause, EMFILE)).collect();
    let expected = [10, 20, 40, 80, 160, 320, 640, 1000, 1000];
    assert_eq!(rests, expected.map(Some));
    pause.reset();
    assert_eq!(rest(&mut pause, ENFILE), Some(10));
    assert_eq!(rest(&mut pause, ECONNABORTED), None);
    assert_eq!(rest(&mut pause, ENOBUFS), Some(20));
}
