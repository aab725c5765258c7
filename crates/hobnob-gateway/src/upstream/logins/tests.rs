//! The command for a login, and reasons that ask for one.

use super::{is_login_needed, login_command};
use hobnob_mcp_engine::Principal;

#[test]
fn everybody_is_told_the_command_for_their_own_login() {
    assert_eq!(login_command("x", &Principal::anonymous()), "hobnob login x");
    assert_eq!(login_command("x", &Principal::named("ada")), "hobnob login x --as ada");
}

#[test]
fn a_reason_of_another_kind_is_not_taken_for_a_login() {
    assert!(is_login_needed("it needs a login"));
    assert!(is_login_needed("it needs a login: the login has ended"));
    assert!(!is_login_needed("the program exited with code 1"));
}
