use super::*;

fn of(run: &str) -> Vec<String> {
    let mut all = Vec::new();
    parts(run, |p| all.push(p.to_owned()));
    all
}

#[test]
fn names_are_split_into_their_parts() {
    assert_eq!(of("parseHTTPHeader_v2"), ["parse", "http", "header", "v2"]);
    assert_eq!(of("MAX_FILE_BYTES"), ["max", "file", "bytes"]);
    assert_eq!(of("__init__"), ["init"]);
    assert_eq!(of("IndexStatus"), ["index", "status"]);
    assert_eq!(of("utf8Decode"), ["utf8", "decode"]);
    assert_eq!(of("搜索引擎"), ["搜索", "索引", "引擎"]);
    assert!(is_compound("fooBar") && is_compound("foo_bar") && !is_compound("Foo") && !is_compound("_foo"));
}

#[test]
fn words_of_one_root_have_one_stem() {
    for (a, b) in [
        ("retries", "retry"),
        ("running", "runs"),
        ("parser", "parsing"),
        ("removed", "remove"),
        ("stopped", "stop"),
        ("suggestions", "suggest"),
        ("validate", "validation"),
        ("connected", "connection"),
    ] {
        assert_eq!(stem(a), stem(b), "{a} {b}");
    }
    assert_eq!(stem("is"), "is");
    assert_eq!(stem("naïveté"), "naïveté");
}

#[test]
fn every_line_of_the_data_says_something() {
    for line in DATA.lines().filter(|l| !l.trim().is_empty() && !l.starts_with('#')) {
        let words = |text: &str| text.split_whitespace().count();
        let says = match line.split_once(':') {
            Some((asked, called)) => asked.split(',').all(|a| words(a) > 0) && words(called) > 0,
            None => words(line.trim_start_matches('=')) > 1,
        };
        assert!(says && line == line.to_lowercase(), "{line}");
    }
}

#[test]
fn words_that_mean_the_same_are_known_both_ways() {
    let means = |a: &str, b: &str| like(a).iter().any(|(w, _)| *w == b);
    assert!(means("deleting", "remove") && means("removes", "delete"));
    assert!(like("xylophone").is_empty());
    assert!(means("expires", "evict") && !means("evict", "expire") && stem("wrote") == stem("writing"));
    let called = |text: &str| phrases(&text.split(' ').map(stem).collect::<Vec<_>>());
    assert_eq!(
        called("out of scope at last").first().map(|(count, c)| (*count, c.contains(&"drop"))),
        Some((3, true))
    );
    assert!(called("out of it").is_empty() && called("").is_empty());
    assert!(is_empty_word("the") && is_empty_word("x") && !is_empty_word("retry"));
}
