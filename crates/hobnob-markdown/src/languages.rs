//! The table of programming languages for the highlighter.

/// The words and marks of one language.
#[derive(Debug)]
pub(crate) struct Language {
    /// Its names after a fence, in lower case.
    names: &'static [&'static str],
    keywords: &'static str,
    pub(crate) line_comments: &'static [&'static str],
    pub(crate) block_comment: Option<(&'static str, &'static str)>,
    /// The quotation marks of strings, longer ones first.
    pub(crate) quotes: &'static [&'static str],
}

impl Language {
    /// The language that a fence names, if the table has it.
    pub(crate) fn find(name: &str) -> Option<&'static Self> {
        let name = name.to_ascii_lowercase();
        LANGUAGES.iter().find(|it| it.names.contains(&name.as_str()))
    }

    /// Whether a word is a keyword of the language. SQL is often written in upper case.
    pub(crate) fn is_keyword(&self, word: &str) -> bool {
        let is = |word: &str| self.keywords.split(' ').any(|it| it == word);
        is(word) || (self.names.contains(&"sql") && is(&word.to_ascii_lowercase()))
    }
}

const SLASHES: &[&str] = &["//"];
const HASH: &[&str] = &["#"];
const STARS: Option<(&str, &str)> = Some(("/*", "*/"));
const BOTH_QUOTES: &[&str] = &["\"", "'"];

const fn language(
    names: &'static [&'static str],
    line_comments: &'static [&'static str],
    block_comment: Option<(&'static str, &'static str)>,
    quotes: &'static [&'static str],
    keywords: &'static str,
) -> Language {
    Language { names, keywords, line_comments, block_comment, quotes }
}

const LANGUAGES: &[Language] = &[
    // A single quote also begins a lifetime, so character literals are not recognised.
    language(
        &["rust", "rs"],
        SLASHES,
        STARS,
        &["\""],
        "as async await break const continue crate dyn else enum extern false fn for if impl in let \
         loop match mod move mut pub ref return self Self static struct super trait true type union \
         unsafe use where while",
    ),
    language(
        &["python", "py", "python3"],
        HASH,
        None,
        &["\"\"\"", "'''", "\"", "'"],
        "and as assert async await break case class continue def del elif else except False finally \
         for from global if import in is lambda match None nonlocal not or pass raise return True \
         try while with yield",
    ),
    language(
        &["javascript", "js", "jsx", "typescript", "ts", "tsx", "mjs"],
        SLASHES,
        STARS,
        &["`", "\"", "'"],
        "abstract any as async await boolean break case catch class const continue declare default \
         delete do else enum export extends false finally for from function get if implements \
         import in instanceof interface keyof let namespace new null number of private protected \
         public readonly return set static string super switch this throw true try type typeof \
         undefined unknown var void while yield",
    ),
    language(
        &["go", "golang"],
        SLASHES,
        STARS,
        &["`", "\"", "'"],
        "break case chan const continue default defer else fallthrough false for func go goto if \
         import interface map nil package range return select struct switch true type var",
    ),
    language(
        &["c", "h", "cpp", "c++", "cc", "hpp", "cxx"],
        SLASHES,
        STARS,
        BOTH_QUOTES,
        "auto bool break case catch char class const constexpr continue default delete do double \
         else enum explicit extern false float for friend goto if inline int long namespace new \
         noexcept nullptr operator override private protected public return short signed sizeof \
         static struct switch template this throw true try typedef typename union unsigned using \
         virtual void volatile while",
    ),
    language(
        &["java", "kotlin", "kt", "scala", "csharp", "cs", "c#", "swift", "dart"],
        SLASHES,
        STARS,
        &["\"\"\"", "\"", "'"],
        "abstract actor as async await boolean break byte case catch char class companion const \
         continue data def default defer do double else enum extends extension false final finally \
         float for foreach fun func guard if implements import in init inner int interface internal \
         is lateinit let lock long namespace native new nil null object open operator out override \
         package private protected protocol public readonly record ref return sealed self short \
         static string struct super suspend switch synchronized this throw throws trait true try \
         typealias using val var virtual void volatile when where while with yield",
    ),
    language(
        &["ruby", "rb", "elixir", "ex"],
        HASH,
        None,
        BOTH_QUOTES,
        "alias and begin break case class def do else elsif end ensure false fn for if in module next \
         nil not or raise redo require rescue retry return self super then true undef unless until \
         use when while yield",
    ),
    language(
        &["php"],
        &["//", "#"],
        STARS,
        BOTH_QUOTES,
        "abstract array as break case catch class const continue default do echo else elseif extends \
         false final finally fn for foreach function global if implements include interface match \
         namespace new null private protected public readonly require return static switch this \
         throw trait true try use var while yield",
    ),
    language(
        &["sh", "bash", "shell", "zsh", "fish", "console", "dockerfile", "make", "makefile"],
        HASH,
        None,
        BOTH_QUOTES,
        "alias break case cd continue do done echo elif else esac eval exec exit export fi for \
         function if in local read return set shift source sudo test then trap unset until while \
         FROM RUN COPY ADD ENV WORKDIR ENTRYPOINT CMD EXPOSE ARG USER",
    ),
    language(
        &["sql", "postgresql", "mysql", "sqlite"],
        &["--"],
        STARS,
        BOTH_QUOTES,
        "add all alter and as asc begin between by case check column commit constraint create cross \
         default delete desc distinct drop else end exists false foreign from full group having in \
         index inner insert into is join key left like limit not null offset on or order outer \
         primary references right rollback select set table then transaction true union unique \
         update using values view when where with",
    ),
    language(&["json", "jsonc", "json5"], SLASHES, STARS, &["\""], "true false null"),
    language(&["yaml", "yml"], HASH, None, BOTH_QUOTES, "true false null yes no on off"),
    language(
        &["toml", "ini", "conf"],
        &["#", ";"],
        None,
        &["\"\"\"", "'''", "\"", "'"],
        "true false",
    ),
    language(&["html", "xml", "svg", "vue"], &[], Some(("<!--", "-->")), BOTH_QUOTES, ""),
    language(
        &["css", "scss", "less"],
        &[],
        STARS,
        BOTH_QUOTES,
        "important media import supports keyframes from to auto none inherit initial",
    ),
    language(
        &["lua"],
        &["--"],
        Some(("--[[", "]]")),
        BOTH_QUOTES,
        "and break do else elseif end false for function goto if in local nil not or repeat return \
         then true until while",
    ),
];
