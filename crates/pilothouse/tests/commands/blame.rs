//! Lines of a file told with what brought them; keys and themes as scripts see them.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::fs;

use crate::support::Desk;

#[test]
fn a_line_is_told_with_its_message_step_call_approval_and_gate() {
    let desk = Desk::new();
    let asked = "rename find_notes to search_notes";
    desk.go(&["run", asked, "--auto-confirm"]).with(0);
    let path = desk.folder.path().join("src/search.rs");
    let name = path.to_str().unwrap();
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{text}// mine\n")).unwrap();
    let told = desk.go(&["blame", name, "--json"]).with(0).events();
    assert_eq!(told.len(), text.lines().count() + 1);
    let at = text.lines().position(|l| l.contains("pub fn search_notes")).unwrap();
    let write = &told[at]["write"];
    assert_eq!(
        (told[at]["line"].as_u64(), told[at]["from"].as_str()),
        (Some(at as u64 + 1), Some("session"))
    );
    assert_eq!(
        (write["goal"].as_str(), write["session"].as_str()),
        (Some(asked), desk.sessions()[0]["slug"].as_str())
    );
    for part in ["step", "call", "approval", "by", "apply"] {
        assert!(!write[part].is_null(), "{part} is not in {write}");
    }
    assert_eq!(
        (told[0]["from"].as_str(), told.last().unwrap()["from"].as_str()),
        (Some("before"), Some("others"))
    );
    let one = desk.go(&["blame", &format!("{name}:{}", at + 1)]).with(0).out;
    for part in ["pub fn search_notes", "asked     rename find_notes", "step ", "approval "] {
        assert!(one.contains(part), "{part} is not in\n{one}");
    }
    desk.go(&["blame", &format!("{name}:9999")]).with(2).tells(&["has no line 9999"]);
    let again = desk.go(&["blame", &format!("{name}:{}:5", at + 1)]).with(0).out;
    assert_eq!(again, one, "a column behind it is passed over");
    desk.go(&["blame", "/nowhere"]).with(2).tells(&["it cannot be read"]);
    // What was taken back brings no line any more.
    fs::write(&path, text).unwrap();
    desk.go(&["undo"]).with(0);
    let told = desk.go(&["blame", name, "--json"]).with(0).events();
    assert!(told.iter().all(|l| l["from"] == "before"), "{told:?}");
}

#[test]
fn a_file_that_a_command_renamed_keeps_what_brought_its_lines() {
    let desk = Desk::new();
    desk.go(&["run", "!printf 'one\\ntwo\\n' > old.txt", "--auto-confirm"]).with(0);
    desk.go(&["run", "!mkdir deep && mv old.txt deep/new.txt", "--auto-confirm"]).with(0);
    let path = desk.folder.path().join("deep/new.txt");
    fs::write(&path, "one\ntwo\nmine\n").unwrap();
    let told = desk.go(&["blame", path.to_str().unwrap(), "--json"]).with(0).events();
    let brought = |n: usize| (told[n]["from"].as_str(), told[n]["write"]["command"].as_str());
    for n in [0, 1] {
        assert_eq!(brought(n), (Some("session"), Some("printf 'one\\ntwo\\n' > old.txt")), "{told:?}");
        assert_eq!(told[n]["write"]["file"], "old.txt");
    }
    assert_eq!(brought(2), (Some("others"), None));
    let shown = desk.go(&["blame", path.to_str().unwrap()]).with(0).out;
    assert!(shown.contains("file      old.txt, its name at the time"), "{shown}");
}

#[test]
fn keys_and_themes_are_listed_with_what_is_the_users_own() {
    let desk = Desk::new();
    let config = desk.home.path();
    fs::create_dir_all(config.join("themes")).unwrap();
    fs::write(config.join("keymap.toml"), "[anywhere]\nhelp = \"f2\"\n").unwrap();
    let keys = desk.go(&["keys", "--json"]).with(0).events();
    let help = keys.iter().find(|k| k["action"] == "help" && k["table"] == "anywhere").unwrap();
    assert_eq!((help["keys"].clone(), help["yours"].as_bool()), (serde_json::json!(["F2"]), Some(true)));
    assert!(desk.go(&["keys"]).with(0).out.contains("F2"));
    fs::write(config.join("keymap.toml"), "[anywhere]\nhelp = \"no key\"\n").unwrap();
    desk.go(&["keys"]).with(2).tells(&["keymap.toml:2:"]);
    let shipped = desk.go(&["themes", "show", "nord"]).with(0).out;
    fs::write(config.join("themes/mine.toml"), &shipped).unwrap();
    fs::write(config.join("themes/torn.toml"), "name = ").unwrap();
    let themes = desk.go(&["themes", "list", "--json"]).with(0).events();
    let of = |name: &str| themes.iter().find(|t| t["name"] == name).unwrap();
    assert_eq!((of("mine")["yours"].as_bool(), of("mine")["fault"].is_null()), (Some(true), true));
    assert!(of("torn")["fault"].as_str().unwrap().contains("themes/torn.toml:1:"));
    assert_eq!(of("nord")["yours"], false);
    assert_eq!(themes.iter().filter(|t| t["used"] == true).count(), 1);
    assert_eq!(desk.go(&["themes", "show", "mine"]).with(0).out, shipped);
    desk.go(&["themes", "show", "nobody"]).with(2);
    fs::write(config.join("keymap.toml"), "").unwrap();
    fs::write(config.join("themes/torn.toml"), "[light]\naccent = 12\n").unwrap();
    let wrong = desk.go(&["validate"]).with(2).out;
    assert!(wrong.contains("themes/torn.toml:2:10: `accent` is 12"), "{wrong}");
}
