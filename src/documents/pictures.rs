//! Pictures that people send: what they are, and who tells what they show.

use std::fmt::Debug;

use async_trait::async_trait;

/// What a picture can be, by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureKind {
    Png,
    Jpeg,
    Gif,
    Webp,
}

impl PictureKind {
    /// What these bytes are; `None` for anything else.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Self::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::Webp),
            _ => None,
        }
    }

    /// As it is called in a file's ending, and behind `image/`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpeg",
            Self::Gif => "gif",
            Self::Webp => "webp",
        }
    }
}

/// Who tells in words what a picture shows.
#[async_trait]
pub trait ReadsPictures: Debug + Send + Sync {
    /// Whether there is anybody now.
    fn sees(&self) -> bool;

    /// What a picture shows, as somebody else's words.
    ///
    /// # Errors
    /// In words for the model, when that could not be made out.
    async fn words_of(&self, kind: PictureKind, bytes: Vec<u8>) -> Result<String, String>;
}
