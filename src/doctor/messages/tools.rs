//! What the doctor says of tools.

use crate::doctor::report::DoctorCheck;

pub(in crate::doctor) fn search_lacks_key() -> DoctorCheck {
    DoctorCheck::warn(
        "web_search",
        "Brave is to search the web, but BRAVE_SEARCH_API_KEY is not set, so the tool is not there",
        "put the key into .env, or set tools.web.search = \"off\"",
    )
}

pub(in crate::doctor) fn search_lacks_address() -> DoctorCheck {
    DoctorCheck::warn(
        "web_search",
        "SearXNG is to search the web, but nothing says where it is, so the tool is not there",
        "set tools.web.searxng_url, or tools.web.search = \"off\"",
    )
}

pub(in crate::doctor) fn images_lack(setting: &str) -> DoctorCheck {
    DoctorCheck::warn(
        "image_make",
        format!("pictures are to be made, but {setting} is not set, so the tool is not there"),
        format!("set {setting}, or take both out of [tools.images]"),
    )
}

pub(in crate::doctor) fn images_unreachable(base: &str) -> DoctorCheck {
    DoctorCheck::warn(
        "image_make",
        format!("what makes pictures does not answer at {base}"),
        "start it, or mend tools.images.base_url",
    )
}
