use super::*;

#[test]
fn times_are_told_in_one_form() {
    let told = [0, 450, 1_500, 4_000, 12_900, 252_000, 11_100_000, 183_600_000].map(clock);
    assert_eq!(told, ["0s", "450ms", "1.5s", "4s", "12s", "4m 12s", "3h 05m", "2d 03h"]);
    assert_eq!([450, 3_900, 125_000].map(so_far), ["0s", "3s", "2m 05s"]);
    assert_eq!([450, 12_000, 252_000, 11_100_000, 183_600_000].map(age), ["0s", "12s", "4m", "3h", "2d"]);
    assert_eq!([4_100, 71_853].map(millis), ["4100ms", "1m 11s"]);
    let spell = |worked, waited| Spell { worked: Millis(worked), waited: Millis(waited) }.to_string();
    assert_eq!(spell(252_000, 660_000), "4m 12s, waited 11m for you");
    assert_eq!(spell(12_000, 59_000), "12s", "a look at a diff is not worth a word");
}

#[test]
fn amounts_are_read_and_shown() {
    for (text, shown) in [
        ("5", "$5.00"),
        ("$0.5", "$0.50"),
        ("0.015", "$0.015"),
        ("0.000123", "$0.000123"),
        ("2.50 dollars", "$2.50"),
        ("50,000 tokens", "50,000 tokens"),
        ("1t", "1 token"),
        ("20 calls", "20 calls"),
        ("5 and 200 calls", "$5.00 and 200 calls"),
        ("20c 5$ 1_000t", "$5.00 and 1,000 tokens and 20 calls"),
    ] {
        assert_eq!(Limits::parse(text).map(|l| l.to_string()).as_deref(), Ok(shown), "{text}");
    }
    for wrong in [
        "",
        "abc",
        "-1",
        "5 euros",
        "1.2345678",
        "t",
        "1.5t",
        "99999999999999999999",
        "0,50",
        "1,00,000",
        "5 5",
        "1..5",
        "+5",
        "5 calls later",
        "$",
        "1e3",
        "٣",
    ] {
        assert!(Limits::parse(wrong).unwrap_err().contains("is not a budget"), "{wrong}");
    }
    for zero in ["0", "0.00", "$0", "0t", "5 and 0 calls"] {
        assert!(Limits::parse(zero).unwrap_err().contains("leaves nothing to spend"), "{zero}");
    }
}

#[test]
fn the_lower_limit_holds_unit_by_unit() {
    let of = |text| Limits::parse(text).unwrap();
    assert_eq!(of("5 and 100t").lower(of("9 and 20 calls")), of("5 and 100t and 20 calls"));
    assert_eq!(of("5").lower(of("3")), of("3"));
}

#[test]
fn what_is_left_is_told() {
    let of = |unit, most, spent| Allowance { unit, most, spent, unknown: false, untold: false, said: true };
    assert_eq!(of(Unit::Micros, 500_000, 41_234).line(), "$0.04 of $0.50, $0.46 left");
    assert_eq!(of(Unit::Tokens, 50_000, 50_100).line(), "50,100 of 50,000 tokens, nothing left");
    assert_eq!(of(Unit::Calls, 5, 3).line(), "3 of 5 calls, 2 left");
    assert!(of(Unit::Calls, 5, 5).is_over() && !of(Unit::Calls, 5, 4).is_over());
    let blind = Allowance { unknown: true, ..of(Unit::Micros, 5, 0) };
    assert!(blind.is_over() && !Allowance { said: false, ..blind }.is_over());
    assert!(blind.line().contains("price of this model is not known"));
}
