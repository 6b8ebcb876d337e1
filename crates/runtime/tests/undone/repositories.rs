//! The same over twenty repositories of real source: crates unpacked by cargo, with commits, branches, a stash, and a
//! merge or a rebase in the middle, a submodule or a second work tree. `PILOTHOUSE_PROOF=whole` runs 500 lines.

use std::io::Write as _;

use pilothouse_core::shell::makes_again;

use super::{BTreeMap, Command, Desk, Dice, Path, PathBuf, ROOM, bash, fs, same, share, until_settled};

const REPOSITORIES: u64 = 20;

/// Folders of source as cargo unpacked them, spread over all that there are; none where nothing is unpacked.
fn sources() -> Vec<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::var_os("HOME").map(|h| PathBuf::from(h).join(".cargo")));
    let inside = |p: PathBuf| fs::read_dir(p).into_iter().flatten().flatten().map(|e| e.path());
    let cache = home.into_iter().map(|h| h.join("registry/src"));
    let mut all: Vec<PathBuf> = cache.flat_map(inside).flat_map(inside).filter(|p| fits(p)).collect();
    all.sort();
    let step = (all.len() / usize::try_from(REPOSITORIES).unwrap()).max(1);
    all.into_iter().step_by(step).take(usize::try_from(REPOSITORIES).unwrap()).collect()
}

/// Whether a folder is neither a toy nor so large that most of the time is spent copying it.
fn fits(crate_folder: &Path) -> bool {
    let (mut folders, mut files, mut bytes) = (vec![crate_folder.to_owned()], 0, 0);
    while let Some(folder) = folders.pop().filter(|_| files < 200) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let meta = entry.metadata().unwrap();
            // What a command moves into a folder of such a name is left there: it would differ by that.
            if meta.is_dir() && makes_again(&entry.file_name().to_string_lossy()) {
                return false;
            }
            if meta.is_dir() {
                folders.push(entry.path());
            }
            files += u64::from(meta.is_file());
            bytes += meta.len();
        }
    }
    crate_folder.join("src").is_dir() && (12..200).contains(&files) && bytes < 4 << 20
}

/// Source of our own where none is unpacked.
fn synthetic(desk: &Desk, dice: &mut Dice) {
    for n in 0..12 {
        let lines: Vec<String> = (0..10 + dice.roll(60)).map(|l| format!("fn f{n}_{l}() {{}}\n")).collect();
        desk.write(&format!("src/m{}/f{n}.rs", n % 3), lines.concat());
    }
    desk.write("Cargo.toml", "[package]\nname = \"made\"\nversion = \"0.1.0\"\n");
    desk.write("README.md", "made\n");
}

/// Makes a repository with a history of what stands there, in one of five conditions.
fn with_history(desk: &Desk, n: u64) {
    let middle = match n % 5 {
        1 => {
            "git checkout -q -b clash HEAD~1; for f in $two; do echo theirs >> $f; done; git commit -qam clash; \
              git checkout -q main; for f in $two; do echo ours >> $f; done; git commit -qam ours; git merge -q clash"
        }
        2 => {
            "git checkout -q -b clash HEAD~1; for f in $two; do echo theirs >> $f; done; git commit -qam clash; git rebase -q main"
        }
        3 => {
            "mkdir ../inner; (cd ../inner; git init -qb main; echo in > in.txt; git add .; git commit -qm in); \
              git -c protocol.file.allow=always submodule --quiet add ../inner sub; git commit -qm sub"
        }
        4 => "git worktree add -q ../tree side",
        _ => "true",
    };
    let script = format!(
        "rm -f .cargo-ok .cargo_vcs_info.json; printf '/target/\\n*.log\\n' > .gitignore
         git init -qb main; git add Cargo.toml .gitignore; git commit -qm first; git add -A; git commit -qm source
         git branch side; git tag v1; two=$(git ls-files src | head -2)
         for f in $two; do echo '// more' >> $f; done; git commit -qam more
         git checkout -q side; git mv Cargo.toml Moved.toml; git commit -qm moved; git checkout -q main
         git branch gone; echo stashed >> Cargo.toml; git stash -q
         {middle}
         echo changed >> Cargo.toml; mkdir -p notes target/debug; echo mine > notes/a.md; echo made > target/debug/out; echo x > trace.log"
    );
    bash(&desk.at(), &script);
}

/// A line of each kind that the workbench is asked to take back.
fn line(dice: &mut Dice, files: &[&str]) -> (&'static str, String) {
    let one = dice.roll(files.len());
    let f = format!("'{}'", files[one]);
    let rs = "$(git ls-files '*.rs' | head -20)";
    match dice.roll(25) {
        0 => ("rm", format!("rm -f {f}")),
        1 => ("rm", "rm -rf src notes".to_owned()),
        2 => ("rm", "find . -name '*.rs' -not -path './.git/*' -delete".to_owned()),
        3 => ("mv", format!("mv {f} moved.txt")),
        4 => ("mv", "mv src source && mv notes/a.md src".to_owned()),
        5 => ("sed -i", format!("sed -i 's/e/E/g' {f}")),
        6 => ("sed -i", format!("sed -i 's/fn /fn  /' {rs}")),
        7 => ("formatter", format!("rustfmt --edition 2021 {rs} || sed -i 's/    /\\t/' {rs}")),
        8 => ("formatter", format!("for f in {rs}; do expand -t 8 \"$f\" | fold -s -w 72 > f.tmp && mv f.tmp \"$f\"; done")),
        9 => ("checkout", "git checkout -qf side".to_owned()),
        10 => ("checkout", format!("git checkout -q HEAD -- . ; git checkout -q v1 -- {f}")),
        11 => ("checkout", "git switch -q -c other && echo x >> Cargo.toml && git commit -qam other".to_owned()),
        12 => ("reset", "git reset -q --hard HEAD~1".to_owned()),
        13 => ("reset", "git reset -q --soft HEAD~1 && git rm -rqf --cached src".to_owned()),
        14 => ("stash", "git stash -q -u; git stash drop -q".to_owned()),
        15 => ("stash", "git checkout -q -- Cargo.toml; git stash pop -q".to_owned()),
        16 => ("stash", "git stash clear".to_owned()),
        17 => ("rebase", "git stash -qu; git rebase -q v1 side; git rebase --abort".to_owned()),
        18 => ("rebase", "git rebase --abort; git merge --abort; git checkout -qf side; git rebase -q main".to_owned()),
        19 => ("clean", "git clean -fdq".to_owned()),
        20 => ("build", "mkdir -p out/deps && for i in $(seq 60); do echo $i > out/deps/$i.o; done; ln -sf deps out/latest".to_owned()),
        21 => ("generator", "for i in $(seq 30); do mkdir -p src/gen/$i && echo \"pub mod m$i;\" > src/gen/$i/mod.rs; done; cat src/gen/*/mod.rs >> src/lib.rs".to_owned()),
        22 => ("generator", "git archive HEAD src | tar x -C notes; rm -rf src; git branch -D gone; git tag -d v1".to_owned()),
        23 => ("commit", "git add -A && git commit -qm all && git gc -q --prune=now".to_owned()),
        _ => ("submodule", "if [ -d sub ]; then (cd sub && echo y >> in.txt && git commit -qam y && rm in.txt); else chmod 600 Cargo.toml; fi".to_owned()),
    }
}

#[tokio::test]
async fn lines_over_twenty_real_repositories_are_taken_back_whole() {
    let sources = sources();
    let real = sources.len() >= usize::try_from(REPOSITORIES).unwrap();
    let (mut checked, mut changed, mut kinds) = (0, 0, BTreeMap::<&str, u32>::new());
    for n in 0..share(REPOSITORIES, 5) {
        let mut dice = Dice(n * 104_729 + 11);
        let mut desk = Desk::new(ROOM);
        if let Some(source) = sources.get(usize::try_from(n).unwrap()).filter(|_| real) {
            let copied = Command::new("cp")
                .args(["-R", "--no-preserve=mode"])
                .arg(source.join("."))
                .arg(desk.at())
                .status();
            assert!(copied.unwrap().success());
        } else {
            synthetic(&desk, &mut dice);
        }
        with_history(&desk, n);
        let tracked =
            bash(&desk.at(), "git ls-files -s | grep -v ^160000 | cut -f2 | grep -v '^\"' | sort -u");
        let files: Vec<&str> = tracked.lines().collect();
        assert!(files.len() >= 8, "repository {n} has a source");
        let before = desk.state();
        for _ in 0..share(25, 3) {
            let (kind, line) = line(&mut dice, &files);
            let what = format!("{line} in {:?}", sources.get(usize::try_from(n).unwrap()));
            checked += 1;
            *kinds.entry(kind).or_default() += 1;
            let Some(wrote) = desk.run(&line).await else {
                assert_eq!(desk.state(), before, "{what}: it is told");
                continue;
            };
            changed += 1;
            assert_eq!(wrote.left, Vec::<String>::new(), "{what}: all of it was saved");
            desk.revert(wrote.record.unwrap(), false).unwrap_or_else(|e| panic!("{what}: {e}"));
            same(&desk.state(), &before, n, &what);
        }
    }
    let source = if real { "unpacked by cargo" } else { "made here: nothing is unpacked by cargo" };
    let told =
        format!("\nchecked={checked} violations=0 (changed={changed}, repositories {source}, {kinds:?})\n");
    std::io::stderr().write_all(told.as_bytes()).unwrap();
    assert!(changed * 10 >= checked * 7, "{changed} of {checked} lines changed something");
}

#[tokio::test]
async fn source_that_git_has_in_a_folder_named_as_output_comes_back_every_time() {
    let mut desk = Desk::new(ROOM);
    desk.write("src/target/linux.rs", "fn linux() {}\n");
    desk.write(".gitignore", "/target/\n");
    for n in 0..40 {
        desk.write(&format!("src/{n}.rs"), "fn f() {}\n");
    }
    bash(&desk.at(), "git init -qb main && git add -A && git commit -qm one");
    let before = desk.state();
    for line in ["rm -rf src", "mv src source", "rm -rf src/target", "git rm -rq src"] {
        let wrote = desk.run(line).await.unwrap();
        assert_eq!(wrote.left, Vec::<String>::new(), "{line}");
        desk.revert(wrote.record.unwrap(), false).unwrap();
        // What was put into a folder of such a name is nobody's loss: it is left where a command put it.
        bash(&desk.at(), "rm -rf source");
        same(&desk.state(), &before, 0, line);
    }
}

/// A repository with files that its rules hide.
fn with_hidden() -> (Desk, super::State) {
    let desk = Desk::new(ROOM);
    desk.write(".gitignore", ".env\nlogs/\n");
    desk.write("src/.gitignore", "*.tmp\n");
    desk.write("src/a.txt", "one\n");
    bash(&desk.at(), "git init -qb main && git add -A && git commit -qm one");
    desk.write(".env", "TOKEN=mine\n");
    desk.write("logs/old/day.log", "kept\n");
    desk.write("src/b.tmp", "a draft\n");
    super::until_settled(&desk.at().join("src"));
    let before = desk.state();
    (desk, before)
}

#[tokio::test]
async fn what_only_came_into_sight_is_never_removed_by_an_undo() {
    for line in [
        "rm .gitignore",
        "echo > .gitignore; echo new > b.txt",
        "git rm -q .gitignore",
        "rm src/.gitignore; mkdir made; echo x > made/y",
        "git rm -rqf --cached .; rm .gitignore; echo new > c.txt",
    ] {
        let (mut desk, before) = with_hidden();
        for _ in 0..2 {
            let wrote = desk.run(line).await.unwrap();
            assert_eq!(wrote.left, Vec::<String>::new(), "{line}");
            desk.revert(wrote.record.unwrap(), false).unwrap();
            same(&desk.state(), &before, 0, line);
        }
    }
}

#[tokio::test]
async fn what_a_command_moves_from_where_nobody_looks_stays_there_and_is_named() {
    for (line, stays, text, back) in [
        ("mv \"$(ls -A | grep 'env$')\" env.txt", "env.txt", "TOKEN=mine\n", "mv env.txt .env"),
        ("echo x > x; mv \"$(ls -d lo*)/old\" kept", "kept/day.log", "kept\n", "mv kept logs/old"),
        (
            "ls src/*.tmp | sed 's/.*/& src\\/b.txt/' | xargs mv; rm src/a.txt",
            "src/b.txt",
            "a draft\n",
            "mv src/b.txt src/b.tmp",
        ),
    ] {
        let (mut desk, before) = with_hidden();
        let wrote = desk.run(line).await.unwrap();
        assert_eq!(wrote.left, [stays], "{line}");
        if let Some(record) = wrote.record {
            desk.revert(record, false).unwrap();
        }
        assert_eq!(fs::read_to_string(desk.at().join(stays)).unwrap(), text, "{line}");
        bash(&desk.at(), back);
        same(&desk.state(), &before, 0, line);
    }
    // What the line itself names was saved before.
    for line in ["mv .env env.txt", "mv src/b.tmp src/b.txt; rm src/a.txt", "echo x > x; mv logs/old kept"] {
        let (mut desk, before) = with_hidden();
        let wrote = desk.run(line).await.unwrap();
        assert_eq!(wrote.left, Vec::<String>::new(), "{line}");
        desk.revert(wrote.record.unwrap(), false).unwrap();
        same(&desk.state(), &before, 0, line);
    }
    // A folder of another name takes what is hidden in it along: that stays hidden there, and all else comes back.
    let (mut desk, _) = with_hidden();
    let wrote = desk.run("mv src source").await.unwrap();
    assert_eq!(wrote.left, Vec::<String>::new());
    desk.revert(wrote.record.unwrap(), false).unwrap();
    assert_eq!(
        bash(&desk.at(), "find source -type f; cat src/a.txt source/b.tmp"),
        "source/b.tmp\none\na draft\n"
    );
}

#[tokio::test]
async fn a_file_and_a_folder_that_take_each_others_place_come_back() {
    let mut desk = Desk::new(ROOM);
    desk.write("notes.md", "mine\n");
    desk.write("both/a/b.txt", "one\n");
    desk.write("x/y", "x\n");
    let before = desk.state();
    for line in [
        "rm notes.md && mkdir -p notes.md/in && echo x > notes.md/in/y",
        "mv notes.md n && mkdir notes.md && mv n notes.md/notes.md",
        "rm -rf both && echo file > both",
        "mv both notes && mv notes.md both && mv notes notes.md",
        "rm -rf both notes.md && ln -s x both && ln -s nowhere notes.md",
    ] {
        let wrote = desk.run(line).await.unwrap();
        assert_eq!(wrote.left, Vec::<String>::new(), "{line}");
        desk.revert(wrote.record.unwrap(), false).unwrap();
        same(&desk.state(), &before, 0, line);
    }
}

#[tokio::test]
async fn objects_that_git_prunes_come_back_with_what_names_them() {
    for (name, first) in [("loose", "true"), ("packed", "git gc -q"), ("some of each", "git repack -q")] {
        let mut desk = Desk::new(ROOM);
        desk.write("a.txt", "one\n");
        bash(&desk.at(), "git init -qb main && git add -A && git commit -qm one && git branch side");
        bash(&desk.at(), "git switch -q side; echo two > a.txt; git commit -qam two; git switch -q main");
        bash(
            &desk.at(),
            &format!("echo three > a.txt; git stash -q; {first}; echo four > b.txt; git add b.txt"),
        );
        let before = desk.state();
        for line in [
            "git stash pop -q; git gc -q --prune=now",
            "git branch -qD side; git stash clear; git reflog expire --expire=now --all; git gc -q --prune=now",
            "git rm -qf --cached b.txt; git repack -qad; git prune --expire=now",
            "rm -rf .git",
        ] {
            let wrote = desk.run(line).await.unwrap();
            assert_eq!(wrote.left, Vec::<String>::new(), "{name}: {line}");
            let named = line == "rm -rf .git" || wrote.git.contains(&"pruned objects".to_owned());
            assert!(named, "{name}: {line}: {:?}", wrote.git);
            desk.revert(wrote.record.unwrap(), false).unwrap();
            same(&desk.state(), &before, 0, &format!("{name}: {line}"));
            assert_eq!(bash(&desk.at(), "git fsck --no-dangling 2>&1"), "", "{name}: {line}");
            let held = desk.dir.path().join("session/saved/objects");
            assert!(!held.exists(), "no second name stays");
        }
    }
}

/// Says what saving costs beside a command over a large repository, from the second time on; the whole proof has 50,000
/// files. What only reads runs where it cannot write and is saved before by nobody: `git status` is here to compare.
#[tokio::test]
async fn what_saving_costs_is_told_and_nothing_is_copied_twice() {
    let mut desk = Desk::new(ROOM);
    let files = large(&desk, share(50_000, 500));
    let copies = |desk: &Desk| fs::read_dir(desk.dir.path().join("session/saved/blobs")).unwrap().count();
    let mut told = format!("\nfiles={files}");
    let times = share(5, 1);
    for (name, prepare, line) in COSTS {
        let (mut bare, mut saved, mut gate) = (Vec::new(), Vec::new(), Vec::new());
        for n in 0..=times {
            let begin = |desk: &Desk| drop(bash(&desk.at(), &format!("n={n}; {prepare}")));
            begin(&desk);
            let start = std::time::Instant::now();
            bash(&desk.at(), line);
            bare.push(start.elapsed());
            begin(&desk);
            let start = std::time::Instant::now();
            desk.run(line).await;
            saved.push(start.elapsed());
            // As a gate: somebody will ask on which files it ran.
            begin(&desk);
            let start = std::time::Instant::now();
            desk.witnessed(line).await;
            gate.push(start.elapsed());
        }
        let middle = |mut all: Vec<std::time::Duration>| {
            all.remove(0);
            all.sort();
            all[all.len() / 2]
        };
        let (bare, saved, gate) = (middle(bare), middle(saved), middle(gate));
        told += &format!(
            "\n{name}: bare {bare:?}, saved {saved:?}, ratio {:.2}; as a gate {gate:?}, ratio {:.2}",
            saved.div_duration_f64(bare),
            gate.div_duration_f64(bare)
        );
    }
    std::io::stderr().write_all((told + "\n").as_bytes()).unwrap();
    until_settled(&desk.at());
    desk.run("git status --short").await;
    let before = copies(&desk);
    assert_eq!(desk.run("git status --short").await, None);
    // What git itself wrote anew, such as its index, is the only thing that is copied again.
    assert!(copies(&desk) < before + 5, "{} of {before} copies", copies(&desk));
}

/// Commands that are measured, with what is changed before each.
const COSTS: [(&str, &str, &str); 7] = [
    ("git status", "true", "git status --short"),
    ("sed -i on one file", "true", "sed -i 's/e/E/;t;s/E/e/' d1/e1/f1.rs"),
    ("make, nothing to do", "true", "make -s"),
    ("make, one of 300", "touch d1/e1/f1.rs", "make -s"),
    ("a formatter over 1,000 files", "sed -i 's/fn /fn  /' d1/*/*.rs", "sed -i 's/fn  /fn /' d1/*/*.rs"),
    ("cargo build", "echo \"pub const N: u32 = $n;\" > app/src/n.rs", "cd app && cargo build -q --offline"),
    ("git commit", "echo \"// $n $RANDOM\" >> d2/e2/f2.rs", "git commit -qam next"),
];

/// A repository of so many files in folders of twelve, with something to make and to build.
fn large(desk: &Desk, files: u64) -> u64 {
    let folders = files.div_ceil(12);
    for n in 0..files {
        let e = n % folders;
        desk.write(&format!("d{}/e{e}/f{n}.rs", e % 50), format!("fn f{n}() {{}}\n").repeat(20));
    }
    let rule = "SOURCES := $(wildcard d1/e*/*.rs d2/e*/*.rs)\nOUT := $(wordlist 1,300,$(SOURCES:%=build/%.o))\nall: $(OUT)\n\
        build/%.o: %\n\t@mkdir -p $(dir $@) && sort $< | sha256sum > $@\n";
    desk.write("Makefile", rule);
    desk.write(".gitignore", "/build/\ntarget/\n");
    desk.write(
        "app/Cargo.toml",
        "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n",
    );
    let part = |m: u64| {
        let body = format!(
            "pub fn f{m}(v: &[u64]) -> String {{ let mut t = v.to_vec(); t.sort(); format!(\"{{t:?}}\") }}\n"
        );
        (0..20).fold(body, |all, k| {
            all + &format!(
                "#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)] pub struct S{m}_{k} {{ pub a: Vec<String>, pub b: Option<u64> }}\n"
            )
        })
    };
    desk.write(
        "app/src/main.rs",
        "mod n; mod p;\nfn main() { println!(\"{} {}\", n::N, p::f0(&[2, 1])); }\n",
    );
    desk.write("app/src/p.rs", (0..30).map(part).collect::<String>());
    desk.write("app/src/n.rs", "pub const N: u32 = 0;\n");
    // Nothing of git goes on by itself beside what is measured.
    let quiet = "git init -qb main && git config gc.auto 0 && git config maintenance.auto false";
    bash(&desk.at(), &format!("{quiet} && git add -A && git commit -qm one && git gc -q && git status"));
    desk.write("notes.md", "mine\n");
    files
}
