//! Worktrees that are dropped under sessions of the window.

use pilothouse_core::{intent::Mode, scope::PermissionMode};

use super::*;

fn sqlx() -> Worktree {
    Worktree { name: "sqlx".into(), path: "/w/x-sqlx".into(), branch: "pilothouse/sqlx".into() }
}

impl Bench {
    /// A session of this window works in that folder.
    fn moves(&mut self, number: Number, folder: &str, events: &[Told]) {
        let begun = Told::SessionOpened {
            slug: format!("s{number}"),
            folder: folder.to_owned(),
            version: "0".to_owned(),
            mode: Mode::Exploratory,
            permission: PermissionMode::Ask,
            sandbox: None,
            mode_said: false,
        };
        self.events(number, &[&[begun][..], events].concat());
    }

    fn quits(&mut self, number: Number) -> bool {
        self.requests(number).iter().any(|r| matches!(r, Request::Quit))
    }

    fn dropped(&mut self) {
        let ended = HostUpdate::Ended(WorktreeEnd::Drop, sqlx(), "/w/x-sqlx is gone".into());
        self.window.told::<()>(ended, self.now);
        self.window.carry_out(self.now);
    }
}

#[test]
fn a_worktree_whose_run_waits_goes_by_no_key() {
    let waits = [story::said(1, "Fix the build"), lane(), story::review(9, &[])];
    let mut bench = Bench::alone();
    let other = bench.window.opened(&SessionWish::default(), bench.now).unwrap();
    bench.open(other, &[]);
    bench.moves(other, "/w/x-sqlx", &waits);
    bench.draw();
    bench.window.told::<()>(HostUpdate::Listed(vec![sqlx()], Vec::new()), bench.now);
    bench.leader('r');
    bench.pause();
    let _ = std::iter::from_fn(|| bench.window.next_host_request()).count();
    for key in ["D", "M"] {
        bench.keys(key);
        bench.pause();
        let text = bench.draw();
        assert!(text.contains("it is waiting for your answer; x stops it first"), "{key}: {text}");
        let ends = std::iter::from_fn(|| bench.window.next_host_request());
        assert!(!ends.into_iter().any(|r| matches!(r, HostRequest::End { .. })), "{key}");
    }
}

#[test]
fn a_session_whose_folder_is_gone_makes_room_for_one_that_stands() {
    let mut bench = Bench::alone();
    bench.moves(0, "/w/x-sqlx", &[story::said(1, "hello")]);
    let other = bench.window.opened(&SessionWish::default(), bench.now).unwrap();
    bench.open(other, &[]);
    bench.moves(other, "/w/x", &[story::said(1, "hello")]);
    bench.draw();
    bench.dropped();
    assert!(bench.quits(0) && !bench.quits(other), "the one that stands stays");
    assert_eq!(bench.window.number, other);
    assert!(bench.draw().contains("/w/x-sqlx is gone"));
    let _ = bench.window.update(0, Update::Closed(None), bench.now);
    assert_eq!((bench.window.sessions(), bench.quits(other)), (1, false));
}

#[test]
fn the_only_session_goes_with_its_folder_once_another_is_there() {
    let mut bench = Bench::alone();
    bench.moves(0, "/w/x-sqlx", &[story::said(1, "hello")]);
    bench.draw();
    bench.dropped();
    assert!(!bench.quits(0), "the program goes on");
    let mut asked = std::iter::from_fn(|| bench.window.next_host_request());
    let wish = asked.find_map(|r| if let HostRequest::Open(wish) = r { Some(wish) } else { None }).unwrap();
    assert!(wish.front && wish.worktree.is_none() && wish.session.is_none(), "{wish:?}");
    let number = bench.window.opened(&wish, bench.now).unwrap();
    bench.open(number, &[]);
    assert!(bench.quits(0) && bench.window.number == number);
    assert!(bench.draw().contains("/w/x-sqlx is gone"));
}
