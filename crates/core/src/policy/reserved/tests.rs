#![allow(clippy::unwrap_used)]

use super::*;

fn at(root: &str) -> Places {
    Places {
        root: root.into(),
        home: "/home/u".into(),
        own: vec!["/srv/ph".into(), "/home/u/.config/pilothouse".into()],
    }
}

#[test]
fn a_workspace_that_holds_a_reserved_place_or_lies_in_one_is_told() {
    for root in [
        "/",
        "/home",
        "/home/u",
        "/HOME/U",
        "/home/u/.ssh",
        "/home/u/.config",
        "/home/u/.config/nvim/lua",
        "/home/u/.config/pilothouse/state",
        "/home/u/bin",
        "/home/u/Library/LaunchAgents",
        "/srv",
        "/srv/ph",
        "/srv/ph/sessions/x",
        "/etc",
        "/etc/nginx",
        "/usr",
        "/usr/local",
        "/usr/local/bin",
        "/dev",
        "/proc/1",
        "/sys/kernel",
        "/private",
    ] {
        assert!(at(root).exposed().is_some(), "{root}");
    }
    for root in [
        "/home/u/project",
        "/home/u/etc",
        "/home/u/work/.hidden",
        "/home/u2/.ssh",
        "/home/user",
        "/srv/phx",
        "/etcetera",
        "/usr/src/app",
        "/usr/local/src/app",
        "/dev/shm/work",
        "/tmp/.tmpX",
        "/var/www/app",
        "/opt/app",
        "/workspace",
    ] {
        assert_eq!(at(root).exposed(), None, "{root}");
    }
    assert_eq!(Places::default().exposed(), None);
}

#[test]
fn a_path_is_reserved_by_where_it_really_lies() {
    let home = at("/home/u");
    for path in [
        ".bashrc",
        ".ssh/authorized_keys",
        "./.profile",
        "x/../.zshrc",
        ".config/a",
        "bin/tool",
        ".BASHRC",
        "/etc/passwd",
        "~/.netrc",
        "/srv/ph/hooks.toml",
        "../../etc/cron.d/x",
        "/usr/bin/ls",
    ] {
        assert!(home.reserved(path).is_some(), "{path}");
    }
    for path in ["notes.txt", "project/.env", "project/.bashrc", "src/bin/x", "/usr/src/app/x", "/tmp/x"] {
        assert_eq!(home.reserved(path), None, "{path}");
    }
    assert!(at("/").reserved("etc/hosts").is_some() && at("/").reserved("home/u/.ssh/x").is_some());
    assert!(at("/home/u/.ssh").reserved("config").is_some() && at("/home/u/.ssh").reserved("../x").is_none());
    let places = at("/home/u/.ssh");
    assert!(places.private(&Target::exact("mykey", &places)));
    assert!(!places.private(&Target::exact("known_hosts", &places)));
}
