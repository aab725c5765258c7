//! Which level counts: the option, the variable, the default.

use super::{ErrorReporting, directives};

#[test]
fn the_option_wins_over_the_variable_and_that_over_the_default() {
    let (log, plain) = (ErrorReporting::Log, ErrorReporting::Plain);
    let cases = [
        (0, log, None, "info,hobnob::wire=info"),
        (0, plain, None, "error,hobnob::wire=info"),
        (0, log, Some("debug"), "debug"),
        (0, plain, Some("WARNING"), "warn"),
        (0, plain, Some(" Trace "), "trace"),
        (0, log, Some("silent"), "off"),
        (0, log, Some("loud"), "info,hobnob::wire=info"),
        (0, log, Some("info,hyper=trace"), "info,hobnob::wire=info"),
        (1, log, Some("error"), "debug,hobnob::wire=info"),
        (1, plain, Some("error"), "info,hobnob::wire=info"),
        (2, log, Some("error"), "trace"),
        (2, plain, None, "debug,hobnob::wire=info"),
        (3, plain, None, "trace"),
    ];
    for (verbose, reporting, named, expected) in cases {
        assert_eq!(directives(verbose, reporting, named), expected, "{verbose} {named:?}");
    }
}
