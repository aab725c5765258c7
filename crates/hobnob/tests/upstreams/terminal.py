"""Runs a program on a pseudo-terminal of a given size and types what a test wants typed.

Arguments: rows, columns, a JSON list of [text to wait for, keys to type], and the program's own.
Between two of them, each `-- page` is answered with Enter. Prints what the program wrote and ends
with its code. Nothing is typed before its text was seen.
"""

import fcntl
import json
import os
import pty
import select
import struct
import sys
import termios
import time

PATIENCE = 120

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
end = time.monotonic() + PATIENCE
while True:
    while True:
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
    ready, _, _ = select.select([terminal], [], [], max(0, end - time.monotonic()))
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
sys.exit(os.waitstatus_to_exitcode(status) & 0xFF)
