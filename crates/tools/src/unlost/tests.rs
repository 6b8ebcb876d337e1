//! What a line would lose here: real folders, git's real rules.
#![allow(clippy::unwrap_used)]

use std::{fs, os::unix::fs::symlink};

use super::*;

const AGAIN: Option<Unlost> = Some(Unlost::MadeAgain);
const UNDONE: Option<Unlost> = Some(Unlost::Undone);
const HELD: Option<Unlost> = Some(Unlost::Held);
const LOST: Option<Unlost> = None;

/// A repository with work, output of tools, ignored files of somebody's own.
fn desk() -> (tempfile::TempDir, Around) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    for (name, text) in [
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".gitignore", "/target\nnode_modules\n/dist/\nbuild\n__pycache__\n*.local\ndata\n.env\n/env/\n"),
        ("src/a.py", "a"),
        ("src/b.log", "b"),
        ("src/__pycache__/a.pyc", "c"),
        ("notes.txt", "n"),
        ("one.log", "1"),
        ("AGENTS.md", "x"),
        ("target/debug/app", "t"),
        ("node_modules/x/index.js", "j"),
        ("dist/app.js", "d"),
        ("build/app.o", "o"),
        ("lib/build/x.o", "o"),
        ("lib/made.py", "m"),
        ("sub/data/rows.csv", "r"),
        ("sub/code.py", "s"),
        ("nested/.git/HEAD", "ref"),
        ("nested/a", "a"),
        ("out/report.txt", "by hand"),
        ("Cargo.toml", "[package]\n"),
        ("package.json", "{}\n"),
        ("env/pyvenv.cfg", "home = /usr/bin"),
        ("env/bin/python", "p"),
        ("env/lib/a.py", "a"),
    ] {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    symlink("../elsewhere", root.join("link")).unwrap();
    let environment = vec![("PATH".into(), "/usr/bin".into()), ("NODE_ENV".into(), "test".into())];
    let folder = root.clone();
    let (redactor, since) = (Redactor::default(), Some(SystemTime::now()));
    (dir, Around { root, folder, signals: true, environment, redactor, since })
}

fn check(around: &Around, lines: &[(&str, Option<Unlost>)]) {
    for (line, want) in lines {
        assert_eq!(around.unlost(line), *want, "{line}");
    }
}

#[test]
fn what_tools_make_again_and_git_ignores_is_nobodys_loss() {
    let (_dir, around) = desk();
    check(
        &around,
        &[
            ("rm -rf target", AGAIN),
            ("rm -rf ./target/", AGAIN),
            ("rm -rf target/debug", AGAIN),
            ("rm -rf node_modules", AGAIN),
            ("rm target/debug/app", AGAIN),
            ("rm -rf not-there", AGAIN),
            ("rm -rf docs/.build lib/not/there", AGAIN),
            ("rm -rf env", AGAIN),
            ("find . -name '*.pyc' -delete", AGAIN),
            ("find src -name __pycache__ -delete", AGAIN),
            ("find . -name '*.py[co]' -delete", AGAIN),
            // A folder of that name which git does not ignore is somebody's.
            ("rm -rf out", UNDONE),
        ],
    );
}

#[test]
fn what_is_saved_before_the_command_an_undo_brings_back() {
    let (_dir, around) = desk();
    check(
        &around,
        &[
            ("rm -rf src", UNDONE),
            ("rm notes.txt", UNDONE),
            ("rm -rf src target", UNDONE),
            ("rm *.log", UNDONE),
            ("rm -rf lib", UNDONE),
            ("rm link", UNDONE),
            ("find src -delete", UNDONE),
            // Output goes there by habit, and so may work: it is saved.
            ("rm -rf node_modules dist", UNDONE),
            ("rm -rf build && mkdir x", UNDONE),
            ("cd lib && rm -rf build", UNDONE),
            ("rm build/app.o", UNDONE),
            ("git branch -D old", UNDONE),
            ("git stash drop", UNDONE),
        ],
    );
}

#[test]
fn what_nothing_brings_back_is_lost() {
    let (dir, around) = desk();
    check(
        &around,
        &[
            ("rm -rf sub", LOST),
            ("rm -rf sub/data", LOST),
            ("rm sub/data/rows.csv", LOST),
            ("rm -rf nested", LOST),
            ("rm -rf .git", LOST),
            ("rm -rf .", LOST),
            ("rm -rf *", LOST),
            ("rm -rf ../x/../..", LOST),
            ("rm AGENTS.md", LOST),
            ("rm -rf $X", LOST),
            ("rm -rf \"$X/not/there\"", LOST),
            ("rm -rf gone/../../x/y", LOST),
            ("rm -rf /nowhere/at/all", LOST),
            ("rm -rf link/x", LOST),
            ("rm -rf /tmp/x", LOST),
            ("rm -rf ~/x", LOST),
            ("find . -delete", LOST),
            ("find . -name '*.csv' -o -name '*.pyc' -delete", LOST),
            ("find . -not -name '*.pyc' -delete", LOST),
            ("find . -name rows.csv -delete", LOST),
            ("find . -name 'rows.[!x]sv' -delete", LOST),
            ("find . -name 'rows.[ct' -delete", LOST),
            // What git throws away it does not name: here it may be data.
            ("git clean -fdx", LOST),
            ("git reset --hard", LOST),
            ("rm -rf target; git push -f", LOST),
            ("cargo test", LOST),
        ],
    );
    fs::remove_dir_all(around.root.join("sub")).unwrap();
    fs::remove_dir_all(around.root.join("nested")).unwrap();
    check(&around, &[("git clean -fdx", UNDONE), ("git checkout -- src/a.py", UNDONE)]);
    fs::write(around.root.join(".gitignore"), "").unwrap();
    // Not ignored it may be anybody's, and is not saved either: nobody looks into folders of such names.
    check(&around, &[("rm -rf target", LOST), ("rm -rf node_modules", LOST), ("git clean -fd", LOST)]);
    drop(dir);
}

#[test]
fn only_what_shows_for_certain_that_a_tool_makes_it_is_made_again() {
    const TAG: &str = "Signature: 8a477f597d28d172789f06886806bc55\n# made by a tool\n";
    let (_dir, mut around) = desk();
    let write = |path: &str, text: &str| {
        fs::create_dir_all(around.root.join(path).parent().unwrap()).unwrap();
        fs::write(around.root.join(path), text).unwrap();
    };
    write(".gitignore", "private*\ntarget\nnode_modules\nbuild\nvenv\n*.log\n");
    write("private/notes.txt", "n");
    write("private/CACHEDIR.TAG", "");
    write("private2/notes.txt", "n");
    write("private2/pyvenv.cfg", "home = /usr/bin");
    write("private3/notes.txt", "n");
    write("private3/CACHEDIR.TAG", TAG);
    write("sub/target/plan.txt", "of a shooting range");
    write("sub/node_modules/notes.txt", "n");
    write("sub/venv/notes.txt", "n");
    write("sub/build/notes.txt", "n");
    write("sub/build/.env", "KEY=1");
    write("lib/build/CMakeCache.txt", "# This is the CMakeCache file.\n");
    symlink("../env", around.root.join("private4")).unwrap();
    check(
        &around,
        &[
            ("rm -rf private", LOST),
            ("rm -rf private2", LOST),
            ("rm -rf private3", LOST),
            ("rm -rf private4", LOST),
            ("rm -rf sub/target", UNDONE),
            ("rm -rf sub/node_modules", UNDONE),
            ("rm -rf sub/venv", UNDONE),
            // A secret file is not saved.
            ("rm -rf sub/build", LOST),
            ("rm -rf lib/build", UNDONE),
            ("rm -f one.log", UNDONE),
            ("find . -name '*.log' -delete", UNDONE),
            ("rm -rf target node_modules", AGAIN),
        ],
    );
    // A mark that was there before the session tells.
    around.since = Some(SystemTime::now());
    check(
        &around,
        &[
            ("rm -rf private", LOST),
            ("rm -rf private2", LOST),
            ("rm -rf private3", AGAIN),
            ("rm -rf lib/build", AGAIN),
        ],
    );
    around.since = None;
    // What git's rules do not hide is saved.
    check(&around, &[("rm -rf private3", LOST), ("rm -rf env", UNDONE)]);
}

#[test]
fn what_a_line_may_mean_in_any_reading_is_looked_at() {
    let (_dir, around) = desk();
    for path in ["mine.local", "deep/a/b/mine.local"] {
        fs::create_dir_all(around.root.join(path).parent().unwrap()).unwrap();
        fs::write(around.root.join(path), "m").unwrap();
    }
    let lost = [
        // Classes of characters, however they are written.
        "find . -name '[[:alpha:]]*.local' -delete",
        "rm -f [[:alpha:]]*.local",
        "find . -name '[a\\]m]*.local' -delete",
        "find . -name '[a/m]*.local' -delete",
        "rm -f [a\"m\"]ine.local",
        "rm -f [m]?ne.local",
        // Quotes and backslashes.
        "find . -name 'm\\ine.local' -delete",
        "echo mi\\'n\\'e.local | xargs rm",
        // What a variable or a print holds is expanded once more.
        "x='a [m]ine.local'; rm -f $x",
        "echo [m]ine.local | xargs rm",
        "rm -f $(echo '*.local')",
        "x=$(echo *.local); rm \"$x\"",
        "set -- '[m]ine.local'; rm -f $@",
        "bash -c 'rm -f $0' '[m]ine.local'",
        // Stars for folders.
        "shopt -s globstar; rm -f deep/**/*.local",
        "shopt -s globstar; rm -f **/mine.local",
        // What `find` comes to before a name, starts at, or takes for a value.
        "find . -delete -name '*.pyc'",
        "find . -printf -name -delete",
        "find . -newer -name -delete",
        "find . -fls x -fprintf -name '*.pyc' -delete",
        "cd lib && find -P .. -name '*.local' -delete",
        "cd lib && find -O3 -- .. -name '*.local' -delete",
        "cd lib && find -files0-from list -name '*.pyc' -delete",
        "cd lib && find \"$X\" -name '*.local' -delete",
        "find mine.local -name '*.local' -delete",
        "find mine.local -delete",
        // Behind a link names mean something else.
        "ln -s sub x; rm -rf x/data",
        "ln -s sub x && find x/ -name '*.csv' -delete",
    ];
    check(&around, &lost.map(|line| (line, LOST)));
    check(
        &around,
        &[
            ("find . \\( -name '*.pyc' \\) -delete", AGAIN),
            ("find -L src -xdev -type f -name '*.pyc' -delete", LOST),
            ("find -P src -xdev -type f -name '*.pyc' -delete", AGAIN),
            ("rm -rf x && ln -s sub x", AGAIN),
            ("rm -f [n]otes.txt", UNDONE),
        ],
    );
    fs::write(around.root.join("é.local"), "m").unwrap();
    fs::remove_file(around.root.join("mine.local")).unwrap();
    check(&around, &[("rm -f ??.local", LOST), ("rm -f ab.local", AGAIN)]);
}

#[test]
fn signals_and_variables_are_weighed_by_what_the_command_gets() {
    let (_dir, mut around) = desk();
    check(
        &around,
        &[("kill 12345", HELD), ("pkill node", HELD), ("env | grep NODE", HELD), ("printenv", HELD)],
    );
    check(
        &around,
        &[("docker exec web printenv", LOST), ("kill 1; sudo ls", LOST), ("kill 1; rm -rf src", UNDONE)],
    );
    around.signals = false;
    check(&around, &[("kill 12345", LOST), ("env | grep NODE", HELD)]);
    let key = ["sk", "-proj-", "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"].concat();
    around.environment.push(("OPENAI_API_KEY".into(), key.into()));
    check(&around, &[("env | grep NODE", LOST)]);
}
