//! Pictures in questions and in results of tools: which of them a model can be given, and for how long.
//!
//! They are not stored with the conversation; the text of a result names them. What must stay true: a
//! model is only given what providers take, since they refuse a whole conversation for one picture that
//! is none, and what is kept is bounded.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hobnob_llm::{ModelBlock, ModelImage, ModelMessage, ModelRole};
use serde_json::Value;
use std::collections::VecDeque;

#[cfg(test)]
mod tests;

/// The most characters of one picture in base64: the least that a provider takes.
const MAX_PICTURE: usize = 5 << 20;
/// What the words for a picture begin with that a person adds to a question.
const QUESTION_MARK: &str = "<image ";
/// Pictures of one result that are passed on.
const MAX_OF_RESULT: usize = 8;
/// Pictures of a conversation that are passed on with every request; the oldest go first.
const MAX_KEPT: usize = 20;
/// The characters of all of them.
const MAX_KEPT_CHARACTERS: usize = 20 << 20;

/// The pictures in a result, as JSON text of `tools/call`. What is none is left out.
pub fn read_images(body: &str) -> Vec<ModelImage> {
    let result: Value = serde_json::from_str(body).unwrap_or_default();
    let blocks = result["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    let pictures = blocks.iter().filter(|block| block["type"] == "image");
    let pictures = pictures.filter_map(|block| picture(block["data"].as_str()?));
    pictures.take(MAX_OF_RESULT).collect()
}

/// A picture of a person, as its file has it. What providers do not take is none.
pub fn picture_of(bytes: &[u8]) -> Option<ModelImage> {
    picture(&STANDARD.encode(bytes))
}

/// A picture in base64. Its own first bytes say what it is, whatever its server says.
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
    let fits = data.len() <= MAX_PICTURE && whole && digits.bytes().all(legal);
    fits.then(|| ModelImage { media_type: media_type.into(), data: data.into() })
}

/// The words that stand for a picture in a question; `number` tells those of one name apart.
pub fn picture_words(name: &str, number: u64) -> String {
    let name = name.replace(['<', '>', '"'], "_");
    format!("{QUESTION_MARK}name=\"{name}\" number=\"{number}\"/>")
}

/// The newest pictures of a conversation, each with the id of the call that gave it, or with the words that
/// stand for it in a question.
#[derive(Debug, Default)]
pub(crate) struct KeptImages(VecDeque<(Box<str>, ModelImage)>);

impl KeptImages {
    /// Keeps what a call gave, or a person.
    pub(crate) fn keep(&mut self, id: &str, images: Vec<ModelImage>) {
        self.0.extend(images.into_iter().map(|image| (id.into(), image)));
        let characters = |kept: &Self| kept.0.iter().map(|(_, it)| it.data.len()).sum::<usize>();
        while MAX_KEPT < self.0.len() || MAX_KEPT_CHARACTERS < characters(self) {
            self.0.pop_front();
        }
    }

    /// Puts each picture into the result that it belongs to, or behind the question that names it.
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
                .filter(|(words, _)| words.starts_with(QUESTION_MARK) && named(words))
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
