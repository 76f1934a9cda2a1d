//! A terminal that shows nothing of what is typed, and keeps it as it was typed for whoever reads next.

use std::io;

use rustix::termios::{InputModes, LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

/// Holds until dropped. Each clone gives the terminal back as it was found, for whoever may change it last.
#[derive(Clone)]
pub(super) struct Silence {
    before: Termios,
    silent: Termios,
}

impl Silence {
    pub(super) fn begin() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut silent = before.clone();
        // Letter by letter and untranslated, so that backspace, Enter and Ctrl-D mean at the prompt what they mean there.
        silent.local_modes -= LocalModes::ECHO | LocalModes::ICANON | LocalModes::IEXTEN;
        silent.input_modes -= InputModes::ICRNL;
        // Ctrl-C stops an answer, and throws away nothing of what was typed.
        silent.local_modes |= LocalModes::ISIG | LocalModes::NOFLSH;
        let silence = Self { before, silent };
        silence.keep()?;
        Ok(silence)
    }

    /// Makes it so again, whoever changed it.
    pub(super) fn keep(&self) -> io::Result<()> {
        Ok(tcsetattr(io::stdin(), OptionalActions::Now, &self.silent)?)
    }
}

impl Drop for Silence {
    fn drop(&mut self) {
        // A terminal that is gone needs nothing given back.
        let _gone = tcsetattr(io::stdin(), OptionalActions::Now, &self.before);
    }
}
