use std::{fs, os::unix::fs::symlink, process::Command};

use super::*;

/// A repository in which wires are laid, and the place where what runs leaves its name.
struct Trap {
    dir: tempfile::TempDir,
}

impl Trap {
    /// A repository with a file that differs from its last commit, of the same length: git must look into it.
    fn new() -> Self {
        let trap = Self { dir: tempfile::tempdir().unwrap() };
        fs::create_dir(trap.repo()).unwrap();
        repository(&trap.repo());
        trap
    }

    fn place(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap()
    }

    fn repo(&self) -> PathBuf {
        self.place().join("repo")
    }

    fn fired(&self) -> PathBuf {
        self.place().join("fired")
    }

    /// A program that leaves a mark and hands its input on.
    fn wire(&self) -> String {
        let at = self.place().join("wire");
        self.program(&at);
        at.display().to_string()
    }

    fn program(&self, at: &Path) {
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        let mark = self.fired().display().to_string();
        // One that gets a file hands that on.
        fs::write(at, format!("#!/bin/sh\n: > '{mark}'\nexec /bin/cat \"$1\" 2>/dev/null\n")).unwrap();
        fs::set_permissions(at, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn set(&self, name: &str, value: &str) {
        git(&self.repo(), &["config", name, value]);
    }

    /// Sets a wire in the settings.
    fn lay(&self, name: &str) {
        self.set(name, &self.wire());
    }

    fn attributes(&self, text: &str) {
        fs::write(self.repo().join(".git/info/attributes"), text).unwrap();
    }

    /// A repository inside this one, at a place of its own: of it `lay` makes a trap.
    fn inside(&self, name: &str, lay: &str) -> PathBuf {
        let inner = self.repo().join(name);
        fs::create_dir(&inner).unwrap();
        repository(&inner);
        git(&inner, &["config", lay, &self.wire()]);
        fs::write(inner.join(".git/info/attributes"), "* filter=wire diff=wire\n").unwrap();
        inner
    }

    /// The same, known to this one as a submodule is.
    fn linked(&self, lay: &str) {
        let inner = self.inside("sub", "x.y");
        git(&self.repo(), &["add", "sub"]);
        git(&self.repo(), &["commit", "-qm", "y"]);
        git(&inner, &["config", lay, &self.wire()]);
        fs::write(inner.join("a.txt"), "six\n").unwrap();
    }

    /// A folder that git takes for a bare repository.
    fn bare(&self) {
        let bare = self.repo().join("docs");
        fs::create_dir(&bare).unwrap();
        git(&bare, &["init", "-q", "--bare", "."]);
        let (tree, wire) = (self.repo().display().to_string(), self.wire());
        let text = format!(
            "[core]\nrepositoryformatversion = 0\nbare = false\nworktree = {tree}\nfsmonitor = {wire}\n"
        );
        fs::write(bare.join("config"), text).unwrap();
    }

    /// A last commit that claims to be signed.
    fn signed(&self) {
        let raw = output(&self.repo(), &["cat-file", "commit", "HEAD"]);
        let sign = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\nx";
        let file = self.place().join("commit");
        fs::write(&file, raw.replacen("\n\nx", &format!("\n{sign}"), 1)).unwrap();
        let id = output(&self.repo(), &["hash-object", "-t", "commit", "-w", file.to_str().unwrap()]);
        git(&self.repo(), &["update-ref", "HEAD", id.trim()]);
    }

    async fn hold(&self, line: &str, path: &str, trusted: bool) -> Result<Vec<(OsString, OsString)>, String> {
        let environment = [("PATH".into(), path.into()), ("HOME".into(), self.place().into())];
        let (folder, root) = (&self.repo(), &self.repo());
        hold(Unasked {
            line,
            folder,
            root,
            environment: &environment,
            writable: &[self.place().join("scratch")],
            reads: true,
            trusted,
        })
        .await
    }

    /// Runs a line as commands are run; whether a wire was tripped, and what it said.
    fn runs(&self, line: &str, path: &str, held: &[(OsString, OsString)]) -> (bool, String) {
        let mut bash = Command::new("/bin/bash");
        bash.args(["-c", "--", line]).current_dir(self.repo()).env_clear();
        bash.env("PATH", path).env("HOME", self.place()).env("PAGER", "cat").env("GIT_PAGER", "cat");
        let done = bash.envs(held.iter().cloned()).stdin(std::process::Stdio::null()).output().unwrap();
        let said = [done.stdout, done.stderr].concat();
        (fs::remove_file(self.fired()).is_ok(), String::from_utf8_lossy(&said).into_owned())
    }
}

fn repository(folder: &Path) {
    git(folder, &["init", "-q", "-b", "main"]);
    fs::write(folder.join("a.txt"), "one\n").unwrap();
    git(folder, &["add", "."]);
    git(folder, &["commit", "-qm", "x"]);
    fs::write(folder.join("a.txt"), "two\n").unwrap();
}

fn output(folder: &Path, args: &[&str]) -> String {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=x", "-c", "user.email=x@y", "-c", "core.fsmonitor=false"]).args(args);
    git.current_dir(folder).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    let done = git.stdin(std::process::Stdio::null()).output().unwrap();
    assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

fn git(folder: &Path, args: &[&str]) {
    output(folder, args);
}

fn usual() -> String {
    std::env::var("PATH").unwrap()
}

type Laid = (&'static str, fn(&Trap), &'static str);

/// What a variable keeps from running: what is laid, and the line that trips it.
const HELD_BACK: [Laid; 30] = [
    ("a monitor", |t| t.lay("core.fsmonitor"), "git status"),
    (
        "a monitor with words",
        |t| t.set("core.fsmonitor", &format!("{} a; false", t.wire())),
        "git diff --stat",
    ),
    ("a monitor for ls-files", |t| t.lay("core.fsmonitor"), "git ls-files -m"),
    ("a monitor in a sub-shell", |t| t.lay("core.fsmonitor"), "(cd . && git status --short) | cat"),
    ("clean", |t| (t.attributes("* filter=wire\n"), t.lay("filter.wire.clean")).1, "git status"),
    (
        "clean, of an odd name",
        |t| (t.attributes("* filter=a.b=c\n"), t.lay("filter.a.b=c.clean")).1,
        "git status",
    ),
    ("process", |t| (t.attributes("* filter=wire\n"), t.lay("filter.wire.process")).1, "git diff"),
    (
        "clean, required",
        |t| {
            t.attributes("* filter=wire\n");
            t.set("filter.wire.required", "true");
            t.lay("filter.wire.clean");
        },
        "git diff --no-ext-diff HEAD",
    ),
    (
        "smudge",
        |t| (t.attributes("* filter=wire\n"), t.lay("filter.wire.smudge")).1,
        "git cat-file --filters HEAD:a.txt",
    ),
    (
        "clean, attributes in the tree",
        |t| {
            fs::write(t.repo().join(".gitattributes"), "*.txt filter=wire\n").unwrap();
            t.lay("filter.wire.clean");
        },
        "git status",
    ),
    (
        "clean, attributes elsewhere",
        |t| {
            fs::write(t.place().join("att"), "*.txt filter=wire\n").unwrap();
            t.set("core.attributesFile", t.place().join("att").to_str().unwrap());
            t.lay("filter.wire.clean");
        },
        "git status",
    ),
    ("text of a diff", |t| (t.attributes("* diff=wire\n"), t.lay("diff.wire.textconv")).1, "git diff"),
    ("text of a log", |t| (t.attributes("* diff=wire\n"), t.lay("diff.wire.textconv")).1, "git log -p"),
    ("text of a commit", |t| (t.attributes("* diff=wire\n"), t.lay("diff.wire.textconv")).1, "git show"),
    (
        "text of a blame",
        |t| (t.attributes("* diff=wire\n"), t.lay("diff.wire.textconv")).1,
        "git blame a.txt",
    ),
    (
        "text of an object",
        |t| (t.attributes("* diff=wire\n"), t.lay("diff.wire.textconv")).1,
        "git cat-file --textconv HEAD:a.txt",
    ),
    (
        "an included file",
        |t| {
            fs::write(t.place().join("more"), format!("[core]\nfsmonitor = {}\n", t.wire())).unwrap();
            t.set("include.path", t.place().join("more").to_str().unwrap());
        },
        "git status",
    ),
    (
        "an included filter",
        |t| {
            t.attributes("* filter=wire\n");
            fs::write(t.place().join("more"), format!("[filter \"wire\"]\nclean = {}\n", t.wire())).unwrap();
            t.set("includeIf.gitdir:**.path", t.place().join("more").to_str().unwrap());
        },
        "git status",
    ),
    (
        "settings of a worktree",
        |t| {
            t.set("extensions.worktreeConfig", "true");
            git(&t.repo(), &["config", "--worktree", "filter.wire.clean", &t.wire()]);
            t.attributes("* filter=wire\n");
        },
        "git status",
    ),
    (
        "a hook",
        |t| {
            t.program(&t.repo().join(".git/hooks/post-index-change"));
            fs::write(t.repo().join("a.txt"), "one\n").unwrap();
        },
        "git status",
    ),
    (
        "a folder of hooks",
        |t| {
            t.program(&t.repo().join("hooks/post-index-change"));
            t.set("core.hooksPath", "hooks");
            fs::write(t.repo().join("a.txt"), "one\n").unwrap();
        },
        "git status",
    ),
    ("a bare repository", Trap::bare, "cd docs && git status"),
    ("a bare repository, aside", Trap::bare, "git -C docs status"),
    ("a nested repository", |t| drop(t.inside("nested", "filter.wire.clean")), "git -C nested status"),
    (
        "a nested repository, entered",
        |t| drop(t.inside("nested", "filter.wire.clean")),
        "cd nested; git diff",
    ),
    (
        "a nested repository, by a link",
        |t| {
            drop(t.inside("nested", "filter.wire.clean"));
            symlink("nested/.git/info", t.repo().join("link")).unwrap();
        },
        "cd -P link && cd ../.. && git status",
    ),
    ("a submodule", |t| t.linked("core.fsmonitor"), "git status"),
    ("a filter of a submodule", |t| t.linked("filter.wire.clean"), "git status"),
    ("a signature", |t| (t.signed(), t.lay("gpg.program"), t.set("log.showSignature", "true")).2, "git log"),
    ("an archive", |t| t.lay("tar.x.command"), "git archive --format=x HEAD"),
];

/// What no variable keeps from running.
const TOLD: [Laid; 14] = [
    ("a program for diffs", |t| t.lay("diff.external"), "git diff"),
    (
        "a program for diffs of no repository",
        |t| t.lay("diff.external"),
        "git diff --no-index a.txt .git/HEAD",
    ),
    ("a program for diffs, for a log", |t| t.lay("diff.external"), "git log -p --ext-diff"),
    (
        "a program for some diffs",
        |t| (t.attributes("* diff=wire\n"), t.lay("diff.wire.command")).1,
        "git diff HEAD",
    ),
    ("the variables taken away", |t| t.lay("core.fsmonitor"), "unset GIT_CONFIG_COUNT; git status"),
    ("the variables taken away by env", |t| t.lay("core.fsmonitor"), "env -u GIT_CONFIG_COUNT git status"),
    ("no variables at all", |t| t.lay("core.fsmonitor"), "env -i /usr/bin/git status"),
    ("one of its own", |t| t.lay("core.fsmonitor"), "read -r GIT_CONFIG_COUNT <<< 0; git status"),
    (
        "one of its own, in a loop",
        |t| t.lay("core.fsmonitor"),
        "for GIT_CONFIG_COUNT in 0; do git status; done",
    ),
    (
        "one that it does not spell out",
        |t| t.lay("core.fsmonitor"),
        "x=GIT; declare ${x}_CONFIG_COUNT=0; git status",
    ),
    ("another repository by a variable", Trap::bare, "GIT_DIR=docs git status"),
    ("another repository by an option", Trap::bare, "git --git-dir=docs status"),
    (
        "another repository by a wildcard",
        |t| drop(t.inside("nested", "filter.wire.clean")),
        "git -C nest* status",
    ),
    (
        "a folder that is not told",
        |t| drop(t.inside("nested", "core.fsmonitor")),
        "for d in */; do git -C $d status; done",
    ),
];

#[tokio::test]
async fn no_setting_of_a_repository_runs_a_program_unasked() {
    let (path, mut violations) = (usual(), Vec::new());
    // A folder that is trusted may run its own code in what writes; what only reads runs none there either.
    let all = HELD_BACK.into_iter().chain(TOLD).flat_map(|wire| [false, true].map(|trusted| (wire, trusted)));
    for ((name, lay, line), trusted) in all {
        let trap = Trap::new();
        lay(&trap);
        let told = TOLD.iter().any(|(n, ..)| *n == name);
        match trap.hold(line, &path, trusted).await {
            Ok(held) => {
                let (tripped, said) = trap.runs(line, &path, &held);
                if told || tripped {
                    violations.push(format!("{name}: {line} ran it: {said}"));
                }
            }
            Err(what) if told => assert!(!what.is_empty()),
            Err(what) => violations.push(format!("{name}: {line} asks: {what}")),
        }
        let (tripped, said) = trap.runs(line, &path, &[]);
        if !tripped {
            violations.push(format!("{name}: {line} is no wire at all: {said}"));
        }
    }
    let checked = 2 * (HELD_BACK.len() + TOLD.len());
    assert!(
        violations.is_empty(),
        "checked={checked} violations={}\n{}",
        violations.len(),
        violations.join("\n")
    );
}

/// Lines that look into a repository in all the ways that an agent does.
const LOOKS: [&str; 22] = [
    "git diff",
    "git diff HEAD",
    "git diff --stat HEAD",
    "git diff --no-ext-diff HEAD",
    "git diff --no-index a.txt .git/HEAD",
    "cd . && git diff; git status --short",
    "git -C . diff --word-diff",
    "git --no-pager diff --color=always",
    "git status",
    "git log -p",
    "git log -p --ext-diff",
    "git log --show-signature",
    "git show HEAD",
    "git blame HEAD -- a.txt",
    "git grep -n one HEAD",
    "git ls-files -m",
    "git diff-files -p",
    "git diff-index -p HEAD",
    "git cat-file --textconv HEAD:a.txt",
    "git for-each-ref",
    "git stash list -p",
    "git archive HEAD | tar t",
];

#[tokio::test]
async fn what_keeps_settings_from_running_leaves_what_git_says_as_it_is() {
    let (path, trap) = (usual(), Trap::new());
    git(&trap.repo(), &["stash", "-q"]);
    git(&trap.repo(), &["stash", "apply", "-q"]);
    for line in LOOKS {
        let held = trap.hold(line, &path, false).await.unwrap();
        let (_, said) = trap.runs(line, &path, &held);
        assert_eq!(said, trap.runs(line, &path, &[]).1, "{line}");
        assert!(!said.is_empty() && !said.contains("fatal:"), "{line}: {said}");
    }
    let held = trap.hold("git diff HEAD", &path, false).await.unwrap();
    assert!(trap.runs("git diff HEAD", &path, &held).1.contains("-one\n+two\n"));
    // Each of them alone, whatever a line does: what is held back takes the place of nothing that a diff needs.
    for setting in crate::git::HELD.iter().filter(|s| !s.starts_with("diff.external=")) {
        let (name, value) = setting.split_once('=').unwrap();
        let alone = held::variables(&[(name.to_owned(), value.to_owned())]);
        for line in LOOKS {
            assert_eq!(trap.runs(line, &path, &alone).1, trap.runs(line, &path, &[]).1, "{setting}: {line}");
        }
    }
}

/// A search path on which the project's own folders stand first, and what of them is found by the name.
const SHADOWS: [(&str, &str); 26] = [
    ("bin", "ls"),
    ("bin", "ls -la src"),
    ("bin", "cat a.txt"),
    ("bin", "cat < a.txt"),
    ("bin", "head -3 a.txt | tail -1"),
    ("bin", "ls | sort"),
    ("bin", "echo $(ls)"),
    ("bin", "ls; true"),
    ("bin", "true && ls"),
    ("bin", "(cd src; ls)"),
    ("bin", "command ls"),
    ("bin", "env ls"),
    ("bin", "timeout 5 ls"),
    ("bin", "nice ls"),
    ("bin", "echo a.txt | xargs cat"),
    ("bin", "find . -name a.txt -exec cat {} +"),
    ("bin", "sh -c ls"),
    ("bin", "if ls; then :; fi"),
    ("bin", "for f in *; do wc $f; done"),
    ("bin", "git status"),
    ("bin", "grep -r one ."),
    ("", "ls"),
    ("src/../bin", "ls"),
    ("../away", "ls"),
    ("../link", "ls"),
    ("../open", "ls"),
];

/// What is laid in each such folder.
const NAMES: [&str; 16] = [
    "ls", "cat", "head", "tail", "sort", "wc", "git", "grep", "env", "timeout", "nice", "xargs", "find",
    "sh", "true", "echo",
];

#[tokio::test]
async fn no_program_of_the_project_or_of_others_is_taken_for_a_known_one() {
    let trap = Trap::new();
    let (repo, place) = (trap.repo(), trap.place());
    fs::create_dir(repo.join("src")).unwrap();
    for folder in [repo.clone(), repo.join("bin"), place.join("open"), place.join("scratch")] {
        for name in NAMES {
            trap.program(&folder.join(name));
        }
    }
    fs::set_permissions(place.join("open"), fs::Permissions::from_mode(0o777)).unwrap();
    symlink(repo.join("bin"), place.join("link")).unwrap();
    fs::create_dir(place.join("away")).unwrap();
    symlink(repo.join("bin/ls"), place.join("away/ls")).unwrap();
    let mut violations = Vec::new();
    let scratch = ("../scratch", "ls");
    for trusted in [false, true] {
        for (folder, line) in SHADOWS.into_iter().chain([scratch]) {
            let path = format!("{}:{}", repo.join(folder).display(), usual());
            assert_eq!(shell::assess(line).risk, Risk::Low, "{line} would ask by itself");
            if trap.hold(line, &path, trusted).await.is_ok() {
                violations.push(format!("{folder}: {line} runs"));
            }
            if !trap.runs(line, &path, &[]).0 {
                violations.push(format!("{folder}: {line} is no wire at all"));
            }
        }
    }
    let checked = 2 * (SHADOWS.len() + 1);
    assert!(
        violations.is_empty(),
        "checked={checked} violations={}\n{}",
        violations.len(),
        violations.join("\n")
    );
}

#[tokio::test]
async fn known_programs_run_and_start_none_of_the_project() {
    let trap = Trap::new();
    let path = format!("{}:{}", trap.repo().join("bin").display(), usual());
    trap.program(&trap.repo().join("bin/sed"));
    for line in ["ls", "git status", "cat a.txt | sort", "git -C . log --oneline", "pwd; echo x"] {
        let held = trap.hold(line, &path, true).await.unwrap();
        let said = trap.runs(&format!("{line}; sed s/x/x/ /dev/null"), &path, &held);
        assert!(!said.0, "{line}: {}", said.1);
        assert!(held.len() > 1, "{line}: what only reads is held in a trusted folder as well");
    }
    trap.lay("filter.wire.clean");
    trap.set("user.name", "somebody");
    let held = trap.hold("git config user.name", &path, false).await.unwrap();
    assert_eq!(trap.runs("git config user.name", &path, &held).1, "somebody\n");
    let writes = Unasked {
        line: "git commit -qam x",
        folder: &trap.repo(),
        root: &trap.repo(),
        environment: &[],
        writable: &[],
        reads: false,
        trusted: true,
    };
    assert_eq!(
        hold(writes).await,
        Ok(Vec::new()),
        "what writes in a trusted folder runs the user's own filters"
    );
    let free = Unasked {
        line: "sh build.sh",
        folder: &trap.repo(),
        root: &trap.repo(),
        environment: &[],
        writable: &[],
        reads: false,
        trusted: false,
    };
    assert_eq!(hold(free).await, Ok(Vec::new()), "what is the project's code anyway gets nothing");
}
