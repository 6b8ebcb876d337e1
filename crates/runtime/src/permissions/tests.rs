#![allow(clippy::unwrap_used, clippy::panic)]
use std::fs;

use pilothouse_core::policy::{Conditions, Outcome, Request, Setting};
use pilothouse_core::scope::PermissionMode;

use super::*;

struct Desk {
    dir: tempfile::TempDir,
}

impl Desk {
    fn new() -> Self {
        let desk = Self { dir: tempfile::tempdir().unwrap() };
        fs::create_dir_all(desk.work().join(".pilothouse")).unwrap();
        fs::create_dir_all(desk.home().config).unwrap();
        desk
    }
    fn work(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("work")
    }
    fn home(&self) -> Home {
        Home::under(&self.dir.path().join("home"))
    }
    fn user(&self, text: &str) {
        fs::write(user_file(&self.home()), text).unwrap();
    }
    fn project(&self, text: &str) {
        fs::write(self.work().join(PROJECT_FILE), text).unwrap();
    }
    fn load(&self) -> Result<Loaded, RuntimeError> {
        let environment: Environment = [("HOME", "/home/u")].into_iter().collect();
        load(&self.home(), &self.work(), &environment)
    }
    fn outcome(&self, call: &str) -> (Outcome, String) {
        let policy = self.load().unwrap().policy;
        let setting = Setting {
            mode: PermissionMode::Ask,
            conditions: Conditions { sandboxed: true, ..Conditions::default() },
            granted: &[],
        };
        let found = policy.decide(&Request::read(call), &setting);
        (found.ruling.outcome, found.ruling.at)
    }
}

#[test]
fn the_rules_that_come_with_the_program_hold_their_examples() {
    let anywhere = Places { root: "/workspace".into(), home: "/home/user".into(), ..Places::default() };
    let path = Path::new("assets/permissions.toml");
    let rules = file::parse(DEFAULTS, Source::BuiltIn, path, "built-in", Some(&anywhere)).unwrap().rules;
    assert_eq!(rules, defaults().unwrap());
    assert!(rules.len() > 100);
    assert!(rules.iter().all(|r| !r.why.is_empty() && r.origin.to_string().starts_with("built-in:")));
}

#[test]
fn a_decision_names_file_and_line() {
    let desk = Desk::new();
    desk.user("# mine\n\n[[deny]]\nread = [\n  \"a/**\",\n  \"secrets/**\",\n]\n");
    desk.project("[[deny]]\ncommand = \"make\"\n");
    let (outcome, at) = desk.outcome("cat secrets/key");
    assert_eq!(outcome, Outcome::Refuse);
    assert!(at.ends_with("home/permissions.toml:6"), "{at}");
    assert_eq!(desk.outcome("make"), (Outcome::Refuse, ".pilothouse/permissions.toml:2".into()));
    let (outcome, at) = desk.outcome("read .env");
    assert!(outcome == Outcome::Ask && at.starts_with("built-in:"), "{at}");
}

#[test]
fn a_mistake_is_told_with_line_and_column() {
    for (text, line, column) in [
        ("[[deny]]\nread = \"a/[b]\"\n", 2, 11),
        ("[[deny]]\nreed = \"a\"\n", 2, 1),
        ("[[permit]]\nread = \"a\"\n", 1, 3),
        ("[deny]\nread = \"a\"\n", 1, 1),
        ("[[allow]]\ncommand = [\"x\", \"a; b\"]\n", 2, 19),
        ("[[allow]]\ncommand = \"cargo test\"\nnot = [\"cargo test -p x\"]\n", 3, 8),
        ("[[allow]]\ncommand = \"cargo test\"\nmatches = [\"cargo build\"]\n", 3, 12),
        ("[[allow]]\nwhy = \"x\"\n", 1, 1),
        ("[[allow]]\ncommand = 3\n", 2, 11),
        ("[[allow]]\ndelete = \"x\"\n", 2, 11),
        ("drop = [\"ask read nothing\"]\n", 1, 9),
        ("[[allow\n", 1, 8),
    ] {
        let desk = Desk::new();
        desk.user(text);
        let Err(RuntimeError::Config { line: l, column: c, message, hint, .. }) = desk.load() else {
            panic!("no error: {text}")
        };
        assert_eq!((l, c), (line, column), "{text}{message}");
        assert!(!hint.is_empty());
    }
}

#[test]
fn a_project_narrows_and_its_other_rules_are_left_out_with_a_notice() {
    let desk = Desk::new();
    desk.project("drop = [\"ask read .envrc\"]\n[[allow]]\ncommand = \"npm test\"\n[[ask]]\ncommand = \"git status\"\n");
    let notices = desk.load().unwrap().notices;
    assert!(
        notices.iter().any(|n| n.contains("permissions.toml:3") && n.contains("never allow")),
        "{notices:?}"
    );
    assert!(notices.iter().any(|n| n.contains("cannot drop")), "{notices:?}");
    assert_eq!(desk.outcome("git status").1, ".pilothouse/permissions.toml:5");
    assert_eq!(desk.outcome("read .envrc").0, Outcome::Ask);
    assert_eq!(desk.outcome("npm test").0, Outcome::Ask);
}

#[test]
fn a_project_file_that_cannot_be_read_makes_everything_ask() {
    for text in ["[[deny]\n", "\u{0}", "[[deny]]\nread = \"{a}\"\n"] {
        let desk = Desk::new();
        desk.user("[[allow]]\ncommand = \"make\"\n");
        desk.project(text);
        assert_eq!(desk.load().unwrap().notices.len(), 1);
        assert_eq!(desk.outcome("make").0, Outcome::Ask);
        assert_eq!(desk.outcome("read src/a.rs").0, Outcome::Ask);
    }
    let desk = Desk::new();
    fs::create_dir(desk.work().join(PROJECT_FILE)).unwrap();
    assert_eq!(desk.outcome("read src/a.rs").0, Outcome::Ask);
}

#[test]
fn a_rule_is_added_below_what_stands_there_and_comments_survive() {
    let desk = Desk::new();
    let before =
        "# my rules\n[[deny]]   # never\nread = \"secrets/**\"   # keys\n# the end, without a newline";
    desk.user(before);
    let places = Places { root: "/w".into(), home: "/home/u".into(), ..Places::default() };
    let rule = |t: &str| Rule::parse(t, Origin::SESSION).unwrap();
    let path = user_file(&desk.home());
    let rules = [rule("allow command cargo add"), rule("allow command git commit -m \"a 'b'\"")];
    keep(&path, &rules, "allowed here", &places).unwrap();
    let after = fs::read_to_string(&path).unwrap();
    assert!(after.starts_with(before), "{after}");
    assert_eq!(desk.outcome("cargo add serde").0, Outcome::Run);
    keep(&path, &rules, "again", &places).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), after, "what stands there is not added twice");
    // A file that could not be read back is left as it is.
    desk.user("allow = [{ command = \"make\" }]\n");
    let kept = fs::read_to_string(&path).unwrap();
    assert!(keep(&path, &rules, "", &places).is_err());
    assert_eq!(fs::read_to_string(&path).unwrap(), kept);
}

#[test]
fn a_built_in_rule_can_be_left_out_by_its_name() {
    let desk = Desk::new();
    assert_eq!(desk.outcome("read .envrc").0, Outcome::Ask);
    desk.user("drop = [\"ask read .envrc\"]\n");
    assert_eq!(desk.outcome("read .envrc").0, Outcome::Run);
}

#[test]
fn lists_that_come_with_the_program_count_as_the_one_rule_that_names_them() {
    let desk = Desk::new();
    let own = |count: usize| -> String {
        let names: Vec<String> = (0..count).map(|n| format!("\"a{n}/**\"")).collect();
        format!("[[deny]]\nread = [{}]\n", names.join(", "))
    };
    let lists = "[[deny]]\nread = \"<secret files>\"\nwrite = [\"<secret files>\", \"<control files>\"]\n";
    desk.user(&format!("{lists}{}", own(1_000)));
    assert_eq!(desk.outcome("read .env").0, Outcome::Refuse);
    desk.user(&format!("{lists}{}", own(1_001)));
    let why = desk.load().unwrap_err().to_string();
    assert!(why.contains("1001 rules are too many; the limit is 1000"), "{why}");
    let often = ["\"<secret files>\""; 22].join(", ");
    desk.user(&format!("[[deny]]\nread = [{often}]\n"));
    let why = desk.load().unwrap_err().to_string();
    assert!(why.contains("named 22 times"), "{why}");
}
