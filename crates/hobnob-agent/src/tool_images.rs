//! Pictures in a person's questions and in results of tools: validates them, keeps the newest in memory
//! and attaches them to each request.
//!
//! The store never gets pictures, so a resumed conversation has none. What must stay true: a model gets
//! only pictures that providers accept, because one invalid picture makes them refuse the whole
//! conversation, and the pictures in memory are bounded.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hobnob_llm::{ModelBlock, ModelImage, ModelMessage, ModelRole};
use serde_json::Value;
use std::collections::VecDeque;

#[cfg(test)]
mod tests;

/// The most characters of one picture in base64: the lowest limit of any provider.
const MAX_PICTURE_CHARS: usize = 5 << 20;
/// The beginning of the words that stand for a picture in a question.
const PICTURE_WORDS_PREFIX: &str = "<image ";
/// The most pictures of one result that are passed on.
const MAX_RESULT_PICTURES: usize = 8;
/// The most pictures of a conversation that every request contains; the oldest are dropped.
const MAX_KEPT_PICTURES: usize = 20;
/// The most characters in base64 of all these pictures together.
const MAX_KEPT_CHARS: usize = 20 << 20;

/// Reads the pictures in the result of a `tools/call` from JSON. Invalid pictures are left out.
pub fn read_images(body: &str) -> Vec<ModelImage> {
    let result: Value = serde_json::from_str(body).unwrap_or_default();
    let blocks = result["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    let pictures = blocks.iter().filter(|block| block["type"] == "image");
    let pictures = pictures.filter_map(|block| picture(block["data"].as_str()?));
    pictures.take(MAX_RESULT_PICTURES).collect()
}

/// A picture that a person adds, from the bytes of its file; `None` if providers do not accept it.
pub fn picture_of(bytes: &[u8]) -> Option<ModelImage> {
    picture(&STANDARD.encode(bytes))
}

/// A picture from base64. Its first bytes determine the media type, not the type from the server.
fn picture(data: &str) -> Option<ModelImage> {
    let media_type = match data {
        _ if data.starts_with("iVBORw0KGgo") => "image/png",
        _ if data.starts_with("/9j/") => "image/jpeg",
        _ if data.starts_with("R0lGOD") => "image/gif",
        _ if data.starts_with("UklGR") && data.get(11..16) == Some("XRUJQ") => "image/webp",
        _ => return None,
    };
    let digits = data.trim_end_matches('=');
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let whole = data.len().is_multiple_of(4) && data.len() - digits.len() <= 2;
    let fits = data.len() <= MAX_PICTURE_CHARS && whole && digits.bytes().all(legal);
    fits.then(|| ModelImage { media_type: media_type.into(), data: data.into() })
}

/// The words for a picture in a question; `number` distinguishes pictures with the same name.
pub fn picture_words(name: &str, number: u64) -> String {
    let name = name.replace(['<', '>', '"'], "_");
    format!("{PICTURE_WORDS_PREFIX}name=\"{name}\" number=\"{number}\"/>")
}

/// The newest pictures of a conversation, each with the id of the call that returned it, or with
/// the words that stand for it in a question.
#[derive(Debug, Default)]
pub(crate) struct KeptImages(VecDeque<(Box<str>, ModelImage)>);

impl KeptImages {
    /// Keeps the pictures of a call or of a question, and drops the oldest beyond the limits.
    pub(crate) fn keep(&mut self, id: &str, images: Vec<ModelImage>) {
        self.0.extend(images.into_iter().map(|image| (id.into(), image)));
        let characters = |kept: &Self| kept.0.iter().map(|(_, it)| it.data.len()).sum::<usize>();
        while MAX_KEPT_PICTURES < self.0.len() || MAX_KEPT_CHARS < characters(self) {
            self.0.pop_front();
        }
    }

    /// Adds each picture to the result that it belongs to, or to the question that names it.
    pub(crate) fn attach(&self, messages: &mut [ModelMessage]) {
        for message in messages.iter_mut().filter(|message| message.role == ModelRole::User) {
            let named = |words: &str| {
                message.blocks.iter().any(|block| match block {
                    ModelBlock::Text(text) => text.contains(words),
                    _ => false,
                })
            };
            let own: Vec<ModelBlock> = self
                .0
                .iter()
                .filter(|(words, _)| words.starts_with(PICTURE_WORDS_PREFIX) && named(words))
                .map(|(_, image)| ModelBlock::Image(image.clone()))
                .collect();
            message.blocks.extend(own);
        }
        for block in messages.iter_mut().flat_map(|message| &mut message.blocks) {
            if let ModelBlock::ToolResult(result) = block {
                let own = self.0.iter().filter(|(id, _)| *id == result.id);
                result.images = own.map(|(_, image)| image.clone()).collect();
            }
        }
    }
}
