//! The sealed copy of what was forgotten: unreadable without its key, which lies beside it for seven days and is not
//! copied to backups. When the key is gone, so is the copy, wherever it was copied to.

use std::io::{self, Read as _, Write as _};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use serde::{Deserialize, Serialize};

use super::files::FileBefore;
use super::order::Folder;
use crate::history::{KeptComing, KeptFeeling, KeptTurn, KeptUnder};
use crate::memory::forget::NotesPlan;

/// Length of a key, in bytes.
const KEY: usize = 32;

/// Everything that is needed to put it back.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Sealed {
    pub turns: Vec<KeptTurn>,
    pub feelings: Vec<KeptFeeling>,
    /// What they put under messages of others.
    #[serde(default)]
    pub under: KeptUnder,
    /// That they came and left.
    #[serde(default)]
    pub comings: Vec<KeptComing>,
    pub notes: NotesPlan,
    pub files: Vec<FileBefore>,
}

/// Writes a copy down, sealed. One that is there already was written before anything was touched, and stays.
pub(super) fn seal(folder: &Folder, id: &str, copy: &Sealed) -> io::Result<()> {
    if matches!(open(folder, id), Ok(Some(_))) {
        return Ok(());
    }
    seal_anew(folder, id, copy)
}

/// Writes a copy down, sealed with a new key, in the place of one that may be there.
pub(super) fn seal_anew(folder: &Folder, id: &str, copy: &Sealed) -> io::Result<()> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    packed.write_all(&serde_json::to_vec(copy)?)?;
    let mut bytes = packed.finish()?;
    let key: [u8; KEY] = rand::random();
    cipher(&key)?
        .seal_in_place_append_tag(nonce(), Aad::from(id.as_bytes()), &mut bytes)
        .map_err(|_| io::Error::other("the copy could not be sealed"))?;
    folder.put(&format!("{id}.key"), &key)?;
    folder.put(&format!("{id}.sealed"), &bytes)
}

/// Reads a copy; `None` where there is none, or no key to it.
pub(super) fn open(folder: &Folder, id: &str) -> io::Result<Option<Sealed>> {
    let (Some(key), Some(mut bytes)) =
        (folder.read(&format!("{id}.key"))?, folder.read(&format!("{id}.sealed"))?)
    else {
        return Ok(None);
    };
    let packed = cipher(&key)?
        .open_in_place(nonce(), Aad::from(id.as_bytes()), &mut bytes)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "the sealed copy is damaged"))?;
    let mut text = Vec::new();
    ZlibDecoder::new(&*packed).read_to_end(&mut text)?;
    Ok(Some(serde_json::from_slice(&text)?))
}

/// Each key seals one copy, so that one nonce is enough.
fn nonce() -> Nonce {
    Nonce::assume_unique_for_key([0; NONCE_LEN])
}

fn cipher(key: &[u8]) -> io::Result<LessSafeKey> {
    UnboundKey::new(&CHACHA20_POLY1305, key)
        .map(LessSafeKey::new)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "the key of a sealed copy is damaged"))
}
