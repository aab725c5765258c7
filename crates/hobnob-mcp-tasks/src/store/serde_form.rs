//! Serde modules for members of a stored task whose types do not implement serde.
//!
//! Stores keep this form on disk: after a change here, existing records must still be readable.

/// An owner is stored as its name, or null.
pub(super) mod owner {
    use hobnob_mcp_engine::TaskOwner;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    pub(crate) fn serialize<S: Serializer>(owner: &TaskOwner, to: S) -> Result<S::Ok, S::Error> {
        owner.0.as_deref().serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<TaskOwner, D::Error> {
        let name = Option::<Box<str>>::deserialize(from)?;
        Ok(TaskOwner(name.map(Into::into)))
    }
}

/// A status is stored under its name on the wire.
pub(super) mod status {
    use hobnob_mcp_engine::TaskStatus;
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    const ALL: [TaskStatus; 5] = [
        TaskStatus::Working,
        TaskStatus::InputRequired,
        TaskStatus::Completed,
        TaskStatus::Failed,
        TaskStatus::Cancelled,
    ];

    pub(crate) fn serialize<S: Serializer>(status: &TaskStatus, to: S) -> Result<S::Ok, S::Error> {
        status.as_str().serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<TaskStatus, D::Error> {
        let name = String::deserialize(from)?;
        let known = ALL.into_iter().find(|status| status.as_str() == name);
        known.ok_or_else(|| D::Error::custom(format!("no task status `{name}`")))
    }
}

/// A time is stored in milliseconds since 1970.
pub(super) mod moment {
    use super::milliseconds;
    use serde::de::Error as _;
    use serde::{Deserializer, Serializer};
    use std::time::{SystemTime, UNIX_EPOCH};

    pub(crate) fn serialize<S: Serializer>(moment: &SystemTime, to: S) -> Result<S::Ok, S::Error> {
        // A clock that is set before 1970 is wrong anyway.
        let since = moment.duration_since(UNIX_EPOCH).unwrap_or_default();
        milliseconds::serialize(&since, to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<SystemTime, D::Error> {
        let since = milliseconds::deserialize(from)?;
        UNIX_EPOCH.checked_add(since).ok_or_else(|| D::Error::custom("the time is out of range"))
    }
}

/// A duration is stored in milliseconds.
pub(super) mod milliseconds {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};
    use std::time::Duration;

    pub(crate) fn serialize<S: Serializer>(span: &Duration, to: S) -> Result<S::Ok, S::Error> {
        u64::try_from(span.as_millis()).unwrap_or(u64::MAX).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        u64::deserialize(from).map(Duration::from_millis)
    }
}
