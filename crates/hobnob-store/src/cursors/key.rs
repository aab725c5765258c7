//! Seals cursors with authenticated encryption, so a caller who carries one learns nothing from it.
//!
//! The backend holds one key and seals every cursor with it. What must stay true: a cursor opens
//! only for the owner and the list it was sealed for.

use crate::error::StoreError;
use crate::owner::Owner;
use hobnob_text::hex;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hmac;

/// The owner and the list that a cursor is bound to.
#[derive(Debug, Clone)]
pub struct ListOwner {
    /// The owner who may continue the list.
    pub owner: Owner,
    /// The name of the list, which contains no space.
    pub list: &'static str,
}

/// Seals cursors with ChaCha20-Poly1305. The nonce is an HMAC of the contents (a synthetic IV), so
/// the same page always ends with the same cursor.
pub struct CursorKey {
    nonces: hmac::Key,
    seal: LessSafeKey,
}

impl CursorKey {
    /// Derives the key from the secret that all processes on a store share.
    pub fn new(bytes: &[u8]) -> Result<Self, StoreError> {
        let secret = hmac::Key::new(hmac::HMAC_SHA256, bytes);
        let nonces = hmac::Key::new(hmac::HMAC_SHA256, hmac::sign(&secret, b"nonces").as_ref());
        let seal = hmac::sign(&secret, b"seal");
        let seal = UnboundKey::new(&CHACHA20_POLY1305, seal.as_ref());
        let seal = seal.map_err(|_| StoreError::Failed("the key of cursors is damaged".into()))?;
        Ok(Self { nonces, seal: LessSafeKey::new(seal) })
    }

    /// Seals a cursor for one owner and one list.
    pub fn seal(&self, of: &ListOwner, cursor: &str) -> Result<String, StoreError> {
        let about = about(of);
        let unique = hmac::sign(&self.nonces, format!("{about}\0{cursor}").as_bytes());
        let mut nonce = [0; NONCE_LEN];
        nonce.copy_from_slice(&unique.as_ref()[..NONCE_LEN]);
        let mut bytes = cursor.as_bytes().to_vec();
        let sealed = self.seal.seal_in_place_append_tag(
            Nonce::assume_unique_for_key(nonce),
            Aad::from(about.as_bytes()),
            &mut bytes,
        );
        sealed.map_err(|_| StoreError::Failed("a cursor cannot be sealed".into()))?;
        Ok(hex::encode(&[&nonce, &*bytes].concat()))
    }

    /// Opens a cursor that [`Self::seal`] made for this owner and list; `None` for any other.
    pub fn open(&self, of: &ListOwner, sealed: &str) -> Option<String> {
        let bytes = hex::decode(sealed)?;
        let (nonce, rest) = bytes.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut rest = rest.to_vec();
        let opened = self.seal.open_in_place(nonce, Aad::from(about(of).as_bytes()), &mut rest);
        String::from_utf8(opened.ok()?.to_vec()).ok()
    }
}

impl std::fmt::Debug for CursorKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CursorKey")
    }
}

/// The associated data of a cursor. No list name contains a space, so this is unambiguous.
fn about(of: &ListOwner) -> String {
    format!("{} {}", of.list, of.owner.as_str())
}
