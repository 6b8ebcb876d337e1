//! Secret files of the workspace: what a command that only reads, and that nobody was asked about, comes upon.

use super::{Server, Turn, desks, fs, json};

#[test]
fn what_is_secret_or_denied_is_hidden_from_readers_that_come_upon_it() {
    for desk in desks("") {
        let rules = "[[deny]]\nread = \"sealed/**\"\n";
        fs::write(desk.home.path().join("permissions.toml"), rules).unwrap();
        let files = [
            (".env", "hid-env"),
            ("sub/id_rsa", "hid-key"),
            ("sealed/a.txt", "hid-deny"),
            ("sub/b.txt", "seen-b"),
        ];
        for (name, word) in files {
            let path = desk.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, format!("mark {word}\n")).unwrap();
        }
        for line in ["grep -rh mark .", "grep -r mark . --include='*'"] {
            let calls = vec![("run", json!({"command": line}))];
            let server = Server::start(vec![Turn::Say("", calls), Turn::Say("Seen.", vec![])]);
            let ended = desk.ask(&server.base, &["run", "what is marked here?", "--json"]);
            let events = ended.events();
            let call =
                events.iter().find(|e| e["type"] == "call_ended").unwrap_or_else(|| panic!("{}", ended.out));
            let text = call["result"]["head"].as_str().unwrap();
            assert!(text.contains("seen-b"), "{line}: {text}");
            assert!(!text.contains("hid-"), "{line}: {text}");
        }
    }
}
