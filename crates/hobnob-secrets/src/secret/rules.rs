//! The table that assigns a rule to each trigger word.
//!
//! `trigger` searches for all words at once. Not listed here: the prefixes of `tokens`, and rules
//! without a trigger word, such as `discord`.

use crate::rule_match::Rule;

use super::{assignment, azure, command_line, header, jwt, private_key, url};

/// Trigger words with their rules; a word without a special rule names an assignment.
pub(crate) const RULES: &[(&str, Rule)] = &[
    ("-----BEGIN ", private_key::find_armoured),
    ("PuTTY-User-Key-File-", private_key::find_putty),
    ("eyJ", jwt::find),
    ("://", url::find),
    ("sig=", azure::find_signature),
    ("bearer", header::find_bearer),
    ("basic ", header::find_basic),
    ("authorization", header::find_authorization),
    ("-u", command_line::find_user),
    ("--user", command_line::find_user),
    ("-p", command_line::find_password),
    ("password", assignment::find),
    ("passwd", assignment::find),
    ("passphrase", assignment::find),
    ("passcode", assignment::find),
    ("passwort", assignment::find),
    ("kennwort", assignment::find),
    ("contraseña", assignment::find),
    ("mot de passe", assignment::find),
    ("wachtwoord", assignment::find),
    ("senha", assignment::find),
    ("пароль", assignment::find),
    ("Пароль", assignment::find),
    ("密码", assignment::find),
    ("パスワード", assignment::find),
    ("비밀번호", assignment::find),
    ("pass", assignment::find),
    ("pwd", assignment::find),
    ("pw", assignment::find),
    ("secret", assignment::find),
    ("token", assignment::find),
    ("key", assignment::find),
    ("credential", assignment::find),
    ("credentials", assignment::find),
    ("_auth", assignment::find),
    ("identified by", assignment::find),
    ("sessionid", assignment::find_session),
    ("session_id", assignment::find_session),
    ("sessid", assignment::find_session),
];
