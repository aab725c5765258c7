#!/bin/busybox sh
# The first process of the virtual machine of `cargo xtask vm`. It runs the tests once for each way in
# which a cgroup is delegated, says what came of it, and turns the machine off.

export PATH=/usr/bin:/bin

if [ "$1" != inside ]; then
    # No process can leave the root that the kernel starts with, and a sandbox does just that.
    busybox mkdir /inside
    busybox mount -t tmpfs -o mode=755 tmpfs /inside
    busybox cp -a /bin /etc /init /lib /lib64 /tests /usr /inside/
    exec busybox switch_root /inside /init inside
fi

busybox mkdir -p /dev /proc /sys /tmp
busybox mount -t proc proc /proc
busybox --install -s /bin
mount -t devtmpfs dev /dev
mount -t sysfs sys /sys
mount -t tmpfs -o mode=1777 tmp /tmp
mount -t cgroup2 cgroup2 /sys/fs/cgroup
echo '+memory +pids' > /sys/fs/cgroup/cgroup.subtree_control

# A cgroup of its own for an ordinary user.
prepare() {
    folder=/sys/fs/cgroup/$1
    mkdir "$folder"
    chown 1000:1000 "$folder" "$folder/cgroup.procs" "$folder/cgroup.subtree_control" \
        "$folder/cgroup.threads"
}

# Runs the tests as that user; the process that does becomes the tests. By their paths, since the shell
# has small programs of the same names.
tests='cd / && exec /bin/setpriv --reuid=1000 --regid=1000 --clear-groups \
    env HOBNOB_CGROUP=required /tests/deps/it runner_cgroup --test-threads=1'

said() {
    if [ "$2" = 0 ]; then echo "vm: $1: passed"; else echo "vm: $1: failed"; fi
}

echo "vm: $(uname -r)"

# As systemd does for `Delegate=`.
prepare marked
setfattr -n user.delegate -v 1 "$folder"
(sh -c "echo 0 > $folder/cgroup.procs; $tests")
said marked $?

# As in a container: the cgroup is the root of a namespace.
prepare container
(sh -c "echo 0 > $folder/cgroup.procs; \
    exec /bin/unshare --cgroup --mount sh -c 'umount /sys/fs/cgroup; \
        mount -t cgroup2 cgroup2 /sys/fs/cgroup; $tests'")
said container $?

poweroff -f
