//! Words that want no model: greetings, thanks, what it can do, and a folder with nothing in it.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::*;

#[test]
fn greetings_thanks_and_what_it_can_do_are_answered_without_a_model() {
    for (said, told) in [
        ("hi", "Hello. I am the built-in offline engine"),
        ("hello there", "Hello. I am the built-in offline engine"),
        ("Bonjour!", "Hello. I am the built-in offline engine"),
        ("good morning", "Hello. I am the built-in offline engine"),
        ("thanks", "You are welcome."),
        ("thank you so much!", "You are welcome."),
        ("what can you do?", "I can find things"),
        ("was kannst du?", "I can find things"),
    ] {
        let reply = Offline::new().answer(&Talk::ask(said).request);
        assert!(reply.text.starts_with(told) && reply.finish == Finish::Stop, "{said}: {}", reply.text);
    }
    let beyond = Offline::new().answer(&Talk::ask("hi, write me a parser").request);
    assert_eq!(beyond.finish, Finish::NoModel, "{}", beyond.text);
}

#[test]
fn a_path_in_quotes_is_read_as_it_is() {
    for (said, path) in [
        ("show \"docs/my notes.md\"", "docs/my notes.md"),
        ("show `a 'quoted' \"name\".txt`", "a 'quoted' \"name\".txt"),
        ("show @\"docs/my notes.md\"", "docs/my notes.md"),
        ("show @x.md", "x.md"),
    ] {
        assert_eq!(Talk::ask(said).calls()[0].1["path"], path, "{said}");
    }
}

#[test]
fn an_empty_folder_is_called_empty() {
    for said in ["list the files", "what is this project about?"] {
        let talk = Talk::ask(said).then(&[("list", "")]);
        assert!(talk.said().starts_with("This folder is empty"), "{}", talk.said());
    }
}

#[test]
fn a_name_may_begin_with_any_sign_and_a_remark_of_the_tool_is_none() {
    let routes = "(tabs)/\n[id].tsx\n…notes.md\n(lines 1-2).txt\n… 3 more; list a folder below to see them";
    let talk = Talk::ask("list the files").then(&[("list", routes)]);
    let said = talk.said();
    assert!(said.starts_with("Here, two levels deep: 3 files and 1 folder."), "{said}");
    assert!(said.contains("(tabs)/\n[id].tsx\n…notes.md\n(lines 1-2).txt\n```"), "{said}");
    for nothing in ["(empty)", "[… 900 bytes left out …]\nhalf"] {
        let talk = Talk::ask("list the files").then(&[("list", nothing)]);
        let said = talk.said();
        assert!(said.starts_with("This folder is empty, or git ignores everything in it"), "{said}");
    }
}
