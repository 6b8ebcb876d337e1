//! Layers, errors by line and column, keys that stay apart.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
};

use pilothouse_model::Effort;
use secrecy::ExposeSecret;

use super::*;

fn load(config: &str, env: &[(&str, &str)]) -> Result<Config, RuntimeError> {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("config.toml"), config).unwrap();
    let env: Environment = env.iter().copied().collect();
    Config::load(&Home::under(dir.path()), None, &env, Layer::default())
}

fn endpoint(config: &str, env: &[(&str, &str)]) -> pilothouse_model::Endpoint {
    match load(config, env).unwrap().voice {
        Provider::Endpoint(e) => *e,
        other @ (Provider::Offline | Provider::Script(_)) => panic!("{other:?}"),
    }
}

#[test]
fn the_shipped_defaults_are_read_and_mean_the_offline_engine() {
    let config = load("", &[]).unwrap();
    assert!(config.voice.is_offline());
    assert_eq!((config.permission, config.history), (PermissionMode::Ask, 200));
    // Whose key it is nobody said.
    let config = load("", &[("PILOTHOUSE_API_KEY", "k")]).unwrap();
    assert!(config.voice.is_offline());
    assert!(config.notices.iter().any(|n| n.contains("no model is named")), "{:?}", config.notices);
}

#[test]
fn a_budget_is_read_and_a_project_can_only_lower_it() {
    let project =
        |said: &str| ProjectLayer::parse(Path::new("p"), &format!("[session]\nbudget = \"{said}\""));
    for (user, lowers, shown) in [
        ("", None, "$10.00 where the price is known"),
        ("\"off\"", None, "none"),
        ("\"5 and 200 calls\"", None, "$5.00 and 200 calls"),
        ("", Some("20 and 9 calls"), "$10.00 and 9 calls"),
        ("", Some("9 calls"), "9 calls"),
        ("\"off\"", Some("3"), "$3.00"),
        ("\"5\"", Some("7"), "$5.00"),
    ] {
        let text = if user.is_empty() { String::new() } else { format!("[session]\nbudget = {user}") };
        let config = load(&text, &[]).unwrap();
        let config = lowers.map_or(config.clone(), |said| project(said).unwrap().narrow(config));
        assert!(
            config.to_string().contains(&format!("budget       {shown}\n")),
            "{user} {lowers:?}\n{config}"
        );
    }
    for wrong in ["\"0\"", "\"much\"", "\"\"", "5"] {
        let told = load(&format!("[session]\nbudget = {wrong}"), &[]).unwrap_err().to_string();
        assert!(told.contains("config.toml:2:10"), "{told}");
    }
    assert!(project("0").unwrap_err().to_string().contains("leaves nothing to spend"));
}

#[test]
fn a_key_of_another_program_switches_nothing_on() {
    assert!(load("", &[("OPENAI_API_KEY", "k")]).unwrap().voice.is_offline());
    let e = endpoint("[model]\nname = \"gpt-5-mini\"", &[("OPENAI_API_KEY", "k")]);
    assert_eq!((e.base_url.as_str(), e.key.unwrap().expose_secret()), ("https://api.openai.com/v1", "k"));
}

#[test]
fn the_environment_goes_before_the_file_and_flags_before_both() {
    let file = "[model]\npreset = \"openrouter\"\nname = \"a\"";
    let e = endpoint(
        file,
        &[("PILOTHOUSE_BASE_URL", "http://127.0.0.1:9/v1/"), ("OPENROUTER_API_KEY", "secret")],
    );
    assert_eq!((e.base_url.as_str(), e.model.as_str()), ("http://127.0.0.1:9/v1", "a"));
    // A key meant for one place does not go to another.
    assert!(e.key.is_none());
    let dir = tempfile::tempdir().unwrap();
    let flags = Layer::parse(Path::new("flags"), "[session]\npermission = \"auto\"").unwrap();
    let config = Config::load(&Home::under(dir.path()), None, &Environment::default(), flags).unwrap();
    assert_eq!(config.permission, PermissionMode::Auto);
}

#[test]
fn a_model_can_be_named_with_its_place() {
    let e = endpoint("", &[("PILOTHOUSE_MODEL", "ollama:llama3.2:3b")]);
    assert_eq!((e.base_url.as_str(), e.model.as_str()), ("http://127.0.0.1:11434/v1", "llama3.2:3b"));
    assert!(matches!(load("", &[("PILOTHOUSE_MODEL", "script:a.json")]).unwrap().voice, Provider::Script(_)));
    let off = load("[model]\npreset = \"openai\"\nname = \"x\"", &[("PILOTHOUSE_MODEL", "offline")]).unwrap();
    assert!(off.voice.is_offline());
}

#[test]
fn what_is_wrong_in_a_file_is_named_by_line_and_column() {
    for (text, at) in [
        ("[model]\nnmae = \"x\"\n", (2, 1)),
        ("[model]\nname = 3\n", (2, 8)),
        ("[session]\n\npermission = \"yolo\"", (3, 14)),
        ("[session\n", (1, 9)),
        ("[intent]\nprimry = 0.8\n", (2, 1)),
        ("[intent]\nprimary = 1.8\n", (2, 11)),
        ("[intent]\nthresholds = { banana = 0.7 }\n", (2, 16)),
        ("[embedder]\nfoldr = \"x\"\n", (2, 1)),
    ] {
        let Err(RuntimeError::Config { line, column, hint, message, .. }) = load(text, &[]) else {
            panic!("{text}")
        };
        assert_eq!((line, column), at, "{text}: {message}");
        assert!(!hint.is_empty());
    }
}

#[test]
fn the_effort_is_the_command_lines_then_the_environments_then_the_files() {
    let file = "[model]\nname = \"m\"\nbase_url = \"http://h\"\neffort = \"medium\"";
    assert_eq!(endpoint(file, &[]).effort, Some(Effort::Medium));
    assert_eq!(endpoint(file, &[("PILOTHOUSE_EFFORT", "XHigh")]).effort, Some(Effort::XHigh));
    let flags = Layer::with_effort(Some("none".into()));
    let all = flags.over(Layer::parse(Path::new("f"), file).unwrap());
    assert_eq!(all.model.effort.as_deref(), Some("none"));
    assert!(load(file, &[]).unwrap().to_string().contains("effort       medium"));
}

#[test]
fn contradictions_are_errors_of_usage() {
    for (config, env) in [
        ("[model]\npreset = \"nowhere\"\nname = \"x\"", ("A", "b")),
        ("[model]\npreset = \"openai\"", ("A", "b")),
        ("", ("PILOTHOUSE_MODEL", "x")),
        ("", ("PILOTHOUSE_BASE_URL", "http://h")),
        ("[model]\nname = \"x\"\nbase_url = \"ftp://h\"", ("A", "b")),
        ("[model]\neffort = \"much\"", ("A", "b")),
        ("", ("PILOTHOUSE_EFFORT", "much")),
    ] {
        assert!(load(config, &[env]).unwrap_err().is_usage(), "{config} {env:?}");
    }
}

#[test]
fn a_key_file_is_private_or_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("credentials.toml");
    Credentials::store(&path, "openai", &"hunter2".into()).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    assert_eq!(Credentials::read(&path).unwrap().get("openai").unwrap().expose_secret(), "hunter2");
    fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
    assert!(matches!(Credentials::read(&path), Err(RuntimeError::Exposed { mode: 0o640, .. })));
    fs::write(&path, "hunter3").unwrap();
    fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
    assert!(!format!("{:?}", Credentials::read(&path).unwrap_err()).contains("hunter"));
}

fn configured(config: &str, exemplars: &[u8]) -> Result<Config, RuntimeError> {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("config.toml"), config).unwrap();
    fs::write(dir.path().join("exemplars.yaml"), exemplars).unwrap();
    Config::load(&Home::under(dir.path()), None, &Environment::default(), Layer::default())
}

#[test]
fn thresholds_are_read_and_wrong_ones_name_their_line() {
    let config = load("[intent]\nprimary = 0.7\nthresholds = { control = 0.9, execute = 1 }", &[]).unwrap();
    let t = config.intent.classifier.thresholds();
    assert!((t.primary - 0.7).abs() < 1e-6 && (t.sub - 0.65).abs() < 1e-6);
    assert!((t.own["control"] - 0.9).abs() < 1e-6 && (t.own["execute"] - 1.0).abs() < 1e-6);
    for (text, word) in [
        ("[intent]\n\nprimary = 1.5", "a threshold is above 0"),
        ("[intent]\n\nthresholds = { controls = 0.9 }", "no intent is called"),
    ] {
        let Err(RuntimeError::Config { line, message, .. }) = load(text, &[]) else { panic!("{text}") };
        assert!(line == 3 && message.contains(word), "{line} {message}");
    }
}

#[test]
fn an_exemplar_file_with_an_error_is_told_and_costs_only_itself() {
    let good = configured("", b"leaves:\n  execute:\n    - ship it\n").unwrap();
    assert_eq!(good.intent.classifier.exemplars().entries().iter().filter(|e| e.own).count(), 1);
    assert!(good.notices.is_empty());
    let bad = configured("", b"leaves:\n  nonsense:\n").unwrap();
    assert!(bad.intent.classifier.exemplars().entries().iter().all(|e| !e.own));
    let [told] = bad.notices.as_slice() else { panic!("{:?}", bad.notices) };
    assert!(told.contains("exemplars.yaml:2:3: no intent node has this name"), "{told}");
    assert!(told.ends_with("the built-in exemplars are used"));
    let bad = configured("", b"leaves:\n  \xff\n").unwrap();
    assert!(bad.notices[0].contains("exemplars.yaml:2: not text in UTF-8"), "{:?}", bad.notices);
}

#[test]
fn an_embedder_is_named_by_the_users_own_file_alone() {
    let at =
        |text: &str| load(text, &[("HOME", "/home/me"), ("OPENAI_API_KEY", "k")]).unwrap().intent.embedder;
    assert!(matches!(at(""), Vectors::BuiltIn));
    // No such folder, or a build that could not read it: told, and done without.
    assert!(matches!(at("[embedder]\nfolder = \"~/m\""), Vectors::BuiltIn));
    let told = load("[embedder]\nfolder = \"~/m\"", &[("HOME", "/home/me")]).unwrap().notices;
    let [told] = told.as_slice() else { panic!("{told:?}") };
    assert!(told.starts_with("the built-in embedder is used: ") && told.contains("/home/me/m"), "{told}");
    if pilothouse_model::embed::HAS_LOCAL {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("m")).unwrap();
        for name in ["config.json", "tokenizer.json", "model.safetensors"] {
            fs::write(home.path().join("m").join(name), "").unwrap();
        }
        let env = [("HOME", home.path().to_str().unwrap())];
        let at = load("[embedder]\nfolder = \"~/m\"", &env).unwrap().intent.embedder;
        assert!(matches!(at, Vectors::Local(folder) if folder == home.path().join("m")));
    }
    let Vectors::Remote(e) = at("[embedder]\nbase_url = \"http://127.0.0.1:1/v1/\"\nname = \"bge\"") else {
        panic!()
    };
    assert_eq!(
        (e.base_url.as_str(), e.model.as_str(), e.key.is_none()),
        ("http://127.0.0.1:1/v1", "bge", true)
    );
    let Vectors::Remote(e) = at("[embedder]\npreset = \"openai\"\nname = \"text-embedding-3-small\"") else {
        panic!()
    };
    assert_eq!(e.key.unwrap().expose_secret(), "k");
    for wrong in [
        "base_url = \"x\"\nname = \"a\"",
        "preset = \"openai\"",
        "name = \"a\"",
        "folder = \"/a\"\npreset = \"ollama\"",
    ] {
        assert!(load(&format!("[embedder]\n{wrong}"), &[]).is_err(), "{wrong}");
    }
}

#[test]
fn a_key_goes_to_its_own_host_and_to_no_other() {
    let key =
        |config: &str, env: &[(&str, &str)]| endpoint(config, env).key.map(|k| k.expose_secret().to_owned());
    let open = ("OPENAI_API_KEY", "key-of-openai-1");
    let own = "[model]\npreset = \"openai\"\nname = \"x\"";
    assert_eq!(key(own, &[open]).as_deref(), Some("key-of-openai-1"));
    // The preset's own variable says where its own key goes.
    assert!(key(own, &[open, ("OPENAI_BASE_URL", "https://gateway.example.org/v1")]).is_some());
    for away in
        ["https://evil.example.org/v1", "https://api.openai.com.evil.org/v1", "http://api.openai.co/v1"]
    {
        let config = format!("{own}\nbase_url = \"{away}\"");
        assert_eq!(key(&config, &[open]), None, "{away}");
        let told = load(&config, &[open]).unwrap().notices.join("\n");
        assert!(told.contains("is not sent to") && !told.contains("key-of-openai-1"), "{told}");
    }
    assert!(key(&format!("{own}\nbase_url = \"https://API.openai.com/v2\""), &[open]).is_some());
    let azure = "[model]\npreset = \"azure\"\nname = \"d\"\nbase_url = ";
    let env = [("AZURE_OPENAI_API_KEY", "key-of-azure-1")];
    assert!(key(&format!("{azure}\"https://me.openai.azure.com\""), &env).is_some());
    assert!(key(&format!("{azure}\"https://openai.azure.com.evil.org\""), &env).is_none());
}

#[test]
fn a_key_can_be_stored_for_a_host() {
    let dir = tempfile::tempdir().unwrap();
    let (home, path) = (Home::under(dir.path()), dir.path().join("credentials.toml"));
    let load = |url: &str| {
        let env: Environment =
            [("PILOTHOUSE_BASE_URL", url), ("PILOTHOUSE_MODEL", "m")].into_iter().collect();
        Config::load(&home, None, &env, Layer::default()).unwrap()
    };
    Credentials::store(&path, "api.example.org", &"key-of-a-host-1".into()).unwrap();
    let config = load("https://API.example.org:8443/v1");
    assert_eq!(config.key, Some(KeySource::File("api.example.org".into())));
    assert!(load("https://example.org/v1").key.is_none());
    Credentials::store(&path, "custom", &"key-of-any-1".into()).unwrap();
    assert_eq!(load("https://example.org/v1").key, Some(KeySource::File("custom".into())));
    let shown = format!("{config}{config:?}");
    assert!(
        shown.contains("api.example.org (credentials.toml)") && !shown.contains("key-of-a-host-1"),
        "{shown}"
    );
    // Both stored keys are kept out of everything, also the one that is not used.
    assert_eq!(config.secrets.mask("key-of-a-host-1"), "[secret: in use]");
    assert_eq!(load("https://example.org/v1").secrets.mask("key-of-a-host-1"), "[secret: in use]");
    assert!(Credentials::remove(&path, "custom").unwrap() && !Credentials::remove(&path, "custom").unwrap());
}

#[test]
fn a_key_file_lies_in_a_private_folder() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("new/config");
    let path = folder.join("credentials.toml");
    let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
    assert!(Credentials::store(&path, "openai", &"hunter22".into()).unwrap().is_empty());
    assert_eq!((mode(&folder), mode(&path)), (0o700, 0o600));
    fs::set_permissions(&folder, PermissionsExt::from_mode(0o777)).unwrap();
    assert!(matches!(Credentials::read(&path), Err(RuntimeError::Exposed { mode: 0o777, .. })));
    fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
    let told = Credentials::store(&path, "openai", &"hunter23".into()).unwrap();
    assert_eq!((told.len(), mode(&folder), mode(&path)), (2, 0o700, 0o600), "{told:?}");
}

/// The keys that a section knows, as its own error lists them.
fn known(section: &str) -> BTreeSet<String> {
    let head = if section.is_empty() { String::new() } else { format!("[{section}]\n") };
    let Err(RuntimeError::Config { message, .. }) = load(&format!("{head}zzz = 1\n"), &[]) else {
        panic!("{section}")
    };
    message.split('`').skip(3).step_by(2).map(str::to_owned).collect()
}

#[test]
fn the_schema_knows_exactly_the_settings_with_their_defaults() {
    let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap();
    let defaults: toml::Table = toml::from_str(DEFAULTS).unwrap();
    let keys = |at: &serde_json::Value| -> BTreeSet<String> {
        at["properties"].as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(keys(&schema), known(""));
    for (section, shape) in schema["properties"].as_object().unwrap() {
        assert_eq!(keys(shape), known(section), "[{section}]");
        for (key, said) in shape["properties"].as_object().unwrap() {
            assert!(said["description"].as_str().is_some_and(|d| !d.is_empty()), "{section}.{key}");
            let shipped = defaults.get(section).and_then(|s| s.get(key));
            if !["caches", "hidden"].contains(&key.as_str()) {
                let shipped = shipped.map(|v| serde_json::to_value(v).unwrap());
                assert_eq!(said.get("default"), shipped.as_ref(), "{section}.{key}");
            }
            for value in said["enum"].as_array().into_iter().flatten().filter(|_| key != "preset") {
                assert!(
                    load(&format!("[{section}]\n{key} = {value}\n"), &[]).is_ok(),
                    "{section}.{key} = {value}"
                );
            }
        }
    }
    let presets = &schema["properties"]["model"]["properties"]["preset"]["enum"];
    let names: Vec<_> = Preset::ALL.iter().map(|p| p.name()).collect();
    assert_eq!(*presets, serde_json::json!(names));
    assert_eq!(*presets, schema["properties"]["embedder"]["properties"]["preset"]["enum"]);
}

#[test]
fn a_section_that_is_one_value_and_a_key_are_told_in_plain_words() {
    let told = |text: &str| match load(text, &[]) {
        Err(RuntimeError::Config { line, message, hint, .. }) => (line, message, hint),
        other => panic!("{text}: {}", other.is_ok()),
    };
    let (line, message, hint) = told("\nmodel = \"gpt-5\"\n");
    assert_eq!((line, message.as_str()), (2, "`model` is a section of settings and not one value"));
    assert_eq!(hint, "write `[model]` on a line of its own and `name = \"gpt-5\"` below it");
    let (_, message, hint) = told("sandbox = true");
    assert!(
        message.starts_with("`sandbox` is a section") && hint.ends_with("its settings below it"),
        "{hint}"
    );
    // A section in another one is named whole.
    let (_, message, hint) = told("[model]\nname = \"x\"\nprice = 3\n");
    assert_eq!(
        (message.as_str(), hint.as_str()),
        (
            "`price` is a section of settings and not one value",
            "write `[model.price]` on a line of its own and its settings below it"
        )
    );
    let (_, _, hint) = told("[model.also]\nfast = \"small\"\n");
    assert_eq!(hint, "write `[model.also.fast]` on a line of its own and `name = \"small\"` below it");
    let (_, _, hint) = told("[model]\nkey = \"sk-1\"");
    assert!(hint.contains("`pilothouse auth set openai`"), "{hint}");
}
