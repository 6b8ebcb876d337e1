//! What a message says is to be left alone, sentence by sentence.

use pilothouse_shell::FileKind;

use super::Classifier;

#[test]
fn what_is_to_be_left_alone_is_known_by_name_and_by_kind() {
    let tests = FileKind::Tests.name();
    for (said, spared) in [
        ("do not touch README.md", vec!["README.md"]),
        ("fix it without changing src/a.rs or `b.rs`", vec!["src/a.rs", "b.rs"]),
        ("fix the parser, but leave the tests alone", vec![tests]),
        ("Add a flag. Don't touch the tests.", vec![tests]),
        ("rename it without touching tests", vec![tests]),
        ("leave the test files as they are and fix the code", vec![tests]),
        ("keep the docs as they are", vec![FileKind::Docs.name()]),
        ("don't modify the tests or the docs", vec![tests, FileKind::Docs.name()]),
        ("do not change the config files", vec![FileKind::Config.name()]),
        ("don't touch the lockfile", vec![FileKind::Locks.name()]),
        ("leave the readme alone", vec!["readme"]),
        ("the tests are red, make them green. don't touch the tests themselves", vec![tests]),
        ("don't change the tests at all, please", vec![tests]),
        ("do not edit README.md itself yet", vec!["README.md"]),
        ("leave the tests themselves as they are", vec![tests]),
        ("don't touch the config in any way, just the code", vec![FileKind::Config.name()]),
        ("leave a.rs untouched", vec!["a.rs"]),
        ("keep your hands off the tests, and leave them alone", vec![tests]),
        ("benenne es um, ohne die Tests zu ändern", vec![tests]),
        ("die Tests nicht anfassen", vec![tests]),
        ("lass die Tests in Ruhe", vec![tests]),
        ("don't touch the tests because they are right", vec![tests]),
        ("don't touch the tests since they are right", vec![tests]),
        ("don't touch the tests until I say so", vec![tests]),
        ("don't touch the tests in any case", vec![tests]),
        ("don't touch the tests whatever happens", vec![tests]),
        ("don't touch the tests today", vec![tests]),
        ("don't touch the tests this time", vec![tests]),
        ("don't touch the tests to make them pass", vec![tests]),
        ("don't touch the tests unless I say so", vec![tests]),
        ("don't edit the tests while you fix the parser", vec![tests]),
        ("don't touch anything in tests/", vec!["tests/"]),
        ("don't change anything in the docs", vec![FileKind::Docs.name()]),
        ("never touch any file under src/gen/", vec!["src/gen/"]),
        ("fass die Tests bitte nicht an", vec![tests]),
        ("ändere die Tests nicht", vec![tests]),
        ("Tests bitte nicht ändern", vec![tests]),
        ("fass die Tests nicht an, weil sie stimmen", vec![tests]),
        ("DON'T TOUCH THE TESTS", vec![tests]),
        ("DON'T TOUCH THE README", vec!["README"]),
        (
            "please do not edit the docs, the config or LICENSE",
            vec![FileKind::Docs.name(), FileKind::Config.name(), "LICENSE"],
        ),
        ("make it faster, never touching the tests", vec![tests]),
    ] {
        assert_eq!(Classifier::builtin().spares(said), spared, "{said}");
    }
}

#[test]
fn a_contrast_a_noun_and_hands_off_leave_it_alone_as_well() {
    let tests = FileKind::Tests.name();
    for (said, spared) in [
        ("only change src, not the tests", vec![tests]),
        ("change src but not the tests", vec![tests]),
        ("fix it in the code and not in the tests", vec![tests]),
        ("no test changes", vec![tests]),
        ("make it faster with no changes to the tests", vec![tests]),
        ("rename it without test changes", vec![tests]),
        ("don't touch the existing tests", vec![tests]),
        ("leave every existing test untouched", vec![tests]),
        ("under no circumstances touch the tests", vec![tests]),
        ("don't touch the CI config", vec![FileKind::Config.name()]),
        ("fix it without touching any tests", vec![tests]),
        ("hands off the tests", vec![tests]),
        ("nur src, nicht die Tests", vec![tests]),
        ("ändere src, aber nicht die Tests", vec![tests]),
        ("keine Änderungen an den Tests", vec![tests]),
        ("fass die Tests unter keinen Umständen an", vec![tests]),
        ("Finger weg von den Tests", vec![tests]),
        ("fix the parser, not README.md", vec!["README.md"]),
    ] {
        assert_eq!(Classifier::builtin().spares(said), spared, "{said}");
    }
    for said in [
        "run the linter, not the tests",
        "only run src, not the tests",
        "the parser is broken, not the tests",
        "run the tests that changed, not the specs",
        "change the tests but not the way they are run",
        "should I change the code, not the tests?",
        "no test changes the database",
        "there were no test changes",
        "no config changes were needed, so fix it",
        "keep your hands off the mouse and fix the tests",
        "change any test that is slow",
        "don't touch any test data",
        "only change the tests, not the code",
        "ändere die Tests, nicht den Code",
        "it is the code that fails, and not the tests, so fix it",
    ] {
        let kinds: Vec<String> = Classifier::builtin().spares(said);
        assert_eq!(kinds, Vec::<String>::new(), "{said}");
    }
}

#[test]
fn what_speaks_of_a_part_or_of_something_else_spares_no_kind() {
    for said in [
        "fix the tests",
        "don't run the tests",
        "don't break the tests",
        "do not add tests",
        "keep the other tests as they are",
        "don't touch the tests that are slow",
        "don't change the tests at random",
        "don't touch the tests of the parser",
        "don't change the test runner",
        "don't leave the tests red",
        "do not touch a private field, then update the tests",
        "make sure the tests are not skipped",
        "leave a comment in the tests",
        "keep fixing the tests as needed",
        "keep going until the tests pass as well",
        "keep the tests green as you go",
        "keep the config file small as it is loaded often",
        "don't forget to update the tests",
        "don't hesitate to edit the tests",
        "don't just update the docs, update the code",
        "why not change the tests?",
        "don't change the code without updating the tests too",
        "do not change anything except the tests",
        "don't touch anything but the tests",
        "don't modify the code, only the tests",
        "do not edit any file other than README.md",
        "never edit files outside docs",
        "don't remove tests, add more",
        "don't change how the tests are run",
        "don't touch the tests for the parser",
        "don't touch the tests whose names begin with x",
        "don't touch the tests under load",
        "don't change anything in the docs that is right",
        "don't change the config format",
        "ändere die Tests nicht nur dort",
        "don't rename the license field in Cargo.toml",
        "I never edit the config by hand, so write it for me",
        "Die Tests laufen nicht auf anderen Rechnern, behebe das",
        "Behebe die Tests, die nicht mit den anderen laufen",
    ] {
        let kinds: Vec<String> = Classifier::builtin().spares(said);
        assert_eq!(kinds, Vec::<String>::new(), "{said}");
    }
    let spared = Classifier::builtin().spares("do not touch a.rs and update the tests");
    assert_eq!(spared, ["a.rs"]);
}
