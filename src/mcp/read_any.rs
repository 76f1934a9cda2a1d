//! All that a server may say, for fuzzing: nothing of it may panic or take for ever, whatever comes.

use rmcp::model::{ServerJsonRpcMessage, ServerResult};
use serde_json::{Map, Value};

use super::arguments::check_arguments;
use super::schema::sound_schema;

/// Reads bytes as a message, as a list of tools, and as a schema with arguments that may fit it.
pub fn read_any_message(bytes: &[u8]) {
    if let Ok(ServerJsonRpcMessage::Response(response)) = serde_json::from_slice(bytes)
        && let ServerResult::ListToolsResult(list) = response.result
    {
        for tool in list.tools {
            read_schema(&tool.input_schema);
        }
    }
    if let Ok(Value::Object(schema)) = serde_json::from_slice(bytes) {
        read_schema(&schema);
        for part in schema.values() {
            if let Value::Object(part) = part {
                read_schema(part);
            }
        }
    }
}

fn read_schema(schema: &Map<String, Value>) {
    let mut of_object = schema.clone();
    of_object.insert("type".to_owned(), "object".into());
    for schema in [schema, &of_object] {
        if let Ok(sound) = sound_schema(schema) {
            // It fits or does not.
            let _either = check_arguments(&sound, &Value::Object(schema.clone()));
        }
    }
}
