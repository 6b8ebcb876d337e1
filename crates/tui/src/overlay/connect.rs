//! Who answers and how the screen looks, picked on one page: at the first start, and by `/connect`.
//!
//! Owns what was picked and the words. Nothing holds before it is kept, and that the driver does; a key is shown nowhere.
//! Nothing that is written while it is open reaches the draft, and what looks like a key is taken for one on every line, but
//! for a name that is typed letter by letter where one is wanted.

mod line;
mod place;

use crossterm::event::{KeyCode, KeyEvent};
use pilothouse_core::{
    intent::Slash,
    port::{Ask, Hidden, ModelPick, ModelPlace, Reply, SetupAsk, SetupReply},
    redact::Handed,
    talk::OFFLINE,
};
use ratatui::buffer::Buffer;

use self::{
    line::Line,
    place::{Place, SERVER, host, spoken},
};
use super::{
    Caret, Letter, Overlay, OverlayKind, Prompt, Written,
    choice::Choice,
    entry,
    page::{CHOOSES, choose, frame, paint},
    prompt::Purpose,
};
use crate::{
    ctx::{Ctx, Outcome},
    keymap::{Action, Entry},
    row::{Row, coded, count, wrap},
    theme::Slot,
};

/// Columns of the page at most.
const WIDTH: u16 = 88;
/// Columns of the name of a line.
const NAME: usize = 10;
/// By what else a server is looked for that no preset names.
const SERVER_WORDS: &str = "custom local own self-hosted address url openai-compatible";
/// Said where nothing can be written.
const NO_LINE: &str = "this line takes no text; press Esc to close the page, then type your message";
/// Said of what holds more than one key, or a key and more.
const SEVERAL: &str = "that contains more than a key and was not kept; paste the key alone";

/// The page.
pub const KIND: OverlayKind = OverlayKind::page(
    Entry { name: "connect", label: "connect a model", reach: "opens a page" },
    Some(Slash::Connect),
    |ctx| Ok(Box::new(Connect { first: ctx.surroundings.first_start, ..Connect::default() })),
);

/// What is known of the models that the place has.
#[derive(Debug, Default)]
enum Models {
    #[default]
    Unasked,
    Asked,
    Known(Vec<String>),
    Unknown(String),
}

/// The page.
#[derive(Debug, Default)]
struct Connect {
    /// Whether it opened by itself, at the first start.
    first: bool,
    places: Vec<ModelPlace>,
    place: Option<Place>,
    pick: ModelPick,
    models: Models,
    /// What is left to be mended of an address that was typed and can be none, and why.
    wrong: Option<(String, &'static str)>,
    at: usize,
    /// What the line that is asked for above is.
    asks: Option<Line>,
    wants: Vec<Ask>,
    /// The question whether it is kept.
    keeps: Option<u64>,
    kept: bool,
}

impl Connect {
    /// The lines that there are by now.
    fn lines(&self) -> Vec<Line> {
        let place = self.place.as_ref();
        let is = |what: fn(&Place) -> bool| place.is_some_and(what);
        let lines = [
            (Line::Place, true),
            (Line::Address, is(Place::wants_address)),
            (Line::Key, is(Place::takes_key) || place.is_none() && self.pick.key.is_some()),
            (Line::Model, is(|place| *place != Place::Engine)),
            (Line::Theme, true),
            (Line::Keep, place.is_some()),
        ];
        lines.into_iter().filter(|(_, there)| *there).map(|(line, _)| line).collect()
    }

    fn go(&mut self, to: Line) {
        self.at = self.lines().iter().position(|line| *line == to).unwrap_or_default();
    }

    /// The first line without which nothing can be kept, and what is to be done there.
    fn missing(&self) -> Option<(Line, &'static str)> {
        let place = self.place.as_ref()?;
        let key = place.key_from().is_some() || self.pick.key.is_some();
        if self.wrong.is_some() {
            Some((Line::Address, "fix its address first"))
        } else if place.wants_address() && self.pick.address.is_empty() {
            Some((Line::Address, "type its address first"))
        } else if matches!(place, Place::Known(known) if known.wants_key) && !key {
            Some((Line::Key, "type its key first"))
        } else if self.pick.model.is_empty() {
            Some((Line::Model, "pick a model first"))
        } else {
            None
        }
    }

    /// What is to be done next: where something is missing, there.
    fn go_on(&mut self) {
        self.go(self.missing().map_or(Line::Keep, |(line, _)| line));
    }

    /// Asks which models the place has, once it can be asked.
    fn ask_models(&mut self) {
        self.models = Models::Unasked;
        if self.missing().is_none_or(|(line, _)| line == Line::Model) {
            self.models = Models::Asked;
            self.wants.push(Ask::Setup(SetupAsk::Models(self.unnamed())));
        }
    }

    /// What is picked but for the model: as its models are asked for.
    fn unnamed(&self) -> ModelPick {
        ModelPick { model: String::new(), ..self.pick.clone() }
    }

    /// A key stays with the host that it was typed for.
    fn take_address(&mut self, typed: &str) {
        let address = match spoken(typed) {
            Ok(address) => address,
            Err(wrong) => {
                self.wrong = Some(wrong);
                return self.go(Line::Address);
            }
        };
        self.wrong = None;
        let address = address.as_str();
        let before = std::mem::replace(&mut self.pick.address, address.to_owned());
        if !before.is_empty() && host(&before) != host(address) {
            self.pick.key = None;
        }
        self.ask_models();
        self.go_on();
    }

    fn take_place(&mut self, name: &str) {
        let known = self.places.iter().find(|place| place.name == name);
        let place = match known {
            Some(known) => Place::Known(known.clone()),
            None if name == SERVER => Place::Server,
            None => Place::Engine,
        };
        let engine = place == Place::Engine;
        // One that was given before any provider was picked is for the one that is.
        let key = self.pick.key.take().filter(|_| self.place.is_none() && place.takes_key());
        self.pick = ModelPick {
            place: known.map(|place| place.name.clone()).unwrap_or_default(),
            key,
            model: if engine { OFFLINE.to_owned() } else { String::new() },
            ..ModelPick::default()
        };
        (self.place, self.wrong) = (Some(place), None);
        if engine {
            self.models = Models::Unasked;
        } else {
            self.ask_models();
        }
        self.go_on();
    }

    /// Asks for the key, which is not shown.
    fn key_prompt(&self) -> Prompt {
        let question = match &self.place {
            Some(place) => format!("The key for {}: readable by you alone, never shown", place.name()),
            None => "This looks like a key: Enter keeps it for the provider you pick next; it is never shown"
                .to_owned(),
        };
        Prompt::new(Purpose::Hidden, question, None)
    }

    /// What Enter does on the chosen line.
    fn enter(&mut self) -> Outcome {
        let Some(line) = self.lines().get(self.at).copied() else { return Outcome::none() };
        self.asks = Some(line);
        let name = self.place.as_ref().map_or("", Place::name);
        match line {
            Line::Place => {
                let known = self.places.iter().cloned().map(Place::Known);
                let all = known.chain([Place::Server, Place::Engine]);
                let rows = all.map(|place| (place.name().to_owned(), place.about())).collect();
                let unlike = format!(
                    "No provider by that name; \"{SERVER}\" takes any address. Enter puts what you typed into your draft"
                );
                let list = Choice::of("Provider", rows).at(name).keeps(SERVER, SERVER_WORDS, unlike);
                Outcome::open(list.lets_on(self.first && self.place.is_none()))
            }
            Line::Address => {
                Outcome::open(address(self.wrong.as_ref().map_or(&self.pick.address, |(typed, _)| typed)))
            }
            Line::Key => Outcome::open(self.key_prompt()),
            Line::Model => {
                let (names, none) = match &self.models {
                    Models::Known(names) => (names.as_slice(), "The server lists no models; type the name."),
                    Models::Asked => (&[][..], "Asking the server for its models; you can also type a name."),
                    Models::Unasked | Models::Unknown(_) => {
                        (&[][..], "Its models are not known; type the name.")
                    }
                };
                let names = Choice::models(self.unnamed(), names, none.to_owned());
                Outcome::open(names.at(&self.pick.model))
            }
            Line::Theme => Outcome { themes: true, ..Outcome::none() },
            Line::Keep => match self.missing() {
                Some((line, what)) => {
                    self.go(line);
                    Outcome::complaint(what)
                }
                None => Outcome {
                    asks: vec![Ask::Setup(SetupAsk::Connect(self.pick.clone()))],
                    ..Outcome::none()
                },
            },
        }
    }

    /// The line that text goes to: the chosen one, else what is missing.
    fn written(&self) -> Option<Line> {
        if self.place.is_none() {
            return Some(Line::Place);
        }
        let chosen = self.lines().get(self.at).copied();
        let takes = chosen.filter(|line| matches!(line, Line::Address | Line::Key | Line::Model));
        takes.or(self.missing().map(|(line, _)| line))
    }

    /// Takes a key that was written where it would stand readable: it is asked for again, hidden, and on the way to Enter.
    fn take_handed(&mut self, handed: Handed<'_>) -> Option<Outcome> {
        let place = self.place.as_ref();
        Some(match (handed, place.filter(|place| !place.takes_key())) {
            (Handed::Nothing, _) => return None,
            (Handed::Several, _) => Outcome::complaint(SEVERAL),
            (Handed::Key(_), Some(place)) => {
                let name = place.name();
                Outcome::complaint(format!("that looks like a key, but {name} takes none; it was not kept"))
            }
            (Handed::Key(key), None) => {
                self.asks = Some(Line::Key);
                self.go(if place.is_some() { Line::Key } else { Line::Place });
                let mut prompt = self.key_prompt();
                prompt.paste(key);
                Outcome::open(prompt)
            }
        })
    }

    /// What stands behind the name of a line.
    fn value(&self, line: Line, ctx: &Ctx<'_>) -> Row {
        let soft = |text: &str| Row::of(text, Slot::Soft);
        match line {
            Line::Place => match &self.place {
                None if self.pick.key.is_some() => soft("Enter picks one: whose key is this?"),
                None => soft("Enter picks one"),
                Some(place) => {
                    Row::of(place.name(), Slot::Text).and("  ", Slot::Soft).and(&place.about(), Slot::Soft)
                }
            },
            Line::Address if let Some((typed, why)) = &self.wrong => {
                Row::of(typed, Slot::Text).and(&format!("  {why}"), Slot::Warn)
            }
            Line::Address if self.pick.address.is_empty() => soft("none yet"),
            Line::Address => Row::of(&self.pick.address, Slot::Text),
            Line::Key => match (&self.pick.key, self.place.as_ref().and_then(Place::key_from)) {
                (Some(_), _) => Row::of("typed", Slot::Text).and("  not shown", Slot::Soft),
                (None, Some(from)) => soft(from),
                (None, None) => soft("none yet"),
            },
            Line::Model => {
                let named = !self.pick.model.is_empty();
                let row = if named { Row::of(&self.pick.model, Slot::Text) } else { soft("none yet") };
                match &self.models {
                    Models::Unasked => row,
                    Models::Asked => row.and("  asking for the list", Slot::Soft),
                    Models::Known(names) => {
                        row.and(&format!("  {} there", count(names.len(), "model")), Slot::Soft)
                    }
                    Models::Unknown(why) => {
                        row.and(&format!("  its models are not known: {why}"), Slot::Warn)
                    }
                }
            }
            Line::Theme => Row::of(ctx.theme.name(), Slot::Text),
            Line::Keep => match self.missing() {
                Some((_, what)) => soft(what),
                None => soft("from now on, here and in new sessions"),
            },
        }
    }

    fn rows(&self, ctx: &Ctx<'_>, columns: usize, room: usize) -> Vec<Row> {
        let begins = if self.first {
            "Which model should answer? Any OpenAI-compatible one can. Without one the offline engine finds, explains, \
             renames, reviews and tests, and nothing leaves this machine. Esc keeps the offline engine; `/connect` opens this page \
             again."
                .to_owned()
        } else {
            let around = ctx.surroundings;
            let from = &around.model_from;
            let from = if from.is_empty() { String::new() } else { format!(" ({from})") };
            format!("Now: {}{from}.", around.model)
        };
        let lines = self.lines();
        // Where room is short, what can be picked goes before what is said of it.
        let mut rows = wrap(&coded(&begins, Slot::Text).pieces, columns);
        rows.push(Row::new());
        if rows.len() + lines.len() > room {
            rows.clear();
        }
        for (n, line) in lines.into_iter().enumerate() {
            let chosen = n == self.at;
            let (name, keeps) = (line.name(), line == Line::Keep);
            let ink = if chosen || keeps { Slot::Strong } else { Slot::Soft };
            let mut row =
                entry(chosen, ctx.glyphs).and(&format!("{name:NAME$}"), ink).with(self.value(line, ctx));
            row = row.cut(columns, ctx.glyphs.ellipsis);
            row.ground = chosen.then_some(Slot::Select);
            rows.push(row);
        }
        for (n, line) in OTHERWISE.into_iter().enumerate() {
            let said = wrap(&coded(line, Slot::Soft).pieces, columns);
            let air = usize::from(n == 0);
            if rows.len() + air + said.len() <= room {
                rows.extend(std::iter::repeat_n(Row::new(), air).chain(said));
            }
        }
        rows
    }
}

/// Asks for an address; this one stands there already.
fn address(now: &str) -> Prompt {
    Prompt::line("Address", "The address before /chat/completions, such as http://127.0.0.1:8000/v1", now)
}

/// The ways that need no page.
const OTHERWISE: [&str; 2] = [
    "For this session only: `/model PRESET:NAME`. Environment variables override what is saved here: `PILOTHOUSE_BASE_URL`, `PILOTHOUSE_MODEL`, `PILOTHOUSE_API_KEY`, `PILOTHOUSE_EFFORT`.",
    "`pilothouse auth set PRESET` also stores a key; `pilothouse config path` prints where the settings file is.",
];

impl Overlay for Connect {
    fn name(&self) -> &'static str {
        KIND.entry.name
    }

    fn asks(&self) -> Vec<Ask> {
        vec![Ask::Setup(SetupAsk::Places)]
    }

    fn wants(&mut self) -> Vec<Ask> {
        std::mem::take(&mut self.wants)
    }

    fn asked(&mut self, number: u64) {
        // A theme that is taken above it is kept by itself.
        if self.asks.take_if(|line| *line == Line::Keep).is_some() {
            self.keeps = Some(number);
        }
    }

    fn answered(&mut self, number: u64, reply: &Reply) {
        let Reply::Setup(reply) = reply else { return };
        match reply {
            SetupReply::Places(places) => self.places.clone_from(places),
            SetupReply::Models(of, told) => {
                if *of == self.unnamed() {
                    self.models = match told {
                        Ok(names) => Models::Known(names.clone()),
                        Err(why) => Models::Unknown(why.clone()),
                    };
                }
            }
            SetupReply::Kept(told) => self.kept |= self.keeps == Some(number) && told.is_ok(),
        }
    }

    fn is_over(&self, _ctx: &Ctx<'_>) -> bool {
        self.kept
    }

    fn typed(&mut self, line: String) {
        let text = line.trim();
        match self.asks.take() {
            Some(Line::Place) => self.take_place(text),
            Some(Line::Address) => self.take_address(text),
            Some(Line::Key) => {
                self.pick.key = (!text.is_empty()).then(|| Hidden(text.to_owned()));
                if self.place.is_some() {
                    self.ask_models();
                    self.go_on();
                }
            }
            Some(Line::Model) => {
                text.clone_into(&mut self.pick.model);
                self.go_on();
            }
            Some(Line::Theme | Line::Keep) | None => {}
        }
    }

    fn weighs(&self, letter: char, _action: Option<Action>, _ctx: &Ctx<'_>) -> Option<Letter> {
        // Where a line can be typed, a letter that moves may be its first one.
        let moves = if self.written().is_some() { &[] } else { CHOOSES };
        Some(Letter::of(letter, moves, &['j', 'k', 'q']))
    }

    fn begins(&mut self, line: &str, how: Written) -> Option<Outcome> {
        let handed = how.weighed(line, self.written());
        if handed != Handed::Nothing && self.lines().get(self.at) != Some(&Line::Key) {
            return self.take_handed(handed);
        }
        let is_message = line.starts_with(['/', '!', '@']) || line.trim().contains(char::is_whitespace);
        if self.first && self.place.is_none() && is_message {
            return None;
        }
        let Some(to) = self.written() else { return Some(Outcome::complaint(NO_LINE)) };
        if line.chars().all(|letter| CHOOSES.contains(&letter)) {
            let of = self.lines().len();
            line.chars().for_each(|letter| _ = choose(KeyCode::Char(letter).into(), &mut self.at, of));
            return Some(Outcome::none());
        }
        self.go(to);
        let mut outcome = self.enter();
        if to == Line::Address {
            // It is another one than the one that stands there.
            outcome = Outcome::open(address(""));
        }
        if let Some(asked) = &mut outcome.open {
            asked.paste(if let Handed::Key(key) = handed { key } else { line });
        }
        Some(outcome)
    }

    fn handed(&mut self, text: &str, how: Written) -> Option<Outcome> {
        self.take_handed(how.weighed(text, self.asks))
    }

    fn key(&mut self, key: KeyEvent, _ctx: &Ctx<'_>) -> Option<Outcome> {
        let of = self.lines().len();
        if choose(key, &mut self.at, of) {
            return Some(Outcome::none());
        }
        if key.code == KeyCode::Enter {
            return Some(self.enter());
        } else if key.code == KeyCode::Char('q') {
            return Some(Outcome::close());
        }
        Some(Outcome::none())
    }

    fn render(&self, ctx: &Ctx<'_>, buf: &mut Buffer) -> Caret {
        let columns = usize::from(ctx.body.width.min(WIDTH).saturating_sub(4)).max(8);
        let room = usize::from(ctx.body.height).saturating_sub(3);
        let rows = self.rows(ctx, columns, room);
        let height = u16::try_from(rows.len() + 4).unwrap_or(u16::MAX);
        let area = super::centred(ctx.body, WIDTH, height);
        let enter =
            self.lines().get(self.at).map_or("", |line| if *line == Line::Keep { "use it" } else { "pick" });
        let keys = [("j k", "move"), ("Enter", enter), ("Esc", "close")];
        let title = if self.first { "Welcome to Pilothouse" } else { "Connect a model" };
        let inner = frame(ctx, area, title, "", &keys, buf);
        paint(&rows, ctx, inner, buf);
        None
    }
}
