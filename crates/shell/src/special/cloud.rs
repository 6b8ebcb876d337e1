//! Judges of containers and clouds: what reaches this machine, what changes another.
//!
//! Owns the line between looking at remote resources and changing them.

use super::super::Risk;
use super::super::expand::{Field, UNKNOWN};
use super::super::path::{Place, place};
use super::super::programs;
use super::super::walk::Walker;
use super::Case;

/// Containers: what they may reach of this machine, and what runs in them.
pub(super) fn docker(w: &mut Walker<'_>, case: &Case<'_>) {
    for (at, word) in case.words().iter().enumerate() {
        let text = word.text.as_str();
        let next = case.words().get(at + 1).map_or("", |f| f.text.as_str());
        let value = text.split_once('=').map_or(next, |(_, v)| v);
        let name = text.split('=').next().unwrap_or("");
        match name {
            "--privileged"
            | "--cap-add"
            | "--device"
            | "--security-opt"
            | "--cgroup-parent"
            | "--use-api-socket"
            | "--volumes-from"
            | "--allow"
            | "--gpus"
            | "--device-cgroup-rule" => {
                w.hit("privilege", word.span);
            }
            "--pid" | "--net" | "--network" | "--ipc" | "--userns" | "--uts"
                if value == "host" || value.starts_with("container:") =>
            {
                w.hit("privilege", word.span);
            }
            "-v" | "--volume" | "--mount" => mount(w, value, word),
            _ if !text.starts_with("--")
                && text.starts_with('-')
                && text.ends_with('v')
                && next.contains(':') =>
            {
                mount(w, next, word);
            }
            // A volume that is a folder of this machine.
            "-o" | "--opt" if value.starts_with("device=") => {
                mount(w, value.trim_start_matches("device="), word);
            }
            "--env-file" => w.judge_read(&word.with(value)),
            "-H" | "--host" | "-c" if at < 2 && !matches!(value, "default" | "desktop-linux") => {
                w.hit("remote-run", word.span);
            }
            _ if text.starts_with("-v") && text.contains(':') => {
                mount(w, text.trim_start_matches("-v"), word);
            }
            _ => {}
        }
        w.judge_read(word);
    }
    command_inside(w, case);
    if case.args.operand(0) == "cp"
        && let Some(target) = case.args.operands.last()
        && !target.text.contains(':')
    {
        w.judge_write(target, "write");
    }
}

fn mount(w: &mut Walker<'_>, value: &str, word: &Field) {
    let source = value
        .split(',')
        .find_map(|part| part.strip_prefix("source=").or_else(|| part.strip_prefix("src=")))
        .unwrap_or_else(|| value.split(':').next().unwrap_or(""));
    if source.contains("docker.sock") || source.contains("podman.sock") {
        w.hit("privilege", word.span);
    } else if (source.contains('/') || source.starts_with('~') || source.starts_with(".."))
        && place(source, w.stand.cwd) == Place::Outside
    {
        w.hit(if value.ends_with(":ro") { "secret" } else { "outside" }, word.span);
    }
}

/// The command after the image or the container.
fn command_inside(w: &mut Walker<'_>, case: &Case<'_>) {
    let words = case.words();
    let Some(start) = words.iter().position(|f| matches!(f.text.as_str(), "run" | "exec")) else { return };
    let mut at = start + 1;
    while let Some(word) = words.get(at) {
        if !word.text.starts_with('-') {
            break;
        }
        at += 1 + usize::from(programs::valued("docker").contains(&word.text.as_str()));
    }
    let entry = words.iter().position(|f| f.text == "--entrypoint").and_then(|at| words.get(at + 1));
    let mut command = words.get(at + 1..).unwrap_or(&[]).to_vec();
    if let Some(entry) = entry {
        command.insert(0, entry.clone());
    }
    if command.first().is_some_and(|f| !f.text.starts_with('-')) {
        let cwd = std::mem::replace(&mut w.stand.cwd, super::super::path::Cwd::Unknown);
        let line: Vec<String> = command.iter().map(|f| crate::quote(&f.text)).collect();
        if words.get(start).is_some_and(|f| f.text == "exec")
            && w.guess(&line.join(" ")).is_some_and(|verdict| verdict.risk == Risk::Low)
        {
            w.lower_to_read();
        }
        let _ = w.dispatch_outside(&command, case.span, case.feed.clone());
        w.stand.cwd = cwd;
    }
}

/// Clouds: names that say what a call does, whatever the service.
pub(super) fn cloud(w: &mut Walker<'_>, case: &Case<'_>) {
    let args = case.args;
    if case.name == "aws" && args.operand(0) == "s3" {
        s3(w, case);
    }
}

fn s3(w: &mut Walker<'_>, case: &Case<'_>) {
    let args = case.args;
    if !matches!(args.operand(1), "cp" | "sync" | "mv") {
        return;
    }
    match args.operands.get(3) {
        Some(target) if target.text.starts_with("s3://") || target.text.contains(UNKNOWN) => {
            w.hit("send", target.span);
        }
        Some(target) => {
            if target.text != "-" {
                w.judge_write(target, "write");
            }
        }
        None => w.hit("send", case.span),
    }
}
