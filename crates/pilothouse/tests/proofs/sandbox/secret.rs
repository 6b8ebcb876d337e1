//! Secret files of the workspace: what a command that nobody was asked about comes upon, whether it reads or writes.

use super::{Desk, Server, Turn, desks, fs, json};

/// What a command says that the model calls in a session begun with `flags`.
fn says(desk: &Desk, (goal, line): (&str, &str), flags: &[&str]) -> String {
    let calls = vec![("run", json!({"command": line}))];
    let server = Server::start(vec![Turn::Say("", calls), Turn::Say("Seen.", vec![])]);
    let ended = desk.ask(&server.base, &[&["run", goal, "--json"], flags].concat());
    let events = ended.events();
    let call = events.iter().find(|e| e["type"] == "call_ended").unwrap_or_else(|| panic!("{}", ended.out));
    call["result"]["head"].as_str().unwrap().to_owned()
}

fn put(desk: &Desk) {
    let rules = "[[deny]]\nread = \"sealed/**\"\n";
    fs::write(desk.home.path().join("permissions.toml"), rules).unwrap();
    let files = [
        (".env", "hid-env"),
        ("sub/id_rsa", "hid-key"),
        ("sealed/a.txt", "hid-deny"),
        (".ssh/config", "hid-folder"),
        ("sub/b.txt", "seen-b"),
    ];
    for (name, word) in files {
        let path = desk.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("mark {word}\n")).unwrap();
    }
}

#[test]
fn what_is_secret_or_denied_is_hidden_from_readers_that_come_upon_it() {
    for desk in desks("") {
        put(&desk);
        for line in ["grep -rh mark .", "grep -r mark . --include='*'"] {
            let text = says(&desk, ("what is marked here?", line), &[]);
            assert!(text.contains("seen-b"), "{line}: {text}");
            assert!(!text.contains("hid-"), "{line}: {text}");
        }
    }
}

#[test]
fn it_is_hidden_from_a_command_that_writes_as_well_and_stays_as_it_is() {
    for desk in desks("") {
        put(&desk);
        let make = "all:\n\t-find . -type f | xargs grep -h mark > found.txt\n\t-cat sub/*\n\t-echo mine >> .env\n\
                    \t-cat < .env\n\t-ls .ssh\n\t-touch .ssh/new sub/new\n\t-rm sub/id_rsa\n\t-cp -r . $$TMPDIR/all; \
                    grep -rh mark $$TMPDIR/all\n\t-cat found.txt; echo done\n";
        fs::write(desk.path().join("Makefile"), make).unwrap();
        let text = says(&desk, ("run the tests", "make all"), &["--trust"]);
        assert!(text.contains("seen-b") && text.contains("done"), "{text}");
        assert!(!text.contains("hid-"), "{text}");
        assert!(text.contains(".env"), "what was hidden is said: {text}");
        assert_eq!(desk.file(".env"), "mark hid-env\n");
        assert_eq!(desk.file("sub/id_rsa"), "mark hid-key\n");
        assert!(desk.path().join("sub/new").exists(), "it writes: {text}");
        assert!(!desk.path().join(".ssh/new").exists(), "{text}");
    }
}

#[test]
fn what_lies_in_what_is_hidden_is_hidden_with_it_and_a_place_to_write_in_it_stays_open() {
    let outside = tempfile::tempdir().unwrap();
    let shut = outside.path().canonicalize().unwrap().join("shut");
    let place = |name: &str| shut.join(name);
    for name in ["inner", "open"] {
        fs::create_dir_all(place(name)).unwrap();
        fs::write(place(name).join("a.txt"), format!("mark {name}\n")).unwrap();
    }
    let hidden = format!("hidden = [{:?}, {:?}]", place("inner"), shut);
    for desk in desks(&format!("{hidden}\nwritable = [{:?}]", place("open"))) {
        let shown = shut.display();
        let make = format!(
            "all:\n\t-cat {shown}/inner/a.txt\n\t-touch {shown}/new\n\t-cat {shown}/open/a.txt\n\techo wrote > {shown}/open/b.txt\n"
        );
        fs::write(desk.path().join("Makefile"), make).unwrap();
        let text = says(&desk, ("run the tests", "make all"), &["--trust"]);
        assert!(text.starts_with("exit 0") && text.contains("mark open"), "{text}");
        assert!(!text.contains("mark inner"), "{text}");
        assert!(!place("new").exists(), "{text}");
        assert_eq!(fs::read_to_string(place("open").join("b.txt")).unwrap(), "wrote\n");
        fs::remove_file(place("open").join("b.txt")).unwrap();
    }
}

/// What a control folder holds is bound as it is, so that no command changes it.
#[test]
fn a_secret_file_in_a_control_folder_is_hidden_as_well() {
    for desk in desks("") {
        put_inner(&desk);
        comes_upon(&desk);
    }
}

/// There the folder itself is bound among the devices.
#[test]
fn a_secret_file_of_a_workspace_in_memory_is_hidden_as_well() {
    let memory = std::path::Path::new("/dev/shm");
    if !memory.is_dir() {
        return super::not_run("no folder in memory");
    }
    for mut desk in desks("") {
        desk.folder = tempfile::tempdir_in(memory).unwrap();
        put_inner(&desk);
        comes_upon(&desk);
    }
}

fn put_inner(desk: &Desk) {
    put(desk);
    for (name, word) in [(".devcontainer/.env", "hid-inner"), (".devcontainer/devcontainer.json", "seen-c")] {
        let path = desk.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("mark {word}\n")).unwrap();
    }
}

/// A command that only reads and one that writes see what is not secret, and nothing else.
fn comes_upon(desk: &Desk) {
    let text = says(desk, ("what is marked here?", "grep -rh mark ."), &[]);
    assert!(text.contains("seen-b") && text.contains("seen-c") && !text.contains("hid-"), "reading: {text}");
    let make = "all:\n\t-grep -rh mark . > found.txt\n\t-cat found.txt .devcontainer/.env .env\n\
                \t-echo evil > .devcontainer/devcontainer.json\n\techo done\n";
    fs::write(desk.path().join("Makefile"), make).unwrap();
    let text = says(desk, ("run the tests", "make all"), &["--trust"]);
    assert!(text.contains("seen-b") && text.contains("seen-c") && !text.contains("hid-"), "writing: {text}");
    assert_eq!(desk.file(".devcontainer/.env"), "mark hid-inner\n");
    assert_eq!(desk.file(".devcontainer/devcontainer.json"), "mark seen-c\n");
}

#[test]
fn a_place_that_is_given_to_write_is_not_hidden_itself() {
    let outside = tempfile::tempdir().unwrap();
    let given = outside.path().canonicalize().unwrap().join("given");
    fs::create_dir_all(given.join("inner")).unwrap();
    fs::write(given.join("a.txt"), "mark given\n").unwrap();
    fs::write(given.join("inner/a.txt"), "mark inner\n").unwrap();
    for kind in ["landlock", "bwrap"] {
        let Some(desk) = super::desk(kind, "") else { continue };
        let work = desk.path().canonicalize().unwrap();
        desk.configure(&format!(
            "[sandbox]\nbackend = \"{kind}\"\nwritable = [{given:?}]\nhidden = [{given:?}, {:?}, {work:?}]\n",
            given.join("inner")
        ));
        fs::write(desk.path().join("b.txt"), "mark work\n").unwrap();
        let place = given.display();
        let text = says(&desk, ("what is marked here?", "grep -h mark b.txt"), &[]);
        assert!(text.contains("mark work"), "{kind}: {text}");
        let make = format!(
            "all:\n\t-cat b.txt {place}/a.txt\n\t-cat {place}/inner/a.txt\n\techo wrote > {place}/b.txt\n\techo wrote > c.txt\n"
        );
        fs::write(desk.path().join("Makefile"), make).unwrap();
        let text = says(&desk, ("run the tests", "make all"), &["--trust"]);
        assert!(text.starts_with("exit 0"), "{kind}: {text}");
        assert!(text.contains("mark work") && text.contains("mark given"), "{kind}: {text}");
        assert!(!text.contains("mark inner"), "{kind}: {text}");
        assert_eq!(fs::read_to_string(given.join("b.txt")).unwrap(), "wrote\n");
        fs::remove_file(given.join("b.txt")).unwrap();
        fs::remove_file(desk.path().join("Makefile")).unwrap();
    }
}
