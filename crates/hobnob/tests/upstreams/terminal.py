"""Runs a program on a pseudo-terminal of a given size and types what a test wants typed.

Arguments: rows, columns, a JSON list of [text to wait for, keys to type], and the program's own.
A text that begins with `file:` is the path of a file, and is waited for until the file is there.
One that begins with `touch:` is waited for by nobody: that file is made. `signal:NAME` sends that
signal to the program, and in the end it is an error if the keyboard is not as it was.
Between two of them, each `-- page` is answered with Enter. Prints what the program wrote and ends
with its code. Nothing is typed before its text was seen.
"""

import fcntl
import json
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

PATIENCE = 50
FILE = "file:"
TOUCH = "touch:"
SIGNAL = "signal:"

rows, columns = int(sys.argv[1]), int(sys.argv[2])
steps = json.loads(sys.argv[3])
child, terminal = pty.fork()
if child == 0:
    # The size is set before the program starts: the parent says so with a byte.
    os.read(0, 1)
    os.execvp(sys.argv[4], sys.argv[4:])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
os.write(terminal, b"\n")

written = b""
seen = 0
signalled = False
before = termios.tcgetattr(terminal)
end = time.monotonic() + PATIENCE
while True:
    while True:
        if steps and steps[0][0].startswith(TOUCH):
            open(steps.pop(0)[0][len(TOUCH):], "w").close()
            continue
        if steps and steps[0][0].startswith(SIGNAL):
            name = steps.pop(0)[0][len(SIGNAL):]
            # A program that is killed cannot put the keyboard back.
            signalled = name != "KILL"
            os.kill(child, signal.Signals["SIG" + name])
            continue
        if steps and steps[0][0].startswith(FILE):
            if not os.path.exists(steps[0][0][len(FILE):]):
                break
            os.write(terminal, steps.pop(0)[1].encode())
            continue
        wanted = [(steps[0][0], steps[0][1])] if steps else []
        found = [(written.find(text.encode(), seen), text, keys)
                 for text, keys in wanted + [("-- page", "\r")]]
        found = [it for it in found if it[0] >= 0]
        if not found:
            break
        at, text, keys = min(found, key=lambda it: it[0])
        seen = at + len(text.encode())
        if steps and text == steps[0][0]:
            steps.pop(0)
        os.write(terminal, keys.encode())
    left = max(0, end - time.monotonic())
    looks_again = bool(steps) and steps[0][0].startswith(FILE)
    ready, _, _ = select.select([terminal], [], [], min(left, 0.02) if looks_again else left)
    if not ready and left and looks_again:
        continue
    if not ready:
        os.kill(child, 9)
        break
    try:
        data = os.read(terminal, 65536)
    except OSError:
        break
    if not data:
        break
    written += data
_, status = os.waitpid(child, 0)
sys.stdout.buffer.write(written)
sys.stdout.flush()
if steps:
    sys.stderr.write("never seen: " + steps[0][0] + "\n")
if signalled and termios.tcgetattr(terminal)[:4] != before[:4]:
    sys.stderr.write("the keyboard is not as it was\n")
sys.exit(os.waitstatus_to_exitcode(status) & 0xFF)
