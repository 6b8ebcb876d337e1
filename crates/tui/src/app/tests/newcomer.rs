//! What somebody who sees it for the first time stumbles over.

use super::*;

#[test]
fn a_yes_to_a_plan_that_is_not_on_the_screen_shows_it_and_then_answers() {
    let mut desk = Desk::new(80, 13).with_plan();
    desk.draw();
    desk.wait(1_000).press("/abort<enter>").deliver();
    assert_eq!(desk.state().phase, Phase::Idle);
    desk.press("/redo<enter>").deliver();
    assert_eq!(desk.state().phase, Phase::AwaitingApproval);
    desk.draw();
    // They read what was said before.
    desk.press("<pgup><pgup><pgup>").draw();
    desk.wait(1_000).press("y<enter>").deliver();
    assert_eq!(desk.state().phase, Phase::AwaitingApproval);
    let text = desk.text();
    assert!(text.contains("the plan was not on the screen"), "{text}");
    desk.wait(1_000).press("<enter>").deliver();
    assert_eq!(desk.state().phase, Phase::Executing, "the plan stands there now");
}

#[test]
fn where_a_review_is_and_what_can_be_done_stand_on_every_size() {
    for (width, height) in [(60, 20), (80, 24), (100, 30), (160, 45)] {
        let mut bench = review::Bench::new(width, height);
        bench.press("<ctrl-x>d");
        let text = bench.desk.text();
        let place = if width < 100 { "1/2 · 1/2" } else { "file 1/2 · hunk 1/2" };
        assert!(text.contains(place), "{width}: {text}");
        if width < 100 {
            for key in ["a apply", "s skip", "A all"] {
                assert!(text.contains(key), "{width}: {key} {text}");
            }
        }
    }
}

#[test]
fn keys_that_can_follow_are_named_whole_beside_each_other() {
    for (width, height) in [(60, 20), (80, 24), (120, 40)] {
        let mut desk = Desk::new(width, height);
        desk.wait(1_000).press("<ctrl-x>");
        desk.wait(400);
        let text = desk.text();
        assert!(text.contains("Shift-Tab → previous session"), "{width}: {text}");
        let rows: Vec<&str> = text.lines().filter(|r| r.contains(" → ")).collect();
        let columns = |row: &str, n: usize| row.chars().collect::<Vec<_>>()[..n].iter().collect::<String>();
        let at: Vec<usize> =
            rows.iter().map(|r| r.find('→').map_or(0, |at| r[..at].chars().count())).collect();
        assert!(at.windows(2).all(|two| two[0] == two[1]), "{width}: {:?} {text}", columns(rows[0], 5));
    }
}

#[test]
fn every_answer_has_its_row_where_there_is_little_room() {
    let mut desk = Desk::new(60, 18);
    desk.app.composer.draft.set(Saved::plain("run the tests"));
    desk.press("<enter>").deliver();
    desk.reply("", &[("run", r#"{"command":"cargo test"}"#)]);
    desk.collect();
    desk.wait(1_000).press("<ctrl-x>a").deliver();
    let text = desk.text();
    for row in ["y     once", "t     session", "p     always", "n     deny"] {
        assert!(text.contains(row), "{row} {text}");
    }
}

#[test]
fn the_risk_of_a_command_is_said_on_the_smallest_screen() {
    let mut desk = Desk::new(20, 6);
    desk.app.composer.draft.set(Saved::plain("run the tests"));
    desk.press("<enter>").deliver();
    desk.reply("", &[("run", r#"{"command":"cargo test"}"#)]);
    desk.collect();
    let text = desk.text();
    assert!(text.contains("medium") && text.contains("cargo test"), "{text}");
}

#[test]
fn what_is_at_stake_is_told_whole_before_leaving() {
    let mut desk = Desk::new(80, 24).with_plan();
    desk.draw();
    desk.wait(1_000).press("<enter>").deliver();
    desk.wait(1_000).press("/exit<enter>").deliver();
    let text = desk.text();
    assert!(text.contains("Stop and leave? Kept: a plan (0 of 3 done)"), "{text}");
}

#[test]
fn the_palette_names_what_is_looked_for_before_keys_of_the_caret() {
    let mut desk = Desk::new(60, 20);
    desk.press("<ctrl-p>end");
    let text = desk.text();
    let first = text.lines().find(|r| r.contains('▸')).unwrap().to_owned();
    assert!(!first.contains("end of the line"), "{text}");
    desk.press("<backspace><backspace><backspace>");
    assert!(!desk.text().contains("anywhere"), "{}", desk.text());
}

#[test]
fn sessions_are_found_under_the_names_of_other_programs_and_nothing_is_begun() {
    for name in ["/sessions", "/resume"] {
        let mut desk = Desk::new(100, 30);
        desk.press(name).press("<enter>").deliver();
        assert_eq!(desk.app.panes.focus, Focus::Pane(crate::pane::runs::ID));
        desk.press("<esc>").press(&format!("{name} calm-otter<enter>")).deliver();
        assert!(desk.app.outbox.window.is_empty(), "{name}");
        assert!(desk.text().contains("No session here has \"calm-otter\""), "{}", desk.text());
    }
}

#[test]
fn a_theme_that_is_taken_is_kept_and_one_that_is_not_there_is_told() {
    let mut desk = Desk::new(100, 30);
    let own = Theme::source("nord").unwrap().replace("name = \"nord\"", "name = \"mine\"");
    desk.app.own_themes([("mine".to_owned(), own)].into());
    for (line, told, kept) in [
        ("/theme neon", "no theme is called \"neon\"; there are mine, default", None),
        ("/theme gruvbox", "theme: gruvbox, kept", Some("gruvbox")),
        ("/theme mine", "theme: mine, kept", Some("mine")),
        ("/theme light", "theme: mine, light", None),
    ] {
        desk.asks.clear();
        desk.app.composer.draft.set(Saved::plain(line));
        desk.press("<enter>").deliver();
        let asked = desk.asks.iter().find_map(|ask| match ask {
            Ask::Setup(SetupAsk::Theme(name)) => Some(name.clone()),
            _ => None,
        });
        assert_eq!(asked.as_deref(), kept, "{line}");
        if let Some(name) = kept {
            let told = SetupReply::Kept(Ok(format!("theme: {name}, kept")));
            desk.app.update(Update::Answered(desk.number, Reply::Setup(told)), desk.now);
        }
        assert!(desk.text().contains(told), "{told} {}", desk.text());
    }
}

#[test]
fn themes_are_shown_as_they_are_chosen_and_esc_takes_the_choice_back() {
    let mut desk = Desk::new(100, 30);
    let name = |desk: &Desk| desk.app.looks.theme.name().to_owned();
    let before = name(&desk);
    for (keys, left) in [("jj<esc>", true), ("jjq", true), ("jj<enter>", false)] {
        desk.app.composer.draft.set(Saved::plain("/theme"));
        desk.press("<enter>");
        let text = desk.text();
        assert!(text.contains("holy-light") && text.contains("now"), "{text}");
        // For which of the two backgrounds there are colours, and which are shown.
        assert!(text.contains("on a dark background") && text.contains("dark light"), "{text}");
        desk.press(keys);
        assert_eq!((name(&desk) == before, desk.app.overlays.len()), (left, 0), "{keys}");
    }
    assert!(desk.asks.contains(&Ask::Setup(SetupAsk::Theme("gruvbox".to_owned()))), "{:?}", desk.asks);
}

#[test]
fn denying_a_command_of_one_s_own_tells_no_agent() {
    let mut desk = Desk::new(100, 30);
    desk.app.composer.draft.set(Saved::plain("!rm -rf build"));
    desk.press("<enter>").deliver();
    desk.collect();
    desk.wait(1_000).press("<ctrl-x>a").deliver();
    let text = desk.text();
    assert!(text.contains("this command, which you typed") && !text.contains("your reason"), "{text}");
}

#[test]
fn the_palette_has_its_keys_below_each_other_and_says_no_place_of_what_holds_anywhere() {
    for (width, height) in [(80, 24), (100, 30), (160, 45)] {
        let mut desk = Desk::new(width, height);
        desk.press("<ctrl-p>");
        let text = desk.text();
        assert!(!text.contains("anywhere"), "{text}");
        let at = |key: &str| {
            let row = text.lines().find(|row| row.contains(&format!(" {key} "))).unwrap();
            row[..row.find(&format!(" {key} ")).unwrap()].chars().count()
        };
        assert_eq!(at("F1"), at("Ctrl-X a"), "{text}");
    }
}

#[test]
fn letters_that_can_follow_are_named_first_and_in_their_order() {
    let mut desk = Desk::new(100, 30);
    desk.wait(1_000).press("<ctrl-x>");
    desk.wait(400);
    let text = desk.text();
    let mut keys = Vec::new();
    for (y, row) in text.lines().enumerate().filter(|(_, row)| row.contains(" → ")) {
        let row: Vec<char> = row.chars().collect();
        let at = (0..row.len()).filter(|x| row[*x] == '→');
        keys.extend(at.map(|x| {
            let begins = (0..x - 2).rev().find(|at| row[*at] == ' ' && row[at + 1] != ' ').unwrap() + 1;
            (begins, y, row[begins..x].iter().collect::<String>().trim().to_owned())
        }));
    }
    keys.sort();
    let keys: Vec<String> = keys.into_iter().map(|(.., key)| key).collect();
    assert_eq!(keys.join(" "), "a c d h n q r u U w ? Shift-Tab Tab", "{text}");
}

#[test]
fn the_word_that_lets_a_command_run_is_asked_for_below_what_is_known_of_it() {
    let mut desk = Desk::new(100, 30);
    desk.press("run the tests<enter>").deliver();
    desk.reply("", &[("run", r#"{"command":"git push --force origin main"}"#)]);
    desk.collect();
    desk.wait(1_000).press("<ctrl-x>a").deliver();
    desk.wait(1_000).press("y").deliver();
    let text = desk.text();
    for part in ["Type proceed", "why      it rewrites", "runs     ", "▲ high"] {
        assert!(text.contains(part), "{part} {text}");
    }
}
