//! Reads the number, the arguments and the result of a system call from the registers of each
//! architecture. [`tracer`](super::tracer) calls it at each stop.

use nix::sys::ptrace::getregs;
use nix::unistd::Pid;

/// A system call, from the registers of its task.
#[derive(Debug, Clone, Copy)]
pub(super) struct CallRegisters {
    pub(super) number: i64,
    pub(super) arguments: [u64; 5],
    /// Valid only after the call.
    pub(super) result: i64,
}

impl CallRegisters {
    #[cfg(target_arch = "x86_64")]
    pub(super) fn of(task: Pid) -> nix::Result<Self> {
        let registers = getregs(task)?;
        Ok(Self {
            number: registers.orig_rax.cast_signed(),
            arguments: [registers.rdi, registers.rsi, registers.rdx, registers.r10, registers.r8],
            result: registers.rax.cast_signed(),
        })
    }

    /// The first argument and the result share a register: read it before the call, too.
    #[cfg(any(target_arch = "aarch64", target_arch = "riscv64"))]
    pub(super) fn of(task: Pid) -> nix::Result<Self> {
        let registers = getregs(task)?;
        #[cfg(target_arch = "aarch64")]
        let (number, arguments) = {
            let [a, b, c, d, e, ..] = registers.regs;
            (registers.regs[8], [a, b, c, d, e])
        };
        #[cfg(target_arch = "riscv64")]
        let (number, arguments) =
            (registers.a7, [registers.a0, registers.a1, registers.a2, registers.a3, registers.a4]);
        let result = arguments[0].cast_signed();
        Ok(Self { number: number.cast_signed(), arguments, result })
    }
}
