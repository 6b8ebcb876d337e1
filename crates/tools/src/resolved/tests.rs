//! What changes between the yes and the start is seen, whatever it is.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::indexing_slicing)]

use std::{fs, os::unix::fs::symlink};

use super::*;

/// A workspace, two folders of programs of which the first goes first, and what a command gets.
struct Desk {
    dir: tempfile::TempDir,
    environment: Vec<(OsString, OsString)>,
}

impl Desk {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        for name in ["work", "work/sub", "first", "second", "aside"] {
            fs::create_dir(at(name)).unwrap();
        }
        let path = std::env::join_paths([at("first"), at("second")]).unwrap();
        let environment = vec![("PATH".into(), path), ("LANG".into(), "C".into()), ("A".into(), "1".into())];
        let desk = Self { dir, environment };
        for program in ["second/tool", "second/linked-to", "work/run.sh", "work/sub/run.sh", "aside/run.sh"] {
            desk.program(program, "#!/bin/sh\necho it\n");
        }
        symlink(desk.at("second/linked-to"), desk.at("second/link")).unwrap();
        symlink(desk.at("aside/run.sh"), desk.at("work/link.sh")).unwrap();
        for (name, text) in [
            ("work/Makefile", "all:\n\techo it\n"),
            ("work/package.json", "{\"scripts\":{\"test\":\"echo it\"}}\n"),
            ("work/justfile", "all:\n  echo it\n"),
            ("work/Cargo.toml", "[package]\n"),
        ] {
            fs::write(desk.at(name), text).unwrap();
        }
        desk
    }

    fn at(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn program(&self, name: &str, text: &str) {
        let path = self.at(name);
        drop(fs::remove_file(&path));
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn look(&self, line: &str) -> ResolvedCommand {
        look(line, &self.at("work"), &self.environment)
    }

    fn set(&mut self, name: &str, value: impl Into<OsString>) {
        self.environment.retain(|(n, _)| n != name);
        self.environment.push((name.into(), value.into()));
    }
}

type Change = (&'static str, fn(&mut Desk));

const ON_PATH: [Change; 6] = [
    ("its content is replaced", |d| d.program("second/tool", "#!/bin/sh\necho other\n")),
    ("another one stands before it", |d| d.program("first/tool", "#!/bin/sh\necho it\n")),
    ("it is gone", |d| fs::remove_file(d.at("second/tool")).unwrap()),
    ("it is a link to another one", |d| {
        fs::remove_file(d.at("second/tool")).unwrap();
        symlink(d.at("aside/run.sh"), d.at("second/tool")).unwrap();
    }),
    ("it may not be run any more", |d| {
        fs::set_permissions(d.at("second/tool"), fs::Permissions::from_mode(0o644)).unwrap();
    }),
    ("it is a large one now", |d| d.program("second/tool", &"x".repeat(2 << 20))),
];

const SCRIPT: [Change; 2] = [
    ("it is edited", |d| {
        for name in ["work/run.sh", "work/sub/run.sh"] {
            fs::write(d.at(name), "#!/bin/sh\necho other\n").unwrap();
        }
    }),
    ("it is a link now", |d| {
        for name in ["work/run.sh", "work/sub/run.sh"] {
            fs::remove_file(d.at(name)).unwrap();
            symlink(d.at("aside/run.sh"), d.at(name)).unwrap();
        }
    }),
];

const PLACE: [Change; 8] = [
    ("the folder is another one", |d| {
        fs::rename(d.at("work"), d.at("gone")).unwrap();
        fs::create_dir(d.at("work")).unwrap();
    }),
    ("the folder is a link", |d| {
        fs::rename(d.at("work"), d.at("gone")).unwrap();
        symlink(d.at("gone"), d.at("work")).unwrap();
    }),
    ("PATH is turned round", |d| {
        let path = std::env::join_paths([d.at("second"), d.at("first")]).unwrap();
        d.set("PATH", path);
    }),
    ("PATH has another folder first", |d| {
        let path = std::env::join_paths([d.at("aside"), d.at("first"), d.at("second")]).unwrap();
        d.set("PATH", path);
    }),
    ("a variable has another value", |d| d.set("A", "2")),
    ("a variable is new", |d| d.set("LD_PRELOAD", "/tmp/x.so")),
    ("a variable is gone", |d| d.environment.retain(|(n, _)| n != "A")),
    ("a variable has moved its value to another", |d| {
        d.set("A", "");
        d.set("A1", "");
    }),
];

#[test]
fn what_the_shell_does_itself_is_not_missed_among_the_programs() {
    let desk = Desk::new();
    let places = desk.look("cd sub && export A=1 && tool").places();
    assert!(places.iter().all(|place| !place.contains("not found")), "{places:?}");
    assert!(desk.look("nowhere-at-all x").places().iter().any(|place| place == "nowhere-at-all: not found"));
}

#[test]
fn a_module_is_no_program_and_one_of_the_folder_is_bound() {
    let desk = Desk::new();
    desk.program("second/python3", "#!/bin/sh\necho it\n");
    let line = "python3 -m checks.all -q";
    let places = desk.look(line).places();
    assert!(places.iter().all(|place| !place.contains("not found")), "{places:?}");
    fs::create_dir(desk.at("work/checks")).unwrap();
    fs::write(desk.at("work/checks/all.py"), "print(1)\n").unwrap();
    let before = desk.look(line);
    assert!(before.places().iter().any(|place| place == "checks/all.py"), "{:?}", before.places());
    fs::write(desk.at("work/checks/all.py"), "print(2)\n").unwrap();
    assert_eq!(before.differs(&desk.look(line)).unwrap(), "checks/all.py was changed");
    // The same name as a program is looked up as one.
    let places = desk.look("python3 -m tool; tool").places();
    assert!(places.iter().any(|place| place.ends_with("second/tool")), "{places:?}");
}

#[test]
fn only_what_stands_before_the_first_operand_names_a_module() {
    let desk = Desk::new();
    for program in ["python3", "python3.12", "node", "ruby"] {
        desk.program(&format!("second/{program}"), "#!/bin/sh\necho it\n");
    }
    for name in ["tools/run.py", "pkg/__init__.py", "pkg/sub/__init__.py", "pkg/sub/all.py", "build.js"] {
        let path = desk.at("work").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "1\n").unwrap();
    }
    for (line, bound) in [
        ("python3 tools/run.py -m unit", &["tools/run.py"][..]),
        ("python3 -W ignore -X dev tools/run.py -m pkg", &["tools/run.py"]),
        ("python3 -Wignore -u tools/run.py", &["tools/run.py"]),
        ("python3.12 tools/run.py -m unit", &["tools/run.py"]),
        ("node build.js -m prod", &["build.js"]),
        ("node -m build.js", &["build.js"]),
        ("ruby build.js -m x", &["build.js"]),
        ("python3 -m pkg.sub.all", &["pkg/__init__.py", "pkg/sub/__init__.py", "pkg/sub/all.py"]),
        ("python3 -Im pkg.sub.all -v", &["pkg/__init__.py", "pkg/sub/__init__.py", "pkg/sub/all.py"]),
        ("python3 -mpkg", &["pkg/__init__.py"]),
        ("python3 -c 'import x' tools/run.py", &[]),
    ] {
        let places = desk.look(line).places();
        let found: Vec<&String> =
            places.iter().filter(|p| !p.starts_with('/') && !p.contains("second/")).collect();
        assert_eq!(found, bound, "{line}");
    }
}

#[test]
fn every_change_after_the_approval_is_seen() {
    let mut cases: Vec<(String, Change)> = Vec::new();
    let mut add = |lines: &[&str], changes: &[Change]| {
        for line in lines {
            cases.extend(changes.iter().map(|c| ((*line).to_owned(), *c)));
        }
    };
    add(&["tool", "tool a b", "sh -c 'tool a'", "timeout 5 tool", "true && tool x"], &ON_PATH);
    add(&["cd sub && tool", "env B=c tool", "ls | tool", "xargs tool < a.txt"], &ON_PATH[..2]);
    add(&["./run.sh", "bash run.sh", "python3 run.sh -v", "source run.sh"], &SCRIPT);
    add(&["cd sub && ./run.sh", "sh -c './run.sh'", "./run.sh && true"], &SCRIPT);
    add(&["tool"], &PLACE);
    let linked: Change = ("what the link means is replaced", |d| d.program("second/linked-to", "other"));
    let turned: Change = ("the link means another one", |d| {
        fs::remove_file(d.at("second/link")).unwrap();
        symlink(d.at("second/tool"), d.at("second/link")).unwrap();
    });
    add(&["link"], &[linked, turned]);
    let script: Change = ("what the link means is edited", |d| d.program("aside/run.sh", "other"));
    let swapped: Change = ("the link means another one", |d| {
        fs::remove_file(d.at("work/link.sh")).unwrap();
        symlink(d.at("work/run.sh"), d.at("work/link.sh")).unwrap();
    });
    add(&["./link.sh", "bash link.sh"], &[script, swapped]);
    add(
        &["make all"],
        &[("the Makefile is edited", |d| fs::write(d.at("work/Makefile"), "all:\n").unwrap())],
    );
    add(
        &["make all"],
        &[("another Makefile goes first", |d| fs::write(d.at("work/GNUmakefile"), "").unwrap())],
    );
    add(
        &["npm test"],
        &[("the scripts are edited", |d| fs::write(d.at("work/package.json"), "{}").unwrap())],
    );
    add(&["just all"], &[("the justfile is edited", |d| fs::write(d.at("work/justfile"), "").unwrap())]);
    add(&["cargo test"], &[("a build script appears", |d| fs::write(d.at("work/build.rs"), "").unwrap())]);
    let mut unseen = Vec::new();
    for (line, (name, change)) in &cases {
        let mut desk = Desk::new();
        let allowed = desk.look(line);
        assert_eq!(allowed.differs(&desk.look(line)), None, "{line}: nothing changed");
        change(&mut desk);
        match allowed.differs(&desk.look(line)) {
            Some(what) => println!("{line:22} {name:44} {what}"),
            None => unseen.push((line, name)),
        }
    }
    println!("checked={} violations={}", cases.len(), unseen.len());
    assert!(unseen.is_empty(), "{unseen:#?}");
    assert!(cases.len() >= 50, "{}", cases.len());
}

#[test]
fn what_a_file_of_work_takes_in_and_would_run_is_bound_with_it_and_told_as_no_program() {
    let put = |desk: &Desk, name: &str, text: &str| fs::write(desk.at("work").join(name), text).unwrap();
    for (line, changed, told) in [
        ("make all", "build.mk", "build.mk was changed"),
        ("make all", "deep.mk", "deep.mk was changed"),
        ("make all", "gen.py", "gen.py was changed"),
        ("make all", "local.mk", "the files it runs have changed"),
        ("npm test", "check.js", "check.js was changed"),
        ("just all", "more.just", "more.just was changed"),
        ("make all", "notes.txt", ""),
        ("npm test", "build.mk", ""),
    ] {
        let desk = Desk::new();
        put(&desk, "Makefile", "include build.mk\n-include local.mk\nall:\n\t@python3 gen.py > notes.txt\n");
        put(&desk, "build.mk", "include deep.mk\n");
        put(&desk, "package.json", "{\n  \"scripts\": {\n    \"test\": \"node check.js\"\n  }\n}\n");
        put(&desk, "justfile", "import 'more.just'\n");
        for name in ["deep.mk", "gen.py", "check.js", "more.just", "notes.txt"] {
            put(&desk, name, "1\n");
        }
        let allowed = desk.look(line);
        assert!(allowed.places().iter().all(|place| !place.contains(changed)), "{:?}", allowed.places());
        assert_eq!(allowed.differs(&desk.look(line)), None, "{line}");
        put(&desk, changed, "2\n");
        assert_eq!(allowed.differs(&desk.look(line)).unwrap_or_default(), told, "{line}: {changed}");
    }
}

#[test]
fn what_does_not_matter_to_a_command_asks_nothing_again() {
    let desk = Desk::new();
    let allowed = desk.look("tool && make all");
    fs::write(desk.at("work/notes.txt"), "x").unwrap();
    fs::write(desk.at("work/run.sh"), "other").unwrap();
    desk.program("second/other", "x");
    desk.program("second/tool", "#!/bin/sh\necho it\n");
    assert_eq!(allowed.differs(&desk.look("tool && make all")), None);
}

#[test]
fn what_cannot_be_opened_is_looked_at_without_waiting() {
    let desk = Desk::new();
    let fifo = desk.at("work/pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, 0o755.into(), 0).unwrap();
    let meant = desk.look("./pipe; bash pipe; nothing-of-that-name");
    assert_eq!(meant.runs.last().unwrap().path, "");
}

#[test]
fn a_line_of_many_programs_is_bound_whole_and_told_in_short() {
    let desk = Desk::new();
    let line: Vec<String> = (0..60).map(|n| format!("p{n}")).collect();
    let meant = desk.look(&line.join("; "));
    assert_eq!(meant.runs.len(), MOST_THINGS + 1);
    desk.program("first/p59", "x");
    assert!(meant.differs(&desk.look(&line.join("; "))).is_some());
}

#[test]
fn of_many_files_that_are_bound_none_is_told_as_gone_that_only_changed() {
    let desk = Desk::new();
    let put = |name: &str, text: &str| fs::write(desk.at("work").join(name), text).unwrap();
    let names: Vec<String> = (0..30).map(|n| format!("part{n}.mk")).collect();
    put("Makefile", &format!("include {}\nall:\n", names.join(" ")));
    for name in &names {
        put(name, "a = 1\n");
    }
    let allowed = desk.look("make all");
    put("part29.mk", "a = 2\n");
    let told = allowed.differs(&desk.look("make all")).unwrap();
    assert_eq!(told, "the files it runs have changed");
    let line: Vec<String> = (0..60).map(|n| format!("p{n}")).collect();
    let many = desk.look(&line.join("; "));
    desk.program("first/p59", "x");
    assert_eq!(many.differs(&desk.look(&line.join("; "))).unwrap(), "the files it runs have changed");
}

#[test]
fn a_script_of_any_name_is_bound_however_its_file_is_laid_out() {
    for (line, file, text) in [
        (
            "npm run build:prod",
            "package.json",
            "{\n  \"scripts\": {\n    \"build:prod\": \"node build.js\"\n  }\n}\n",
        ),
        ("npm run build", "package.json", "{\"scripts\":{\"build\":\"node \\\"build.js\\\"\"}}"),
        ("composer run build", "composer.json", "{\"scripts\":{\"build\":[\"@php -v\",\"@php build.js\"]}}"),
    ] {
        let desk = Desk::new();
        let put = |name: &str, text: &str| fs::write(desk.at("work").join(name), text).unwrap();
        put(file, text);
        put("build.js", "1\n");
        let allowed = desk.look(line);
        put("build.js", "2\n");
        assert_eq!(allowed.differs(&desk.look(line)).as_deref(), Some("build.js was changed"), "{line}");
    }
}

#[test]
fn what_a_makefile_takes_in_is_bound_however_it_is_written() {
    for makefile in [
        "ifdef CI\n  include ci.mk\nendif\nall:\n",
        "include other.mk \\\n  ci.mk\nall:\n",
        "all:\n\t@echo it && \\\n\tpython3 ci.mk\n",
    ] {
        let desk = Desk::new();
        let put = |name: &str, text: &str| fs::write(desk.at("work").join(name), text).unwrap();
        put("Makefile", makefile);
        put("ci.mk", "a = 1\n");
        let allowed = desk.look("make all");
        put("ci.mk", "a = 2\n");
        assert_eq!(
            allowed.differs(&desk.look("make all")).as_deref(),
            Some("ci.mk was changed"),
            "{makefile}"
        );
    }
}

#[test]
fn a_module_of_a_justfile_is_bound_wherever_it_lies() {
    for (justfile, module, other) in [
        ("mod site\n", "site.just", None),
        ("mod site\n", "site.just", Some("site")),
        ("mod site\n", "site/mod.just", None),
        ("mod? site\n", "site/justfile", None),
        ("mod? site\n", "site.just", Some("site")),
        ("mod site 'tasks/web.just'\n", "tasks/web.just", Some("site")),
        ("mod site 'tasks'\n", "tasks/.justfile", None),
    ] {
        let desk = Desk::new();
        let put = |name: &str, text: &str| {
            let path = desk.at("work").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put("justfile", justfile);
        if let Some(other) = other {
            put(other, "a program\n");
        }
        put(module, "all:\n\tsh run.sh\n");
        put("run.sh", "1\n");
        for changed in [module, "run.sh"] {
            let allowed = desk.look("just site all");
            put(changed, "all:\n\tsh run.sh --now\n");
            assert!(allowed.differs(&desk.look("just site all")).is_some(), "{justfile}{module}: {changed}");
        }
    }
}

#[test]
fn where_a_line_names_the_folder_or_the_file_those_are_bound() {
    for (line, file, behind, text) in [
        ("make -f build/x.mk all", "build/x.mk", "gen.py", "all:\n\tpython3 gen.py\n"),
        ("make -C sub all", "sub/Makefile", "sub/gen.py", "all:\n\tpython3 gen.py\n"),
        ("make --directory=sub all", "sub/Makefile", "sub/gen.py", "all:\n\tpython3 gen.py\n"),
        ("make -Csub all", "sub/Makefile", "sub/gen.py", "all:\n\tpython3 gen.py\n"),
        (
            "npm --prefix sub test",
            "sub/package.json",
            "sub/gen.py",
            "{\"scripts\":{\"test\":\"python3 gen.py\"}}",
        ),
        ("just -f build/x.just all", "build/x.just", "", "all:\n  python3 gen.py\n"),
        // A folder that an option or an operand names says what is run as well.
        ("just -d sub all", "sub/justfile", "sub/gen.py", "all:\n  python3 gen.py\n"),
        ("gradle -p sub test", "sub/build.gradle", "", "task it\n"),
        ("task --dir=sub build", "sub/Taskfile.yml", "", "tasks: {}\n"),
        ("tox --root sub", "sub/tox.ini", "", "[tox]\n"),
        ("pytest --rootdir=sub", "sub/conftest.py", "", "x = 1\n"),
        ("pytest -q sub", "sub/conftest.py", "", "x = 1\n"),
        ("npm test -w sub", "sub/package.json", "sub/gen.py", "{\"scripts\":{\"test\":\"python3 gen.py\"}}"),
        ("npm test --workspace=sub", "sub/package.json", "", "{}"),
    ] {
        for changed in [file, behind].into_iter().filter(|name| !name.is_empty()) {
            let desk = Desk::new();
            fs::create_dir(desk.at("work/build")).unwrap();
            let put = |name: &str, text: &str| fs::write(desk.at("work").join(name), text).unwrap();
            put(file, text);
            if !behind.is_empty() {
                put(behind, "1\n");
            }
            let allowed = desk.look(line);
            put(changed, "2\n");
            let told = allowed.differs(&desk.look(line)).unwrap_or_default();
            assert!(!told.is_empty(), "{line}: {changed}");
        }
    }
}

#[test]
fn however_much_a_file_takes_in_all_of_it_is_bound() {
    let many = (0..50).map(|n| format!("include part{n}.mk\n")).collect::<Vec<_>>().concat();
    let long = "a = 1\n".repeat(1000);
    let large = "# what is known by its place\n".repeat(40_000);
    for (makefile, changed) in [
        (format!("{large}include part7.mk\nall:\n"), "part7.mk"),
        (format!("{large}all:\n\tpython3 part7.mk\n"), "part7.mk"),
        (format!("{many}all:\n"), "part0.mk"),
        (format!("{many}all:\n"), "part49.mk"),
        (format!("{long}include part7.mk\nall:\n"), "part7.mk"),
        (format!("all:\n{}\tpython3 part7.mk\n", "\techo it\n".repeat(1000)), "part7.mk"),
    ] {
        let desk = Desk::new();
        let put = |name: &str, text: &str| fs::write(desk.at("work").join(name), text).unwrap();
        put("Makefile", &makefile);
        (0..50).for_each(|n| put(&format!("part{n}.mk"), "a = 1\n"));
        let allowed = desk.look("make all");
        assert_eq!(allowed.differs(&desk.look("make all")), None);
        put(changed, "a = 2\n");
        assert!(allowed.differs(&desk.look("make all")).is_some(), "{changed}");
    }
}

#[test]
fn what_is_too_much_to_look_at_is_told_first_and_bound_as_it_stood() {
    let lines = format!("\t# {}\n", "a".repeat(990)).repeat(1_000);
    let names = format!("include{}\n", " a".repeat(60_000));
    let large = "a".repeat(1 << 20);
    for (part, parts, is_bound) in [
        (lines.as_str(), 1, true),
        (lines.as_str(), 6, false),
        (names.as_str(), 1, false),
        // Taken in and bound: paid for once.
        (large.as_str(), 10, true),
        (large.as_str(), 20, false),
        ("a = 1\n", 500, true),
    ] {
        let desk = Desk::new();
        let put = |name: &str, text: &str| fs::write(desk.at("work").join(name), text).unwrap();
        let takes = (0..parts).map(|n| format!("include part{n}.mk\n")).collect::<Vec<_>>().concat();
        put("Makefile", &format!("{takes}all:\n"));
        (0..parts).for_each(|n| put(&format!("part{n}.mk"), part));
        let allowed = desk.look("make all");
        let case = format!("{parts} of {} bytes", part.len());
        assert_eq!(allowed.differs(&desk.look("make all")), None, "{case}");
        let told = allowed.places().first().is_some_and(|place| place.starts_with("not looked at: the rest"));
        assert_eq!(told, !is_bound, "{case}: {:?}", allowed.places());
        // Of many the first is the last that is read.
        put("part0.mk", &format!("{part}\n"));
        let changed = allowed.differs(&desk.look("make all")).unwrap_or_default();
        let is_left = changed == format!("{LEFT_OUT} was changed");
        assert_eq!(is_left, !is_bound && parts > 1, "{case}: {changed}");
        assert!(!changed.is_empty(), "{case}");
    }
}
