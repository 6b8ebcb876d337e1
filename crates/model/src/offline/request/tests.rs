use super::{super::phrase::all, *};

fn of(text: &str) -> Request {
    Request::of(&Sentence::of(text))
}

/// A wish in a few words, so that a table of sentences can be read.
fn shown(text: &str) -> String {
    let at = |scope: Option<String>| scope.map(|s| format!(" @{s}")).unwrap_or_default();
    match of(text) {
        Request::Rename { old, new, scope } => format!("rename {old}>{new}{}", at(scope)),
        Request::Replace { old, new, scope } => format!("replace {old}>{new}{}", at(scope)),
        Request::Create { path, content } => format!("create {path} {content:?}"),
        Request::Delete { paths } => format!("delete {}", paths.join("+")),
        Request::Where(x) => format!("where {x}"),
        Request::What(x) => format!("what {x}"),
        Request::Uses(x) => format!("uses {x}"),
        Request::Find { text, scope } => format!("find {text}{}", at(scope)),
        Request::Show { path, lines } => format!("show {path} {lines:?}"),
        Request::List(path) => format!("list{}", at(path)),
        Request::Outline(path) => format!("outline {path}"),
        Request::Inside { name, folder } => format!("inside {name}{}", if folder { "/" } else { "" }),
        Request::Todos(scope) => format!("todos{}", at(scope)),
        Request::Failure(asked) => format!("failure {asked:?}").to_lowercase(),
        Request::WhyAsked => "why asked".into(),
        Request::Told(text) => format!("told {}", text.split(' ').take(2).collect::<Vec<_>>().join(" ")),
        Request::Undo => "undo".into(),
        Request::Git(line) => format!("run {line}"),
        Request::Move { old, new, copies } => {
            format!("move {old}>{new}{}", if copies { " copy" } else { "" })
        }
        Request::Launch { points, again } => format!("launch {points} {again}"),
        Request::Overview => "overview".into(),
        Request::Review => "review".into(),
        Request::Job(Job::Command(c)) => format!("run {c}"),
        Request::Job(job) => format!("{job:?}").to_lowercase(),
        Request::How(job) => format!("how {job:?}").to_lowercase(),
        Request::Start => "start".into(),
        Request::Connect(name) => format!("connect {}", name.unwrap_or_default()).trim_end().to_owned(),
        Request::Who => "who".into(),
        Request::Privacy => "privacy".into(),
        Request::Greeting => "greeting".into(),
        Request::Thanks => "thanks".into(),
        Request::Able => "able".into(),
        Request::Unclear(_) => "unclear".into(),
        Request::Unknown => "unknown".into(),
    }
}

fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(shown(text), *expected, "{text}");
    }
}

#[test]
fn every_phrase_can_be_compiled() {
    assert!(all().into_iter().all(Pattern::is_sound));
}

#[test]
fn what_the_program_knows_of_the_project_and_of_itself_is_no_search() {
    check(&[
        ("how do I run the tests?", "how tests"),
        ("how are the tests run?", "how tests"),
        ("How can we execute all tests", "how tests"),
        ("how do I build this?", "how build"),
        ("how to compile the project?", "how build"),
        ("how do I lint the code?", "how lint"),
        ("how should I format this?", "how format"),
        ("wie starte ich die Tests?", "how tests"),
        ("how do I run it?", "start"),
        ("how do I start the server?", "start"),
        ("how do I use this?", "start"),
        ("where do I start?", "overview"),
        ("where should I begin?", "overview"),
        ("how do I connect a model?", "connect"),
        ("how can I use an API key?", "connect"),
        ("how do I change the model?", "connect"),
        ("use gpt-5", "connect gpt-5"),
        ("switch to claude-sonnet-4-5", "connect claude-sonnet-4-5"),
        ("set model to gpt-5", "connect gpt-5"),
        ("which model are you?", "who"),
        ("what model do you use?", "who"),
        ("who are you?", "who"),
        ("is my code sent anywhere?", "privacy"),
        ("does my code leave this machine?", "privacy"),
        ("do you send my files to a server?", "privacy"),
        ("what does this do?", "overview"),
        ("what is it?", "overview"),
        ("where is it?", "unknown"),
        ("how do I teach a parrot to sing?", "unknown"),
    ]);
}

#[test]
fn a_name_is_a_name_whatever_it_reminds_of() {
    check(&[
        ("what is model?", "what model"),
        ("what does start do?", "what start"),
        ("where is send defined?", "where send"),
        ("who uses connect?", "uses connect"),
        ("how does this_thing work?", "what this_thing"),
        ("what is the model?", "what model"),
        ("is the data sent to the client?", "unknown"),
        ("does it send a mail?", "unknown"),
        ("add a model to src/user.rs", "unknown"),
    ]);
}

#[test]
fn a_word_behind_which_an_option_stands_is_a_program() {
    check(&[
        ("ls -la", "run ls -la"),
        ("wc -l src/a.rs", "run wc -l src/a.rs"),
        ("grep -rn TODO src", "run grep -rn TODO src"),
        ("show me the git log", "run git log"),
        ("git status", "run git status"),
        ("explain --verbose", "what --verbose"),
    ]);
}

#[test]
fn renames_are_understood() {
    check(&[
        ("rename Foo to Bar", "rename Foo>Bar"),
        ("Please rename the function `load_all` to `load`.", "rename load_all>load"),
        ("rename struct Session to Conversation everywhere", "rename Session>Conversation"),
        ("rename Foo to Bar in src/auth", "rename Foo>Bar @src/auth"),
        ("rename Foo in src/ to Bar", "rename Foo>Bar @src/"),
        ("could you rename load() -> fetch() only in the folder `a b`?", "rename load>fetch @a b"),
        ("rename type to kind", "rename type>kind"),
        ("benenne Foo in Bar um", "rename Foo>Bar"),
        ("Benenne die Funktion lade in hole um", "rename lade>hole"),
        ("benenne Foo um in Bar", "rename Foo>Bar"),
        ("benenne Foo in src/ in Bar um", "rename Foo>Bar @src/"),
        ("benenne Foo in Bar um in src/", "rename Foo>Bar @src/"),
        ("nenne größe in laenge um", "rename größe>laenge"),
        ("Kannst du bitte Foo in Bar umbenennen?", "rename Foo>Bar"),
        ("die Klasse Foo umbenennen in Bar", "rename Foo>Bar"),
        ("rename Foo to Bar and Baz to Qux", "unclear"),
        ("rename src/a.rs to src/b.rs", "move src/a.rs>src/b.rs"),
        ("rename Foo::bar to baz", "unclear"),
    ]);
}

#[test]
fn replacements_are_understood() {
    check(&[
        ("replace \"a b\" with \"c\"", "replace a b>c"),
        ("replace foo with bar in src/", "replace foo>bar @src/"),
        ("replace all occurrences of 'x' by 'y' in all files", "replace x>y"),
        ("ersetze „alt“ durch „neu“ überall", "replace alt>neu"),
        ("ersetze foo durch bar in docs", "replace foo>bar @docs"),
        ("\"a\" durch \"b\" ersetzen", "replace a>b"),
        ("change \"http://\" to \"https://\" in README.md", "replace http://>https:// @README.md"),
        ("replace \"a\" with \"\"", "replace a>"),
        ("change the login to use tokens", "unknown"),
        ("replace foo with bar and also fix the tests", "unclear"),
    ]);
}

#[test]
fn creations_and_removals_are_understood() {
    check(&[
        ("create notes.md", "create notes.md \"\""),
        ("create a file NOTES with \"hello\"", "create NOTES \"hello\\n\""),
        ("create the file `docs/a b.txt` with the content \"x\"", "create docs/a b.txt \"x\\n\""),
        ("add src/new.rs containing:\n```rust\nfn a() {}\n```", "create src/new.rs \"fn a() {}\\n\""),
        ("create a.txt with content hello world", "create a.txt \"hello world\\n\""),
        ("create a.txt: hello", "create a.txt \"hello\\n\""),
        ("erstelle eine Datei notiz.txt mit dem Inhalt \"Hallo\"", "create notiz.txt \"Hallo\\n\""),
        ("lege die Datei notiz.txt an", "create notiz.txt \"\""),
        ("Datei notiz.txt anlegen", "create notiz.txt \"\""),
        ("create src/a.rs with a function that adds numbers", "unclear"),
        ("create src/new/", "unclear"),
        ("add rate limiting to the login endpoint", "unknown"),
        ("add a test for the parser", "unknown"),
        ("delete notes.md and notes.md", "delete notes.md"),
        ("remove the files a.rs, b.rs and src/c.rs", "delete a.rs+b.rs+src/c.rs"),
        ("delete the folder target", "delete target"),
        ("lösche die Datei notiz.txt", "delete notiz.txt"),
        ("bitte die Datei notiz.txt löschen", "delete notiz.txt"),
        ("delete the unused function", "unknown"),
        ("remove the login", "unknown"),
        ("move a.rs to b.rs", "move a.rs>b.rs"),
        ("verschiebe a.rs nach b.rs", "move a.rs>b.rs"),
    ]);
}

#[test]
fn questions_are_understood() {
    check(&[
        ("Where is `Session` defined?", "where Session"),
        ("where is the function load()", "where load"),
        ("where's the rate limiter", "where rate limiter"),
        ("find the definition of Foo::bar", "where Foo::bar"),
        ("wo ist Session definiert?", "where Session"),
        ("what is Permit", "what Permit"),
        ("what does `apply` do?", "what apply"),
        ("explain the Session struct", "what Session"),
        ("how does the outlet work?", "what outlet"),
        ("Was macht load_all?", "what load_all"),
        ("wie funktioniert der Parser", "what Parser"),
        ("who uses Session?", "uses Session"),
        ("where is Session used", "uses Session"),
        ("find all usages of load", "uses load"),
        ("wer ruft load auf?", "uses load"),
        ("wo wird Session verwendet?", "uses Session"),
        ("find \"TODO\" in src", "find TODO @src"),
        ("search for rate limit", "find rate limit"),
        ("suche nach Fehler", "find Fehler"),
        ("grep unwrap", "find unwrap"),
        ("review my changes", "review"),
        ("what did I change?", "review"),
        ("prüfe meine Änderungen", "review"),
        ("make it faster", "unknown"),
        ("go ahead", "unknown"),
        ("hello", "greeting"),
        ("", "unknown"),
    ]);
}

#[test]
fn looking_around_is_understood() {
    check(&[
        ("show src/a.rs", "show src/a.rs None"),
        ("show me @src/a.rs:10-20", "show src/a.rs Some((10, 20))"),
        ("cat Cargo.toml", "show Cargo.toml None"),
        ("read lines 5 to 9 of src/a.rs", "show src/a.rs Some((5, 9))"),
        ("zeige mir src/a.rs Zeilen 3-4", "show src/a.rs Some((3, 4))"),
        ("list files", "list"),
        ("list the files in src", "list @src"),
        ("what files are there?", "list"),
        ("ls crates/", "list @crates/"),
        ("what's in src/", "list @src/"),
        ("welche Dateien gibt es in src", "list @src"),
        ("outline src/a.rs", "outline src/a.rs"),
        ("summarize README.md", "outline README.md"),
        ("what does src/a.rs do?", "outline src/a.rs"),
        ("fasse src/a.rs zusammen", "outline src/a.rs"),
        ("What's in this codebase?", "overview"),
        ("what does this project do", "overview"),
        ("give me an overview", "overview"),
        ("Was macht dieses Projekt?", "overview"),
        ("summarize the codebase", "overview"),
    ]);
}

#[test]
fn commands_are_understood() {
    check(&[
        ("run the tests", "tests"),
        ("run all tests please", "tests"),
        ("führe die Tests aus", "tests"),
        ("tests laufen lassen", "tests"),
        ("lass die tests laufen", "tests"),
        ("teste", "tests"),
        ("build the project", "build"),
        ("lint", "lint"),
        ("format the code", "format"),
        ("run `cargo test -- --nocapture`", "run cargo test -- --nocapture"),
        ("!ls -la | head", "run ls -la | head"),
        ("`git status`", "run git status"),
        ("cargo check -p a", "run cargo check -p a"),
        ("run git commit -m \"a b\"", "run git commit -m \"a b\""),
        ("führe `make` aus", "run make"),
        ("run the migration script", "unclear"),
        ("make check V=1", "run make check V=1"),
        ("run go test ./...", "run go test ./..."),
    ]);
}
