//! One tool.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::actions::PlaceActions;
pub use super::error::ToolError;
use super::proposed::Proposed;
use crate::config::Origin;
use crate::domain::{
    Author, ChangePass, MessageId, Place, StoredId, TokenEncoding, ToolPass, ToolSpec, TurnId,
};
use crate::history::Visible;
use crate::world::WorldSnapshot;

/// The shelves tools stand on; their list is what a search starts from (Y16).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shelf {
    /// What was said and learnt before.
    Memory,
    /// What goes on in this channel, and what can be done in it.
    Channel,
    People,
    /// The world the character lives in.
    Lore,
    /// Clocks, reminders, what is still open.
    Time,
    /// Dice, choices, sums, sounds, pictures.
    Play,
    /// What is found outside: the web, the weather, programs that were connected.
    World,
}

impl Shelf {
    /// All of them with the names a search takes, in the order they are listed.
    pub(super) const ALL: [(Self, &str); 7] = [
        (Self::Memory, "memory"),
        (Self::Channel, "channel"),
        (Self::People, "people"),
        (Self::Lore, "lore"),
        (Self::Time, "time"),
        (Self::Play, "play"),
        (Self::World, "world"),
    ];
}

/// What a call does, from which follows who may cause it (M10, M11).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Looks something up or works it out: for whoever may be answered in full.
    Looks,
    /// Does what whoever asks could take back by themselves: a note, a reminder, a reaction. Asks the gate of changes.
    Acts,
    /// Reaches other people and stays: a poll, a pin, a picture. Asks the gate of changes, and where the settings say so
    /// whoever caused it.
    Reaches,
}

/// Whose words a tool gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gives {
    /// The program's: a time, a number, that it is done. They can carry no instruction.
    OwnWords,
    /// What others wrote. Once the model has read it, nothing is done in the same turn that nobody confirmed.
    OthersWords,
}

/// For whom and where a tool runs. There is no default: a tool that does not know its caller sees nothing
/// (contradiction 15).
#[derive(Debug, Clone)]
pub struct ToolContext {
    /// Leave to do anything at all for whoever is answered.
    pub pass: ToolPass,
    /// Leave to change something for them, where they have it.
    pub change: Option<ChangePass>,
    /// What can be done in the place, where its platform can do anything.
    pub actions: Option<Arc<dyn PlaceActions>>,
    /// The turn; seeds dice, so that a replay throws the same.
    pub turn: TurnId,
    pub place: Place,
    /// The world when the turn was opened.
    pub world: Arc<WorldSnapshot>,
    /// Whom the reply is for, where known.
    pub caller: Option<Author>,
    /// What the familiar's own lines are headed with, for whoever reads the result: "you", where that is the familiar.
    pub own_label: &'static str,
    /// What may be looked up there.
    pub visible: Visible,
    /// The messages that are answered, which nobody has to look for.
    pub asked: Vec<StoredId>,
    /// Their words.
    pub said: Vec<String>,
    /// That of the caller as the platform knows it, where it was written.
    pub message: Option<MessageId>,
    /// Whether it is not plain who wants what: several asked, or nobody did.
    pub is_unsure: bool,
    pub now: Timestamp,
    /// The time zone in which the familiar tells the time.
    pub display_tz: TimeZone,
    /// That of whom the reply is for, where they said it lately.
    pub caller_tz: Option<TimeZone>,
    /// How the model's tokens are counted.
    pub encoding: TokenEncoding,
    /// The skills that may be told there.
    pub skills: Vec<SkillText>,
}

/// What the familiar's own lines are headed with where it reads them itself.
pub(crate) const OWN_LABEL: &str = "you";

impl ToolContext {
    /// For nobody who is known, with nothing to answer, nothing to change and nothing that can be done; the time is told in UTC.
    pub fn new(
        pass: ToolPass,
        turn: TurnId,
        place: Place,
        visible: Visible,
        now: Timestamp,
        encoding: TokenEncoding,
    ) -> Self {
        Self {
            pass,
            change: None,
            actions: None,
            turn,
            place,
            world: Arc::default(),
            caller: None,
            own_label: OWN_LABEL,
            visible,
            asked: Vec::new(),
            said: Vec::new(),
            message: None,
            is_unsure: false,
            now,
            display_tz: TimeZone::UTC,
            caller_tz: None,
            encoding,
            skills: Vec::new(),
        }
    }
}

/// A skill as it is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillText {
    /// Its name, as it stands in the list.
    pub name: Arc<str>,
    pub origin: Origin,
    /// Its words, within its cap.
    pub text: String,
}

/// How a tool stands in the list.
#[derive(Debug, Clone)]
pub struct ToolEntry {
    /// By this name it is called: letters, digits, `_` and `-`, at most 64.
    pub name: Arc<str>,
    /// Where a search finds it.
    pub shelf: Shelf,
    pub effect: Effect,
    pub gives: Gives,
    /// Whether whoever caused it is asked each time, whatever the settings say; only what acts asks.
    pub always_asks: bool,
    /// Whether it is offered without having been searched for.
    pub is_at_hand: bool,
    /// What the model is told.
    pub description: Arc<str>,
    /// Its arguments, as a JSON schema.
    pub parameters: Value,
}

impl ToolEntry {
    /// A tool that looks something up in what others wrote, which is what most do.
    pub fn new(name: &str, shelf: Shelf, description: &str) -> Self {
        Self {
            name: name.into(),
            shelf,
            effect: Effect::Looks,
            gives: Gives::OthersWords,
            always_asks: false,
            is_at_hand: false,
            description: description.into(),
            parameters: Value::Null,
        }
    }

    pub fn effect(self, effect: Effect) -> Self {
        Self { effect, ..self }
    }

    /// It gives nothing that anybody else wrote.
    pub fn in_own_words(self) -> Self {
        Self { gives: Gives::OwnWords, ..self }
    }

    /// It does what nobody but whoever asks can agree to.
    pub fn always_asks(self) -> Self {
        Self { always_asks: true, ..self }
    }

    pub fn at_hand(self) -> Self {
        Self { is_at_hand: true, ..self }
    }

    pub(super) fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.name.to_string(),
            description: self.description.to_string(),
            parameters: self.parameters.clone(),
        }
    }
}

/// Something the familiar can do, with arguments of a type of its own: the model is told the schema of the type, and a call
/// that does not fit it is not run.
#[async_trait]
pub trait Tool: Send + Sync + Debug + 'static {
    /// Doc comments of its fields are what the model is told about them.
    type Arguments: DeserializeOwned + JsonSchema + Send + Sync;

    /// How it stands in the list; the arguments are filled in.
    fn entry(&self) -> ToolEntry;

    /// Whether there is anything for it to do; one that does not exist is neither offered nor found. May change when
    /// somebody edits a file, not from message to message.
    fn exists(&self) -> bool {
        true
    }

    /// Whether it can do anything in a place.
    fn is_for(&self, _place: &Place) -> bool {
        true
    }

    /// How long it is waited for at least, whatever the settings say; for what is known to take long.
    fn patience(&self) -> Duration {
        Duration::ZERO
    }

    /// Something was forgotten: what it keeps at hand of what it brought goes, since it may hold that or tell that it was asked.
    fn let_go(&self) {}

    /// Does it. Cancelled by dropping.
    ///
    /// # Errors
    /// See [`ToolError`].
    async fn run(&self, arguments: Self::Arguments, context: &ToolContext) -> Result<String, ToolError>;

    /// Where on the internet it would look, where the model chose that.
    fn address(&self, _: &Self::Arguments) -> Option<String> {
        None
    }

    /// Whether these arguments have it reach other people, which its entry does not say of all.
    fn reaches(&self, _: &Self::Arguments) -> bool {
        false
    }

    /// What it would do, for whoever has to confirm it, with all that matters. Without words of its own its name stands for
    /// it.
    ///
    /// # Errors
    /// Where it could not be done there: then nobody is asked.
    async fn proposed(&self, _: &Self::Arguments, _: &ToolContext) -> Result<Option<Proposed>, ToolError> {
        Ok(None)
    }
}

/// A tool whatever its arguments are.
pub trait AnyTool: Send + Sync + Debug {
    fn entry(&self) -> &ToolEntry;
    fn exists(&self) -> bool;
    fn is_for(&self, place: &Place) -> bool;

    /// How long it is waited for at least.
    fn patience(&self) -> Duration {
        Duration::ZERO
    }

    /// Something was forgotten.
    fn let_go(&self) {}

    /// Reads what a model wrote, once for everything that is done with it.
    ///
    /// # Errors
    /// [`ToolError::Arguments`] where it cannot be used.
    fn read(&self, arguments: Value) -> Result<Box<dyn ReadCall + '_>, ToolError>;
}

/// A call whose arguments were read and can be used.
#[async_trait]
pub trait ReadCall: Send + Sync {
    /// See [`Tool::address`].
    fn address(&self) -> Option<String> {
        None
    }

    /// See [`Tool::reaches`].
    fn reaches(&self) -> bool {
        false
    }

    /// What it would do, for whoever has to confirm it.
    ///
    /// # Errors
    /// Where it could not be done there: then nobody is asked.
    async fn proposed(&self, context: &ToolContext) -> Result<Proposed, ToolError>;

    /// Does it. Cancelled by dropping.
    ///
    /// # Errors
    /// See [`ToolError`].
    async fn run(self: Box<Self>, context: &ToolContext) -> Result<String, ToolError>;
}

#[cfg(test)]
impl dyn AnyTool + '_ {
    pub(super) async fn run(&self, arguments: Value, context: &ToolContext) -> Result<String, ToolError> {
        self.read(arguments)?.run(context).await
    }
}

/// A [`Tool`] with its entry, whose schema is made once.
#[derive(Debug)]
struct TypedTool<T> {
    tool: T,
    entry: ToolEntry,
}

/// A tool as it stands among the others.
pub fn any<T: Tool>(tool: T) -> Arc<dyn AnyTool> {
    let entry = ToolEntry { parameters: schema_of::<T::Arguments>(), ..tool.entry() };
    Arc::new(TypedTool { tool, entry })
}

/// A call of a [`Tool`].
struct TypedCall<'t, T: Tool> {
    of: &'t TypedTool<T>,
    arguments: T::Arguments,
}

impl<T: Tool> AnyTool for TypedTool<T> {
    fn entry(&self) -> &ToolEntry {
        &self.entry
    }

    fn exists(&self) -> bool {
        self.tool.exists()
    }

    fn is_for(&self, place: &Place) -> bool {
        self.tool.is_for(place)
    }

    fn patience(&self) -> Duration {
        self.tool.patience()
    }

    fn let_go(&self) {
        self.tool.let_go();
    }

    fn read(&self, arguments: Value) -> Result<Box<dyn ReadCall + '_>, ToolError> {
        Ok(Box::new(TypedCall { of: self, arguments: read_arguments(arguments)? }))
    }
}

#[async_trait]
impl<T: Tool> ReadCall for TypedCall<'_, T> {
    fn address(&self) -> Option<String> {
        self.of.tool.address(&self.arguments)
    }

    fn reaches(&self) -> bool {
        self.of.tool.reaches(&self.arguments)
    }

    async fn proposed(&self, context: &ToolContext) -> Result<Proposed, ToolError> {
        let proposed = self.of.tool.proposed(&self.arguments, context).await?;
        Ok(proposed.unwrap_or_else(|| Proposed::Told(self.of.entry.name.replace('_', " "))))
    }

    async fn run(self: Box<Self>, context: &ToolContext) -> Result<String, ToolError> {
        self.of.tool.run(self.arguments, context).await
    }
}

/// Arguments as a type; unknown and missing ones are named.
///
/// # Errors
/// [`ToolError::Arguments`] where they do not fit.
pub fn read_arguments<A: DeserializeOwned>(given: Value) -> Result<A, ToolError> {
    serde_json::from_value(given).map_err(|error| ToolError::Arguments(error.to_string()))
}

/// Whether these can be the arguments of one tool.
pub(super) type Reads = fn(&Value) -> bool;

/// Whether a tool takes them.
pub(super) fn reads<T: Tool>(arguments: &Value) -> bool {
    takes::<T::Arguments>(arguments)
}

/// Whether they are of this type.
pub(super) fn takes<A: DeserializeOwned>(arguments: &Value) -> bool {
    read_arguments::<A>(arguments.clone()).is_ok()
}

/// What a model is told about arguments: no more than it needs to write them.
pub fn schema_of<A: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<A>().to_value();
    if let Value::Object(fields) = &mut schema {
        fields.remove("title");
        fields.entry("properties").or_insert_with(|| Value::Object(serde_json::Map::new()));
    }
    without_formats(&mut schema);
    schema
}

/// Takes out what only a program reads: `"format": "uint32"`, and `null` as a second type of what may be left out.
fn without_formats(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.remove("format");
            fields.remove("default");
            if let Some(Value::Array(values)) = fields.get_mut("enum") {
                values.retain(|one| !one.is_null());
            }
            if let Some(Value::Array(types)) = fields.get_mut("type") {
                types.retain(|one| one != "null");
                if let [only] = &types[..] {
                    let only = only.clone();
                    fields.insert("type".to_owned(), only);
                }
            }
            fields.values_mut().for_each(without_formats);
        }
        Value::Array(items) => items.iter_mut().for_each(without_formats),
        _ => {}
    }
}

/// What a tool is given that takes nothing.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoArguments {}
