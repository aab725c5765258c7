//! The entry point: takes pieces of Markdown as a model writes them, and returns the text to print
//! on a terminal, or into a pipe or file.

use crate::cleaned::CleanedText;
use crate::renderer::Renderer;
use crate::style::{MIN_WIDTH, Style};

/// Converts Markdown for a terminal or a file, piece by piece.
///
/// ```
/// use hobnob_markdown::{Colour, MarkdownStream, Style};
///
/// let mut stream = MarkdownStream::new(Style::Terminal { colour: Colour::Off, width: 20 });
/// assert_eq!(stream.push("Hello"), "Hello");
/// assert_eq!(stream.push(", you there. How"), ", you there.");
/// assert_eq!(stream.push(" are you?\n\n- fi"), "\nHow are you?\n\n• fi");
/// assert_eq!(stream.finish(), "\n");
/// ```
#[derive(Debug)]
pub struct MarkdownStream {
    cleaned: CleanedText,
    target: Target,
}

#[derive(Debug)]
enum Target {
    Piped,
    Terminal(Box<Renderer>),
}

impl MarkdownStream {
    /// A document without any text yet.
    #[must_use]
    pub fn new(style: Style) -> Self {
        let target = match style {
            Style::Piped => Target::Piped,
            Style::Terminal { colour, width } => {
                Target::Terminal(Box::new(Renderer::new(colour, width.max(MIN_WIDTH).into())))
            }
        };
        Self { cleaned: CleanedText::default(), target }
    }

    /// Takes the next piece and returns the output for now. Every style ends in the returned text,
    /// so other text may be written in between.
    pub fn push(&mut self, piece: &str) -> String {
        let text = self.cleaned.push(piece);
        match &mut self.target {
            Target::Piped => text,
            Target::Terminal(renderer) => renderer.push(&text),
        }
    }

    /// Changes the terminal's width; text that is already written stays as it is.
    pub fn resize(&mut self, width: u16) {
        if let Target::Terminal(renderer) = &mut self.target {
            renderer.set_width(width.max(MIN_WIDTH).into());
        }
    }

    /// Ends the document and returns the text that was held back. On a terminal the last line ends
    /// with a line break, unless nothing was written at all.
    #[must_use]
    pub fn finish(self) -> String {
        let rest = self.cleaned.finish();
        match self.target {
            Target::Piped => rest,
            Target::Terminal(mut renderer) => {
                let mut out = renderer.push(&rest);
                out.push_str(&renderer.finish());
                out
            }
        }
    }
}
