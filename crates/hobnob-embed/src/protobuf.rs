//! Reads the fields of a protobuf message in memory, without a schema.
//!
//! The readers of published models call it; a message that ends early or lies about a length is an
//! error, never a panic or a read beyond its end.

#[cfg(test)]
mod tests;

/// Why bytes are not a protobuf message.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadMessage {
    #[error("a message ends in the middle of a field")]
    Truncated,
    #[error("a field has the unknown wire type {0}")]
    WireType(u8),
    #[error("a number of a message has more than 64 bits")]
    TooLong,
}

/// The value of a field, by its wire type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldValue<'a> {
    /// An integer, a boolean or an enum.
    Varint(u64),
    /// A `fixed64` or `double`.
    Fixed64([u8; 8]),
    /// A string, bytes, a message or a packed list.
    Bytes(&'a [u8]),
    /// A `fixed32` or `float`.
    Fixed32([u8; 4]),
}

/// The fields of a message in the order of the file; ends after the first error.
pub(crate) struct MessageFields<'a>(&'a [u8]);

impl<'a> MessageFields<'a> {
    /// The fields of this message; each is read when it is asked for.
    pub(crate) fn new(message: &'a [u8]) -> Self {
        Self(message)
    }

    fn field(&mut self) -> Result<(u64, FieldValue<'a>), BadMessage> {
        let tag = self.varint()?;
        let value = match (tag & 7) as u8 {
            0 => FieldValue::Varint(self.varint()?),
            1 => FieldValue::Fixed64(*self.chunk()?),
            2 => {
                let length = usize::try_from(self.varint()?);
                let length = length.map_err(|_too_long| BadMessage::Truncated)?;
                let (value, rest) = self.0.split_at_checked(length).ok_or(BadMessage::Truncated)?;
                self.0 = rest;
                FieldValue::Bytes(value)
            }
            5 => FieldValue::Fixed32(*self.chunk()?),
            other => return Err(BadMessage::WireType(other)),
        };
        Ok((tag >> 3, value))
    }

    fn varint(&mut self) -> Result<u64, BadMessage> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first().ok_or(BadMessage::Truncated)?;
            self.0 = rest;
            value |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(BadMessage::TooLong)
    }

    fn chunk<const LENGTH: usize>(&mut self) -> Result<&'a [u8; LENGTH], BadMessage> {
        let (value, rest) = self.0.split_first_chunk().ok_or(BadMessage::Truncated)?;
        self.0 = rest;
        Ok(value)
    }
}

impl<'a> Iterator for MessageFields<'a> {
    /// The field's number and value.
    type Item = Result<(u64, FieldValue<'a>), BadMessage>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.0 = &[];
        }
        Some(field)
    }
}
