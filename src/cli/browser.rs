//! Whether the window comes up in a browser by itself at a start, and that it does.

use crate::config::OpenBrowser;

/// What a start is like.
#[derive(Debug, Clone, Copy)]
pub(super) struct Start {
    /// Nobody lives here yet.
    pub is_first_run: bool,
    /// Somebody sits at the terminal and sees what is asked there.
    pub is_prompted: bool,
    /// A browser would come up before them.
    pub has_desktop: bool,
}

/// Whether the window comes up by itself. Where nobody would see it, it never does, whatever the settings want.
pub(super) fn comes_up(wish: OpenBrowser, start: Start) -> bool {
    let is_wanted = match wish {
        OpenBrowser::Never => false,
        OpenBrowser::FirstRun => start.is_first_run,
        OpenBrowser::EveryStart => true,
    };
    is_wanted && start.is_prompted && start.has_desktop
}

/// Opens an address. That it could not be is only logged, as the address is printed beside it; and without what the system
/// says of it, which repeats the address.
pub(super) fn show(address: String) {
    tokio::task::spawn_blocking(move || {
        if let Err(error) = open::that_detached(address) {
            tracing::debug!(kind = ?error.kind(), "the window did not open in a browser");
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_comes_up_where_it_is_wanted_and_seen() {
        let seen = Start { is_first_run: true, is_prompted: true, has_desktop: true };
        let later = Start { is_first_run: false, ..seen };
        assert!(comes_up(OpenBrowser::FirstRun, seen) && !comes_up(OpenBrowser::FirstRun, later));
        assert!(comes_up(OpenBrowser::EveryStart, seen) && comes_up(OpenBrowser::EveryStart, later));
        assert!(!comes_up(OpenBrowser::Never, seen) && !comes_up(OpenBrowser::Never, later));
        for wish in [OpenBrowser::FirstRun, OpenBrowser::EveryStart] {
            assert!(!comes_up(wish, Start { is_prompted: false, ..seen }), "its output goes into a pipe");
            assert!(!comes_up(wish, Start { has_desktop: false, ..seen }), "there is no desktop");
        }
    }
}
