//! For tests: a session told event by event, and cells written down as text and styles.
#![allow(clippy::unwrap_used)]

use std::time::Instant;

use pilothouse_core::{
    blob::{Blob, BlobId, Excerpt},
    diff,
    event::{Event, Stamped},
    ids::{CallId, CheckpointId, LaneId, Millis, ProposalId, RunId, Seq, TaskId, TurnId},
    intent::{IntentNode, IntentPath, Source, Turn},
    pipeline::StageEvent,
    plan::{GateDraft, Plan, PlanDraft, TaskDraft},
    port::Surroundings,
    proposal::Proposal,
    question::Review,
    relpath::RelPath,
    scope::ToolScope,
    session::{LaneKind, Session},
    talk::{Finish, Usage},
    tool::{ChangeKind, Exit, Tool},
};
use ratatui::{
    buffer::Buffer,
    layout::{Rect, Size},
    style::Modifier,
};

use crate::{
    composer::Draft,
    highlight::Highlighter,
    keymap::Keymap,
    pane::{Ctx, Focus},
    standing::{Pressed, Standing},
    theme::{Glyphs, Slot, Theme},
};

/// 14:02 UTC.
pub(crate) const START: u64 = 1_700_000_000_000 / 86_400_000 * 86_400_000 + (14 * 60 + 2) * 60_000;

pub(crate) struct Story {
    pub(crate) session: Session,
    pub(crate) events: Vec<Stamped>,
    pub(crate) theme: Theme,
    pub(crate) glyphs: Glyphs,
    surroundings: Surroundings,
    colours: Highlighter,
    keymap: Keymap,
    draft: Draft,
    asked: Standing<CheckpointId>,
    now: Instant,
    pub(crate) at: u64,
}

impl Story {
    pub(crate) fn new() -> Self {
        let theme = Theme::builtin("default").unwrap();
        Self {
            session: Session::new(),
            events: Vec::new(),
            theme,
            glyphs: Glyphs::UNICODE,
            surroundings: Surroundings::default(),
            colours: Highlighter::off(),
            keymap: Keymap::standard(),
            draft: Draft::default(),
            asked: Standing::default(),
            now: Instant::now(),
            at: START,
        }
    }

    pub(crate) fn ctx(&self) -> Ctx<'_> {
        Ctx {
            theme: &self.theme,
            glyphs: &self.glyphs,
            session: &self.session,
            state: self.session.state(),
            surroundings: &self.surroundings,
            runs: &[],
            colours: &self.colours,
            keymap: &self.keymap,
            now: Millis(self.at),
            spinner: 0,
            body: Rect::new(0, 1, 100, 26),
            above_bar: Rect::new(0, 1, 100, 26),
            focus: Focus::Composer,
            draft: &self.draft,
            asked: &self.asked,
            at: self.now,
            pressed: Pressed::default(),
        }
    }

    /// An event, folded into the session.
    pub(crate) fn tell(&mut self, event: Event) -> Stamped {
        let stamped =
            Stamped { seq: Seq(self.events.len() as u64 + 1), at: Millis(self.at), run: None, event };
        self.session.apply(&stamped);
        self.events.push(stamped.clone());
        stamped
    }

    pub(crate) fn later(&mut self, ms: u64) {
        self.at += ms;
    }
}

pub(crate) fn excerpt(text: &str) -> Excerpt {
    Excerpt::of(text, &mut Vec::new())
}

pub(crate) fn path(text: &str) -> RelPath {
    RelPath::new(text).unwrap()
}

pub(crate) fn said(turn: u64, text: &str) -> Event {
    Event::TurnStarted { turn: TurnId(turn), text: excerpt(text), branch: None }
}

/// The end of a pipeline's last stage.
pub(crate) fn stage_ended(word_for_word: bool) -> Event {
    let happened = StageEvent::StageCompleted {
        stage: 5,
        output: Excerpt::default(),
        note: String::new(),
        queries: Vec::new(),
        skipped: false,
        again: false,
        lacks: String::new(),
        word_for_word,
        spent: Usage::default(),
    };
    Event::Staged { pipeline: RunId(7), happened }
}

/// The message asks for work of this kind.
pub(crate) fn understood(turn: u64, node: IntentNode) -> Event {
    Event::IntentClassified {
        turn: TurnId(turn),
        class: Turn::PlanNew(None),
        path: IntentPath::to(node),
        confidence: 1.0,
        sub_confidence: None,
        segments: None,
        source: Source::AtNode,
        reasoning: String::new(),
        forbids: false,
        forbids_run: false,
        spares: Vec::new(),
        frees: Vec::new(),
        request: None,
        usage: None,
        key: None,
    }
}

pub(crate) fn lane(id: u64, kind: LaneKind, node: IntentNode) -> Event {
    Event::LaneOpened {
        lane: LaneId(id),
        kind,
        turn: TurnId(1),
        node,
        ceiling: ToolScope::FULL,
        fixed: false,
    }
}

pub(crate) fn thinking(call: u64, lane: u64) -> Event {
    Event::ThinkingStarted { call: CallId(call), lane: LaneId(lane) }
}

pub(crate) fn replied(call: u64, lane: u64, text: &str) -> Event {
    Event::MessageCompleted {
        turn: TurnId(1),
        lane: LaneId(lane),
        call: CallId(call),
        text: excerpt(text),
        reasoning: Excerpt::default(),
        echo: None,
        calls: Vec::new(),
        usage: Usage { input: 4_000, output: 523, cost_micros: Some(30_000), ..Usage::default() },
        finish: Finish::Stop,
        model: "m".into(),
        intermediate: false,
        cut: false,
    }
}

pub(crate) fn started(call: u64, tool: Tool, subject: &str) -> Event {
    Event::CallStarted {
        call: CallId(call),
        lane: LaneId(1),
        tool,
        subject: subject.into(),
        args: BlobId::of(b""),
        epoch: 0,
        approval: None,
        confine: None,
        ruling: None,
    }
}

pub(crate) fn ended(call: u64, summary: &str, result: &str) -> Event {
    Event::CallEnded {
        call: CallId(call),
        lane: LaneId(1),
        status: pilothouse_core::event::CallStatus::Done,
        summary: summary.into(),
        result: excerpt(result),
        notes: Vec::new(),
        seen: Vec::new(),
        parts: Vec::new(),
        ruling: None,
        answer: None,
    }
}

pub(crate) fn exit(code: i32) -> Exit {
    Exit {
        code: Some(code),
        signal: None,
        timed_out: false,
        took: Millis(900),
        process: None,
        put_back: false,
    }
}

/// The plan of the pictures: five tasks, two gates.
pub(crate) fn plan() -> Plan {
    let task = |title: &str, file: &str| TaskDraft {
        title: title.into(),
        files: vec![file.into()],
        ..TaskDraft::default()
    };
    let gate = |name: &str, command: &str, after| GateDraft {
        name: name.into(),
        command: command.into(),
        after,
        found: false,
    };
    let draft = PlanDraft {
        title: "Add rate limiting".into(),
        note: "Buckets live in memory and are lost on a restart.".into(),
        tasks: vec![
            task("Token bucket in core", "src/core/bucket.rs"),
            task("Wire it into login", "src/auth/login.rs"),
            task("Answer 429 with Retry-After", "src/http/error.rs"),
            task("Tests for burst and refill", "tests/login_rate.rs"),
            task("Describe the limits in docs", "docs/limits.md"),
        ],
        gates: vec![
            gate("syntax", "cargo check --quiet", vec![1, 2, 3]),
            gate("tests", "cargo test login", vec![4]),
        ],
        unchecked: None,
    };
    draft.build(TurnId(1), 1).unwrap()
}

/// A proposal with its contents.
pub(crate) fn proposal(
    id: u64,
    file: &str,
    before: impl AsRef<[u8]>,
    after: impl AsRef<[u8]>,
) -> (Event, Vec<Blob>) {
    let (before, after) = (before.as_ref(), after.as_ref());
    let blobs = [before, after].map(|t| Blob::new(t.to_vec()));
    let kind = match (before.is_empty(), after.is_empty()) {
        (true, _) => ChangeKind::Create,
        (false, true) => ChangeKind::Delete,
        (false, false) => ChangeKind::Modify,
    };
    let hunks = diff::hunks(before, after);
    let added = hunks.iter().map(diff::Hunk::added).sum();
    let removed = hunks.iter().map(diff::Hunk::removed).sum();
    let proposal = Proposal {
        id: ProposalId(id),
        lane: LaneId(1),
        call: CallId(900 + id),
        task: Some(TaskId(2)),
        path: path(file),
        kind,
        control: None,
        before: (kind != ChangeKind::Create).then(|| blobs[0].id()),
        after: (kind != ChangeKind::Delete).then(|| blobs[1].id()),
        hunks,
        notes: Vec::new(),
        decided: std::collections::BTreeMap::new(),
        splits: 0,
        meets: Vec::new(),
        back: None,
        status: pilothouse_core::proposal::ProposalStatus::Open,
    };
    (Event::Proposed { proposal, added, removed }, blobs.to_vec())
}

pub(crate) fn review(id: u64, proposals: &[u64]) -> Event {
    Event::CheckpointOpened {
        checkpoint: pilothouse_core::checkpoint::Checkpoint {
            id: pilothouse_core::ids::CheckpointId(id),
            kind: pilothouse_core::checkpoint::CheckpointKind::Diff(Review {
                lane: LaneId(1),
                proposals: proposals.iter().map(|p| ProposalId(*p)).collect(),
            }),
            message: "changes wait".into(),
            run: None,
        },
    }
}

pub(crate) fn area(width: u16, height: u16) -> (Size, Rect) {
    (Size { width, height }, Rect::new(0, 0, width, height))
}

/// The text of every row, without the blanks at its end; what stands behind a wide character is
/// left out.
pub(crate) fn text(buf: &Buffer) -> Vec<String> {
    let rows = (buf.area.top()..buf.area.bottom()).map(|y| {
        let mut row = String::new();
        let mut x = buf.area.left();
        while x < buf.area.right() {
            let symbol = buf.cell((x, y)).unwrap().symbol();
            row.push_str(symbol);
            x += u16::try_from(crate::row::width(symbol)).unwrap().max(1);
        }
        row.trim_end().to_owned()
    });
    rows.collect()
}

/// One letter a cell for the colour of its text, capital when bold; `.` for the terminal's own.
pub(crate) fn inks(buf: &Buffer, theme: &Theme, y: u16) -> String {
    let letters = [
        (Slot::Accent, 'a'),
        (Slot::Info, 'i'),
        (Slot::Ok, 'g'),
        (Slot::OkDim, 'd'),
        (Slot::Warn, 'w'),
        (Slot::Bad, 'r'),
        (Slot::Strong, 'h'),
        (Slot::Soft, 's'),
        (Slot::Faint, 'f'),
        (Slot::Line, 'l'),
    ];
    let letter = |x: u16| {
        let cell = buf.cell((x, y)).unwrap();
        if cell.symbol() == " " {
            return ' ';
        }
        let found =
            letters.iter().find(|(s, _)| theme.style(*s).fg == Some(cell.fg)).map_or('.', |(_, l)| *l);
        if cell.modifier.contains(Modifier::BOLD) {
            if found == '.' { 'B' } else { found.to_ascii_uppercase() }
        } else {
            found
        }
    };
    (buf.area.left()..buf.area.right()).map(letter).collect::<String>().trim_end().to_owned()
}

/// One letter a cell for its ground; `.` for the terminal's own.
pub(crate) fn grounds(buf: &Buffer, theme: &Theme, y: u16) -> String {
    let letters = [
        (Slot::Add, '+'),
        (Slot::AddWord, 'A'),
        (Slot::Rem, '-'),
        (Slot::RemWord, 'R'),
        (Slot::Select, 's'),
        (Slot::Surface, 'c'),
    ];
    let letter = |x: u16| {
        let bg = buf.cell((x, y)).unwrap().bg;
        letters.iter().find(|(s, _)| theme.fill(*s).bg == Some(bg)).map_or('.', |(_, l)| *l)
    };
    (buf.area.left()..buf.area.right()).map(letter).collect()
}
