//! Where text goes and how it may be styled there: chosen by the caller once for each stream.
//!
//! What must stay true: without colours no meaning is lost, so marks stay where a colour would have
//! replaced them.

/// The destination of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// A file or another program: the text as it came, made safe, without wrapping or colours.
    Piped,
    /// A terminal of this many columns; a width below [`MIN_WIDTH`] counts as [`MIN_WIDTH`].
    Terminal {
        /// Whether colours and other text styles are used.
        colour: Colour,
        /// The columns of a line.
        width: u16,
    },
}

/// Whether characters may have colours and text styles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// Without any: emphasis, code and links keep the marks they were written with.
    Off,
    /// With all of them, in the terminal's own sixteen colours.
    On,
}

/// The narrowest layout: a terminal that reports less has to wrap by itself.
pub const MIN_WIDTH: u16 = 20;

/// The style of one character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Ink {
    pub(crate) bold: bool,
    pub(crate) italic: bool,
    pub(crate) struck: bool,
    pub(crate) underlined: bool,
    pub(crate) hue: Hue,
}

/// The colour of a character, by its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Hue {
    #[default]
    Plain,
    /// Marks, rules, addresses and comments.
    Dim,
    /// Inline code, and numbers in code.
    Cyan,
    /// Keywords of a programming language.
    Magenta,
    /// Added lines, and strings in code.
    Green,
    /// Lines that were removed.
    Red,
}

impl Ink {
    pub(crate) const PLAIN: Self =
        Self { bold: false, italic: false, struck: false, underlined: false, hue: Hue::Plain };
    pub(crate) const DIM: Self = Self::of(Hue::Dim);

    pub(crate) const fn of(hue: Hue) -> Self {
        Self { hue, ..Self::PLAIN }
    }

    /// Combines both styles; the other's colour wins if it has one.
    pub(crate) fn with(self, other: Self) -> Self {
        Self {
            bold: self.bold || other.bold,
            italic: self.italic || other.italic,
            struck: self.struck || other.struck,
            underlined: self.underlined || other.underlined,
            hue: if other.hue == Hue::Plain { self.hue } else { other.hue },
        }
    }

    /// The sequence that switches from the plain style to this one; empty for the plain style.
    pub(crate) fn sequence(self) -> String {
        let hue = match self.hue {
            Hue::Plain => "",
            Hue::Dim => "2",
            Hue::Cyan => "36",
            Hue::Magenta => "35",
            Hue::Green => "32",
            Hue::Red => "31",
        };
        let looks = [
            (self.bold, "1"),
            (self.italic, "3"),
            (self.underlined, "4"),
            (self.struck, "9"),
            (!hue.is_empty(), hue),
        ];
        let codes: Vec<&str> = looks.iter().filter(|it| it.0).map(|it| it.1).collect();
        match codes.is_empty() {
            true => String::new(),
            false => format!("\x1b[{}m", codes.join(";")),
        }
    }
}
