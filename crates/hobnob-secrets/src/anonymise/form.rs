//! Names recognised by the format of the log line: access logs, sudo, cron, PAM, mail, file shares.

use crate::text::listed;

use super::around::{Around, Gap};
use super::cue::NameCue;

/// The actions of cron for a user: `(bob) CMD (…)`.
const CRON: &str = "CMD CMDOUT CMDEND RELOAD LIST BEGIN END REPLACE DELETE MAIL AUTH ORPHAN";
/// Services and databases of mail servers that put a user in brackets: `imap(bob)`.
const MAIL: &str = "imap pop3 lda lmtp managesieve submission pam passwd-file sql ldap";
/// How far after the user sudo writes the terminal, in bytes.
const SUDO_REACH: usize = 96;

/// What the format of the line says about a word.
pub(super) fn named_by_form(around: &Around<'_>, gap: Gap) -> Option<NameCue> {
    let after = around.after(around.word.end);
    match *after.as_bytes() {
        [b'(', ..] => after.starts_with("(uid=").then_some(NameCue::USER),
        [b')', ..] | [b',', ..] if around.opening() == b'(' => in_brackets(around, gap, after),
        [b')', b' ', ..] => is_su_target(around).then_some(NameCue::USER),
        [b']', ..] if around.opening() == b'[' => in_square_brackets(around, after),
        [b'\'', ..] if around.opening() == b'\'' => in_quotes(around, after),
        [b' ', next, ..] => before_blank(around, next, after),
        [] if is_dhcp_client(around) => Some(NameCue::HOST),
        [] => is_su_change(around).then_some(NameCue::USER),
        _ => None,
    }
}

/// `(bob) CMD (…)`, `LIST (bob)`, `uid=1000(bob)`, `imap(bob)`, `(laptop) via eth0`.
fn in_brackets(around: &Around<'_>, gap: Gap, after: &str) -> Option<NameCue> {
    let before = around.previous(0);
    if gap == Gap::Called {
        let number = !before.is_empty() && before.bytes().all(|it| it.is_ascii_digit());
        let owner = number && ["uid", "gid", "euid", "groups"].contains(&around.previous(1));
        return (owner || listed(MAIL, before)).then_some(NameCue::USER);
    }
    if gap == Gap::Bracketed && ["EDIT", "LIST", "REPLACE", "DELETE"].contains(&before) {
        return Some(NameCue::USER);
    }
    let behind = after.strip_prefix(") ")?;
    if behind.starts_with("via ") {
        return Some(NameCue::HOST);
    }
    let (action, rest) = behind.split_once(' ')?;
    let cron = listed(CRON, action) && (rest.starts_with('(') || rest.starts_with("EDIT ("));
    cron.then_some(NameCue::USER)
}

/// `[bob] OK LOGIN`, and `[CORP]\[bob]` or `[bob] -> [bob]` of Samba.
fn in_square_brackets(around: &Around<'_>, after: &str) -> Option<NameCue> {
    if after.starts_with("]\\[") {
        return Some(NameCue::HOST);
    }
    let ftp = after.starts_with("] OK ") || after.starts_with("] FAIL ");
    let domain = around.between(0) == "]\\[";
    let mapped = around.previous(0) == "-" && around.previous(2) == "user";
    (ftp || domain || mapped).then_some(NameCue::USER)
}

/// `'bob'@'web7'`, `add 'bob' to group 'sudo'`
fn in_quotes(around: &Around<'_>, after: &str) -> Option<NameCue> {
    let behind = ["'@'", "' to group ", "' to shadow group ", "' from group "];
    if behind.iter().any(|it| after.starts_with(it)) {
        return Some(NameCue::USER);
    }
    (around.previous(0) == "@" && around.between(0) == "'").then_some(NameCue::HOST)
}

/// `bob : TTY=pts/0`, `bob HIER_…/…`, `192.0.2.7 - bob [10/Feb/2024…`, `(to root) bob on pts/0`.
fn before_blank(around: &Around<'_>, next: u8, after: &str) -> Option<NameCue> {
    match next {
        b':' => is_sudo(after).then_some(NameCue::USER),
        b'H' => after.starts_with(" HIER_").then_some(NameCue::USER),
        b'(' => {
            let address = after.starts_with(" (ipv4:") || after.starts_with(" (ipv6:");
            address.then_some(NameCue::HOST)
        }
        b'l' => {
            let logged = after.starts_with(" logged in") || after.starts_with(" logged out");
            logged.then_some(NameCue::USER)
        }
        b'i' => after.starts_with(" is now logged in").then_some(NameCue::USER),
        b'o' => {
            let su = after.starts_with(" on ") && around.between(0) == ") ";
            (su && around.previous(1) == "to").then_some(NameCue::USER)
        }
        b'[' | b'"' => is_access_user(around, after).then_some(NameCue::ANY_USER),
        _ => is_access_identity(around, after).then_some(NameCue::ANY_USER),
    }
}

fn is_sudo(after: &str) -> bool {
    let reach = &after[..after.floor_char_boundary(SUDO_REACH)];
    reach.starts_with(" : ") && reach.contains("TTY=")
}

/// In `(to bob) root on pts/0`, the name inside the bracket.
fn is_su_target(around: &Around<'_>) -> bool {
    let before = around.words[0].start.checked_sub(1);
    let opened = before.is_some_and(|at| around.text.as_bytes()[at] == b'(');
    let mut behind = around.after(around.word.end + 2).splitn(3, ' ');
    opened && around.previous(0) == "to" && behind.nth(1) == Some("on")
}

/// The format of su: `+ /dev/pts/1 bob:root`.
fn is_su_change(around: &Around<'_>) -> bool {
    let terminal = around.previous(0).trim_start_matches("/dev/");
    let terminal = terminal.starts_with("pts/") || terminal.starts_with("tty");
    terminal && matches!(around.previous(1), "+" | "-") && around.after_name().starts_with(':')
}

/// `DHCPACK(eth0) 192.0.2.7 00:16:3e:aa:bb:cc laptop`
fn is_dhcp_client(around: &Around<'_>) -> bool {
    around.previous(3) == "DHCPACK" && around.previous(0).len() == 17
}

/// The user in an access log: `ADDRESS IDENTITY USER [TIME]` or, without the time, `"REQUEST"`.
fn is_access_user(around: &Around<'_>, after: &str) -> bool {
    // A request alone is weak evidence: the line must begin with the client or requested host.
    let first = || around.begins_line(1) || around.begins_line(2);
    (is_time(after) || is_request(after) && first()) && is_client(around, 1)
}

/// The identity of the connection in an access log, which precedes the user.
fn is_access_identity(around: &Around<'_>, after: &str) -> bool {
    let first = around.begins_line(0) || around.begins_line(1);
    let behind_user = || after[1..].find(' ').map(|end| &after[1 + end..]);
    first && is_client(around, 0) && behind_user().is_some_and(is_time)
}

fn is_client(around: &Around<'_>, back: usize) -> bool {
    let apart = (0..=back).all(|it| around.between(it) == " ");
    apart && around.previous(back).contains(['.', ':'])
}

/// The time of a request: ` [10/Feb/2024:10:30:45 +0000]`.
fn is_time(text: &str) -> bool {
    matches!(text.as_bytes(), [b' ', b'[', b'0'..=b'9', b'0'..=b'9', b'/', ..])
}

/// The request line: ` "GET / HTTP/1.1"`.
fn is_request(text: &str) -> bool {
    let Some(request) = text.strip_prefix(" \"") else { return false };
    let method = request.bytes().take_while(u8::is_ascii_uppercase).count();
    3 <= method && request[method..].starts_with(' ') || request.starts_with("\\x")
}
