use super::*;

#[test]
fn every_shape_can_be_compiled() {
    assert!(FAMILIES.iter().flat_map(|f| f.shapes).all(Pattern::is_sound));
}

#[test]
fn definitions_are_recognised_and_uses_are_not() {
    let cases = [
        ("a.rs", "    pub(crate) const fn new(x: u8) -> Self {", "fn new"),
        ("a.rs", "pub struct Session<'a> {", "struct Session"),
        ("a.rs", "const MAX: usize = 3;", "const MAX"),
        ("a.rs", "macro_rules! id {", "macro_rules id"),
        ("a.rs", "let session = Session::new();", ""),
        ("a.py", "    async def fetch(self):", "def fetch"),
        ("a.py", "LIMIT: int = 3", " LIMIT"),
        ("a.py", "    fetch()", ""),
        ("a.ts", "export default async function load() {", "function load"),
        ("a.ts", "export const load = async () => {", "const load"),
        ("a.ts", "  private async load<T>(x: T): Promise<T> {", " load"),
        ("a.ts", "  if (load(x)) {", ""),
        ("a.go", "func (s *Server) Serve(l net.Listener) error {", "func Serve"),
        ("a.go", "type Server struct {", "type Server"),
        ("a.c", "static int *parse(const char *s)", " parse"),
        ("a.c", "    return parse(s);", ""),
        ("a.c", "#define MAX 3", "define MAX"),
        ("a.cpp", "class Foo : public Bar {", "class Foo"),
        ("A.java", "    public static void main(String[] args) {", " main"),
        ("A.java", "public final class App {", "class App"),
        ("a.kt", "    suspend fun load(): Int {", "fun load"),
        ("a.rb", "  def self.build(x)", "def build"),
        ("a.sh", "deploy() {", " deploy"),
        ("a.md", "## Keys (defaults)", "## Keys (defaults)"),
        ("a.toml", "[workspace.lints]", "[ workspace.lints"),
        ("a.xyz", "fn new() {", ""),
    ];
    for (path, line, expected) in cases {
        let shown = definition(path, line).map(|d| format!("{} {}", d.kind, d.name)).unwrap_or_default();
        assert_eq!(shown, expected, "{path}: {line}");
    }
}

#[test]
fn what_a_language_has_no_word_for_is_called_what_it_is() {
    for (path, line, noun) in [
        ("a.c", "int ring_pop(struct ring *r)", "a function"),
        ("a.ts", "  private async load<T>(x: T): Promise<T> {", "a function"),
        ("a.sh", "build() {", "a function"),
        ("a.py", "LIMIT: int = 3", "a constant"),
    ] {
        assert_eq!(definition(path, line).map(|d| d.noun()), Some(noun), "{line}");
    }
}

#[test]
fn a_body_has_its_comments_and_ends_where_it_ends() {
    let rust = [
        (7, "}"),
        (8, "/// Doc."),
        (9, "#[must_use]"),
        (10, "fn a("),
        (11, ") {"),
        (12, "}"),
        (13, "fn b() {"),
    ];
    assert_eq!(body("a.rs", &rust, 10), "/// Doc.\n#[must_use]\nfn a(\n) {\n}");
    let unit = [(1, "pub struct A;"), (2, "pub struct B {"), (3, "}")];
    assert_eq!(body("a.rs", &unit, 1), "pub struct A;");
    let python =
        [(1, "@cached"), (2, "def a():"), (3, "    x"), (4, ""), (5, "    y"), (6, ""), (7, "def b():")];
    assert_eq!(body("a.py", &python, 2), "@cached\ndef a():\n    x\n\n    y");
    let ruby = [(1, "def a"), (2, "  x"), (3, "end"), (4, "def b")];
    assert_eq!(body("a.rb", &ruby, 1), "def a\n  x\nend");
}
