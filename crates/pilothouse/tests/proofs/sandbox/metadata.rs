//! Modes, owners, times, attributes and flags of files outside: what no right of Landlock covers.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    path::Path,
    process::Command,
};

use serde_json::json;

use super::{
    came, desks, python,
    support::{
        Desk,
        alone::{finish, not_run, tell},
        server::{Server, Turn},
    },
    typed,
};

/// In shells and by programs; `$T` is a file outside, `$D` its folder, `$L` a link to it, `$N` the number of the try,
/// which names what a try makes for itself.
const SHELL: [&str; 32] = [
    "chmod 777 $T",
    "chmod u+s $T",
    "chmod -R 700 $D",
    "chmod 777 $L",
    "ln -s $T link$N; chmod 777 link$N",
    "ln -s $D dir$N; chmod 777 dir$N/f",
    "ln $T hard$N; chmod 777 hard$N",
    "chmod 777 ../../../../../../../../../..$T",
    "cd $D && chmod 777 f",
    "cd $D && chmod 777 .",
    "exec 5<$T; chmod 777 /proc/self/fd/5",
    "exec 5<$T; chmod 777 /dev/fd/5",
    "exec 5<$D; chmod 777 /proc/self/fd/5/f",
    "cd $D; chmod 777 /proc/self/cwd/f",
    "chmod 777 /proc/self/root$T",
    "chmod 777 /proc/$PPID/root$T",
    "chmod 777 /proc/1/root$T",
    "for p in /proc/[0-9]*; do chmod 777 $p/root$T; done",
    "chown 12:34 $T",
    "chown -h 12:34 $L",
    "chgrp 34 $D",
    "chmod --reference=/bin/sh $T",
    "touch $T",
    "touch -a $T",
    "touch -d 2001-01-01 $T",
    "touch -h -d 2001-01-01 $L",
    "touch -r /bin/sh $T",
    "cp -p --attributes-only /bin/sh $T",
    "echo x > f; chmod 777 f; tar cf $N.tar f; tar xpf $N.tar -C $D --overwrite",
    "chattr +d $T",
    "setfattr -n user.x -v 1 $T",
    "unshare -Urm sh -c \"mount -o remount,bind,rw /; chmod 777 $T\"",
];

/// In Python; `T`, `D`, `L` as above, `fd` is the file open for reading, `d` its folder.
const PYTHON: [&str; 14] = [
    "os.chmod(T, 0o777)",
    "os.fchmod(fd, 0o777)",
    "os.fchmod(d, 0o777)",
    "os.chmod('f', 0o777, dir_fd=d)",
    "os.chmod('/proc/self/fd/%d' % fd, 0o777)",
    "os.chown(T, 12, 34)",
    "os.fchown(fd, 12, 34)",
    "os.lchown(L, 12, 34)",
    "os.utime(T, (1, 1))",
    "os.utime(fd, (1, 1))",
    "os.utime('f', ns=(1, 1), dir_fd=d)",
    "os.setxattr(T, 'user.x', b'1')",
    "os.setxattr(fd, 'user.x', b'1')",
    "os.removexattr(T, 'user.there')",
];

/// By the number of the call, as a 64-bit Intel kernel has it; `at` is the file as a path only.
const CALLS: [&str; 22] = [
    "call(90, T.encode(), 0o777)",
    "call(91, fd, 0o777)",
    "call(268, d, b'f', 0o777)",
    "call(452, d, b'f', 0o777, 0)",
    "call(452, at, b'', 0o777, 0x1000)",
    "call(92, T.encode(), 12, 34)",
    "call(93, fd, 12, 34)",
    "call(94, L.encode(), 12, 34)",
    "call(260, at, b'', 12, 34, 0x1000)",
    "call(132, T.encode(), None)",
    "call(235, T.encode(), None)",
    "call(261, d, b'f', None)",
    "call(280, fd, None, None, 0)",
    "call(280, d, b'f', None, 0)",
    "call(188, T.encode(), b'user.x', b'1', 1, 0)",
    "call(189, L.encode(), b'trusted.x', b'1', 1, 0)",
    "call(190, fd, b'user.x', b'1', 1, 0)",
    "call(197, T.encode(), b'user.there')",
    "call(463, d, b'f', 0, b'user.x', ctypes.byref(Q(ctypes.addressof(buf), 1)), 16)",
    "call(466, d, b'f', 0, b'user.there')",
    "call(16, fd, 0x40086602, ctypes.byref(ctypes.c_long(0x40)))",
    "call(469, d, b'f', ctypes.byref((ctypes.c_ulonglong * 3)(0x80)), 24, 0)",
];

const HEAD: &str = "
import os, sys, ctypes
T, D, L = sys.argv[1:4]
fd, d, at = os.open(T, os.O_RDONLY), os.open(D, os.O_RDONLY), os.open(T, os.O_PATH)
buf = ctypes.create_string_buffer(b'1')
class Q(ctypes.Structure):
    _fields_ = [('value', ctypes.c_ulonglong), ('size', ctypes.c_uint), ('flags', ctypes.c_uint)]
libc = ctypes.CDLL(None, use_errno=True)
def call(n, *a):
    if libc.syscall(ctypes.c_long(n), *a) < 0: raise OSError(ctypes.get_errno(), 'call %d' % n)
";

/// Mode, owner, group, and the times of the last two changes.
type State = (u32, u32, u32, i64, i64, i64, i64);

/// What there is to know of a file; the time of its last change tells of every other.
fn state(path: &Path) -> State {
    let m = path.symlink_metadata().unwrap();
    (m.mode(), m.uid(), m.gid(), m.mtime(), m.mtime_nsec(), m.ctime(), m.ctime_nsec())
}

/// Files outside, one for each try, with the script that tries all.
struct Tries {
    outside: tempfile::TempDir,
    names: Vec<String>,
    before: BTreeMap<String, Vec<State>>,
    script: String,
}

impl Tries {
    fn new() -> Self {
        let outside = tempfile::tempdir().unwrap();
        let mut names: Vec<String> = SHELL.iter().map(|s| (*s).to_owned()).collect();
        if python() {
            names.extend(PYTHON.iter().map(|p| (*p).to_owned()));
            if cfg!(target_arch = "x86_64") {
                names.extend(CALLS.iter().map(|p| (*p).to_owned()));
            } else {
                not_run("calls by their number are tried on x86-64 only");
            }
        }
        let mut script = String::new();
        for (n, name) in names.iter().enumerate() {
            let dir = outside.path().join(n.to_string());
            fs::create_dir(&dir).unwrap();
            fs::write(dir.join("f"), "x").unwrap();
            fs::set_permissions(dir.join("f"), PermissionsExt::from_mode(0o644)).unwrap();
            // Not every file system has attributes; then there is none to take away.
            let _ = rustix::fs::setxattr(dir.join("f"), "user.there", b"1", rustix::fs::XattrFlags::empty());
            symlink(dir.join("f"), dir.join("l")).unwrap();
            let d = dir.display();
            let line = if n < SHELL.len() {
                format!("(N={n} D={d} T={d}/f L={d}/l; {name})\n")
            } else {
                format!("python3 - {d}/f {d} {d}/l <<'PYTHON'\n{HEAD}{name}\nPYTHON\n")
            };
            script.push_str(&line);
        }
        let mut all = Self { outside, names, before: BTreeMap::new(), script };
        all.before = all.now();
        all
    }

    fn now(&self) -> BTreeMap<String, Vec<State>> {
        let each = self.names.iter().enumerate().map(|(n, name)| {
            let dir = self.outside.path().join(n.to_string());
            let files = ["", "f", "l"].map(|f| state(&dir.join(f)));
            (format!("{n}: {name}"), files.to_vec())
        });
        each.collect()
    }

    /// The tries that changed something.
    fn changed(&self) -> Vec<String> {
        let now = self.now();
        now.into_iter().filter(|(name, is)| self.before.get(name) != Some(is)).map(|(name, _)| name).collect()
    }

    /// An `ls` that tries all, in a folder of its own: a line that is low runs it.
    fn as_ls(&self) -> tempfile::TempDir {
        let bin = tempfile::tempdir().unwrap();
        let ls = bin.path().join("ls");
        fs::write(&ls, format!("#!/bin/bash\ncd $TMPDIR\n{}echo looked\n", self.script)).unwrap();
        fs::set_permissions(&ls, PermissionsExt::from_mode(0o755)).unwrap();
        bin
    }
}

fn first_on_path(command: &mut Command, bin: &Path) {
    command.env("PATH", format!("{}:{}", bin.display(), std::env::var("PATH").unwrap()));
}

#[track_caller]
fn none_changed(what: &str, tries: &Tries) {
    let changed = tries.changed();
    tell(&format!("{what}: checked={} violations={}", tries.names.len(), changed.len()));
    assert!(changed.is_empty(), "{what}: {changed:#?}");
}

#[test]
fn no_command_changes_mode_owner_time_or_attribute_of_a_file_outside() {
    // Without the sandbox most of them do, or the tries are worth nothing.
    let free = Tries::new();
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("all.sh"), &free.script).unwrap();
    Command::new("bash").arg("all.sh").current_dir(dir.path()).output().unwrap();
    let worth = free.changed().len();
    tell(&format!("without a sandbox {worth} of {} change something", free.names.len()));
    assert!(worth >= 20, "{worth}");
    for desk in desks("") {
        let tries = Tries::new();
        fs::write(desk.path().join("all.sh"), format!("{}echo tried\n", tries.script)).unwrap();
        let came = typed(&desk, "!bash all.sh");
        assert!(came.text.contains("tried"), "{}", came.text);
        none_changed("a command that writes", &tries);
        let tries = Tries::new();
        let bin = tries.as_ls();
        let mut command = desk.command(&["run", "!ls", "--json"]);
        first_on_path(&mut command, bin.path());
        let came = super::came(command, "ls");
        assert!(came.text.contains("looked"), "{}", came.text);
        none_changed("a command that only reads", &tries);
    }
}

#[test]
fn programs_change_modes_times_and_attributes_in_the_workspace_and_the_scratch_folder() {
    for desk in desks("") {
        let text = "set -e\n\
            mkdir -p a/b; echo x > a/b/f; chmod 750 a/b; chmod +x a/b/f; touch -d 2001-01-01 a/b/f\n\
            cp -p a/b/f copy; test -x copy; test \"$(date -r copy +%Y)\" = 2001\n\
            tar cf a.tar a; mkdir out; tar xpf a.tar -C out; test -x out/a/b/f\n\
            install -m 700 copy installed; test -x installed; ln copy hard; mv hard moved; ln -s copy soft\n\
            printf 'all:\\n\\tcp -p copy made\\n' > makefile; make -s; test -x made; chown \"$(id -u)\" made\n\
            echo x > $TMPDIR/t; chmod 600 $TMPDIR/t; touch -d 2001-01-01 $TMPDIR/t; mv $TMPDIR/t from\n\
            chmod -R u+rwX out; rm -r out; echo x > /dev/null; cat /dev/null; echo fine\n";
        fs::write(desk.path().join("work.sh"), text).unwrap();
        let came = typed(&desk, "!bash work.sh");
        assert!(came.text.contains("fine") && !came.failed, "{}", came.text);
        if python() {
            let work = "import os, shutil; open('p','w').write('x'); os.chmod('p', 0o700); os.utime('p', (1, 1)); \
                        shutil.copy2('p', 'q'); assert os.stat('q').st_mtime == 1; os.fchmod(os.open('q', 0), 0o600)";
            fs::write(desk.path().join("work.py"), work).unwrap();
            let came = typed(&desk, "!python3 work.py");
            assert_eq!((came.code, came.failed), (0, false), "{}", came.text);
        }
    }
}

/// The program where the kernel gives it no name spaces: without the right to mount, and in a name space of users
/// that allows no other.
fn without_spaces(command: &Command) -> Command {
    let mut all = Command::new("unshare");
    let script =
        "echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --bounding-set -sys_admin \"$@\"";
    all.args(["-U", "-r", "sh", "-c", script, "sh"]).arg(command.get_program()).args(command.get_args());
    all.env_clear().envs(command.get_envs().filter_map(|(k, v)| Some((k, v?))));
    all.current_dir(command.get_current_dir().unwrap()).stdin(std::process::Stdio::null());
    all
}

/// Whether this machine can play one without name spaces.
fn can_do_without(desk: &Desk) -> bool {
    let tried = without_spaces(&desk.command(&["doctor", "--json"])).output();
    let said = tried.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
    let can = said.contains("metadata not protected");
    if !can {
        not_run(
            "a machine without name spaces cannot be played here: unshare and setpriv do it, where users may",
        );
    }
    can
}

#[test]
fn where_nothing_holds_metadata_it_is_said_what_writes_asks_and_what_reads_changes_none() {
    let desk = Desk::new();
    desk.configure("[sandbox]\nbackend = \"landlock\"\n");
    if desk.sandbox().is_none() || !can_do_without(&desk) {
        return;
    }
    let doctor = finish(without_spaces(&desk.command(&["doctor"])));
    assert!(doctor.out.contains("every such command asks"), "{}", doctor.out);
    for mode in [&["run", "!touch made", "--json"][..], &["run", "!touch made", "--json", "--auto-confirm"]] {
        let ended = finish(without_spaces(&desk.command(mode))).with(3);
        let question = &ended.events().pop().unwrap()["question"];
        assert!(question["message"].as_str().unwrap().contains("is not protected here"), "{question}");
    }
    let server = Server::start(vec![
        Turn::Say("", vec![("run", json!({"command": "touch made"}))]),
        Turn::Say("It was not allowed.", vec![]),
    ]);
    let asked =
        desk.with_model(&server.base, &["run", "run the tests", "--auto-confirm", "--trust", "--json"]);
    let ended = finish(without_spaces(&asked)).with(3);
    assert_eq!(super::refused(&ended)["kind"]["command"], "touch made");
    assert!(!desk.path().join("made").exists());
    let tries = Tries::new();
    let bin = tries.as_ls();
    let mut command = desk.command(&["run", "!ls", "--json"]);
    first_on_path(&mut command, bin.path());
    let came = came(without_spaces(&command), "ls");
    assert!(came.text.contains("looked"), "{}", came.text);
    none_changed("a command that only reads, without name spaces", &tries);
}
