use std::os::unix::fs::{PermissionsExt, symlink};

use pilothouse_core::trust::TrustRequest;

use super::*;
use crate::{
    trust::{Folder, Store},
    validate::OfScreen,
};

struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { dir: tempfile::tempdir().unwrap() };
        fs::create_dir_all(place.root()).unwrap();
        fs::create_dir_all(place.home().config).unwrap();
        place
    }
    fn root(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("work")
    }
    fn home(&self) -> Home {
        Home::under(&self.dir.path().canonicalize().unwrap().join("home"))
    }
    fn put(&self, path: &str, text: &str) -> PathBuf {
        let path = self.dir.path().canonicalize().unwrap().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }
    fn folder(&self) -> Folder {
        Folder {
            root: self.root(),
            store: Store::of(&self.home()),
            once: false,
            asks: true,
            checks: Vec::new(),
        }
    }
    fn trust(&self) -> Survey {
        let of = self.folder().look().standing.of;
        self.folder().carry_out(TrustRequest::Keep(of)).unwrap()
    }
    fn look(&self) -> Found {
        self.look_at(&self.folder().look())
    }
    fn look_at(&self, survey: &Survey) -> Found {
        Found::look(&self.home(), &self.root(), survey)
    }
}

fn text(name: &str, what: &str) -> String {
    format!("---\nname: {name}\ndescription: {what}\n---\nDo {name}.\n")
}

fn faults(found: &Found) -> Vec<(String, String)> {
    let all = found.recipes.iter().filter_map(|r| Some((r.name.clone(), r.fault.as_ref()?.to_string())));
    all.collect()
}

#[test]
fn what_is_shipped_is_sound_and_the_users_and_the_trusted_projects_take_its_place() {
    let place = Place::new();
    let shipped = place.look();
    assert_eq!(faults(&shipped), []);
    assert!(
        shipped.recipes.iter().all(|r| r.origin == RecipeOrigin::Shipped)
            && shipped.recipes.iter().count() == 5
    );
    let told = shipped.recipes.told(4096).unwrap();
    assert!(told.contains("- write-tests: Write tests for") && told.len() < 1024, "{told}");
    place.put("home/skills/write-tests/SKILL.md", &text("write-tests", "mine"));
    place.put("home/commands/git/tidy.md", "Tidy $1.");
    place.put("home/agents/auditor/AGENT.md", &text("Auditor", "audits"));
    place.put("work/.claude/skills/deploy/SKILL.md", &text("deploy", "claude's"));
    place.put("work/.pilothouse/skills/deploy/SKILL.md", &text("deploy", "ours"));
    place.put("work/.agents/commands/ship.md", "Ship it.");
    place.put("work/.claude/agents/judge.md", &text("code-judge", "judges"));
    place.trust();
    let found = place.look();
    assert_eq!(faults(&found), []);
    let skill = found.recipes.skill("write-tests").unwrap();
    assert_eq!((skill.description.as_str(), skill.hides), ("mine", Some(RecipeOrigin::Shipped)));
    assert_eq!(found.recipes.skill("deploy").unwrap().description, "ours");
    for (name, origin) in [("git-tidy", RecipeOrigin::User), ("ship", RecipeOrigin::Project)] {
        assert_eq!(found.recipes.slash(name).map(|r| r.origin), Some(origin), "{name}");
    }
    assert!(found.recipes.agent("auditor").is_some() && found.recipes.agent("code-judge").is_some());
}

#[test]
fn what_the_user_has_for_other_agents_is_theirs_here_and_ours_holds_of_two() {
    let place = Place::new();
    let home = Home { user: place.dir.path().canonicalize().unwrap().join("me"), ..place.home() };
    let look = || Found::look(&home, &place.root(), &place.folder().look());
    let before = look();
    place.put("me/.claude/skills/deploy/SKILL.md", &text("deploy", "claude's"));
    place.put("me/.agents/skills/deploy/SKILL.md", &text("deploy", "shared"));
    place.put("me/.claude/commands/ship.md", "Ship it.");
    place.put("me/.agents/agents/judge.md", &text("judge", "judges"));
    place.put("me/.claude/agents/auditor.md", &text("auditor", "claude's"));
    place.put("home/agents/auditor.md", &text("auditor", "ours"));
    assert!(before.is_stale());
    let found = look();
    assert_eq!(faults(&found), []);
    let skill = found.recipes.skill("deploy").unwrap();
    assert_eq!((skill.description.as_str(), skill.origin), ("shared", RecipeOrigin::User));
    assert_eq!(found.recipes.slash("ship").map(|r| r.origin), Some(RecipeOrigin::User));
    assert!(found.recipes.agent("judge").is_some());
    assert_eq!(found.recipes.agent("auditor").unwrap().description, "ours");
    assert_eq!(found.recipes.iter().filter(|r| r.origin == RecipeOrigin::User).count(), 4);
    let folders = folders(&home, &place.root(), RecipeKind::Agent);
    let shown: Vec<_> =
        folders.iter().map(|f| f.strip_prefix(place.dir.path().canonicalize().unwrap()).unwrap()).collect();
    assert_eq!(
        shown,
        [Path::new("me/.claude/agents"), Path::new("me/.agents/agents"), Path::new("home/agents")]
    );
    // A file that others may write is nobody's, there as anywhere.
    let open = place.put("me/.claude/commands/open.md", "Open.");
    fs::set_permissions(&open, fs::Permissions::from_mode(0o666)).unwrap();
    assert!(look().recipes.slash("open").is_none());
    // What is wrong in them is found by `validate`.
    place.put("me/.claude/skills/broken/SKILL.md", "---\nname: other\ndescription: x\n---\nDo.\n");
    let checked = crate::validate::check(&home, &place.root(), &[], &|_, _| None).unwrap();
    let wrong: Vec<_> = checked.mistakes.iter().filter_map(|m| m.file.file_name()?.to_str()).collect();
    assert_eq!(wrong, ["open.md", "SKILL.md"]);
    assert_eq!(checked.files, 8);
    // The same of the user's own themes, by the screen that reads them.
    let theme = place.put("home/themes/mine.toml", "accent = 12\n");
    let screen = |file: OfScreen, text: &str| {
        (file == OfScreen::Theme && text == "accent = 12\n").then(|| (1, 10, "no colour".to_owned()))
    };
    for paths in [Vec::new(), vec![theme]] {
        let checked = crate::validate::check(&home, &place.root(), &paths, &screen).unwrap();
        let found = checked.mistakes.iter().find(|m| m.file.ends_with("themes/mine.toml")).unwrap();
        assert_eq!((found.line, found.column, found.what.as_str()), (1, 10, "no colour"));
    }
}

#[test]
fn nothing_of_an_untrusted_project_can_be_used_and_nothing_that_changed_since() {
    let place = Place::new();
    place.put("work/.claude/skills/deploy/SKILL.md", &text("deploy", "Deploys"));
    place.put("work/.claude/skills/deploy/references/how.md", "How.");
    place.put("work/.claude/commands/ship.md", "Ship it.");
    let before = place.look();
    assert!(before.recipes.usable().all(|r| r.origin == RecipeOrigin::Shipped));
    assert!(
        before.recipes.told(4096).unwrap().lines().all(|l| !l.contains("deploy") && !l.contains("Deploys"))
    );
    let project = || before.recipes.iter().filter(|r| r.origin == RecipeOrigin::Project);
    assert!(project().count() == 2 && project().all(|r| r.body.is_empty() && r.beside.names().is_empty()));
    assert!(faults(&before).iter().all(|(_, why)| why.contains("this folder is not trusted")));
    let survey = place.trust();
    assert_eq!(survey.standing.parts.len(), 3, "every file is part of what is asked about");
    let found = place.look_at(&survey);
    assert_eq!(found.recipes.skill("deploy").unwrap().beside.names(), ["references/how.md"]);
    // Not asked about anew, the session goes on with what was trusted, and with nothing else.
    for (path, gone) in [
        ("work/.claude/skills/deploy/references/how.md", "deploy"),
        ("work/.claude/commands/ship.md", "ship"),
    ] {
        place.put(path, "other");
        assert!(found.is_stale());
        let after = place.look_at(&survey);
        assert!(after.recipes.slash(gone).is_none(), "{gone}");
        assert!(after.recipes.broken(gone).unwrap().fault.as_ref().unwrap().why.contains("changed since"));
    }
    place.put("work/.agents/skills/new/SKILL.md", &text("new", "New"));
    assert!(place.look_at(&survey).recipes.skill("new").is_none());
}

#[test]
fn files_that_are_not_what_they_seem_have_a_state_and_are_not_read() {
    let place = Place::new();
    let secret = place.put("secret.md", &text("linked", "s3cret"));
    for root in ["home/skills", "work/.pilothouse/skills"] {
        let at = place.dir.path().canonicalize().unwrap().join(root);
        let make = |name: &str| {
            let folder = at.join(name);
            fs::create_dir_all(&folder).unwrap();
            folder.join("SKILL.md")
        };
        symlink(&secret, make("linked")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            make("pipe"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();
        fs::write(make("big"), format!("{}{}", text("big", "d"), "y".repeat(5 << 20))).unwrap();
        fs::write(make("beside"), text("beside", "d")).unwrap();
        symlink(&secret, at.join("beside/more.md")).unwrap();
        fs::write(make("hidden"), text("hidden", "a\u{202e}b")).unwrap();
        fs::write(make("outside"), format!("{}\n[k](../../../secret.md)\n", text("outside", "d"))).unwrap();
    }
    assert_eq!(place.look().warnings().len(), 6, "of one that is not, the question about the folder tells");
    place.trust();
    let found = place.look();
    let all = faults(&found);
    assert_eq!(all.len(), 12, "{all:#?}");
    for (name, why) in [
        ("linked", "link"),
        ("pipe", "not a regular file"),
        ("big", "it "),
        ("beside", "more.md beside it"),
        ("hidden", "3:15: a character is hidden here (U+202E)"),
        ("outside", "is outside its folder"),
    ] {
        let of = all.iter().filter(|(n, _)| n == name);
        let told: Vec<&String> = of.map(|(_, w)| w).collect();
        assert!(told.len() == 2 && told.iter().all(|t| t.contains(why)), "{name}: {told:?}");
    }
    assert!(found.recipes.iter().all(|r| !r.body.contains("s3cret") && !r.description.contains("s3cret")));
    assert_eq!(found.warnings().len(), 12, "the user's own, and those of a project that is trusted");
}

#[test]
fn a_file_of_the_user_that_others_may_write_is_not_the_users() {
    let place = Place::new();
    let path = place.put("home/commands/fix.md", "Fix it.");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    let found = place.look();
    assert!(faults(&found)[0].1.contains("others may write it"), "{:?}", faults(&found));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(place.look().recipes.slash("fix").is_some());
}

#[test]
fn a_change_is_seen_by_the_times_of_files() {
    let place = Place::new();
    let found = place.look();
    assert!(!found.is_stale());
    place.put("home/skills/a/SKILL.md", &text("a", "d"));
    assert!(found.is_stale());
    let found = place.look();
    assert!(!found.is_stale());
    place.put("home/skills/a/SKILL.md", &text("a", "longer than before"));
    assert!(found.is_stale());
    let found = place.look();
    fs::remove_dir_all(place.home().config.join("skills/a")).unwrap();
    assert!(found.is_stale() && place.look().recipes.skill("a").is_none());
}

const STAGES: &str = r#"{"stages": [
  {"name": "ask", "kind": "llm", "gives": "analysis"},
  {"name": "output", "kind": "render"}
]}"#;

#[test]
fn agents_with_stages_stand_among_the_others_and_are_no_prompts() {
    let place = Place::new();
    for (agent, title) in [("home/agents/scout", "yours"), ("work/.agents/agents/survey", "theirs")] {
        place.put(&format!("{agent}/config.json"), STAGES);
        place.put(&format!("{agent}/AGENT.md"), &format!("---\ndescription: {title}\n---\nBe exact.\n"));
        place.put(&format!("{agent}/prompts/stage-ask.md"), "Ask.");
    }
    let staged = |found: &Found| found.recipes.staged().map(|a| a.slug.clone()).collect::<Vec<_>>();
    let untrusted = place.look();
    assert_eq!(staged(&untrusted), ["research", "review-diff", "scout"]);
    assert!(faults(&untrusted).iter().all(|(name, why)| name == "survey" && why.contains("not trusted")));
    let asked = place.trust().standing;
    let of = |name: &str| asked.parts.iter().find(|p| p.path.ends_with(name)).unwrap().would.join("\n");
    assert_eq!(of("survey/config.json"), "the stages of an agent: Ask, Output");
    let found = place.look();
    assert_eq!(staged(&found), ["research", "review-diff", "scout", "survey"]);
    assert_eq!(faults(&found), []);
    assert!(found.recipes.agent("scout").is_none() && found.recipes.agent_of("@survey x").is_none());
    assert!(!found.recipes.told(4096).unwrap().contains("scout"), "no sub-agent");
    let scout = found.recipes.iter().find(|r| r.name == "scout").unwrap();
    assert_eq!((scout.description.as_str(), scout.may().as_str()), ("yours", "at most: list, read"));
    // What is wrong stands at its own file, and a change of any is seen.
    place.put("home/agents/scout/prompts/stage-ask.md", "Ask\u{200b}.");
    assert!(found.is_stale());
    let broken = place.look();
    let scout = broken.recipes.iter().find(|r| r.name == "scout").unwrap();
    assert!(scout.file.ends_with("scout/prompts/stage-ask.md") && scout.stages.is_none(), "{scout:?}");
    assert_eq!(faults(&broken)[0].1, "1:4: a character is hidden here (U+200B); take it out");
    assert_eq!(broken.warnings().len(), 1);
}
