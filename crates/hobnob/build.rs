//! Links the released program at a fixed address, and packaged ones with the functions first that a
//! start runs. Cargo runs this before it compiles the program.
//!
//! A program that may be loaded anywhere has its tables of pointers written anew in every process:
//! two megabytes, in each supervisor too, and time before `main`. Programs for debugging are linked
//! as usual. The heap, the stacks and libraries keep their random addresses.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=HOBNOB_START_ORDER");
    let variable = |name| env::var(name).unwrap_or_default();
    let is_glibc =
        variable("CARGO_CFG_TARGET_OS") == "linux" && variable("CARGO_CFG_TARGET_ENV") == "gnu";
    // The profiles that inherit from `release` count as it.
    if !is_glibc || variable("PROFILE") != "release" {
        return;
    }
    // Takes back what the compiler asks the linker for: `-pie`, or `-static-pie`.
    println!("cargo::rustc-link-arg-bins=-no-pie");
    if variable("CARGO_CFG_TARGET_FEATURE").split(',').any(|feature| feature == "crt-static") {
        println!("cargo::rustc-link-arg-bins=-static");
    }
    // A linker script, for linkers that take one; `cargo xtask` builds packages with it.
    if let Some(script) = env::var_os("HOBNOB_START_ORDER") {
        let script = script.display();
        println!("cargo::rerun-if-changed={script}");
        println!("cargo::rustc-link-arg-bins=-Wl,-T,{script}");
    }
}
