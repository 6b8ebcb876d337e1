//! What a shell line is made of, as the parser hands it to the judge.
//!
//! Owns the tree only. Never holds a judgement, and never a node deeper than the parser's depth cap,
//! so that walking and dropping it need a bounded stack.

use std::cell::OnceCell;
use std::rc::Rc;

/// Where a piece stands in the text that was parsed, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Span {
    pub start: usize,
    pub end: usize,
}

/// How a literal was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quote {
    Bare,
    Escaped,
    Single,
    Double,
    Ansi,
}

/// One run inside a word.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    Text(String, Quote),
    /// `$name` or `${name…}`; `quoted` when inside double quotes.
    Var {
        name: String,
        op: VarOp,
        quoted: bool,
    },
    /// `$( )` or backticks.
    Sub {
        script: Script,
        quoted: bool,
    },
    /// `<( )`, or `>( )` when it is fed.
    Proc {
        script: Script,
        fed: bool,
    },
    /// `$(( ))`: yields a number, may hold substitutions.
    Arith(Vec<Piece>),
}

/// What follows the name inside `${ }`.
#[derive(Clone, Debug)]
pub(super) enum VarOp {
    Plain,
    /// `:-`, `-`, `:=`, `=`: the value or this.
    Default {
        pieces: Vec<Piece>,
        /// Also when the value is empty.
        colon: bool,
        /// The variable gets the value.
        assigns: bool,
    },
    /// `:+`, `+`: this or nothing.
    Alternate(Vec<Piece>),
    /// `${!name}`: what the variable holds whose name this one holds.
    Indirect,
    /// `[@]`: every element.
    All,
    /// `[*]`: every element in one.
    Joined,
    /// `[n]`.
    Element(usize),
    /// `@P`: the value is read as a prompt, substitutions included.
    Prompt,
    /// Anything else (cutting, replacing, indirection): the result is not followed.
    Other(Vec<Piece>),
}

/// One shell word.
#[derive(Clone, Debug, Default)]
pub(super) struct Word {
    pub pieces: Vec<Piece>,
    pub span: Span,
}

/// `name=value`, `name+=value`, `name=(…)`.
#[derive(Clone, Debug)]
pub(super) struct Assign {
    pub name: String,
    pub append: bool,
    /// It sets one element of an array, whose subscript is the last of the words.
    pub element: bool,
    /// One word, or the elements of an array.
    pub values: Vec<Word>,
    pub array: bool,
    pub span: Span,
}

/// The body of a here-document; filled when its lines were read.
#[derive(Debug, Default)]
pub(super) struct HereDoc {
    pub body: OnceCell<Word>,
}

/// Where a redirect goes.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// `<`.
    Read(Word),
    /// `>`, `>>`, `>|`, `&>`, `<>`, and `>&word` when the word is no descriptor.
    Write(Word),
    /// `2>&1`, `<&3`, `>&-`, with what stands behind the sign.
    Copy(Word),
    /// `<<<`.
    HereString(Word),
    /// `<<`.
    HereDoc(Rc<HereDoc>),
}

/// One redirect.
#[derive(Clone, Debug)]
pub(super) struct Redirect {
    pub target: Target,
    pub span: Span,
    /// Whether it feeds standard input (no other descriptor was named).
    pub stdin: bool,
    /// Whether it sets where output goes.
    pub printed: bool,
    /// Whether it sets where output or errors go.
    pub output: bool,
    /// What stood in the file that it writes is gone.
    pub empties: bool,
    /// The variable that gets the number of the descriptor.
    pub variable: Option<String>,
}

/// One command of a pipeline.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub kind: Kind,
    pub redirects: Vec<Redirect>,
    pub span: Span,
}

/// The shapes a command can have.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Simple {
        assigns: Vec<Assign>,
        words: Vec<Word>,
    },
    /// Bodies that may run, and words that are expanded.
    Compound {
        words: Vec<Word>,
        bodies: Vec<Script>,
        shape: Shape,
    },
    /// `for`, `select`.
    Each {
        name: String,
        list: Option<Vec<Word>>,
        body: Script,
    },
    Function {
        name: String,
        body: Rc<Node>,
    },
    /// `[[ ]]`, or `(( ))` when `arithmetic`: only substitutions inside it run.
    Test {
        words: Vec<Word>,
        arithmetic: bool,
    },
}

/// Commands joined by `|`.
#[derive(Clone, Debug)]
pub(super) struct Pipeline {
    pub nodes: Vec<Node>,
    /// Followed by `&`.
    pub background: bool,
    /// Behind `!`: what follows it by `&&` runs where it failed.
    pub turned: bool,
    pub joined: Joined,
}

/// How a pipeline follows the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joined {
    /// It always runs.
    Always,
    /// `&&`.
    And,
    /// `||`.
    Or,
}

/// How the bodies of a compound command run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// `{ }`.
    Group,
    /// `( )`.
    Subshell,
    /// `coproc`: what it is fed comes later, from anywhere in the line.
    Coprocess,
    /// `if`: the first body always runs, the others may.
    Choice,
    /// `case`: any of them may.
    Cases,
    /// `while`, `for (( ))`: the last body may, any number of times.
    While,
    /// `until`.
    Until,
}

/// A list of pipelines.
pub(super) type Script = Vec<Pipeline>;
