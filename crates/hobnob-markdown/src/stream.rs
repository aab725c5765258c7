//! The way in: pieces of Markdown, as a model writes them, and what to write to the terminal now.

use crate::cleaned::CleanedText;
use crate::renderer::Renderer;
use crate::style::{MIN_WIDTH, Style};

/// Markdown on its way to a terminal or a file.
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
    /// A document of which nothing has arrived yet.
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

    /// Takes the next piece and returns what is to be written now. Looks have ended where the
    /// returned text ends, so anything else may be written in between.
    pub fn push(&mut self, piece: &str) -> String {
        let text = self.cleaned.push(piece);
        match &mut self.target {
            Target::Piped => text,
            Target::Terminal(renderer) => renderer.push(&text),
        }
    }

    /// The terminal has another width now; what is already written stays as it is.
    pub fn resize(&mut self, width: u16) {
        if let Target::Terminal(renderer) = &mut self.target {
            renderer.set_width(width.max(MIN_WIDTH).into());
        }
    }

    /// Ends the document and returns what was held back. On a terminal its last line ends with a
    /// line break, unless nothing was written at all.
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
