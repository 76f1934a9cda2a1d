//! What is said of the servers that give it tools.

use crate::doctor::report::DoctorCheck;
use crate::mcp::{McpTrouble, ServerFindings};
use crate::text::short::counted;

pub(in crate::doctor) fn server_connected(server: &str, found: &ServerFindings) -> DoctorCheck {
    let has = counted(found.listed as u64, "tool");
    let offered = match found.offered {
        _ if found.listed == 0 => "it has no tools".to_owned(),
        all if all == found.listed => format!("its {has} can be used"),
        some => format!("{some} of its {has} can be used"),
    };
    let ignored = match found.ignored[..] {
        [] => String::new(),
        _ => format!("; its {} are not used", found.ignored.join(" and ")),
    };
    let said = format!("{server} is connected: {offered}{ignored}");
    if let Some(unknown) = found.unknown.first() {
        return DoctorCheck::warn(
            "mcp",
            format!("{said}; it has no tool {unknown:?}"),
            format!("mend mcp.{server}.tools and mcp.{server}.effects"),
        );
    }
    match found.left_out.named.first() {
        None if found.listed == 0 => DoctorCheck::warn(
            "mcp",
            said,
            format!("take mcp.{server} out of the settings, or set enabled = false"),
        ),
        None => DoctorCheck::ok("mcp", said),
        Some((tool, why)) => DoctorCheck::warn(
            "mcp",
            format!("{said}; {tool:?} is left out: {why}"),
            format!("tell whoever makes that server, or name the tools you want in mcp.{server}.tools"),
        ),
    }
}

pub(in crate::doctor) fn server_away(server: &str, why: &McpTrouble) -> DoctorCheck {
    let advice = match why {
        McpTrouble::NotFound { .. } => format!("install it, or mend mcp.{server}.command"),
        McpTrouble::NotStarted { .. } | McpTrouble::Nowhere => format!("mend mcp.{server}.command"),
        McpTrouble::NoVariable { variable } => format!("set {variable} in .env"),
        McpTrouble::NotAHeader { .. } => format!("mend mcp.{server}.headers, or the variable it names"),
        McpTrouble::Late(_) => "try again: the first start may have to fetch it".to_owned(),
        McpTrouble::Said(_) => format!("mend mcp.{server}; the familiar does without its tools meanwhile"),
    };
    DoctorCheck::warn("mcp", format!("{server} is not connected: {why}"), advice)
}

pub(in crate::doctor) fn variable_unset(server: &str, variable: &str) -> DoctorCheck {
    DoctorCheck::warn(
        "mcp",
        format!("{server} is to know {variable}, which is not set"),
        format!("set {variable} in .env, or take it out of mcp.{server}.env"),
    )
}

pub(in crate::doctor) fn server_not_tried(server: &str) -> DoctorCheck {
    DoctorCheck::skipped("mcp", format!("{server}: not tried"))
}

pub(in crate::doctor) fn server_switched_off(server: &str) -> DoctorCheck {
    DoctorCheck::ok("mcp", format!("{server} is switched off"))
}
