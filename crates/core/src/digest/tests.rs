//! Outputs of the tools as they were printed, those of go by hand after its documentation; and outputs cut anywhere.

use super::*;

const CARGO: &str = include_str!("../../tests/data/digest/cargo-test.txt");
const PYTEST: &str = include_str!("../../tests/data/digest/pytest.txt");
const JEST: &str = include_str!("../../tests/data/digest/jest.txt");
const TAP: &str = include_str!("../../tests/data/digest/node-tap.txt");

const ALL: [&str; 15] = [
    CARGO,
    include_str!("../../tests/data/digest/cargo-build.txt"),
    include_str!("../../tests/data/digest/clippy.txt"),
    PYTEST,
    include_str!("../../tests/data/digest/pytestq.txt"),
    include_str!("../../tests/data/digest/unittest.txt"),
    JEST,
    include_str!("../../tests/data/digest/vitest.txt"),
    include_str!("../../tests/data/digest/go-test.txt"),
    include_str!("../../tests/data/digest/go-build.txt"),
    include_str!("../../tests/data/digest/tsc.txt"),
    include_str!("../../tests/data/digest/tsc-pretty.txt"),
    include_str!("../../tests/data/digest/eslint.txt"),
    TAP,
    include_str!("../../tests/data/digest/node-spec.txt"),
];

const HEADLINES: [&str; 15] = [
    "5 failed: tests::prints, tests::result, tests::binary, should, position_panel",
    "1 error: cannot find value `c` in this scope (src/lib.rs:3:49)",
    "2 errors: cannot find value `c` in this scope (src/lib.rs:3:49), unused import: `std::fmt` (src/lib.rs:2:5)",
    "4 failed: test_a.py::test_add, test_a.py::test_fail_names, test_a.py::test_error, test_a.py::test_many[2]",
    "4 failed: test_a.py::test_add, test_a.py::test_fail_names, test_a.py::test_error, test_a.py::test_many[2]",
    "2 failed: Bowling.test_raises, Bowling.test_score",
    "3 failed: math › adds, math › objects, throws",
    "3 failed: v/b.test.ts > math > adds, v/b.test.ts > math > objects, v/b.test.ts > throws",
    "3 failed: TestScore, TestTable/strike, TestTable/failing_error",
    "2 errors: undefined: frams (./bowling.go:9:12), declared and not used: x (./bowling.go:12:3)",
    "3 errors: Type 'string' is not assignable to type 'number'. (c.ts:1:7), Property 'lenght' does not exist on type \
     'string'. Did you mean 'length'? (c.ts:2:41), Cannot find name 'y'. (c.ts:2:50)",
    "3 errors: Type 'string' is not assignable to type 'number'. (c.ts:1:7), Property 'lenght' does not exist on type \
     'string'. Did you mean 'length'? (c.ts:2:41), Cannot find name 'y'. (c.ts:2:50)",
    "2 errors: 'foo' is not defined no-undef (/w/d.js:2:1), Empty block statement no-empty (/w/d.js:3:8)",
    "2 failed: totals, prints",
    "2 failed: totals, prints",
];

#[test]
fn the_first_line_says_how_many_failed_and_which() {
    for (output, headline) in ALL.iter().zip(HEADLINES) {
        let told = digest(output).unwrap_or_default();
        assert_eq!(told.lines().next(), Some(headline), "{told}");
        assert!(told.len() <= DIGEST_BYTES);
        let framed = format!("exit 1, took 0.3 s\nstdout:\n{output}\nstderr:\nwarning: x\n");
        assert_eq!(digest(&framed).unwrap_or_default().lines().next(), Some(headline));
    }
}

#[test]
fn a_failure_is_told_with_its_place_and_both_sides_and_nothing_that_passed() {
    for (output, parts) in [
        (
            CARGO,
            &["panicked at src/lib.rs:8:19", "mixing\n  left: 255\n right: 3", "hello", "Error: \"no\""][..],
        ),
        (PYTEST, &["assert -1 == 3", "test_a.py:8: AssertionError", "ValueError: error: no such colour"]),
        (JEST, &["Expected: 3\n    Received: -1", "a.test.js:3:42", "failed to do it"]),
        (ALL[5], &["self.assertEqual(20, 10)", "AssertionError: 20 != 10", "line 9, in test_raises"]),
        (ALL[7], &["expected -1 to be 3", "❯ v/b.test.ts:3:38"]),
        (ALL[8], &["Score() = 19, want 20", "strike: got 10, want 30"]),
        (ALL[11], &["a.lenght + y"]),
    ] {
        let told = digest(output).unwrap_or_default();
        for part in parts {
            assert!(told.contains(part), "{part}\n{told}");
        }
        for passed in ["... ok", "✓", "backtrace", "rust_begin_unwind", "passed", "ok  \t"] {
            assert!(!told.contains(passed), "{passed}\n{told}");
        }
    }
}

#[test]
fn what_no_reader_knows_is_given_by_its_end() {
    for output in
        ["", "all fine\n", "make: *** [Makefile:2: x] Error 1", "test a ... ok\nerror: linking failed"]
    {
        assert_eq!(digest(output), None, "{output}");
    }
    let long = format!("{}the last", "ä line\n".repeat(2000));
    assert!(end(&long).len() <= DIGEST_BYTES && end(&long).ends_with("the last"));
    assert!(end(&long).starts_with("ä line\n"));
    assert_eq!(end("short\n"), "short");
}

#[test]
fn any_part_of_an_output_can_be_read_and_stays_short() {
    let all = ALL.concat();
    for at in (0..all.len()).filter(|at| all.is_char_boundary(*at)).step_by(7) {
        let (head, tail) = all.split_at(at);
        for part in [head, tail] {
            assert!(digest(part).unwrap_or_default().len() <= DIGEST_BYTES);
        }
    }
    let many: String = (0..5000).fold(String::new(), |all, n| all + &format!("test m::t{n} ... FAILED\n"));
    let told = digest(&many).unwrap_or_default();
    assert!(told.starts_with("5000 failed: m::t0, ") && told.ends_with("and 4994 more"), "{told}");
}

#[test]
fn of_a_failed_test_is_told_what_it_said_and_not_what_its_runner_knows_of_it() {
    let failed = |stack: &str| {
        format!(
            "TAP version 13\nnot ok 1 - adds\n  ---\n  duration_ms: 1.2\n  type: 'test'\n  location: '/w/a.test.ts:1:101'\n  \
             failureType: 'testCodeFailure'\n  error: |-\n    Not equal:\n    \n      name: 'a'\n    180 !== 190\n    \n  \
             code: 'ERR_ASSERTION'\n  name: 'AssertionError'\n  expected: 190\n  actual: 180\n  operator: 'strictEqual'\n{stack}  \
             ...\n1..1\n"
        )
    };
    let told = digest(&failed("  stack: |-\n    Test.<anonymous> (a.test.ts:5:10)\n")).unwrap_or_default();
    for part in
        ["error: |-", "      name: 'a'", "180 !== 190", "expected: 190", "actual: 180", "a.test.ts:5:10"]
    {
        assert!(told.contains(part), "{part}: {told}");
    }
    for part in [
        "duration_ms",
        "type: ",
        "failureType",
        "code: ",
        "AssertionError",
        "operator",
        "a.test.ts:1:101",
        "equal:\n    \n",
    ] {
        assert!(!told.trim_end().contains(part), "{part}: {told}");
    }
    let told = digest(&failed("")).unwrap_or_default();
    assert!(told.contains("a.test.ts:1:101"), "its only place: {told}");
}

#[test]
fn an_output_of_tests_is_shortened_to_what_failed_and_its_counts() {
    let (kept, left) = without_passed(TAP).unwrap_or_default();
    for part in ["not ok 2 - totals", "40 !== 42", "a.test.js:8:1", "# pass 2", "# fail 2", "1..3"] {
        assert!(kept.contains(part), "{part}: {kept}");
    }
    for part in ["ok 1 - adds", "ok 3 - fine", "Subtest", "0.099589"] {
        assert!(
            !kept.contains(&format!("\n{part}")) && !kept.contains(&format!("    {part}")),
            "{part}: {kept}"
        );
    }
    assert_eq!(kept.lines().count() + left, TAP.lines().count());
    let passed = include_str!("../../tests/data/digest/node-passed.txt");
    let (kept, left) = without_passed(&format!("exit 0, took 0.3 s\nstdout:\n{passed}")).unwrap_or_default();
    assert_eq!(left, 12 * 5);
    assert!(kept.starts_with("exit 0, took 0.3 s\nstdout:\nTAP version 13\n1..12\n# tests 12\n"), "{kept}");
    // What is no output of tests stays as it is, whatever its lines begin with.
    for other in ["ok 1 then\nok 2 done\n", "✔ built\n✔ signed\n", CARGO, PYTEST, ""] {
        assert_eq!(without_passed(other), None);
    }
}

#[test]
fn a_directive_of_the_protocol_is_one_word_behind_a_blank_and_a_name_may_say_the_same() {
    let tap = |line: &str| digest(&format!("TAP version 13\n1..1\n{line}\n")).unwrap_or_default();
    for open in
        ["not ok 1 - a # SKIP", "not ok 1 # skipped on arm", "not ok 1 - a #Todo later", "not ok 1 # TODO"]
    {
        assert_eq!(tap(open), "", "{open}");
    }
    for failed in [
        "not ok 1 - a \\# SKIP",
        "not ok 1 - says C# SKIP",
        "not ok 1 - a # TODOS",
        "not ok 1 - a # b # SKIP",
    ] {
        assert!(tap(failed).starts_with("1 failed: "), "{failed}");
    }
}

#[test]
fn what_ended_a_file_before_any_test_of_it_ran_is_told_with_its_place() {
    for output in [
        include_str!("../../tests/data/digest/node-tap-load.txt"),
        include_str!("../../tests/data/digest/node-spec-load.txt"),
    ] {
        let told = digest(output).unwrap_or_default();
        for part in [
            "/w/slug.js:2\n<<<<<<< HEAD\n",
            "SyntaxError: Unexpected token '<<'",
            "Error: boom",
            "/w/c.test.js:1:40",
        ] {
            assert!(told.contains(part), "{part}\n{told}");
        }
        assert!(!told.contains("node:internal/modules"), "{told}");
        let boom = told.split("\n\n").find(|part| part.contains("boom")).unwrap_or_default();
        assert!(!boom.contains("slug.js"), "each file has its own cause: {boom}");
    }
    let bats = "1..1\nnot ok 1 adds\n# (in test file a.bats, line 3)\n#   `[ 1 -eq 2 ]' failed\n";
    let told = digest(bats).unwrap_or_default();
    assert!(
        told.contains("a.bats, line 3") && told.contains("failed\n") || told.ends_with("failed"),
        "{told}"
    );
    // What failed with a trace of its own is not told by what others printed before it.
    let printed = "TAP version 13\n# hello\n# Subtest: bad\nnot ok 1 - bad\n  ---\n  error: 'no'\n  stack: |-\n    x\n  ...\n1..1\n";
    assert!(!digest(printed).unwrap_or_default().contains("hello"));
}

#[test]
fn a_failure_of_node_is_told_without_the_way_through_the_runner_and_by_its_error() {
    for output in [TAP, ALL[14], include_str!("../../tests/data/digest/node-tap-load.txt")] {
        let told = digest(output).unwrap_or_default();
        for way in ["node:internal", "node:async_hooks", "Promise.all"] {
            assert!(!told.contains(way), "{way}\n{told}");
        }
    }
    for output in [
        include_str!("../../tests/data/digest/node-tap-load.txt"),
        include_str!("../../tests/data/digest/node-spec-load.txt"),
    ] {
        let told = digest(output).unwrap_or_default();
        let first = told.lines().next().unwrap_or_default();
        assert!(first.contains("/w/a.test.js: SyntaxError: Unexpected token '<<'"), "{first}");
    }
    let warned =
        "TAP version 13\n1..1\nnot ok 1 - a\n  ---\n  error: |-\n    (node:42) Warning: late\n  ...\n";
    assert!(digest(warned).unwrap_or_default().contains("(node:42) Warning: late"));
}

#[test]
fn a_panic_is_told_beside_its_place_by_what_it_says() {
    let told = |output: &str| -> Vec<String> {
        diagnoses(&digest(output).unwrap_or_default())
            .into_iter()
            .map(|d| format!("{} {}", d.place, d.text))
            .collect()
    };
    let all = told(CARGO);
    for line in
        ["src/lib.rs:14 tests::prints: oh no", "src/lib.rs:8 tests::binary: mixing: left 255, right 3"]
    {
        assert!(all.iter().any(|d| d == line), "{line}: {all:?}");
    }
    let output = |panic: &str| {
        format!("test parses ... FAILED\n---- parses stdout ----\n{panic}\n\nfailures:\n    parses\n")
    };
    for (panic, line) in [
        (
            "\nthread 'parses' (186) panicked at tests/parse.rs:5:5:\nassertion `left == right` failed\n  left: Some(31)\n right: Some(90)",
            "tests/parse.rs:5 parses: left Some(31), right Some(90)",
        ),
        ("thread 'parses' panicked at 'gone, all', tests/parse.rs:7:9", "tests/parse.rs:7 parses: gone, all"),
    ] {
        assert_eq!(told(&output(panic)), [line]);
    }
}

#[test]
fn a_line_that_sums_up_is_told_from_what_stands_around_it() {
    for line in [
        "test result: ok. 12 passed; 0 failed; 0 ignored",
        "Ran 6 tests in 0.002s",
        "OK",
        "=== 6 passed in 0.02s ===",
        "Tests:       6 passed, 6 total",
        "  6 passing (12ms)",
    ] {
        assert!(is_verdict(line), "{line}");
    }
    for line in [
        "test result: ok. 0 passed; 0 failed",
        "Ran 0 tests in 0.000s",
        "test a::b ... ok",
        "test_parse (tests.Store.test_parse) ... ok",
        "it passed",
        "",
        "   Doc-tests demo",
    ] {
        assert!(!is_verdict(line), "{line}");
    }
}

#[test]
fn an_output_says_that_all_passed_only_where_nothing_failed() {
    for output in [
        "# tests 5\n# pass 5\n# fail 0\n# todo 0",
        "# fail 0\n# cancelled 0\n# duration_ms 9",
        "ℹ pass 5\nℹ fail 0",
        "test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured",
        "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored",
        "===== 3 passed in 0.02s =====",
        "Tests:       5 passed, 5 total",
        "Ran 3 tests in 0.001s\n\nOK",
    ] {
        assert!(says_passed(output), "{output}");
    }
    for output in [
        "",
        "done",
        "# pass 4\n# fail 1",
        "# pass 0\n# fail 0",
        "test result: ok. 5 passed; 0 failed\ntest result: FAILED. 1 passed; 1 failed",
        "== 1 failed, 3 passed in 0.02s ==",
        "Tests:       1 failed, 5 passed, 6 total",
        "3 passed, 1 error in 0.1s",
        "test result: ok. 5 passed; 0 failed\nerror: 1 target failed:",
    ] {
        assert!(!says_passed(output), "{output}");
    }
}

#[test]
fn files_that_one_error_ended_are_named_together_by_the_ends_of_their_paths_and_told_once() {
    let error = "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'tsx' imported from /w/cart/";
    let file = |name: &str, number: usize| {
        format!(
            "# node:internal/modules\n# {error}\n# Subtest: {name}\nnot ok {number} - {name}\n  ---\n  exitCode: 1\n  location: '{name}:1:1'\n  ...\n"
        )
    };
    let output = format!(
        "TAP version 13\n{}{}1..2\n",
        file("/w/cart/test/cart.test.ts", 1),
        file("/w/cart/test/money.test.ts", 2)
    );
    let told = digest(&output).unwrap_or_default();
    assert_eq!(
        told.lines().next(),
        Some(format!("2 failed: test/cart.test.ts, test/money.test.ts: {error}").as_str())
    );
    let below = told.split_once('\n').map_or("", |(_, below)| below);
    assert_eq!(below.matches("ERR_MODULE_NOT_FOUND").count(), 1, "{told}");
}
