use super::*;

#[test]
fn a_line_proves_something_where_every_end_in_it_counts() {
    for line in [
        "cargo test",
        "cargo test --workspace -q",
        "cd web && npm test",
        "python3 -m unittest discover -s tests",
        "python3 -m pytest -q",
        "FOO=1 timeout 60 pytest",
        "go vet ./... && go test ./...",
        "make check > /dev/null",
        "./scripts/check.sh",
        "bash scripts/check.sh",
    ] {
        assert!(proves(line) && ends_as_one(line), "{line}");
    }
    for line in ["ls | head", "pytest; echo done", "pytest || true", "pytest &", "! pytest", "("] {
        assert!(!ends_as_one(line), "{line}");
    }
}

#[test]
fn a_check_is_made_by_another_way_where_all_of_it_is_made() {
    for (line, check, way) in [
        ("python3 -m pytest -q", "pytest", "python3 -m pytest"),
        ("PYTHONPATH=. pytest", "pytest", "PYTHONPATH=. pytest"),
        ("PYTHONPATH=src uv run pytest", "pytest", "PYTHONPATH=src uv run pytest"),
        ("NODE_PATH=lib RUBYLIB=lib rake test", "rake test", "NODE_PATH=lib RUBYLIB=lib rake test"),
        ("bundle exec rake test", "rake test", "bundle exec rake test"),
    ] {
        assert_eq!(another_way(line, check).as_deref(), Some(way), "{line}");
    }
    for (line, check) in [
        ("pytest -q", "pytest"),
        // A variable may make less of it, or nothing: only where modules lie is another way to the same.
        ("PYTEST_ADDOPTS=--collect-only pytest", "pytest"),
        ("GOFLAGS=-run=NONE go test ./...", "go test ./..."),
        ("SKIP=1 npm test", "npm test"),
        ("A=1 uv run pytest", "pytest"),
        ("PYTHONPATH=. SKIP=1 pytest", "pytest"),
        ("PATH=bin pytest", "pytest"),
        ("python3 -m pytest tests/test_a.py", "pytest"),
        ("pip install pytest", "pytest"),
        ("which pytest", "pytest"),
        ("echo run pytest", "pytest"),
        ("python3 -m pytest || true", "pytest"),
        ("cargo test", "npm test"),
        ("python3 -m pytest", ""),
    ] {
        assert_eq!(another_way(line, check), None, "{line}");
    }
}

#[test]
fn what_only_shortens_the_output_is_cut_off_a_line() {
    for (line, cut) in [
        ("python3 -m unittest 2>&1 | tail -5", "python3 -m unittest"),
        ("pytest -q|&tail -n 20", "pytest -q"),
        ("cargo test 2>&1 | head -c 900 | cat", "cargo test"),
        ("cd web && npm test 2>&1 | tail && make check | cat", "cd web && npm test && make check"),
        ("cargo test > log 2>&1 | tail -3", "cargo test > log"),
        ("pytest 'a | tail'", "pytest 'a | tail'"),
        ("cat a.json | python3 -m json.tool", "cat a.json | python3 -m json.tool"),
        ("pytest; npm test", "pytest; npm test"),
        ("pytest || exit 1", "pytest || exit 1"),
        ("pytest && echo ok", "pytest && echo ok"),
        ("true", "true"),
        ("(", "("),
    ] {
        assert_eq!(tells_its_end(line).as_deref(), Ok(cut), "{line}");
    }
}

#[test]
fn a_line_whose_end_is_that_of_another_part_is_told_by_that_part() {
    for (line, part) in [
        ("pytest | grep -v warn", "grep -v warn"),
        ("pytest | tee log | tail -3", "tee log"),
        ("pytest 2>&1 | tail -3 > log", "tail -3 > log"),
        ("cargo test | tail log", "tail log"),
        ("pytest | sed 's/a/b/' && npm test", "sed 's/a/b/'"),
    ] {
        assert_eq!(tells_its_end(line), Err(Hides::Pipe(part.to_owned())), "{line}");
        assert!(hides_its_end(line), "{line}");
    }
    for line in ["ls | head", "cat a | grep b", "pytest && echo ok", "pytest; npm test", "pytest || exit 1"] {
        assert!(!hides_its_end(line), "{line}");
    }
    assert!(hides_its_end("pytest -q | head -3"), "it may end the program itself");
    for line in ["pytest || true", "pytest; echo done", "pytest || echo no", "pytest &"] {
        assert!(matches!(tells_its_end(line), Err(Hides::Later(_))), "{line}");
    }
}

#[test]
fn a_line_whose_pipes_only_shorten_ends_as_what_works_in_it() {
    for line in ["pytest -q | tail -3", "cargo test 2>&1 | tail -n 40 | cat", "cd a && make 2>&1 | tail"] {
        assert!(only_shortens(line) && ends_as_one(line) && !hides_its_end(line), "{line}");
    }
    for line in
        ["pytest", "pytest | head", "pytest | grep x | tail", "pytest | tail -3 > log", "a | tail; b | wc"]
    {
        assert!(!only_shortens(line), "{line}");
    }
    assert!(hides_its_end("pytest | tail; echo done"));
}

#[test]
fn formatters_and_linters_of_single_files_check_each_by_itself() {
    for line in
        ["cargo fmt --check", "ruff check .", "prettier --check src", "cd web && eslint src", "gofmt -l ."]
    {
        assert!(checks_each_file(line), "{line}");
    }
    for line in [
        "cargo clippy",
        "cargo test",
        "cargo fmt --check && cargo test",
        "make fmt",
        "mypy .",
        "cd x",
        "",
        "(",
    ] {
        assert!(!checks_each_file(line), "{line}");
    }
}

#[test]
fn a_line_proves_nothing_where_it_ends_well_by_itself_or_something_else_decides() {
    for line in [
        "",
        "true",
        ":",
        "echo ok",
        "printf done",
        "exit 0",
        "A=1",
        "cd src",
        "ls",
        "cat src/main.rs",
        "pytest || true",
        "pytest || echo no",
        "pytest; echo done",
        "pytest\ntrue",
        "pytest | tail -5",
        "pytest &",
        "! pytest",
        "cd web && ! npm test",
        "(pytest)",
        "if pytest; then true; fi",
        "bash -c 'pytest || true'",
        "timeout 9 sh -c 'pytest; true'",
        "exit 0 && pytest",
        "pytest() { :; } && pytest",
        "eval true",
        "python3 -c pass",
        "python3 -c 'import sys; sys.exit(0)'",
        "node -e 0",
        "ruby -e 1",
        "'unclosed",
    ] {
        assert!(!proves(line), "{line}");
    }
}

#[test]
fn a_line_is_hollow_only_where_nothing_in_it_can_fail() {
    for line in ["true", "echo ok", "cd web && ls", "exit 0", "echo a || true", "export A=1"] {
        assert!(is_hollow(line), "{line}");
    }
    for line in
        ["cargo test", "test -s a && echo ok", "out=$(pytest)", "! ls old.txt", "A=`make check`", "exit 1"]
    {
        assert!(!is_hollow(line), "{line}");
    }
}

#[test]
fn a_red_check_is_made_good_by_itself_or_a_wider_one_and_by_no_other() {
    for (line, red, good) in [
        ("cargo test", "cargo test", true),
        ("cargo test -q", "cargo test parser", true),
        ("cargo test --offline", "cargo test -q --offline", true),
        ("pytest", "pytest -q tests/test_a.py", true),
        ("PYTHONPATH=src pytest -q", "pytest -q", true),
        ("PYTHONPATH=src pytest -q", "pytest -q tests/test_number.py", true),
        ("PYTHONPATH=src python3 -m pytest -q", "pytest -q tests/test_number.py", true),
        ("uv run pytest", "pytest tests/test_a.py", true),
        ("timeout 60 make test", "make test", true),
        ("cd web && npm test", "cd web && npm test", true),
        ("cargo fmt --check && cargo test", "cargo test", true),
        ("cargo test", "cargo fmt --check && cargo test", false),
        ("cd web && npm test", "npm test", false),
        ("cd web && npm test", "cd api && npm test", false),
        ("PYTEST_ADDOPTS='-k one' pytest", "pytest", false),
        ("PYTEST_ADDOPTS='-k one' pytest", "PYTEST_ADDOPTS='-k one' pytest tests/test_a.py", true),
        ("TEST_FILTER=one make test", "make test", false),
        ("GOFLAGS=-run=One go test ./...", "go test ./...", false),
        ("python3 -m unittest", "python3 -m pytest", false),
        ("pytest tests/test_a.py", "pytest", false),
        ("pytest a.py", "pytest a.py b.py", false),
        ("pytest --collect-only", "pytest", false),
        ("pytest --lf", "pytest", false),
        ("pytest --ignore=tests/a.py", "pytest", false),
        ("pytest", "pytest -W error", false),
        ("cargo test --no-run", "cargo test", false),
        ("cargo test --lib", "cargo test", false),
        ("cargo test --package=core", "cargo test", false),
        ("cargo test -- --skip=one", "cargo test", false),
        ("cargo test", "cargo test --workspace", false),
        ("cargo test -p a", "cargo test -p a -p b", false),
        ("cargo test --manifest-path=a/Cargo.toml", "cargo test", false),
        ("cargo clippy", "cargo clippy -- -D warnings", false),
        ("cargo build", "cargo test", false),
        ("cargo test parser", "cargo test", false),
        ("go test -run=One ./...", "go test ./...", false),
        ("go test ./a", "go test ./a ./b", false),
        ("make -n test", "make test", false),
        ("make", "make test", false),
        ("make lint", "make test", false),
        ("make lint", "make lint test", false),
        ("tsc --version", "tsc", false),
        ("ruff check --exit-zero", "ruff check", false),
        ("npm run lint", "npm test", false),
    ] {
        assert_eq!(checks_as_much(line, red), good, "{line} after {red}");
    }
}

#[test]
fn lines_together_check_what_each_part_of_another_does() {
    for (lines, other, good) in [
        (
            vec!["cargo test", "cargo clippy -- -D warnings"],
            "cargo test && cargo clippy -- -D warnings",
            true,
        ),
        (vec!["cargo test"], "cargo test && cargo clippy -- -D warnings", false),
        (vec!["cargo clippy", "cargo test"], "cargo test && cargo clippy -- -D warnings", false),
        (vec!["python -m pytest -q", "mypy ."], "pytest && mypy .", true),
        (vec!["pytest"], "pytest && echo $(x)", false),
        (vec![], "pytest", false),
    ] {
        assert_eq!(together_check_as_much(&lines, other), good, "{lines:?} after {other}");
    }
}

#[test]
fn a_known_check_is_known_however_it_is_spelled() {
    for (line, known) in [
        ("pytest", true),
        ("python -m pytest -q", true),
        ("python3 -m pytest tests/test_a.py", true),
        ("npx jest src", true),
        ("cargo nextest run", true),
        ("cd web && npm test", true),
        ("uv run pytest", true),
        ("mkdir out", false),
        ("pytest || true", false),
        ("npm install jest", false),
        ("cargo build", false),
    ] {
        assert_eq!(is_check(line), known, "{line}");
    }
}

#[test]
fn a_line_leaves_something_running_where_nothing_behind_waits_for_it_or_ends_it() {
    for line in [
        "python3 -m http.server &",
        "python3 -m http.server > log.txt 2>&1 &",
        "npm start & echo started",
        "(sleep 30; echo x) & true",
        "nohup ./server &",
        "a & b & wait; c &",
    ] {
        assert!(leaves_running(line), "{line}");
    }
    for line in [
        "make",
        "a && b",
        "a & b & wait",
        "./server & pid=$!; curl localhost; kill $pid",
        "./server > log 2>&1 & sleep 1; pkill server",
        "echo 'a &'",
        "make 2>&1",
    ] {
        assert!(!leaves_running(line), "{line}");
    }
}

#[test]
fn a_line_that_goes_to_the_background_as_a_whole_is_told_from_one_of_which_a_part_does() {
    for (line, whole) in [
        ("python3 dev.py &", "python3 dev.py"),
        ("cd app && npm start > log 2>&1 & ", "cd app && npm start > log 2>&1"),
        ("nohup ./server &", "nohup ./server"),
    ] {
        assert_eq!(left_beside(line), Some(whole), "{line}");
    }
    for line in
        ["make; npm start &", "npm start & sleep 2", "a & b &", "make &&", "echo 'a &'", "make", "&", ""]
    {
        assert_eq!(left_beside(line), None, "{line}");
    }
}
