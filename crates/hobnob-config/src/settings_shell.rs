//! The table `[shell]` of `config.toml`: how much one command may use of the machine.
//!
//! The binary reads it when it opens the service `shell`.

use std::num::NonZeroU32;
use std::time::Duration;

use serde::{Deserialize, Deserializer, de};

use crate::duration::parse_duration;

/// Hardly any program starts with less memory.
const MIN_MEMORY: u64 = 16 << 20;

/// Calls end after 15 minutes; a longer command is started in the background.
const MAX_TIMEOUT: Duration = Duration::from_secs(600);

/// `[shell]`: read when Hobnob starts.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ShellSettings {
    /// Bytes of memory of a command and everything it starts.
    #[serde(deserialize_with = "memory")]
    pub memory: u64,
    /// Concurrent processes of a command.
    pub processes: NonZeroU32,
    /// CPU time of a command and everything it starts.
    #[serde(deserialize_with = "cpu")]
    pub cpu: Duration,
    /// How long a command may run if its caller sets no timeout.
    #[serde(deserialize_with = "timeout")]
    pub timeout: Duration,
}

impl Default for ShellSettings {
    fn default() -> Self {
        let processes = NonZeroU32::MIN.saturating_add(63);
        Self { memory: 512 << 20, processes, cpu: MAX_TIMEOUT, timeout: Duration::from_secs(60) }
    }
}

fn memory<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let bytes = u64::deserialize(deserializer)?;
    if bytes < MIN_MEMORY {
        return Err(de::Error::custom(format!("must be at least {MIN_MEMORY} bytes")));
    }
    Ok(bytes)
}

/// Whole seconds, since that is how systems count CPU time.
fn cpu<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let time = parse_duration(&String::deserialize(deserializer)?).map_err(de::Error::custom)?;
    if time < Duration::from_secs(1) {
        return Err(de::Error::custom("must be at least one second"));
    }
    Ok(time)
}

fn timeout<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let time = parse_duration(&String::deserialize(deserializer)?).map_err(de::Error::custom)?;
    if time < Duration::from_secs(1) || MAX_TIMEOUT < time {
        return Err(de::Error::custom("must be from one second to ten minutes"));
    }
    Ok(time)
}
