//! A random secret in a file that only its owner can read: created when it is first needed, and
//! kept from then on.

use hobnob_disk::{FileMode, Lock, make_folder, write_atomic};
use hobnob_mcp_engine::random_bytes;
use hobnob_text::hex;
use std::fs;
use std::io;
use std::path::Path;

/// The secret in this file; if there is none, creates 256 random bits in hexadecimal digits.
pub fn read_or_make(file: &Path) -> io::Result<String> {
    if let Some(secret) = read(file)? {
        return Ok(secret);
    }
    file.parent().map(make_folder).transpose()?;
    // Two processes that start together must agree on one secret.
    let _lock = Lock::acquire(&file.with_extension("lock")).map_err(io::Error::other)?;
    if let Some(secret) = read(file)? {
        return Ok(secret);
    }
    let secret = hex::encode(&random_bytes::<32>().map_err(io::Error::other)?);
    write_atomic(file, format!("{secret}\n").as_bytes(), FileMode::Private)?;
    Ok(secret)
}

/// `None` if the file is missing or empty.
fn read(file: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(Some(text.trim().to_owned()).filter(|it| !it.is_empty())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::read_or_make;

    #[test]
    fn it_is_made_once_and_for_its_owner() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state/secret");
        let secrets: Vec<_> = std::thread::scope(|threads| {
            let making: Vec<_> =
                (0..8).map(|_| threads.spawn(|| read_or_make(&file).unwrap())).collect();
            making.into_iter().map(|it| it.join().unwrap()).collect()
        });
        assert_eq!(secrets[0].len(), 64);
        assert!(secrets.iter().all(|it| *it == secrets[0]));
        assert!(!hobnob_disk::is_open_to_others(&std::fs::metadata(&file).unwrap()));
        std::fs::write(&file, "\n").unwrap();
        assert_ne!(read_or_make(&file).unwrap(), secrets[0]);
    }
}
