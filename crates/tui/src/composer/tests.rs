//! Tests of the composer: what each key leaves in the draft.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::*;
use crossterm::event::KeyCode;

fn typed(composer: &mut Composer, text: &str) -> ComposerEvent {
    let mut wish = ComposerEvent::Nothing;
    for c in text.chars() {
        wish = composer.key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE));
    }
    wish
}

#[test]
fn enter_sends_and_keeps_the_text_in_history() {
    let mut c = Composer::default();
    assert_eq!(c.act(Action::Send), ComposerEvent::Empty);
    typed(&mut c, "hello there");
    assert_eq!(c.act(Action::Send), ComposerEvent::Send("hello there".into()));
    assert!(c.draft.is_empty());
    c.act(Action::Up);
    assert_eq!(c.draft.shown(), "hello there");
}

#[test]
fn tab_queues_a_text_and_moves_on_without_one() {
    let mut c = Composer::default();
    assert_eq!(c.act(Action::Queue), ComposerEvent::NextPane);
    typed(&mut c, "later");
    assert_eq!(c.act(Action::Queue), ComposerEvent::Queue("later".into()));
}

#[test]
fn a_text_is_told_to_what_runs_and_nothing_stands_for_what_waits() {
    let mut c = Composer::default();
    assert_eq!(c.act(Action::Tell), ComposerEvent::Tell(String::new()));
    typed(&mut c, "shorter");
    assert_eq!(c.act(Action::Tell), ComposerEvent::Tell("shorter".into()));
    typed(&mut c, " ");
    assert_eq!(c.act(Action::Tell), ComposerEvent::Nothing);
}

#[test]
fn looking_through_history_gives_the_draft_back() {
    let mut c = Composer::default();
    for text in ["one", "two"] {
        typed(&mut c, text);
        c.act(Action::Send);
    }
    typed(&mut c, "unsent");
    c.act(Action::Up);
    c.act(Action::Up);
    assert_eq!(c.draft.shown(), "one");
    c.act(Action::Down);
    c.act(Action::Down);
    assert_eq!(c.draft.shown(), "unsent");
}

#[test]
fn editing_an_old_text_does_not_destroy_the_draft_that_was_left() {
    let mut c = Composer::default();
    typed(&mut c, "one");
    c.act(Action::Send);
    typed(&mut c, "unsent");
    c.act(Action::Up);
    typed(&mut c, "!");
    assert_eq!(c.act(Action::Send), ComposerEvent::Send("one!".into()));
    assert!(c.history.newest_first().any(|t| t.shown == "unsent"));
}

#[test]
fn clearing_moves_the_draft_to_history() {
    let mut c = Composer::default();
    assert!(!c.clear());
    typed(&mut c, "precious");
    assert!(c.clear());
    assert!(c.draft.is_empty());
    assert_eq!(c.history.newest_first().next().unwrap().shown, "precious");
}

#[test]
fn a_command_that_is_only_like_what_was_written_is_taken_where_it_was_gone_to_and_never_else() {
    for (written, like) in [("/rest", "/reset "), ("/qit", "/quit "), ("/export", "/exploratory ")] {
        let mut c = Composer::default();
        typed(&mut c, written);
        assert_eq!(c.popup.as_ref().unwrap().chosen().unwrap().text, like.trim());
        assert!(c.popup.as_ref().unwrap().keys().starts_with("Enter sends it as written   Tab"));
        assert_eq!(c.act(Action::Send), ComposerEvent::Send(written.into()));
        typed(&mut c, written);
        c.act(Action::Queue);
        assert_eq!(c.draft.shown(), like, "Tab takes what stands first");
    }
    // Going to it and back is to have gone to it.
    let mut c = Composer::default();
    typed(&mut c, "/exptory");
    c.act(Action::Down);
    c.act(Action::Up);
    assert_eq!(c.act(Action::Send), ComposerEvent::Send("/exploratory".into()));
    // Its beginning is enough, and so is to have gone to it.
    let mut c = Composer::default();
    typed(&mut c, "/RES");
    let chosen = c.popup.as_ref().unwrap().chosen().unwrap().text.clone();
    assert_eq!(c.act(Action::Send), ComposerEvent::Send(chosen));
    typed(&mut c, "/re");
    c.act(Action::Down);
    let chosen = c.popup.as_ref().unwrap().chosen().unwrap().text.clone();
    let sends = c.popup.as_ref().unwrap().sends();
    assert_eq!(c.act(Action::Send) == ComposerEvent::Send(chosen), sends);
}

#[test]
fn a_slash_at_the_start_offers_commands() {
    let mut c = Composer::default();
    typed(&mut c, "/sta");
    assert_eq!(c.popup.as_ref().unwrap().chosen().unwrap().text, "/status");
    assert_eq!(c.act(Action::Send), ComposerEvent::Send("/status".into()));
    typed(&mut c, "/the");
    assert_eq!(c.act(Action::Send), ComposerEvent::Nothing, "it takes a name, so it is only completed");
    assert_eq!(c.draft.shown(), "/theme ");
    typed(&mut c, "nord");
    assert_eq!(c.act(Action::Send), ComposerEvent::Send("/theme nord".into()));
    typed(&mut c, "a /slash later");
    assert!(c.popup.is_none());
}

#[test]
fn an_agent_with_stages_is_a_command_too_unless_the_workbench_has_one_of_its_name() {
    let agent = |name: &str| {
        let read = Ok(pilothouse_core::pipeline::PipelineAgent::default());
        Recipe::staged(pilothouse_core::recipe::RecipeOrigin::Shipped, name, &format!("agents/{name}"), read)
    };
    let mut c = Composer::default();
    c.know(&Recipes::of(vec![agent("review-diff"), agent("research")]));
    typed(&mut c, "/review-d");
    assert_eq!(c.popup.as_ref().unwrap().chosen().unwrap().text, "/review-diff");
    let named = |name: &str| c.commands().iter().filter(|entry| entry.text == name).count();
    assert_eq!((named("/review-diff"), named("/research")), (1, 1));
}

#[test]
fn an_at_sign_offers_files_and_puts_the_path() {
    let mut c = Composer::default();
    assert_eq!(typed(&mut c, "what is @"), ComposerEvent::Files(String::new()));
    c.files(&[RelPath::new("src/auth/login.rs").unwrap(), RelPath::new("README.md").unwrap()]);
    typed(&mut c, "login");
    assert_eq!(c.popup.as_ref().unwrap().rows.len(), 1);
    assert_eq!(c.act(Action::Queue), ComposerEvent::Nothing);
    assert_eq!(c.draft.shown(), "what is src/auth/login.rs ");
}

#[test]
fn where_there_are_more_files_than_are_held_those_are_looked_for_that_are_like_what_is_typed() {
    let all =
        |n: usize| -> Vec<RelPath> { (0..n).map(|n| RelPath::new(&format!("a/{n}.txt")).unwrap()).collect() };
    let wants = |like: &str| ComposerEvent::Files(like.to_owned());
    let mut c = Composer::default();
    assert_eq!(typed(&mut c, "see @"), wants(""));
    assert_eq!(c.files(&all(files::MOST)), ComposerEvent::Nothing);
    assert_eq!(typed(&mut c, "z"), wants("z"));
    assert_eq!(c.popup.as_ref().unwrap().nothing(), "looking…");
    // One look at a time: what was typed meanwhile is looked for once that has ended.
    assert_eq!(typed(&mut c, "o"), ComposerEvent::Nothing);
    assert_eq!(c.files(&all(files::MOST)), wants("zo"));
    assert_eq!(c.files(&[RelPath::new("zoo/login.rs").unwrap()]), ComposerEvent::Nothing);
    assert_eq!(c.popup.as_ref().unwrap().chosen().unwrap().text, "zoo/login.rs");
    assert_eq!(typed(&mut c, "o"), ComposerEvent::Nothing, "all that fit are held");
    // Where all are held nothing is looked for again.
    let mut c = Composer::default();
    typed(&mut c, "see @");
    c.files(&all(3));
    assert_eq!(typed(&mut c, "2"), ComposerEvent::Nothing);
}

#[test]
fn a_path_with_blanks_or_quotes_is_put_as_one_word() {
    for (path, word) in [
        ("docs/my notes.md", "\"docs/my notes.md\""),
        ("a 'quoted' \"name\".txt", "`a 'quoted' \"name\".txt`"),
        ("it's.txt", "\"it's.txt\""),
        ("src/plain-name.rs", "src/plain-name.rs"),
    ] {
        let mut c = Composer::default();
        typed(&mut c, "what is @");
        c.files(&[RelPath::new(path).unwrap()]);
        typed(&mut c, path.get(..1).unwrap());
        assert_eq!(c.act(Action::Queue), ComposerEvent::Nothing);
        assert_eq!(c.draft.shown(), format!("what is {word} "));
    }
}

#[test]
fn a_name_behind_an_at_sign_that_is_written_out_is_sent_at_the_first_enter() {
    let files = [RelPath::new("review").unwrap(), RelPath::new("src/review.rs").unwrap()];
    for line in ["@review", "@explain"] {
        let mut c = Composer::default();
        typed(&mut c, "@");
        c.files(&files);
        typed(&mut c, line.trim_start_matches('@'));
        assert_eq!(c.popup.as_ref().unwrap().keys(), "Enter sends   Tab inserts   Esc closes");
        assert_eq!(c.act(Action::Send), ComposerEvent::Send(line.into()));
    }
    let mut c = Composer::default();
    typed(&mut c, "what is @");
    c.files(&files);
    typed(&mut c, "src/review.rs");
    assert_eq!(c.act(Action::Send), ComposerEvent::Send("what is src/review.rs".into()));
    // What is only begun, and what another row was chosen for, is completed.
    let mut c = Composer::default();
    typed(&mut c, "@revie");
    assert_eq!(c.popup.as_ref().unwrap().keys(), "Enter inserts   Esc closes");
    assert_eq!(c.act(Action::Send), ComposerEvent::Nothing);
    assert!(c.draft.shown().starts_with("@review"), "{}", c.draft.shown());
}

#[test]
fn esc_closes_the_list_and_it_stays_closed_for_that_word() {
    let mut c = Composer::default();
    typed(&mut c, "/st");
    assert!(c.close_popup());
    typed(&mut c, "a");
    assert!(c.popup.is_none());
    assert_eq!(c.act(Action::Send), ComposerEvent::Send("/sta".into()));
}

#[test]
fn history_is_searched_as_one_types_and_the_draft_is_kept() {
    let mut c = Composer::default();
    for text in ["add rate limiting", "rename the parser", "run tests"] {
        typed(&mut c, text);
        c.act(Action::Send);
    }
    typed(&mut c, "half a thought");
    c.act(Action::History);
    typed(&mut c, "pars");
    assert_eq!(c.draft.shown(), "half a thought");
    c.act(Action::Send);
    assert_eq!(c.draft.shown(), "rename the parser");
    assert_eq!(c.history.newest_first().next().unwrap().shown, "half a thought");
}

#[test]
fn a_name_or_alias_that_is_written_out_is_what_is_sent_whatever_else_is_like_it() {
    for line in ["/retry", "/q", "/state", "/new", "/h", "/Q", "/bg"] {
        let mut c = Composer::default();
        typed(&mut c, line);
        let popup = c.popup.as_ref().unwrap();
        assert_eq!(popup.chosen().unwrap().text, line.to_lowercase());
        assert_eq!(popup.keys(), "Enter sends   Tab inserts   Esc closes");
        assert_eq!(c.act(Action::Send), ComposerEvent::Send(line.to_lowercase()));
    }
}

#[test]
fn aliases_are_offered_behind_names_and_each_command_once() {
    let mut c = Composer::default();
    typed(&mut c, "/");
    assert_eq!(c.popup.as_ref().unwrap().rows.len(), SLASH_COMMANDS.len());
    typed(&mut c, "resu");
    let rows = |c: &Composer| -> Vec<String> {
        c.popup.as_ref().unwrap().rows.iter().map(|r| r.text.clone()).collect()
    };
    assert_eq!(rows(&c)[0], "/resume");
    assert!(c.popup.as_ref().unwrap().rows[0].note.starts_with("is /bg: "));
    let mut c = Composer::default();
    typed(&mut c, "/qu");
    assert_eq!(rows(&c)[..2], ["/queue", "/quit"]);
    assert_eq!(c.popup.as_ref().unwrap().keys(), "Enter inserts   Esc closes");
    let mut c = Composer::default();
    typed(&mut c, "/st");
    assert_eq!(rows(&c).iter().filter(|r| ["/status", "/state"].contains(&r.as_str())).count(), 1);
}

#[test]
fn what_is_like_no_command_is_said_to_be_none_and_a_path_is_let_be() {
    let mut c = Composer::default();
    typed(&mut c, "/zzzz");
    let popup = c.popup.as_ref().unwrap();
    assert_eq!((popup.rows.len(), popup.nothing()), (0, "no command of that name"));
    assert_eq!(c.act(Action::Send), ComposerEvent::Send("/zzzz".into()));
    typed(&mut c, "/etc/hosts");
    assert!(c.popup.is_none());
}

#[test]
fn a_picture_that_is_put_from_the_list_is_still_told_as_not_sent() {
    for (name, typed_on, word) in [
        ("shot.png", "sh", "@shot.png"),
        ("my shot.png", "sh", "@\"my shot.png\""),
        ("shot.md", "sh", "shot.md"),
    ] {
        let mut c = Composer::default();
        typed(&mut c, "describe @");
        c.files(&[RelPath::new(name).unwrap()]);
        typed(&mut c, typed_on);
        assert_eq!(c.act(Action::Queue), ComposerEvent::Nothing);
        assert_eq!(c.draft.shown(), format!("describe {word} "));
        assert_eq!(pilothouse_core::picture::foretold(&c.draft.shown()).is_some(), word.starts_with('@'));
    }
    let mut c = Composer::default();
    typed(&mut c, "describe @");
    c.files(&[RelPath::new("shot.png").unwrap()]);
    typed(&mut c, "shot.png");
    let sent = format!("{:?}", c.act(Action::Send));
    assert!(sent.contains("describe @shot.png") && c.popup.is_none(), "{sent}");
}
