//! Who answers, picked on one page: at the first start, and by `/connect`.

use pilothouse_core::port::{Hidden, ModelPick, ModelPlace};

use super::*;

/// The key that is typed; it is looked for everywhere.
const KEY: &str = "sk-quiet-harbour-9";

/// The places that the driver knows: one without a key, one with it, one on this machine, one of the user's own address.
fn places() -> Vec<ModelPlace> {
    let place = |name: &str, address: &str, wants_key, key_from: Option<&str>| ModelPlace {
        name: name.into(),
        address: address.into(),
        wants_key,
        key_from: key_from.map(str::to_owned),
    };
    vec![
        place("openai", "https://api.openai.com/v1", true, None),
        place("openrouter", "https://openrouter.ai/api/v1", true, Some("OPENROUTER_API_KEY (environment)")),
        place("ollama", "http://127.0.0.1:11434/v1", false, None),
        place("azure", "", true, None),
    ]
}

impl Desk {
    /// The driver answers what was asked last.
    fn told(&mut self, reply: SetupReply) -> &mut Self {
        self.app.update(Update::Answered(self.number, Reply::Setup(reply)), self.now);
        self.collect();
        self.draw();
        self
    }

    /// What was asked last of what is set.
    fn asked(&self) -> Option<&SetupAsk> {
        self.asks.iter().rev().find_map(|ask| match ask {
            Ask::Setup(ask) => Some(ask),
            _ => None,
        })
    }

    /// The driver says which models the place has that was asked about last.
    fn models(&mut self, told: Result<Vec<String>, String>) -> &mut Self {
        let Some(SetupAsk::Models(pick)) = self.asked().cloned() else { panic!("{:?}", self.asks) };
        self.told(SetupReply::Models(pick, told))
    }
}

/// The first start of a user.
pub(super) fn first(width: u16, height: u16) -> Desk {
    let mut desk = Desk::new(width, height);
    let around = Surroundings {
        first_start: true,
        offline: true,
        model: "offline engine".into(),
        ..desk.app.world.surroundings.clone()
    };
    desk.app.update(Update::Surroundings(Box::new(around.clone())), desk.now);
    desk.collect();
    desk.told(SetupReply::Places(places()));
    let around = Surroundings { first_start: false, ..around };
    desk.app.update(Update::Surroundings(Box::new(around)), desk.now);
    desk.draw();
    desk
}

/// The providers.
pub(super) fn providers(width: u16, height: u16) -> Desk {
    let mut desk = first(width, height);
    desk.press("<enter>");
    desk
}

/// The key is typed.
pub(super) fn key_typed(width: u16, height: u16) -> Desk {
    let mut desk = providers(width, height);
    desk.press("openai<enter>").press("<enter>").press(KEY);
    desk
}

/// The models of the place.
pub(super) fn models(width: u16, height: u16) -> Desk {
    let mut desk = key_typed(width, height);
    desk.press("<enter>");
    desk.models(Ok(["gpt-5", "gpt-5-mini", "o9"].map(str::to_owned).to_vec())).press("<enter>");
    desk
}

/// All is picked.
pub(super) fn ready(width: u16, height: u16) -> Desk {
    let mut desk = models(width, height);
    desk.press("mini<enter>");
    desk
}

#[test]
fn the_first_start_leads_to_a_model_by_enter_and_its_key_is_shown_nowhere() {
    for (width, height) in [(60, 20), (80, 24), (160, 45)] {
        let mut desk = first(width, height);
        assert_eq!(desk.top(), Some("connect"), "{width}");
        assert!(desk.text().contains("offline engine"), "{}", desk.text());
        desk = key_typed(width, height);
        assert!(
            desk.text().contains(&"*".repeat(KEY.len())) && !desk.text().contains(KEY),
            "{}",
            desk.text()
        );
        desk = ready(width, height);
        assert!(!desk.text().contains(KEY), "{}", desk.text());
        desk.press("<enter>");
        let pick = ModelPick {
            place: "openai".into(),
            address: String::new(),
            key: Some(Hidden(KEY.into())),
            model: "gpt-5-mini".into(),
        };
        assert_eq!(desk.asked(), Some(&SetupAsk::Connect(pick)));
        assert_eq!(desk.top(), Some("connect"), "it goes once it is kept");
        desk.told(SetupReply::Kept(Err("not kept: no room".into())));
        assert!(desk.top() == Some("connect") && desk.text().contains("no room"), "{}", desk.text());
        desk.press("<enter>").told(SetupReply::Kept(Ok("gpt-5-mini answers from now on".into())));
        assert!(desk.top().is_none() && desk.text().contains("answers from now on"), "{}", desk.text());
        assert!(desk.inputs.is_empty() && desk.kept.iter().all(|kept| !kept.contains(KEY)));
        desk.press("<up>");
        assert!(!desk.text().contains(KEY), "nor in the history: {}", desk.text());
    }
}

#[test]
fn the_page_of_the_first_start_is_in_nobody_s_way() {
    let mut desk = first(100, 30);
    desk.press("<esc>");
    assert_eq!(desk.top(), None);
    let again = desk.app.world.surroundings.clone();
    desk.app.update(Update::Surroundings(Box::new(again)), desk.now);
    assert_eq!(desk.top(), None, "Esc leaves it for good");
    desk.press("/connect<enter>");
    assert_eq!(desk.top(), Some("connect"));
    let mut desk = first(100, 30);
    desk.press("where is the store?<enter>").deliver();
    assert_eq!((desk.top(), desk.state().turns.len()), (None, 1), "a line that is typed into it is said");
    assert_eq!(desk.state().turns.values().next().unwrap().head, "where is the store?");
    for line in ["/status", "what does it do?"] {
        let mut desk = first(100, 30);
        desk.paste(line);
        assert_eq!((desk.top(), desk.app.composer.draft.shown().as_str()), (None, line));
    }
    let mut desk = first(100, 30);
    desk.press("hello<enter>");
    assert_eq!((desk.top(), desk.app.composer.draft.shown().as_str()), (None, "hello"));
    let mut desk = Desk::new(100, 30);
    desk.press("so");
    let around = Surroundings { first_start: true, ..desk.app.world.surroundings.clone() };
    desk.app.update(Update::Surroundings(Box::new(around)), desk.now);
    assert_eq!(desk.top(), None, "nor does it come over a draft");
}

#[test]
fn a_place_with_a_key_or_on_this_machine_is_asked_for_its_models_at_once() {
    for place in ["openrouter", "ollama"] {
        let mut desk = providers(100, 30);
        desk.press(place).press("<enter>");
        assert!(matches!(desk.asked(), Some(SetupAsk::Models(pick)) if pick.place == place), "{place}");
        desk.models(Err("connection refused".into()));
        assert!(desk.text().contains("connection refused"), "{}", desk.text());
        // Where the list is not known, the name is typed.
        desk.press("<enter>").press("my-model<enter>").press("<enter>");
        assert!(
            matches!(desk.asked(), Some(SetupAsk::Connect(pick)) if pick.model == "my-model"),
            "{:?}",
            desk.asked()
        );
    }
}

#[test]
fn a_server_of_one_s_own_wants_its_address_and_no_model_wants_neither() {
    let mut desk = providers(100, 30);
    desk.press("another<enter>").press("<enter>").press("http://10.0.0.7:8000/v1<enter>");
    assert!(matches!(desk.asked(), Some(SetupAsk::Models(p)) if p.address == "http://10.0.0.7:8000/v1"));
    desk.models(Ok(vec!["one".into()])).press("<enter><enter>").press("<enter>");
    assert!(matches!(desk.asked(), Some(SetupAsk::Connect(p)) if p.model == "one" && p.key.is_none()));
    let mut desk = providers(100, 30);
    desk.press("azure<enter>").press("<enter>").press("https://x.openai.azure.com<enter>");
    assert_eq!(desk.asked(), Some(&SetupAsk::Places), "nobody is asked without a key");
    let mut desk = providers(100, 30);
    desk.press("offline<enter>").press("<enter>");
    assert!(matches!(desk.asked(), Some(SetupAsk::Connect(p)) if p.model == "offline"), "{:?}", desk.asked());
}

#[test]
fn a_provider_that_nobody_knows_is_another_server() {
    for typed in ["custom", "local", "url"] {
        let mut desk = providers(100, 30);
        desk.press(typed).draw();
        let text = desk.text();
        assert!(
            text.contains("any OpenAI-compatible one") && !text.contains("No provider"),
            "{typed}: {text}"
        );
        desk.press("<enter>").press("<enter>").press("http://10.0.0.7:8000/v1<enter>");
        assert!(matches!(desk.asked(), Some(SetupAsk::Models(p)) if p.address == "http://10.0.0.7:8000/v1"));
    }
    // What is like none may be a first message; where it can be none the server stays in the list.
    let mut desk = providers(100, 30);
    desk.press("qwxz").draw();
    assert!(desk.text().contains("\"another server\" takes any address"), "{}", desk.text());
    let mut desk = Desk::new(100, 30);
    desk.press("/connect<enter>");
    desk.collect();
    desk.told(SetupReply::Places(places()));
    desk.press("<enter>").press("qwxz").draw();
    let text = desk.text();
    assert!(text.contains("any OpenAI-compatible one"), "{text}");
    assert!(text.contains(&format!("1 of {}", places().len() + 2)), "what is listed is counted: {text}");
}

#[test]
fn what_is_missing_is_told_and_a_theme_taken_on_the_way_closes_nothing() {
    let mut desk = providers(100, 30);
    desk.press("openai<enter>").press("jjj<enter>");
    assert!(desk.text().contains("type its key first"), "{}", desk.text());
    desk.press("jj<enter>");
    assert_eq!(desk.top(), Some("themes"));
    desk.press("j<enter>");
    assert!(matches!(desk.asked(), Some(SetupAsk::Theme(_))), "{:?}", desk.asked());
    desk.told(SetupReply::Kept(Ok("theme: x, kept".into())));
    assert_eq!(desk.top(), Some("connect"));
}

impl Desk {
    fn paste(&mut self, text: &str) {
        self.app.terminal(&crossterm::event::Event::Paste(text.to_owned()), self.now);
        self.collect();
        self.draw();
    }

    /// Nothing of the key that was given is a draft, is kept as one, is said, or is shown.
    fn hides(&mut self, key: &str) {
        self.app.keep_draft();
        self.collect();
        let text = self.text();
        assert!(self.app.composer.draft.is_empty(), "{}", self.app.composer.draft.shown());
        assert!(!text.contains(key) && self.kept.iter().all(|kept| !kept.contains(key)), "{text}");
        assert!(self.inputs.is_empty(), "{:?}", self.inputs);
    }
}

#[test]
fn a_key_that_is_pasted_or_typed_on_its_line_is_asked_for_and_goes_nowhere_else() {
    // The first letters of some are keys of the page.
    for key in [KEY, "jk-quiet-7", "kkw-quiet-7", "qqy-quiet-7", "key quiet 7", "Xquiet-7"] {
        for pastes in [true, false] {
            let mut desk = providers(100, 30);
            desk.press("openai<enter>");
            assert_eq!(desk.top(), Some("connect"));
            if pastes {
                desk.paste(&format!("{key}\n"));
            } else {
                desk.press(key);
            }
            assert_eq!(desk.top(), Some("prompt"), "{key} {pastes}");
            desk.hides(key);
            assert!(desk.text().contains(&"*".repeat(key.len())), "{}", desk.text());
            desk.press("<enter>");
            assert!(
                matches!(desk.asked(), Some(SetupAsk::Models(pick)) if pick.key == Some(Hidden(key.into()))),
                "{key} {pastes} {:?}",
                desk.asked()
            );
            desk.hides(key);
            desk.press("<esc>").press("<up>");
            assert!(!desk.text().contains(key), "nor in the history: {}", desk.text());
        }
    }
    // A letter that moves may have come just before, and where the key is missing it is asked for from any line.
    for moves in ["k", "j", "jjj"] {
        let mut desk = providers(100, 30);
        desk.press("openai<enter>");
        for letter in moves.chars() {
            desk.app.key(key(&letter.to_string()), desk.now);
        }
        desk.paste(KEY);
        assert_eq!(desk.top(), Some(if moves == "j" { "choice" } else { "prompt" }), "{moves}");
        if moves != "j" {
            desk.hides(KEY);
        }
    }
}

#[test]
fn an_address_and_a_model_are_typed_or_pasted_on_their_lines() {
    for pastes in [true, false] {
        let give = |desk: &mut Desk, text: &str| {
            if pastes {
                desk.paste(text);
            } else {
                desk.press(text);
            }
        };
        let mut desk = providers(100, 30);
        desk.press("another<enter>");
        give(&mut desk, "http://10.0.0.7:8000/v1");
        assert_eq!(desk.top(), Some("prompt"));
        desk.press("<enter>");
        assert!(matches!(desk.asked(), Some(SetupAsk::Models(p)) if p.address == "http://10.0.0.7:8000/v1"));
        desk.models(Ok(vec!["one".into()]));
        give(&mut desk, "kimi-k2");
        assert_eq!(desk.top(), Some("choice"));
        // Another address is given in place of the one before.
        desk.press("<enter>").press("kkkk");
        give(&mut desk, "http://10.0.0.8:8000/v1");
        desk.press("<enter>");
        assert!(
            matches!(desk.asked(), Some(SetupAsk::Models(p)) if p.address == "http://10.0.0.8:8000/v1"),
            "{:?}",
            desk.asked()
        );
        desk.hides("10.0.0.7");
    }
}

#[test]
fn letters_that_move_move_on_a_line_that_is_typed_into_as_well() {
    let mut desk = providers(100, 30);
    desk.press("openai<enter>").press("j").press("<enter>");
    assert_eq!(desk.top(), Some("choice"));
    let mut desk = providers(100, 30);
    desk.press("openai<enter>").press("jkj").press("<enter>");
    assert_eq!(desk.top(), Some("choice"), "in one go as well");
    let mut desk = providers(100, 30);
    desk.press("openai<enter>").press("q");
    assert_eq!(desk.top(), None);
}

#[test]
fn a_key_goes_to_no_other_host_than_the_one_it_was_typed_for() {
    let mut desk = providers(100, 30);
    desk.press("another<enter>").press("http://10.0.0.7/v1<enter>");
    desk.models(Err("no".into())).press("k").press(KEY).press("<enter>");
    let key = |desk: &Desk, address: &str| match desk.asked() {
        Some(SetupAsk::Models(pick)) if pick.address == address => pick.key.clone(),
        other => panic!("{address} {other:?}"),
    };
    assert_eq!(key(&desk, "http://10.0.0.7/v1"), Some(Hidden(KEY.into())));
    for (address, keeps) in [
        ("http://10.0.0.7/api/v1", true),
        ("http://10.0.0.71/v1", false),
        ("https://10.0.0.71/v1", false),
        ("http://10.0.0.71:80/v1", false),
    ] {
        desk.models(Err("no".into())).press("kkkk").press("j").press(address).press("<enter>");
        assert_eq!(key(&desk, address).is_some(), keeps, "{address}");
        assert_eq!(desk.text().contains("typed"), keeps, "{}", desk.text());
        if !keeps {
            desk.press("kkkk").press("jj").press(KEY).press("<enter>");
            assert!(key(&desk, address).is_some());
        }
    }
    // One that was typed before there was an address is for the one that follows.
    let mut desk = providers(100, 30);
    desk.press("azure<enter>").press("j").press(KEY).press("<enter>");
    desk.press("https://x.openai.azure.com<enter>");
    assert!(key(&desk, "https://x.openai.azure.com").is_some());
}

#[test]
fn the_list_of_models_is_the_one_of_the_place_that_is_picked_and_what_was_typed_stays_chosen() {
    let mut desk = providers(100, 30);
    desk.press("openrouter<enter>");
    let Some(SetupAsk::Models(before)) = desk.asked().cloned() else { panic!("{:?}", desk.asks) };
    desk.press("k").press("<enter>").press("ollama<enter>").press("<enter>");
    assert_eq!(desk.top(), Some("choice"));
    desk.told(SetupReply::Models(before.clone(), Ok(vec!["far/away".into()])));
    assert!(!desk.text().contains("far/away"), "{}", desk.text());
    desk.told(SetupReply::Models(before, Err("no such host".into())));
    assert!(!desk.text().contains("no such host"), "{}", desk.text());
    desk.press("near");
    desk.models(Ok(vec!["near-1".into(), "near-2".into()]));
    assert!(desk.text().contains("near-1"), "{}", desk.text());
    desk.press("<enter>").press("<enter>");
    assert!(
        matches!(desk.asked(), Some(SetupAsk::Connect(pick)) if pick.model == "near"),
        "{:?}",
        desk.asked()
    );
}

/// A key that looks like one.
const DRAWN: &str = "sk-proj-4fJq0Zx81LmNwPq7RtYv";

impl Desk {
    /// Nothing of it that tells it stands anywhere.
    fn hides_all(&mut self, at: &str) {
        self.app.keep_draft();
        self.collect();
        let (text, part) = (self.text(), &DRAWN[8..20]);
        assert!(self.app.composer.draft.is_empty(), "{at}: {}", self.app.composer.draft.shown());
        assert!(!text.contains(part), "{at}: {text}");
        assert!(self.kept.iter().all(|kept| !kept.contains(part)) && self.inputs.is_empty(), "{at}");
    }
}

#[test]
fn a_key_goes_to_its_line_from_every_other_one_and_stands_nowhere() {
    // Up to a line of the page, or into what is opened from it.
    let ways = [
        ("", false),
        ("j", false),
        ("<enter>", false),
        ("<f1>", false),
        ("<ctrl-p>", false),
        ("<enter>openai<enter>", true),
        ("<enter>openai<enter>k", true),
        ("<enter>openai<enter>j", true),
        ("<enter>openai<enter>jj", true),
        ("<enter>openai<enter>jjj", true),
        ("<enter>openai<enter>j<enter>", true),
        ("<enter>openai<enter>jj<enter>", true),
        ("<enter>openai<enter>k<enter>", true),
        ("<enter>another<enter>", true),
        ("<enter>another<enter><enter>", true),
        ("<enter>another<enter>k<enter>", true),
    ];
    for (way, has_place) in ways {
        for pasted in [format!("{DRAWN}\n"), format!("export OPENAI_API_KEY={DRAWN}"), String::new()] {
            let at = format!("{way:?} {pasted:?}");
            let mut desk = first(100, 30);
            for part in way.split_inclusive('>') {
                desk.press(part);
            }
            let seen = |desk: &mut Desk| desk.hides_all(&at);
            if pasted.is_empty() {
                // As it comes from a terminal that marks no paste: the frame is drawn once it is there.
                DRAWN.chars().for_each(|letter| desk.app.key(key(&letter.to_string()), desk.now));
                desk.pause();
            } else {
                desk.paste(&pasted);
            }
            seen(&mut desk);
            assert_eq!(desk.top(), Some("prompt"), "{at} {}", desk.text());
            assert!(desk.text().contains(&"*".repeat(DRAWN.len())), "{at} {}", desk.text());
            desk.press("<enter>");
            seen(&mut desk);
            assert!(
                desk.top() == Some("connect") && desk.text().contains("typed  not shown"),
                "{at} {}",
                desk.text()
            );
            if !has_place {
                assert!(desk.text().contains("whose key is this"), "{at} {}", desk.text());
                desk.press("<enter>").press("openai<enter>");
            }
            let key = match desk.asks.iter().rev().find(|ask| matches!(ask, Ask::Setup(SetupAsk::Models(_))))
            {
                Some(Ask::Setup(SetupAsk::Models(pick))) => pick.key.clone(),
                _ if way.contains("another") => Some(Hidden(DRAWN.into())),
                other => panic!("{at} {other:?}"),
            };
            assert_eq!(key, Some(Hidden(DRAWN.into())), "{at}");
            seen(&mut desk);
        }
    }
}

#[test]
fn a_name_that_is_typed_and_looks_drawn_stays_a_name_and_one_that_is_pasted_is_a_key() {
    let name = "tune-4fJq0Zx81LmNwPq7RtYv";
    for pastes in [false, true] {
        for way in ["", "<enter>"] {
            let mut desk = providers(100, 30);
            desk.press("openrouter<enter>");
            desk.models(Err("no".into())).press(way);
            if pastes {
                desk.paste(name);
                assert_eq!(desk.top(), Some("prompt"), "{}", desk.text());
                assert!(!desk.text().contains(name), "{}", desk.text());
                continue;
            }
            name.chars().for_each(|letter| desk.app.key(key(&letter.to_string()), desk.now));
            desk.pause();
            assert_eq!(desk.top(), Some("choice"), "{}", desk.text());
            desk.press("<enter>").press("<enter>");
            assert!(
                matches!(desk.asked(), Some(SetupAsk::Connect(pick)) if pick.model == name && pick.key.is_none()),
                "{:?}",
                desk.asked()
            );
        }
    }
}

impl Desk {
    /// What a terminal sends: so many bytes in a read, one in so many milliseconds; each can have come so long before.
    fn send(&mut self, text: &str, (each, gap, late): (usize, u64, u64)) {
        let mut decoder = crate::keys::decoder::Decoder::default();
        decoder.take(b"\x1b[I", self.now, self.now);
        for bytes in text.as_bytes().chunks(each) {
            let now = self.wait(gap).now;
            decoder.take(bytes, now.checked_sub(Duration::from_millis(late)).unwrap(), now);
            while let Some((event, stamp)) = decoder.pop() {
                self.app.terminal(&event, stamp);
            }
        }
        self.pause();
    }
}

#[test]
fn letters_that_no_hand_types_are_pasted_also_where_the_terminal_marks_no_paste() {
    let drawn = "9f86d081884c7d659a2feaa0c55ad015";
    for (way, address) in [("", false), ("<enter>", false), ("", true), ("<enter>", true)] {
        for (sent, pastes) in [
            ((99, 0, 0), true),
            ((8, 5, 0), true),
            ((1, 5, 0), true),
            ((1, 40, 0), false),
            ((2, 90, 0), false),
            // The screen was not at it for so long.
            ((16, 2_000, 2_000), false),
        ] {
            let mut desk = providers(100, 30);
            desk.press(if address { "another<enter>" } else { "openrouter<enter>" });
            if !address {
                desk.models(Err("no".into()));
            }
            desk.press(way).wait(1_000).send(drawn, sent);
            let at = format!("{way:?} {address} {sent:?} {}", desk.text());
            let named = if address { "prompt" } else { "choice" };
            assert_eq!(desk.top(), Some(if pastes { "prompt" } else { named }), "{at}");
            assert_eq!(desk.text().contains(drawn), !pastes, "{at}");
            assert_eq!(desk.text().contains(&"*".repeat(drawn.len())), pastes, "{at}");
        }
    }
}

#[test]
fn an_address_that_can_be_none_keeps_the_cursor_and_one_of_this_machine_needs_no_scheme() {
    let mut desk = providers(100, 30);
    desk.press("another<enter>");
    for (typed, why) in [
        ("10.0.0.7:8000/v1", "begins with https://"),
        ("example.net/v1", "begins with https://"),
        ("localhostile.net", "begins with https://"),
        ("127.0.0.1.example.net/v1", "begins with https://"),
        ("http:///v1", "names no server"),
    ] {
        desk.press(typed).press("<enter>");
        assert!(desk.text().contains(why) && desk.text().contains(typed), "{typed} {}", desk.text());
        assert!(desk.asks.iter().all(|ask| !matches!(ask, Ask::Setup(SetupAsk::Models(_)))), "{typed}");
    }
    // What is typed next is the address once more, and Enter mends the one that stands there.
    desk.press("<enter>");
    assert!(desk.text().contains("http:///v1"), "{}", desk.text());
    desk.press("<esc>");
    for (typed, asked) in [
        ("localhost:8000/v1", "http://localhost:8000/v1"),
        ("127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("[::1]:8000/v1", "http://[::1]:8000/v1"),
        ("HTTPS://example.net/v1", "https://example.net/v1"),
    ] {
        desk.press(typed).press("<enter>");
        assert!(
            matches!(desk.asked(), Some(SetupAsk::Models(p)) if p.address == asked),
            "{typed} {:?}",
            desk.asked()
        );
        desk.models(Err("no".into())).press("kkkk").press("j");
    }
}

#[test]
fn an_address_holds_no_password_and_is_of_this_machine_only_where_nothing_else_can_be_meant() {
    let models = |desk: &mut Desk| {
        let asked = desk.asks.iter().filter(|ask| matches!(ask, Ask::Setup(SetupAsk::Models(_)))).count();
        (asked, desk.text())
    };
    // No scheme, and no name of this machine alone: nobody is asked.
    for typed in [
        "localhost:80x/v1",
        "localhost:/v1",
        "localhost:8000?x",
        "127.0.0.1.9/v1",
        "127.0.0.300/v1",
        "[::1]x:80",
    ] {
        let mut desk = providers(100, 30);
        desk.press("another<enter>").press(typed).press("<enter>");
        let (asked, text) = models(&mut desk);
        assert!(
            asked == 0 && text.contains("begins with https://") && text.contains(typed),
            "{typed} {text}"
        );
    }
    for (typed, left) in [
        ("localhost:pw77@10.0.0.9:8000/v1", "10.0.0.9:8000/v1"),
        ("127.0.0.1:pw77@10.0.0.9/v1", "10.0.0.9/v1"),
        ("https://pw77@example.net", "https://example.net"),
    ] {
        let mut desk = providers(100, 30);
        desk.press("another<enter>").press(typed).press("<enter>");
        let (asked, text) = models(&mut desk);
        assert!(asked == 0 && !text.contains("pw77"), "{typed} {text}");
        assert!(text.contains(&format!("{left}  without its user and password")), "{typed} {text}");
        // Enter mends it: it stands there without them.
        desk.press("<enter>");
        assert!(desk.text().contains(left) && !desk.text().contains("pw77"), "{typed} {}", desk.text());
    }
    // It is weighed once more as it is asked.
    let mut desk = providers(100, 30);
    desk.press("another<enter>").press(&format!("localhost:8000/{DRAWN}")).press("<enter>");
    assert_eq!(models(&mut desk).0, 0, "{}", desk.text());
    desk.hides_all("path");
}

#[test]
fn what_holds_more_than_a_key_and_a_key_for_nobody_are_refused_and_stand_nowhere() {
    let several = format!("A_KEY={DRAWN}\nB_KEY=gsk_9aB8cD7eF6gH5iJ4kL3mN2oP");
    for (way, pasted, said) in [
        ("", several.as_str(), "paste the key alone"),
        ("<enter>", &several, "paste the key alone"),
        ("<enter>openai<enter>j<enter>", &several, "paste the key alone"),
        ("<enter>ollama<enter>", DRAWN, "ollama takes none"),
        ("<enter>ollama<enter><enter>", DRAWN, "ollama takes none"),
        ("<enter>offline<enter>", DRAWN, "offline engine takes none"),
    ] {
        let mut desk = first(100, 30);
        for part in way.split_inclusive('>') {
            desk.press(part);
        }
        desk.paste(pasted);
        desk.hides_all(way);
        assert!(desk.text().contains(said), "{way} {}", desk.text());
        assert_eq!(desk.top(), Some("connect"), "{way}");
        let keeps = |ask: &Ask| matches!(ask, Ask::Setup(SetupAsk::Models(pick)) if pick.key.is_some());
        assert!(!desk.asks.iter().any(keeps), "{way}");
    }
    // All is picked: nothing is written on the lines that are left, and nothing of it becomes a draft.
    let mut desk = ready(100, 30);
    desk.paste("what does this do?");
    assert!(desk.text().contains("this line takes no text"), "{}", desk.text());
    desk.hides_all("ready");
}
