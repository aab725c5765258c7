//! Opens a page in the person's browser, without a shell.
//!
//! `login` opens the page of a login, and `ui` the page of a hub. The caller has checked the address:
//! https, or http on this machine.

use std::process::{Command, Stdio};

/// Whether the person's browser can be opened from here. Over SSH it cannot: their browser runs on
/// another machine, and the answer would go there.
pub(crate) fn can_open() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|it| !it.is_empty());
    if set("SSH_CONNECTION") || set("SSH_TTY") {
        return false;
    }
    cfg!(target_os = "macos")
        || cfg!(windows)
        || set("BROWSER")
        || set("DISPLAY")
        || set("WAYLAND_DISPLAY")
}

/// Opens the page; returns whether a program was started for it.
pub(crate) fn open(page: &str) -> bool {
    let own = std::env::var("BROWSER").ok().filter(|it| is_program(it));
    let (program, args): (&str, &[&str]) = match &own {
        Some(program) => (program, &[]),
        None if cfg!(target_os = "macos") => ("open", &[]),
        None if cfg!(windows) => ("rundll32", &["url.dll,FileProtocolHandler"]),
        None => ("xdg-open", &[]),
    };
    let mut command = Command::new(program);
    command.args(args).arg(page);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // The browser must not end with us, nor at the next Ctrl-C.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn().is_ok()
}

/// Whether `BROWSER` holds the name or path of one program; on some systems it holds a list or a
/// command line.
fn is_program(text: &str) -> bool {
    !text.is_empty() && !text.contains([':', '%', ' ', '\t'])
}

#[cfg(test)]
mod tests {
    use super::is_program;

    #[test]
    fn lists_and_command_lines_are_no_programs() {
        for (text, expected) in [
            ("firefox", true),
            ("/usr/bin/firefox", true),
            ("", false),
            ("firefox:chromium", false),
            ("firefox %s", false),
            ("sh -c x", false),
        ] {
            assert_eq!(is_program(text), expected, "{text}");
        }
    }
}
