//! The Debian package: everything `dpkg` needs besides the files.
//!
//! This code writes it without Debian's tools, so that any distribution can make it and its bytes
//! depend only on its files.

use std::io::Write as _;
use std::process::{Command, Stdio};

use anyhow::Context;

use super::archive::{ar, folders, gzip, tar};
use super::contents::Contents;
use super::material::Material;
use super::needs::Needs;
use super::release::Release;

/// The text for `dpkg --info` and package searches.
const DESCRIPTION: &str = "\
one place where AI assistants meet their tools
 Hobnob stands between AI assistants and servers of the Model Context Protocol.
 An assistant of any revision of the protocol connects to one endpoint and
 reaches every configured server, with permissions and a log in one place.
 Memory and tasks are built in.";

/// The package's file name, in the form of Debian archives.
pub(crate) fn file_name(release: &Release) -> String {
    format!("hobnob_{}_{}.deb", release.debian_version(), release.platform.debian)
}

/// The path at which AppArmor expects the profile.
const PROFILE_PATH: &str = "etc/apparmor.d/hobnob";

/// Loads the profile, if the system has AppArmor in a version that understands it.
const AFTER_INSTALL: &str = "\
#!/bin/sh
set -e
if [ \"$1\" = configure ] && [ -d /sys/kernel/security/apparmor ] && [ -x /sbin/apparmor_parser ]; then
    apparmor_parser --replace --write-cache --skip-read-cache /etc/apparmor.d/hobnob || true
fi
";

/// The files that only this package has.
pub(crate) struct DebianFiles<'a> {
    /// The copyright file, which Debian requires of every package.
    pub(crate) copyright: &'a [u8],
    /// The AppArmor profile of the program.
    pub(crate) apparmor: &'a [u8],
}

/// The bytes of the package.
pub(crate) fn package(
    release: &Release,
    material: &Material,
    needs: &Needs,
    files: &DebianFiles<'_>,
) -> anyhow::Result<Vec<u8>> {
    let mut contents = material.for_debian()?;
    contents.add("usr/share/doc/hobnob/copyright", files.copyright);
    contents.add(PROFILE_PATH, files.apparmor);
    contents.add("usr/share/doc/hobnob/changelog.Debian.gz", gzip(&changelog(release)?)?);
    let mut control = Contents::default();
    control.add("control", control_file(release, needs, &contents)?);
    control.add("conffiles", format!("/{PROFILE_PATH}\n"));
    control.add("md5sums", md5sums(&contents)?);
    control.add_program("postinst", AFTER_INSTALL);
    let control = gzip(&tar(&control, "./", release.time)?)?;
    let data = gzip(&tar(&contents, "./", release.time)?)?;
    let members: [(&str, &[u8]); 3] =
        [("debian-binary", b"2.0\n"), ("control.tar.gz", &control), ("data.tar.gz", &data)];
    ar(&members, release.time)
}

fn control_file(release: &Release, needs: &Needs, contents: &Contents) -> anyhow::Result<Vec<u8>> {
    // Debian counts KiB, with each file rounded up and each folder as one.
    let files = contents.files().map(|(_, file)| file.bytes.len().div_ceil(1024)).sum::<usize>();
    let mut text = Vec::new();
    writeln!(text, "Package: hobnob")?;
    writeln!(text, "Version: {}", release.debian_version())?;
    writeln!(text, "Architecture: {}", release.platform.debian)?;
    writeln!(text, "Maintainer: {}", release.maintainer)?;
    writeln!(text, "Installed-Size: {}", files + folders(contents))?;
    let depends = needs.debian_depends();
    if !depends.is_empty() {
        writeln!(text, "Depends: {depends}")?;
    }
    // The system's certificates verify HTTPS servers; git synchronises memories.
    writeln!(text, "Recommends: ca-certificates")?;
    writeln!(text, "Suggests: git")?;
    writeln!(text, "Section: utils")?;
    writeln!(text, "Priority: optional")?;
    writeln!(text, "Description: {DESCRIPTION}")?;
    Ok(text)
}

fn changelog(release: &Release) -> anyhow::Result<Vec<u8>> {
    let mut text = Vec::new();
    writeln!(text, "hobnob ({}) unstable; urgency=medium\n", release.debian_version())?;
    writeln!(text, "  * changelog.gz says what is new in this version.\n")?;
    let date = release.date("%a, %d %b %Y %H:%M:%S +0000")?;
    writeln!(text, " -- {}  {date}", release.maintainer)?;
    Ok(text)
}

fn md5sums(contents: &Contents) -> anyhow::Result<Vec<u8>> {
    let mut text = Vec::new();
    for (path, file) in contents.files() {
        writeln!(text, "{}  {path}", digest("md5sum", &file.bytes)?)?;
    }
    Ok(text)
}

/// The output of `md5sum` or `sha256sum` for some bytes.
pub(crate) fn digest(program: &str, bytes: &[u8]) -> anyhow::Result<String> {
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {program}"))?;
    // The program prints only after its input has ended, so neither side waits for the other.
    let mut input = child.stdin.take().context("a child without an input")?;
    input.write_all(bytes).with_context(|| format!("{program} does not read"))?;
    drop(input);
    let output = child.wait_with_output()?;
    anyhow::ensure!(output.status.success(), "{program} failed ({})", output.status);
    let text = String::from_utf8(output.stdout)?;
    let sum = text.split_whitespace().next();
    Ok(sum.with_context(|| format!("{program} printed nothing"))?.to_owned())
}
