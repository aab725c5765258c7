//! Masks the text of logs for callers: tokens replace personal data, unless the person disabled it.

use hobnob_machine::logs::TextMask;
use hobnob_secrets::Anonymiser;
use parking_lot::Mutex;
use std::borrow::Cow;
use std::fmt;
use std::io;
use std::sync::Arc;

/// An anonymiser that is created when the first log is read: its key need not exist before.
pub struct LazyAnonymiser {
    make: Box<dyn Fn() -> io::Result<Anonymiser> + Send + Sync>,
    made: Mutex<Option<Arc<Anonymiser>>>,
}

impl LazyAnonymiser {
    /// Calls `make` at the first use; after a failure, again at the next use.
    pub fn new(make: impl Fn() -> io::Result<Anonymiser> + Send + Sync + 'static) -> Self {
        Self { make: Box::new(make), made: Mutex::default() }
    }

    /// The anonymiser. No log is shown as long as it cannot be created.
    pub(super) fn get(&self) -> io::Result<Arc<Anonymiser>> {
        let mut made = self.made.lock();
        if let Some(made) = &*made {
            return Ok(Arc::clone(made));
        }
        let new = Arc::new((self.make)()?);
        *made = Some(Arc::clone(&new));
        Ok(new)
    }
}

impl fmt::Debug for LazyAnonymiser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LazyAnonymiser").finish_non_exhaustive()
    }
}

/// What callers see of a log's text.
#[derive(Debug, Clone)]
pub(super) enum LogMask {
    /// All text, because the person's settings say so.
    Off,
    /// Text in which tokens replace personal data.
    Anonymised(Arc<Anonymiser>),
}

impl TextMask for LogMask {
    fn mask<'text>(&self, text: &'text str) -> Cow<'text, str> {
        match self {
            Self::Off => Cow::Borrowed(text),
            Self::Anonymised(anonymiser) => anonymiser.mask(text),
        }
    }
}
