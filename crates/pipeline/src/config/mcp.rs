//! `[mcp.<server>]`: programs that give the familiar tools, by the Model Context Protocol.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;

use super::check::{Ids, named_tables};
use super::document::{Layers, key_path};
use super::error::{ConfigError, Problem};

/// Characters of the name that a server is given.
const NAME_CHARS: usize = 32;

/// A program that gives it tools, by the Model Context Protocol (MCP). As many as you like, each in a table of its own, under
/// a name of your own choice.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct McpServer {
    /// The program that is started, which speaks MCP on its standard input and output, such as `npx`. A server has either
    /// this or `url`.
    pub command: Option<String>,
    /// What the program is started with. No secrets: everybody on this machine can read them.
    #[serde(default)]
    pub args: Vec<String>,
    /// The environment variables that the program may know besides `PATH`, `HOME` and `LANG`: their names only, the values
    /// come from the environment or `.env`.
    #[serde(default)]
    #[schemars(with = "Vec<VariableName>")]
    pub env: Vec<String>,
    /// Where a server is that speaks MCP over HTTP ("Streamable HTTP").
    #[schemars(extend("format" = "uri"))]
    pub url: Option<String>,
    /// What such a server is sent with every request: the name of an HTTP header, and the name of the environment variable
    /// with its value, such as `Authorization = "NOTES_AUTHORIZATION"`.
    #[serde(default)]
    #[schemars(schema_with = "headers")]
    pub headers: BTreeMap<String, String>,
    /// Which of its tools are offered, by the names the server gives them. Empty: all of them.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Who may have its tools used. Left out: the operator.
    #[serde(default)]
    pub who: McpAsker,
    /// Channels, forums and servers of Discord, by their ids: its tools are there in these and at the terminal, and nowhere else.
    /// Empty: everywhere.
    #[serde(default, deserialize_with = "Ids::deserialize")]
    #[schemars(with = "Ids")]
    pub places: Vec<u64>,
    /// What its tools do.
    #[serde(default)]
    #[schemars(schema_with = "effects")]
    pub effects: BTreeMap<String, ToolEffect>,
    /// Whether it is connected. Left out: it is.
    #[serde(default = "is_enabled")]
    pub enabled: bool,
}

fn is_enabled() -> bool {
    true
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum McpReach<'s> {
    /// By a program on this machine.
    Program(&'s str),
    /// Over HTTP.
    Url(&'s str),
}

impl McpServer {
    /// How it is reached; the settings were checked to say so.
    pub fn reach(&self) -> Option<McpReach<'_>> {
        self.command.as_deref().map(McpReach::Program).or(self.url.as_deref().map(McpReach::Url))
    }
}

/// For whom the tools of a server are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum McpAsker {
    /// whoever runs the familiar: the terminal, and `discord.operators`
    #[default]
    Operator,
    /// whoever may have anything looked up at all
    Members,
}

/// What a tool does. Left out: it `reaches`, but one that stands in `tools` and that its server calls read-only `looks`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolEffect {
    /// it only looks something up
    Looks,
    /// it does what whoever asks could take back by themselves
    Acts,
    /// it reaches other people, or stays
    Reaches,
}

/// The schema of all servers.
pub(super) fn servers(generator: &mut SchemaGenerator) -> Schema {
    named_tables::<McpServer>(generator, "MCP server", [])
}

fn headers(generator: &mut SchemaGenerator) -> Schema {
    named_tables::<VariableName>(generator, "HTTP header", [])
}

fn effects(generator: &mut SchemaGenerator) -> Schema {
    named_tables::<ToolEffect>(generator, "tool", [])
}

/// The name of an environment variable.
struct VariableName;

impl JsonSchema for VariableName {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "VariableName".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({"type": "string", "format": "variable"})
    }
}

/// What no schema says of servers.
pub(super) fn check(servers: &BTreeMap<String, McpServer>, layers: &Layers) -> Result<(), ConfigError> {
    let mut problems: Vec<Problem> = Vec::new();
    for (name, server) in servers {
        let at = key_path("mcp", name);
        let mut wrong = |key: &str, what: String, advice: &str| {
            let path = if key.is_empty() { at.clone() } else { key_path(&at, key) };
            problems.push(layers.problem(&path, what).advised(advice.to_owned()));
        };
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if name.is_empty() || name.chars().count() > NAME_CHARS || !name.chars().all(fits) {
            wrong(
                "",
                format!("{name:?} cannot be a server's name"),
                &format!("use letters of A to Z, digits, - and _, at most {NAME_CHARS}"),
            );
        }
        match (&server.command, &server.url) {
            (Some(_), Some(_)) => wrong(
                "url",
                format!("`{at}` has both `command` and `url`"),
                "a server is either a program that is started or an address: take one of them out",
            ),
            (None, None) => wrong(
                "",
                format!("`{at}` says neither `command` nor `url`"),
                "add the program that is started, `command = …`, or the server's address, `url = …`",
            ),
            _ => {}
        }
        for (key, is_set) in [("args", !server.args.is_empty()), ("env", !server.env.is_empty())] {
            if is_set && server.command.is_none() && server.url.is_some() {
                wrong(
                    key,
                    format!("`{at}.{key}` is for a program, and this server has a `url`"),
                    "take it out",
                );
            }
        }
        if !server.headers.is_empty() && server.url.is_none() && server.command.is_some() {
            wrong(
                "headers",
                format!("`{at}.headers` is for a `url`, and this server is a program"),
                "use `env`",
            );
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(ConfigError::Invalid(problems)) }
}

#[cfg(test)]
mod tests {
    use crate::config::{Config, ConfigError, McpAsker, McpReach, ToolEffect, settled};
    use std::sync::Arc;

    fn settings(text: &str) -> Result<Arc<Config>, ConfigError> {
        settled(text).map(|(_, live)| live.current())
    }

    #[test]
    fn servers_are_read_under_any_name() {
        let config = settings(
            "[mcp.files]\ncommand = \"npx\"\nargs = [\"-y\", \"server\"]\nenv = [\"FILES_KEY\"]\ntools = [\"read\"]\n\
             who = \"members\"\nplaces = [7, \"1234567890123456789\"]\n\
             [mcp.files.effects]\nwrite_file = \"acts\"\n\
             [mcp.notes_2]\nurl = \"https://notes.example/mcp\"\nenabled = false\n\
             headers = { Authorization = \"NOTES_AUTHORIZATION\" }\n",
        )
        .unwrap();
        let files = &config.mcp["files"];
        assert_eq!(files.reach(), Some(McpReach::Program("npx")));
        assert_eq!(files.effects["write_file"], ToolEffect::Acts);
        assert!(files.enabled);
        assert_eq!((files.who, &files.places[..]), (McpAsker::Members, &[7, 1_234_567_890_123_456_789][..]));
        let notes = &config.mcp["notes_2"];
        assert_eq!(notes.reach(), Some(McpReach::Url("https://notes.example/mcp")));
        assert_eq!(notes.headers["Authorization"], "NOTES_AUTHORIZATION");
        assert!(!notes.enabled);
        assert_eq!((notes.who, notes.places.len()), (McpAsker::Operator, 0), "nobody is let in unasked");
        assert!(settings("").unwrap().mcp.is_empty());
    }

    #[test]
    fn what_cannot_be_a_server_is_refused_with_what_to_do() {
        let refused = |text: &str| settings(text).unwrap_err().lines().join("\n");
        for (text, said) in [
            ("[mcp.a]\nargs = [\"x\"]", "`mcp.a` says neither `command` nor `url`; add the program"),
            (
                "[mcp.a]\ncommand = \"x\"\nurl = \"http://h\"",
                "`mcp.a` has both `command` and `url`; a server is",
            ),
            ("[mcp.a]\nurl = \"http://h\"\nenv = [\"X\"]", "`mcp.a.env` is for a program"),
            ("[mcp.a]\ncommand = \"x\"\nheaders = { A = \"B\" }", "`mcp.a.headers` is for a `url`"),
            ("[mcp.\"a b\"]\ncommand = \"x\"", "\"a b\" cannot be a server's name; use letters"),
            ("[mcp.a]\ncomand = \"x\"", "did you mean `command`?"),
            ("[mcp.a]\ncommand = \"x\"\neffects = { t = \"look\" }", "did you mean \"looks\"?"),
            ("[mcp.a]\ncommand = 4", "`mcp.a.command` must be text"),
            ("[mcp]\na = 4", "`mcp.a` must be a table of settings"),
        ] {
            let told = refused(text);
            assert!(told.contains(said), "{text}: {told}");
        }
    }

    #[test]
    fn a_secret_in_the_place_of_a_variables_name_is_not_repeated() {
        for text in [
            "[mcp.a]\nurl = \"http://h\"\nheaders = { Authorization = \"Bearer sk-1234567\" }",
            "[mcp.a]\ncommand = \"x\"\nenv = [\"KEY=sk-1234567\"]",
        ] {
            let error = settings(text).unwrap_err();
            let told = format!("{}\n{}", error.lines().join("\n"), error.report());
            assert!(told.contains("must be the name of an environment variable"), "{told}");
            assert!(!told.contains("sk-1234567"), "{told}");
        }
    }
}
