"""Tries to leave a sandbox. Runs as a granted command and prints one line for each attempt:
`refused NAME`, or `REACHED NAME: what it got`. Its argument is a file with the places to try.

An attempt is a function that returns what it reached; an exception is a wall. Attempts that could
end this process run in a child.
"""

import ctypes, errno, glob, json, mmap, os, platform, signal, socket, stat, struct, sys, time

LIBC = ctypes.CDLL(None, use_errno=True)
TARGETS = json.load(open(sys.argv[1]))
ATTEMPTS = []
# Numbers of system calls that are the same on every architecture since Linux 5.1, and others.
PIDFD_OPEN, PIDFD_GETFD, IO_URING_SETUP, CLONE3, OPEN_TREE, FSOPEN = 434, 438, 425, 435, 428, 430
NUMBERS = {
    "x86_64": dict(keyctl=250, bpf=321, perf=298, userfaultfd=323, kexec=246, ptrace=101,
                   process_vm_readv=310, clone=56, handle=304, add_key=248),
    "aarch64": dict(keyctl=219, bpf=280, perf=241, userfaultfd=282, kexec=104, ptrace=117,
                    process_vm_readv=270, clone=220, handle=265, add_key=217),
}[platform.machine()]


def attempt(function):
    ATTEMPTS.append(function)
    return function


def call(number, *arguments):
    """A system call, or the exception of its error."""
    result = LIBC.syscall(ctypes.c_long(number), *[ctypes.c_long(it) if isinstance(it, int) else it
                                                   for it in arguments])
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def each(places, function):
    """What the function reached at any of these places."""
    reached = []
    for place in places:
        try:
            reached.append(f"{place}: {function(place)}")
        except (OSError, ValueError, OverflowError, ZeroDivisionError):
            pass
    if not reached:
        raise OSError("all refused")
    return "; ".join(reached)[:300]


def outside():
    return [TARGETS["secret"], TARGETS["grants"], *TARGETS["sockets"]]


# Files outside of the grant.

@attempt
def read_outside():
    return each(outside() + ["/root/.bashrc", "/etc/shadow", "/etc/gshadow", "/var/log/dpkg.log",
                             "/dev/sda", "/dev/kmsg", "/dev/mem", "/proc/kcore"],
                lambda path: open(path, "rb").read(16) or 1 / 0)

@attempt
def read_outside_through_other_roots():
    roots = [f"/proc/{pid}/{link}" for pid in os.listdir("/proc") if pid.isdigit()
             for link in ("root", "cwd")]
    roots += glob.glob("/proc/[0-9]*/fd/*") + glob.glob("/proc/[0-9]*/task/*/root")
    return each(roots, lambda root: open(root + TARGETS["secret"]).read())

@attempt
def climb_out_of_a_folder():
    here = os.open(".", os.O_RDONLY)
    path = "../" * 40 + TARGETS["secret"][1:]
    return open(os.open(path, os.O_RDONLY, dir_fd=here)).read()

@attempt
def list_outside():
    return each(["/home", "/root", "/var", "/run", "/boot", "/srv", "/mnt", TARGETS["home"],
                 os.path.dirname(TARGETS["home"])],
                lambda path: [it for it in os.listdir(path) if it not in ("hobnob",)] or 1 / 0)

@attempt
def write_outside():
    def write(path):
        open(path, "a").write("x")
        return "written"
    return each([TARGETS["secret"], TARGETS["grants"], TARGETS["read"] + "/file", "/etc/attack",
                 "/usr/attack", "/attack", "/proc/sys/kernel/pid_max", "/proc/sys/kernel/hostname",
                 "/proc/1/oom_score_adj", "/proc/self/oom_score_adj", TARGETS["home"] + "/new"],
                write)

@attempt
def change_metadata_outside():
    changes = [lambda p: os.chmod(p, 0o777), lambda p: os.chown(p, os.getuid(), os.getgid()),
               lambda p: os.utime(p, (1, 1)), lambda p: os.setxattr(p, "user.attack", b"1"),
               lambda p: os.truncate(p, 0), os.unlink, lambda p: os.rename(p, p + "2")]
    places = outside() + [TARGETS["read"] + "/file", TARGETS["read"], TARGETS["home"],
                          "/etc/passwd", "/usr/bin/env", "/dev/null", "/"]
    return each([(change, place) for change in changes for place in places],
                lambda it: it[0](it[1]) or "changed")

@attempt
def link_from_outside():
    return each(outside() + [TARGETS["read"] + "/file"],
                lambda path: os.link(path, "linked-%d" % time.monotonic_ns()) or "linked")

# Sockets and the network.

@attempt
def connect_to_unix_sockets():
    places = TARGETS["sockets"] + glob.glob(TARGETS["runtime"] + "/*") + [
        "/run/dbus/system_bus_socket", "/var/run/docker.sock", "/run/docker.sock",
        "/tmp/.X11-unix/X0", f"/run/user/{os.getuid()}/bus"]
    for line in open("/proc/net/unix").read().split("\n")[1:]:
        if len(line.split()) > 7:
            name = line.split()[7]
            places.append("\0" + name[1:] if name.startswith("@") else name)
    places.append("\0" + TARGETS["abstract"])
    def connect(place):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(place)
        return "connected"
    return each(places, connect)

def connect_to(port):
    hosts = ("127.0.0.1", "::1", "localhost", TARGETS["address"])
    return each([(host, port) for host in hosts],
                lambda place: socket.create_connection(place, 5) and "connected")

@attempt
def connect_to_hobnob():
    return connect_to(TARGETS["hub"])

@attempt
def connect_to_another_port():
    return connect_to(TARGETS["port"])

@attempt
def connect_past_the_rules_for_ports():
    def multipath(place):
        connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)
        connection.connect(place)
        return "connected by MPTCP"
    def smc(place):
        connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 256)
        connection.connect(place)
        return "connected by SMC"
    def fast_open(place):
        connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        connection.sendto(b"GET / HTTP/1.0\r\n\r\n", 0x20000000, place)
        return "sent by fast open"
    def fast_open_connect(place):
        connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        connection.setsockopt(6, 30, 1)
        connection.connect(place)
        connection.send(b"GET / HTTP/1.0\r\n\r\n")
        return "sent by fast open"
    ways = [multipath, smc, fast_open, fast_open_connect]
    ports = (TARGETS["hub"], TARGETS["port"])
    return each([(way, ("127.0.0.1", port)) for way in ways for port in ports],
                lambda it: it[0](it[1]))

@attempt
def make_other_sockets():
    # AF_PACKET, AF_VSOCK, AF_SMC, AF_ALG, AF_KEY, AF_BLUETOOTH, AF_TIPC, AF_RDS, AF_XDP.
    kinds = (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET)
    families = (17, 40, 43, 38, 15, 31, 30, 21, 44)
    return each([(family, kind) for family in families for kind in kinds],
                lambda it: socket.socket(*it) and "made")

@attempt
def ask_the_kernel_about_sockets():
    # NETLINK_SOCK_DIAG and NETLINK_KOBJECT_UEVENT.
    return each([4, 15], lambda kind: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, kind) and "made")

# Other processes.

@attempt
def see_other_processes():
    def look(pid):
        line = open(f"/proc/{pid}/cmdline").read()
        if TARGETS["mark"] not in line and "serve" not in line:
            raise OSError("one of our own")
        return line
    return each([it for it in os.listdir("/proc") if it.isdigit()], look)

@attempt
def signal_other_processes():
    return each(TARGETS["pids"], lambda pid: os.kill(pid, 0) or "signalled")

@attempt
def take_over_the_runner():
    def seize(_):
        return call(NUMBERS["ptrace"], 0x4206, 1, 0, 0)  # PTRACE_SEIZE
    def descriptor(number):
        return call(PIDFD_GETFD, call(PIDFD_OPEN, 1, 0), number, 0)
    def read(name):
        return open(f"/proc/1/{name}", "rb").read(8) or 1 / 0
    return each([(seize, 0)] + [(descriptor, it) for it in range(3, 20)]
                + [(read, it) for it in ("environ", "mem", "maps")], lambda it: it[0](it[1]))

@attempt
def read_shared_memory():
    LIBC.shmat.restype = ctypes.c_void_p
    address = LIBC.shmat(TARGETS["segment"], None, 0o10000)  # SHM_RDONLY
    if address in (None, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), "shmat")
    return "attached"

# The kernel.

@attempt
def make_namespaces():
    def unshare(flags):
        if LIBC.unshare(flags):
            raise OSError(ctypes.get_errno(), "unshare")
        return "made"
    # User, mount, network, PID.
    return each([0x10000000, 0x00020000, 0x40000000, 0x20000000], in_child(unshare))

@attempt
def mount_something():
    def mount(kind):
        if LIBC.mount(kind, b"/tmp", kind, 0, None):
            raise OSError(ctypes.get_errno(), "mount")
        return "mounted"
    def tree(_):
        return call(OPEN_TREE, -100, ctypes.c_char_p(b"/usr"), 1)
    return each([(mount, b"tmpfs"), (mount, b"proc"), (tree, 0)], lambda it: it[0](it[1]))

@attempt
def make_a_ring():
    return call(IO_URING_SETUP, 1, ctypes.create_string_buffer(256))

@attempt
def use_key_rings():
    key = lambda _: call(NUMBERS["add_key"], ctypes.c_char_p(b"user"), ctypes.c_char_p(b"attack"),
                         ctypes.c_char_p(b"x"), 1, -4)
    ring = lambda _: call(NUMBERS["keyctl"], 0, -4, 1)
    return each([key, ring], lambda it: it(0))

@attempt
def use_rarely_needed_calls():
    event = ctypes.create_string_buffer(struct.pack("IIQ", 1, 128, 0) + bytes(112), 128)
    calls = [("userfaultfd", (1,)), ("perf", (event, 0, -1, -1, 0)), ("bpf", (0, event, 72)),
             ("kexec", (0, 0, 0, 0))]
    return each(calls, lambda it: call(NUMBERS[it[0]], *it[1]))

@attempt
def use_another_architectures_interface():
    if platform.machine() != "x86_64":
        raise OSError("there is one only here")
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    # mov eax, 20 (getpid of i386); int 0x80; ret
    code.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")
    address = ctypes.addressof(ctypes.c_char.from_buffer(code))
    getpid = ctypes.CFUNCTYPE(ctypes.c_int)(address)
    return in_child(lambda _: getpid())(0)

@attempt
def use_x32():
    if platform.machine() != "x86_64":
        raise OSError("there is one only here")
    return call(0x40000000 | 39)

@attempt
def be_an_administrator():
    def hostname(_):
        if LIBC.sethostname(b"attack", 6):
            raise OSError(ctypes.get_errno(), "sethostname")
    def clock(_):
        return time.clock_settime(time.CLOCK_REALTIME, time.time())
    def device(_):
        os.mknod("device", stat.S_IFCHR | 0o666, os.makedev(1, 1))
    def set_user_bit(_):
        open("program", "w").close()
        os.chmod("program", 0o4755)
        return in_child(lambda _: os.setuid(os.getuid() + 1))(0)
    def nice(_):
        os.setpriority(os.PRIO_PROCESS, 0, -10)
    def handle(_):
        return call(NUMBERS["handle"], -100, ctypes.create_string_buffer(64), 0)
    def capabilities(_):
        text = open("/proc/self/status").read()
        held = [line for line in text.split("\n") if line.startswith(("CapEff", "CapPrm", "CapBnd"))]
        held = [line for line in held if int(line.split()[1], 16) and
                (os.getuid() == 0 or not line.startswith("CapBnd"))]
        return held or 1 / 0
    ways = [hostname, clock, device, set_user_bit, nice, handle, capabilities]
    return each(ways, lambda way: way(0) or "done")


def in_child(function):
    """Runs a function in a child: what it reached, or an error if it failed or was killed."""
    def run(argument):
        child = os.fork()
        if child == 0:
            try:
                function(argument)
            except BaseException:
                os._exit(1)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status:
            raise OSError(f"ended with {status}")
        return "done"
    return run


def main():
    for function in ATTEMPTS:
        try:
            print(f"REACHED {function.__name__}: {function()}", flush=True)
        except (OSError, ZeroDivisionError, ValueError):
            print(f"refused {function.__name__}", flush=True)

if __name__ == "__main__":
    main()
