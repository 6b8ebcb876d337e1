//! What really runs against what the reader says would run: generated lines in a bash that finds only stubs.
//!
//! Every program on the search path writes its name down. Most do nothing else; carriers (`env`, `xargs`, `find`, `sh`)
//! and plain text tools then do their work, so that what they start and what they print is real. Arguments are always
//! harmless names, the environment is empty, and each line stands in a folder of its own.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::string_slice)]

use std::collections::BTreeSet;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;
use std::{fs, thread};

use pilothouse_shell::{Risk, quote, read};

use super::laws::Numbers;

/// Programs that only write their name down.
const STUBS: [&str; 24] = [
    "rm", "mv", "cp", "dd", "chmod", "git", "cargo", "npm", "make", "curl", "wget", "sudo", "ssh", "scp",
    "docker", "kubectl", "psql", "python3", "node", "apt", "tar", "mytool", "deploy", "kinit",
];

/// Programs that do their work as well; lines with one that the machine lacks are not made.
const REAL: [&str; 27] = [
    "sh", "bash", "env", "xargs", "find", "nice", "nohup", "timeout", "setsid", "stdbuf", "cat", "tr", "rev",
    "head", "tail", "sort", "uniq", "cut", "wc", "tee", "seq", "basename", "expr", "awk", "base64", "sed",
    "mktemp",
];

/// A folder with stubs, a place to run lines in, and what they wrote down.
pub struct Sandbox {
    home: PathBuf,
    bash: PathBuf,
    /// The real programs that this machine has.
    pub has: Vec<&'static str>,
}

/// What a line came to.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every program that ran was named.
    Named,
    /// The reader said that it cannot tell, and called the line high.
    Open,
    /// The line ran programs that were not named.
    Missed(BTreeSet<String>),
    /// Bash would not end.
    Hung,
}

fn find_program(name: &str) -> Option<PathBuf> {
    ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]
        .iter()
        .map(|folder| Path::new(folder).join(name))
        .find(|path| path.is_file())
}

impl Sandbox {
    /// Sets the stubs up; `None` when this machine has no bash.
    pub fn new(name: &str) -> Option<Self> {
        let bash = find_program("bash")?;
        let home = std::env::temp_dir().join(format!("risk-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&home);
        fs::create_dir_all(home.join("bin")).unwrap();
        let has: Vec<&str> = REAL.iter().copied().filter(|name| find_program(name).is_some()).collect();
        let sandbox = Self { home, bash, has };
        for name in STUBS {
            sandbox.stub(&sandbox.home.join("bin").join(name), name, "");
        }
        for name in &sandbox.has {
            let real = if *name == "bash" { sandbox.bash.clone() } else { find_program(name).unwrap() };
            let exec = format!("exec -a {name} {} \"$@\"\n", quote(&real.display().to_string()));
            sandbox.stub(&sandbox.home.join("bin").join(name), name, &exec);
        }
        Some(sandbox)
    }

    fn stub(&self, path: &Path, name: &str, then: &str) {
        let record = quote(&self.home.join("record").display().to_string());
        let text = format!("#!{}\nprintf '%s\\n' {name} >> {record}\n{then}", self.bash.display());
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Runs a line and gives the programs that it started; `None` when it would not end.
    fn run(&self, line: &str) -> Option<BTreeSet<String>> {
        let work = self.home.join("work");
        let _ = fs::remove_dir_all(&work);
        fs::create_dir_all(&work).unwrap();
        fs::write(work.join("a.txt"), "one\ntwo\n").unwrap();
        self.stub(&work.join("tool.sh"), "tool.sh", "");
        fs::write(self.home.join("record"), "").unwrap();
        let mut child = Command::new(&self.bash)
            .args([
                "--norc",
                "--noprofile",
                "-c",
                "ulimit -t 10 -f 2000; exec 9>&1; eval \"$1\"",
                "bash",
                line,
            ])
            .env_clear()
            .env("PATH", self.home.join("bin"))
            .current_dir(&work)
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // The pipe ends when the last process that holds it (as descriptor 9) has ended: then the record is whole.
        let mut out = child.stdout.take().unwrap();
        let (sender, ended) = mpsc::channel();
        thread::spawn(move || sender.send(out.read_to_end(&mut Vec::new()).is_ok()));
        if ended.recv_timeout(Duration::from_secs(20)).is_err() {
            let group = format!("-{}", child.id());
            let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
            let _ = child.wait();
            return None;
        }
        child.wait().unwrap();
        let record = fs::read_to_string(self.home.join("record")).unwrap();
        Some(record.lines().map(str::to_owned).collect())
    }

    /// Runs a line and compares.
    pub fn compare(&self, line: &str) -> Outcome {
        let Some(ran) = self.run(line) else { return Outcome::Hung };
        let reading = read(line);
        let named: BTreeSet<&str> = reading.verdict.programs.iter().map(String::as_str).collect();
        let missed: BTreeSet<String> =
            ran.into_iter().filter(|name| !named.contains(name.as_str())).collect();
        let open = !reading.whole
            || reading.calls.iter().any(|call| call.program.is_empty())
            || reading.verdict.parts.iter().any(|part| part.rule.starts_with("computed"))
            || reading.verdict.rule == "unreadable";
        match (missed.is_empty(), open && reading.verdict.risk == Risk::High) {
            (true, _) => Outcome::Named,
            (false, true) => Outcome::Open,
            (false, false) => Outcome::Missed(missed),
        }
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.home);
    }
}

/// Makes lines; every production is a way in which bash comes to run a program.
pub struct Generator<'a> {
    numbers: Numbers,
    has: &'a [&'static str],
    named: usize,
}

impl<'a> Generator<'a> {
    /// Starts from a seed; uses only the real programs that are there.
    pub fn new(seed: u64, has: &'a [&'static str]) -> Self {
        Self { numbers: Numbers::new(seed), has, named: 0 }
    }

    /// The next line.
    pub fn line(&mut self) -> String {
        let depth = 1 + self.numbers.below(3);
        let mut line = self.list(depth);
        while self.numbers.below(3) == 0 {
            line = format!("{line}\n{}", self.list(1));
        }
        line
    }

    fn below(&mut self, bound: usize) -> usize {
        self.numbers.below(bound)
    }

    /// A name that was not used in this line.
    fn fresh(&mut self, stem: &str) -> String {
        self.named += 1;
        format!("{stem}{}", self.named)
    }

    fn stub(&mut self) -> &'static str {
        STUBS[self.numbers.below(STUBS.len())]
    }

    fn argument(&mut self) -> &'static str {
        [
            "a.txt",
            "-x",
            "--all",
            "'b c'",
            "\"$HOME\"",
            "'$(not run)'",
            "x=y",
            "*.txt",
            "\\$y",
            "2>/dev/null",
            "-",
        ][self.numbers.below(11)]
    }

    /// A program's name as it may be written.
    fn spelled(&mut self) -> String {
        let name = self.stub();
        let (head, tail) = name.split_at(1);
        match self.below(12) {
            0 => format!("{head}''{tail}"),
            1 => format!("{head}\\{tail}"),
            2 => format!("\"{name}\""),
            3 => format!("'{head}'\"{tail}\""),
            4 => format!("$'\\x{:02x}'{tail}", head.as_bytes()[0]),
            5 => format!("{{{head}..{head}}}{tail}"),
            6 => "./tool.sh".to_owned(),
            7 => format!("${{none:-{name}}}"),
            8 => format!("\\\n{name}"),
            _ => name.to_owned(),
        }
    }

    /// A simple command that does nothing but run.
    fn plain(&mut self) -> String {
        let (name, argument) = (self.spelled(), self.argument());
        match self.below(6) {
            0 => format!("{name} {argument} # {}", self.stub()) + "\n",
            1 => format!("A=1 {name} {argument}"),
            2 => format!("> out.txt {name} {argument}"),
            3 => format!("{name} {argument} {}", self.argument()),
            _ => format!("{name} {argument}"),
        }
    }

    fn list(&mut self, depth: usize) -> String {
        let mut line = self.command(depth);
        for _ in 0..self.below(3) {
            let join = ["; ", " && ", " || ", " | ", "\n", " |& "][self.below(6)];
            // What ends in a comment or a here-document ends its line.
            let join = if line.ends_with('\n') || line.contains("<<") { "\n" } else { join };
            let next = self.command(depth.saturating_sub(1));
            line = format!("{}{join}{next}", if join == "\n" { line.trim_end_matches('\n') } else { &line });
        }
        line
    }

    /// A list that ends where its last line ends.
    fn body(&mut self, depth: usize) -> String {
        format!("{}\n", self.list(depth.saturating_sub(1)).trim_end_matches('\n'))
    }

    fn command(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.plain();
        }
        match self.below(7) {
            6 => self.scoped(),
            0 => self.compound(depth),
            1 => self.substituted(depth),
            2 => self.carried(depth),
            3 => self.kept(depth),
            4 => self.fed(depth),
            _ => self.plain(),
        }
    }

    fn compound(&mut self, depth: usize) -> String {
        let (one, two) = (self.body(depth), self.body(depth));
        match self.below(11) {
            0 => format!("( {one})"),
            1 => format!("{{ {one}}}"),
            2 => format!("if {one}then {two}else {two}fi"),
            3 => format!("for i in a b; do {one}done"),
            4 => format!("while {one}do {two}break\ndone"),
            5 => format!("until {one}do {two}break\ndone"),
            6 => format!("case a in b) {two};; a|c) {one};; esac"),
            7 => format!("! {{ {one}}}"),
            8 => format!("coproc {{ {one}}}\nwait"),
            9 => format!("{{ {one}}} &\nwait"),
            _ => format!("for (( i = 0; i < 1; i++ )); do {one}done"),
        }
    }

    fn substituted(&mut self, depth: usize) -> String {
        let inner = self.body(depth);
        let (name, other) = (self.stub(), self.stub());
        match self.below(15) {
            0 => format!("echo \"$({inner})\""),
            1 => format!("echo $({inner}) {name}"),
            2 => format!("{other} \"${{none:-$({inner})}}\""),
            3 => format!("echo `{name} a.txt`"),
            4 => format!("cat <({inner})"),
            5 => format!("{name} a.txt > >({inner})"),
            6 => format!("echo $(( 1 + $({inner}) 0 ))"),
            7 => format!("x='$({name} a.txt)'; : \"${{x@P}}\""),
            8 => format!("x='a[$({name} a.txt)]'; (( x ))"),
            9 => format!("[[ -v 'a[$({name} a.txt)]' ]]"),
            10 => format!("compgen -W '$({name} a.txt)'"),
            11 => format!("[[ $({inner}) == a ]]"),
            12 => format!("declare -i n='a[$({name} a.txt)]'"),
            13 => format!("printf -v 'a[$({name} a.txt)]' x"),
            _ => format!("x=$({inner}); {other} a.txt"),
        }
    }

    fn carried(&mut self, depth: usize) -> String {
        let (name, argument) = (self.spelled(), self.argument());
        let code = self.body(depth);
        let quoted = quote(&code);
        let plain = self.stub();
        let (needs, line) = match self.below(24) {
            0 => ("env", format!("env A=1 {name} {argument}")),
            1 => ("nice", format!("nice -n 5 {name} {argument}")),
            2 => ("nohup", format!("nohup {name} {argument}")),
            3 => ("timeout", format!("timeout 9 {name} {argument}")),
            4 => ("setsid", format!("setsid -w {name} {argument}")),
            5 => ("stdbuf", format!("stdbuf -oL {name} {argument}")),
            6 => ("", format!("command {name} {argument}")),
            7 => ("", format!("( exec -a other {name} {argument} )")),
            8 => ("", format!("builtin eval {quoted}")),
            9 => ("", format!("time -p {name} {argument}")),
            10 => ("bash", format!("bash -c {quoted}")),
            11 => (
                "sh",
                format!("sh -c {} a", quote(&format!("{plain} a.txt; \"$0\" b")).replace("\"$0\" b", plain)),
            ),
            12 => ("xargs", format!("echo a b | xargs {plain} {argument}")),
            13 => ("xargs", format!("printf 'a\\nb\\n' | xargs -I{{}} {plain} {{}}")),
            14 => ("xargs", format!("echo a | xargs -n1 bash -c {quoted}")),
            15 => ("find", format!("find . -maxdepth 0 -exec {plain} {{}} \\;")),
            16 => ("find", format!("find . -maxdepth 0 -exec {plain} {{}} +")),
            17 => ("find", format!("find . -maxdepth 0 -exec bash -c {quoted} \\;")),
            18 => ("env", format!("env -S '{plain} a.txt'")),
            19 => ("env", format!("env A=1 timeout 9 nice bash -c {quoted}")),
            20 => ("xargs", format!("xargs -a a.txt {plain}")),
            21 => ("awk", format!("awk 'BEGIN {{ print \"a\" | \"{plain} a.txt\" }}'")),
            22 => ("find", format!("find . -name '-exec' -o -maxdepth 0 -execdir {plain} {{}} \\;")),
            _ => ("", format!("eval {quoted}")),
        };
        let runs = needs.is_empty() || self.has.contains(&needs);
        if runs && (self.has.contains(&"timeout") || !line.contains("timeout")) { line } else { self.plain() }
    }

    /// Code or words that are kept and used later.
    fn kept(&mut self, depth: usize) -> String {
        let code = self.body(depth);
        let quoted = quote(&code);
        let (name, other) = (self.stub(), self.stub());
        let (f, v) = (self.fresh("f"), self.fresh("v"));
        match self.below(17) {
            0 => format!("{f}() {{ {code}}}; {f} a"),
            1 => format!("function {f} {{ {code}}}; {f}"),
            2 => format!("{f}() {{ \"$@\"\n}}; {f} {name} a.txt"),
            3 => format!("shopt -s expand_aliases\nalias {f}='{name} a.txt'\n{f} b"),
            4 => format!("( trap {quoted} EXIT )"),
            5 => format!("{v}={name}; ${v} a.txt"),
            6 => format!("{v}=({name} a.txt); \"${{{v}[@]}}\""),
            7 => format!("set -- {name} a.txt; \"$@\""),
            8 => format!("read -r {v} <<< {name}; ${v} a.txt"),
            9 => format!("{v}={quoted}; eval \"${v}\""),
            10 => format!("printf '%s\\n' '{name} a.txt' > s.sh; . ./s.sh"),
            11 => format!("echo '{name} a.txt' > s.sh; bash s.sh"),
            12 => format!("{v}={other}; {v}={name}; ${{{v}}} a.txt"),
            13 => format!("for {v} in {name} {other}; do ${v} a.txt; done"),
            14 => format!("{f}() {{ {other} a.txt\n}}; {f}() {{ {code}}}; {f}"),
            15 => format!("{f}() {{ local x={name}; $x a.txt\n}}; {f} | cat"),
            _ => format!("trap '{name} a.txt' DEBUG; echo a; trap - DEBUG"),
        }
    }

    /// Names that hold another thing here than there.
    fn scoped(&mut self) -> String {
        let (a, b) = (self.stub(), self.stub());
        let (v, f) = (self.fresh("v"), self.fresh("f"));
        let change = match self.below(30) {
            0 => format!("({v}={b})"),
            1 => format!(": $({v}={b})"),
            2 => format!("{v}={b} | cat"),
            3 => format!("{{ {v}={b}; }} & wait"),
            4 => format!("{v}={b} eval '${v} a.txt'"),
            5 => format!("{v}={b} sh -c '${v} a.txt'"),
            6 => format!("env {v}={b} sh -c '${v} a.txt'"),
            7 => format!("sh -c '${v} {b} a.txt'"),
            8 => format!("{f}() {{ local {v}={b}; ${v} b; }}; {f}"),
            9 => format!("unset {v}; ${v} {b} a.txt"),
            10 => format!("false && {v}={b}"),
            11 => format!("for i in 1 2; do ${v} b; {v}={b}; done"),
            12 => format!("trap '${v} a.txt' EXIT; {v}={b}"),
            13 => format!("if false; then {v}={b}; else {v}={a}; fi"),
            14 => format!("read -r {v} <<< '{b} x'"),
            15 => format!("printf -v {v} %s {b}"),
            16 => format!("export {v}={b}; bash -c '${v} a.txt'"),
            17 => format!("{f}() {{ {v}={b}; }}; {f}"),
            18 => format!("{v}=; : ${{{v}:={b}}}"),
            19 => format!("eval {v}={b}"),
            20 => format!("mapfile -t {v} <<< {b}"),
            21 => format!("declare -n {f}={v}; {f}={b}"),
            22 => format!("while :; do ${v} b; {v}={b}; [[ $i ]] && break; i=1; done"),
            23 => format!("case x in y) {v}={b};; *) ;; esac"),
            24 => format!("{v}=({b} x)"),
            25 => format!("{v}={b} :"),
            26 => format!("{v}+={b}"),
            27 => format!("set -- {a} {b}; shift; {v}=$1"),
            28 => format!("{f}() {{ local {v}; ${v} {b} a.txt; }}; {f}"),
            _ => format!("true && {v}={b} || {v}={a}"),
        };
        match self.below(6) {
            0 => format!("{f}() {{ {a} x; }}; ({f}() {{ {b} x; }}); {f}"),
            1 => format!("{f}() {{ {a} x; }}; false && {f}() {{ {b} x; }}; {f}"),
            2 => format!(
                "{b}() {{ {a} x; }}; {}",
                ["sh -c", "env", "command", "nice", "eval"][self.below(5)].to_owned()
                    + &format!(" {b}; unset -f {b}; {b} x")
            ),
            _ => format!("{v}={a}; {change}; ${v} a.txt"),
        }
    }

    /// Code that comes by standard input, and texts that only look like code.
    fn fed(&mut self, depth: usize) -> String {
        let code = self.body(depth);
        let (name, other) = (self.stub(), self.stub());
        let end = self.fresh("END");
        match self.below(12) {
            0 => format!("bash <<'{end}'\n{code}{end}\n"),
            1 => format!("cat <<{end}\n$({name} a.txt)\n{end}\n"),
            2 => format!("cat <<'{end}'\n$({name} a.txt)\n{end}\n"),
            3 => format!("bash <<< '{name} a.txt'"),
            4 => format!("echo '{name} a.txt' | bash"),
            5 => format!("printf '%s\\n' '{name} a.txt' '{other} b' | sh"),
            6 => format!("cat <<'{end}' | bash\n{name} a.txt\n{end}\n"),
            7 => format!("echo '{name} a.txt' | tee copy.sh | bash -s"),
            8 => format!("while read -r w; do $w a.txt; done <<< '{name}'"),
            9 => format!("source /dev/stdin <<< '{name} a.txt'"),
            10 => format!("bash -s -- a <<{end}\n{name} a.txt\n{end}\n"),
            _ => format!("echo '{name} a.txt' '$({other})'"),
        }
    }
}
