//! Tests of the contents of packages, without building a program.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;

use super::archive::{ar, folders, gzip, tar};
use super::components::{Components, parse_tree};
use super::contents::Contents;
use super::debian::{self, DebianFiles};
use super::hardening::missing;
use super::licences;
use super::lock_file::checksums;
use super::material::{Completions, Material};
use super::needs::{GlibcVersion, Needs};
use super::platform::Platform;
use super::release::Release;
use crate::workspace::Workspace;

fn release() -> Release {
    Release {
        version: "1.2.0".to_owned(),
        time: 1_000_000_000,
        platform: Platform::of("x86_64-unknown-linux-gnu").unwrap(),
        maintainer: "Nobody <nobody@example.invalid>".to_owned(),
    }
}

fn material() -> Material {
    let page = |name: &str| (name.to_owned(), b".TH hobnob 1\n".to_vec());
    Material {
        program: b"program".to_vec(),
        man_pages: BTreeMap::from([page("hobnob.1"), page("hobnob-serve.1")]),
        completions: Completions {
            bash: "bash".to_owned(),
            zsh: "zsh".to_owned(),
            fish: "fish".to_owned(),
        },
        documents: BTreeMap::from([
            ("LICENSE-MIT", b"MIT".to_vec()),
            ("README.md", b"read".to_vec()),
            ("THIRD-PARTY-LICENSES.txt", vec![b'x'; 5000]),
        ]),
    }
}

fn needs() -> Needs {
    let glibc = GlibcVersion::parse("2.17");
    Needs { libraries: vec!["libc.so.6".to_owned()], glibc }
}

/// Path, mode, owner and time of every entry.
fn entries(archive: &[u8]) -> Vec<(String, u32, u64, u64)> {
    let mut archive = tar::Archive::new(archive);
    let entries = archive.entries().unwrap().map(|entry| {
        let entry = entry.unwrap();
        let header = entry.header();
        let path = String::from_utf8(entry.path_bytes().into_owned()).unwrap();
        (path, header.mode().unwrap(), header.uid().unwrap(), header.mtime().unwrap())
    });
    entries.collect()
}

fn gunzip(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(bytes).read_to_end(&mut plain).unwrap();
    plain
}

/// The members of an ar archive: name and bytes.
fn members(mut archive: &[u8]) -> Vec<(String, Vec<u8>)> {
    archive = archive.strip_prefix(b"!<arch>\n").unwrap();
    let mut found = Vec::new();
    while !archive.is_empty() {
        let (header, rest) = archive.split_at(60);
        let header = str::from_utf8(header).unwrap();
        assert!(header.ends_with("`\n"), "{header:?}");
        let size: usize = header[48..58].trim().parse().unwrap();
        found.push((header[..16].trim().to_owned(), rest[..size].to_vec()));
        archive = &rest[size.next_multiple_of(2)..];
    }
    found
}

#[test]
fn archives_are_sorted_and_belong_to_root() {
    let mut contents = Contents::default();
    contents.add("share/b", "b");
    contents.add("share/a/x", "x");
    contents.add_program("bin/hobnob", "program");
    let archive = tar(&contents, "./", 7).unwrap();
    let expected = [
        ("./", 0o755),
        ("./bin/", 0o755),
        ("./bin/hobnob", 0o755),
        ("./share/", 0o755),
        ("./share/a/", 0o755),
        ("./share/a/x", 0o644),
        ("./share/b", 0o644),
    ];
    let expected = expected.map(|(path, mode)| (path.to_owned(), mode, 0, 7));
    assert_eq!(entries(&archive), expected);
    assert_eq!(folders(&contents), 3);
    assert_eq!(gzip(&archive).unwrap(), gzip(&archive).unwrap());
    assert_eq!(gunzip(&gzip(&archive).unwrap()), archive);
}

#[test]
fn an_ar_member_of_odd_length_is_filled_up() {
    let archive = ar(&[("one", b"1"), ("two", b"22")], 7).unwrap();
    let expected = [("one".to_owned(), b"1".to_vec()), ("two".to_owned(), b"22".to_vec())];
    assert_eq!(members(&archive), expected);
    assert_eq!(archive.len(), 8 + 60 + 2 + 60 + 2);
}

#[test]
fn a_debian_package_says_what_it_holds_and_needs() {
    let own = DebianFiles { copyright: b"copyright", apparmor: b"profile" };
    let package = debian::package(&release(), &material(), &needs(), &own).unwrap();
    assert_eq!(package, debian::package(&release(), &material(), &needs(), &own).unwrap());
    let members = members(&package);
    let names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["debian-binary", "control.tar.gz", "data.tar.gz"]);
    let paths: Vec<String> =
        entries(&gunzip(&members[2].1)).into_iter().map(|(path, ..)| path).collect();
    for path in [
        "./etc/apparmor.d/hobnob",
        "./usr/bin/hobnob",
        "./usr/share/man/man1/hobnob.1.gz",
        "./usr/share/man/man1/hobnob-serve.1.gz",
        "./usr/share/bash-completion/completions/hobnob",
        "./usr/share/zsh/vendor-completions/_hobnob",
        "./usr/share/fish/vendor_completions.d/hobnob.fish",
        "./usr/share/doc/hobnob/copyright",
        "./usr/share/doc/hobnob/README.md",
        "./usr/share/doc/hobnob/THIRD-PARTY-LICENSES.txt.gz",
    ] {
        assert!(paths.iter().any(|found| found == path), "no {path} in {paths:?}");
    }

    let control = gunzip(&members[1].1);
    let mut control = tar::Archive::new(control.as_slice());
    let mut texts = control.entries().unwrap().filter_map(|entry| {
        let mut entry = entry.unwrap();
        let mut text = String::new();
        entry.read_to_string(&mut text).unwrap();
        (!text.is_empty()).then_some(text)
    });
    assert_eq!(texts.next().unwrap(), "/etc/apparmor.d/hobnob\n");
    let control = texts.next().unwrap();
    for line in ["Version: 1.2.0-1", "Architecture: amd64", "Depends: libc6 (>= 2.17)"] {
        assert!(control.lines().any(|found| found == line), "no {line} in {control}");
    }
    let sums = texts.next().unwrap();
    // The checksum of the seven bytes `program`.
    let sum = debian::digest("md5sum", b"program").unwrap();
    assert!(sums.contains(&format!("{sum}  usr/bin/hobnob\n")), "{sums}");
    assert!(texts.next().unwrap().contains("apparmor_parser"));
}

#[test]
fn pre_releases_come_before_their_release() {
    let release = Release { version: "1.2.0-rc.1".to_owned(), ..release() };
    assert_eq!(release.debian_version(), "1.2.0~rc.1-1");
    assert_eq!(debian::file_name(&release), "hobnob_1.2.0~rc.1-1_amd64.deb");
    assert_eq!(release.name(), "hobnob-1.2.0-rc.1-x86_64-linux");
}

#[test]
fn needs_are_read_from_the_headers() {
    let text = "\
 0x0000000000000001 (NEEDED)             Shared library: [libgcc_s.so.1]
 0x0000000000000001 (NEEDED)             Shared library: [libc.so.6]
  0x0010:   Name: GLIBC_2.2.5  Flags: none  Version: 4
  0x0020:   Name: GLIBC_2.17  Flags: none  Version: 3
  0x0030:   Name: GLIBC_2.9  Flags: none  Version: 2";
    let needs = Needs::parse(text);
    assert_eq!(needs.libraries, ["libgcc_s.so.1", "libc.so.6"]);
    assert_eq!(needs.glibc, GlibcVersion::parse("2.17"));
    assert_eq!(needs.beside_glibc(), ["libgcc_s.so.1"]);
    assert_eq!(needs.debian_depends(), "libc6 (>= 2.17), libgcc-s1");
}

#[test]
fn a_program_without_address_randomisation_or_full_relro_is_named() {
    let hardened = "\
ELF Header:
  Type:                              DYN (Position-Independent Executable file)
Program Headers:
  GNU_RELRO      0x0b6a10 0x00000000000b7a10 0x00000000000b7a10 0x0075f0 0x0075f0 R   0x1
Dynamic section at offset 0xbb8d8 contains 30 entries:
 0x000000000000001e (FLAGS)              BIND_NOW
 0x000000006ffffffb (FLAGS_1)            Flags: NOW PIE";
    let check = |text: &str, expected: &[&str]| assert_eq!(missing(text), expected, "{text}");
    check(hardened, &[]);
    check(&hardened.replace("DYN", "EXEC"), &["not position-independent"]);
    check(&hardened.replace("GNU_RELRO", "GNU_STACK"), &["without full RELRO"]);
    let lazy = hardened.replace("BIND_NOW", "").replace("NOW PIE", "PIE");
    check(&lazy, &["without full RELRO"]);
    check("", &["not position-independent", "without full RELRO"]);
}

#[test]
fn a_tree_says_who_needs_whom() {
    let text = "0a v1.0.0 (/home/a)\n1b v0.2.0\n2c v3.0.0+sqlite\n1c v3.0.0+sqlite (*)\n";
    let tree = parse_tree(text).unwrap();
    let id = |name: &str, version: &str| (name.to_owned(), version.to_owned());
    let (a, b, c) = (id("a", "1.0.0"), id("b", "0.2.0"), id("c", "3.0.0+sqlite"));
    assert_eq!(tree.root, a);
    let expected = BTreeMap::from([
        (a, BTreeSet::from([b.clone(), c.clone()])),
        (b, BTreeSet::from([c.clone()])),
        (c, BTreeSet::new()),
    ]);
    assert_eq!(tree.needs, expected);
}

#[test]
fn checksums_come_from_the_lock_file() {
    let lock = "version = 4\n\n[[package]]\nname = \"ours\"\nversion = \"0.1.0\"\n\n\
                [[package]]\nname = \"theirs\"\nversion = \"1.0.0\"\nchecksum = \"abc\"\n";
    let expected = BTreeMap::from([(("theirs".to_owned(), "1.0.0".to_owned()), "abc".to_owned())]);
    assert_eq!(checksums(lock), expected);
}

/// Fails if the program has a crate whose licence text cannot be shipped.
#[test]
fn every_crate_of_the_program_has_a_licence_text() {
    let workspace = Workspace::load().unwrap();
    let platform = Platform::of("x86_64-unknown-linux-gnu").unwrap();
    let components = Components::load(&workspace, &platform).unwrap();
    let packaging = workspace.root.join("packaging");
    let document = licences::document(&components, &packaging, &[]).unwrap();
    for name in ["serde_json ", "libmimalloc-sys ", "Permission is hereby granted"] {
        assert!(document.contains(name), "no {name}in the licences");
    }
    assert!(components.of_others().all(|(id, _)| !id.0.starts_with("hobnob")));
}
