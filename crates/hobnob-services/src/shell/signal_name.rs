//! Names of signals for results, such as `SIGKILL` for 9.

/// Linux's signals 1 to 31, in order.
const NAMES: [&str; 31] = [
    "SIGHUP",
    "SIGINT",
    "SIGQUIT",
    "SIGILL",
    "SIGTRAP",
    "SIGABRT",
    "SIGBUS",
    "SIGFPE",
    "SIGKILL",
    "SIGUSR1",
    "SIGSEGV",
    "SIGUSR2",
    "SIGPIPE",
    "SIGALRM",
    "SIGTERM",
    "SIGSTKFLT",
    "SIGCHLD",
    "SIGCONT",
    "SIGSTOP",
    "SIGTSTP",
    "SIGTTIN",
    "SIGTTOU",
    "SIGURG",
    "SIGXCPU",
    "SIGXFSZ",
    "SIGVTALRM",
    "SIGPROF",
    "SIGWINCH",
    "SIGIO",
    "SIGPWR",
    "SIGSYS",
];

/// The name of a signal, or `signal N` if it has none.
pub(super) fn signal_name(number: i32) -> String {
    let known = usize::try_from(number).ok().and_then(|it| NAMES.get(it.checked_sub(1)?));
    known.map_or_else(|| format!("signal {number}"), |name| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::signal_name;

    #[test]
    fn signals_have_their_names() {
        let cases =
            [(1, "SIGHUP"), (9, "SIGKILL"), (15, "SIGTERM"), (24, "SIGXCPU"), (31, "SIGSYS")];
        for (number, name) in cases {
            assert_eq!(signal_name(number), name);
        }
        assert_eq!(signal_name(34), "signal 34");
        assert_eq!(signal_name(-1), "signal -1");
    }
}
