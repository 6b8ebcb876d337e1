//! The servers of tools that a client names for a session.
//!
//! Owns which of them can be used here. Never starts one: their user is asked first.

use std::collections::BTreeMap;

use pilothouse_core::clean::Clean;
use pilothouse_sources::{Definition, Reach, of_client};
use serde_json::Value;

use super::{params::Fields, wire::Fault};

/// The most of them: each is a question.
const MOST: usize = 16;

/// Those that can be used, and why others are left out.
pub(super) type Named = (Vec<Definition>, Vec<String>);

/// Reads them.
///
/// # Errors
/// When one has another shape.
pub(super) fn named(servers: Vec<Value>) -> Result<Named, Fault> {
    let (mut all, mut left) = (Vec::new(), Vec::new());
    for (n, server) in servers.into_iter().enumerate() {
        let mut server = Fields::of(&format!("params.mcpServers[{n}]"), server)?;
        let name = server.text("name")?;
        let how = match server.text_or_none("type")?.as_deref() {
            None | Some("stdio") => {
                let (program, args) = (server.text("command")?, server.texts("args")?);
                Ok(Reach::Command { program, args, env: server.pairs("env")? })
            }
            Some("http") => Ok(Reach::Http { url: server.text("url")?, headers: server.pairs("headers")? }),
            Some(other) => Err(format!("servers are reached by stdio and http here, not by {other}")),
        };
        match how.and_then(|how| of_client(&name, how)) {
            Ok(_) if all.len() == MOST => left.push(out(&name, &format!("there are more than {MOST}"))),
            Ok(server) => all.push(server),
            Err(why) => left.push(out(&name, &why)),
        }
    }
    Ok((all, left))
}

fn out(name: &str, why: &str) -> String {
    Clean::line(&format!("the server {name} from your editor is ignored: {why}")).into_string()
}

impl Fields {
    /// A list of texts.
    fn texts(&mut self, name: &str) -> Result<Vec<String>, Fault> {
        let items = self.items(name)?;
        items.into_iter().map(|(at, item)| super::params::text(&at, item)).collect()
    }

    /// A list of names, each with its value.
    fn pairs(&mut self, name: &str) -> Result<BTreeMap<String, String>, Fault> {
        let pair = |(at, item): (String, Value)| {
            let mut fields = Self::of(&at, item)?;
            Ok((fields.text("name")?, fields.text("value")?))
        };
        self.items(name)?.into_iter().map(pair).collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(server: Value) -> Result<Named, Fault> {
        named(vec![server])
    }

    #[test]
    fn a_server_is_a_program_or_an_address_and_what_cannot_be_used_is_told() {
        let env = json!([{"name": "KEY", "value": "quiet"}]);
        let (all, left) = of(json!({"name": "a", "command": "/bin/x", "args": ["b c"], "env": env})).unwrap();
        assert_eq!((all.first().unwrap().line(), left.len()), ("/bin/x 'b c'".to_owned(), 0));
        let far = json!({"type": "http", "name": "far", "url": "https://example.org/mcp", "headers": []});
        assert_eq!(of(far).unwrap().0.first().unwrap().line(), "https://example.org/mcp");
        for (server, why) in [
            (json!({"type": "sse", "name": "s", "url": "https://x.org", "headers": []}), "not by sse"),
            (json!({"type": "http", "name": "s", "url": "http://x.org", "headers": []}), "https"),
            (json!({"name": "run", "command": "x", "args": [], "env": []}), "run"),
        ] {
            let (all, left) = of(server).unwrap();
            assert!(all.is_empty() && left.first().unwrap().contains(why), "{left:?}");
        }
        let many = (0..40).map(|n| json!({"name": format!("a{n}"), "command": "x", "args": [], "env": []}));
        let (all, left) = named(many.collect()).unwrap();
        assert_eq!((all.len(), left.len()), (MOST, 40 - MOST));
    }

    #[test]
    fn a_fault_of_one_names_the_field_and_never_its_value() {
        let why = |server: Value| of(server).unwrap_err().message;
        assert_eq!(why(json!("x")), "params.mcpServers[0] is an object, and here it is a text");
        assert_eq!(why(json!({"name": "x"})), "params.mcpServers[0].command is missing: it is a text");
        let args = json!({"name": "x", "command": "x", "args": [7], "env": []});
        assert_eq!(why(args), "params.mcpServers[0].args[0] is a text, and here it is a number");
        let env = json!({"name": "x", "command": "x", "args": [], "env": {"KEY": "quiet"}});
        assert_eq!(why(env), "params.mcpServers[0].env is a list, and here it is an object");
        let value = json!({"name": "x", "command": "x", "env": [{"name": "KEY", "value": ["quiet"]}]});
        assert_eq!(why(value), "params.mcpServers[0].env[0].value is a text, and here it is a list");
    }
}
