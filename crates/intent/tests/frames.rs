//! Orders whose verb is one only in its frame ("teach X about Y", "have X do Y", "give X a Y", "swap X for Y"), and what
//! stands beside an order and turns it into nothing else. The same verbs ask, tell and greet elsewhere.
#![allow(clippy::disallowed_methods, missing_docs)]

use pilothouse_intent::{Classifier, IntentNode as N, Message, Turn};

/// Plain orders to change something: begun without a question.
const ORDERS: &[&str] = &[
    "teach ordinal about negative numbers",
    "teach parse to skip comments",
    "teach wcount how to read from a pipe",
    "teach the lexer about hex literals",
    "teach naturalsize about petabytes, no other changes",
    "have main return 3 on a read error",
    "have wcount print the total last",
    "have ordinal raise a ValueError for floats",
    "have the parser skip blank lines",
    "please have load_config fall back to the defaults",
    "give wcount a --help",
    "give wcount a --help flag that lists the options",
    "give naturalsize a separator. Don't touch the tests.",
    "give parse_args an optional timeout",
    "give every public function a docstring",
    "give Config a default for retries",
    "swap atol for strtol, no other changes",
    "swap atol for strtol",
    "swap the list for a deque in queue.py",
    "swap println for the logger everywhere",
    "swap out requests for httpx",
    "let wcount read from stdin when no file is given",
    "let parse accept tabs",
    "do it without changing how it is called",
    "do not commit, just change it",
    "don't commit, just fix it",
    "just change it, do not commit",
    "make ordinal handle negatives. Do not add tests.",
    "swap atol for strtol. Don't reformat anything else.",
    "have main return 3 on a read error, but don't touch the tests",
    "teach ordinal about negative numbers without changing how it is called",
    "give wcount a --version, no new dependencies",
    "have usage() mention the exit codes and leave the rest alone",
    "could you have main return 3 on a read error?",
    "can you teach parse about tabs?",
    "can you give wcount a --help?",
    "i want ordinal to accept negatives, don't touch the tests",
    "have `main` exit with 2 when the file is missing",
    "have every handler log its errors",
    "let Config inherit from Base",
    "teach main.c to print the version",
    "exchange the regex with a plain split",
    "do that without touching the public functions",
    "fix it, do not push",
    "gib wcount ein --help",
    "tausche atol gegen strtol",
    "give chris_parser an overview page",
    "give the parser a read timeout",
    "give the team page a header",
    "teach the team page about avatars",
    "behebe den Fehler, füge kein Flag hinzu",
    "behebe den Fehler, ersetze atol nicht durch strtol",
    "behebe den Parser und lass die Tests in Ruhe",
    "ersetze alle Aufrufe die nicht gehen durch strtol",
    "füge nicht nur ein Flag hinzu sondern auch einen Test",
    "ändere parse so dass nichts verloren geht",
    "also tell in the README that --json prints an array",
    "explain in the README how --json works",
    "describe the -l flag in the man page",
    "note in the changelog what changed",
    "mention in the docs that it needs Python 3.9",
    "also say in the README which Python is needed",
    "explain the --quiet flag in the manual",
    "print to stderr how many lines were left out, and let main say so",
    "have main print to stderr how many lines were left out",
    "let the user know how many files were read when wcount ends",
    "add a check before you give parse a flag",
    "make the case for empty input pass",
    "make the case statement exhaustive",
    "let the user know that the file is missing",
    "you should give parse a flag",
    "nobody reads the log, give wcount a --quiet flag",
    "he wants a flag, so give wcount a --help",
    "I said: give wcount a --help",
    "give the docs a table of contents",
    "we must not lose data, so have main flush on exit",
];

/// What only asks, tells or looks, whatever verb it has.
const QUESTIONS: &[&str] = &[
    "teach me about lifetimes",
    "teach me how the parser works",
    "can you teach us about the cache?",
    "give me an overview",
    "give me an overview of the modules",
    "give us a summary of main.c",
    "give me a hint",
    "give me the gist of it",
    "what does swap do",
    "what does swap do in queue.py?",
    "how does teach work here?",
    "where do we give wcount a default?",
    "why does main have to return 3?",
    "have you seen the failing test?",
    "have you looked at main.c",
    "have we handled negatives?",
    "have a look at main.c",
    "have a look at the parser and tell me what it does",
    "could you have a look",
    "could you have a look at the tests",
    "have the tests passed?",
    "does main have a return value?",
    "did you swap atol for strtol?",
    "should we swap atol for strtol?",
    "what would it take to swap atol for strtol?",
    "do not change anything, just explain it",
    "don't change it, tell me how it works",
    "give an example of how it is called",
    "let me know how it works",
    "let me see the parser",
    "let us look at the parser first",
    "give main.c a look",
    "give me a function list",
    "have you any idea why main returns 3?",
    "have a go at explaining main.c",
    "let's talk about the parser",
    "teach us how swap works for lists",
    "give me a --help example",
    "what happens if we have main return 3?",
    "have i broken anything?",
    "teach a newcomer how the cache works",
    "teach my colleague about the borrow checker",
    "teach the team how the cache works",
    "give it a thought and tell me what you would do",
    "give the docs a skim and list what is stale",
    "give the diff an honest opinion",
    "give the team a short update on what changed",
    "give chris an overview",
    "exchange ideas with me about the design",
    "swap is used for what here",
    "explain the README",
    "tell me what is in the README",
    "describe what the README says",
    "explain how the README is built",
    "explain the section in the README",
    "explain the parse() function in src/main.c",
    "describe in detail how parse works",
    "give the README a second look",
    "give parse a try with an empty file",
    "give the failing test a quick look",
    "give the diff one more look",
    "make the case for a rewrite",
    "make a case against the new cache",
    "make an educated guess why it fails",
    "make it clear to me why parse returns None",
    "let it be",
    "let the user know how many tests fail",
    "have the team check the parser",
];

/// What forbids the same.
const FORBIDDEN: &[&str] = &[
    "don't teach ordinal about negative numbers",
    "do not give wcount a --help",
    "don't swap atol for strtol",
    "do not have main return 3, just tell me what would break",
    "teach me about ordinal, don't change anything",
    "swap atol for strtol? no, leave everything as it is",
    "do not commit and do not change it, just explain it",
    "have a look at main.c but don't touch anything",
    "do it without changing any file",
    "please don't swap println for the logger",
    "never give Config a default",
    "tausche atol nicht gegen strtol",
    "tausche requests nicht gegen httpx",
    "gib wcount kein --help",
    "gib dem Parser bloß keine neue Option",
    "füge kein Flag hinzu",
    "bitte füge dem Parser kein Flag hinzu",
    "ersetze atol nicht durch strtol",
    "n'ajoute pas de flag",
    "Lass die Tests in Ruhe",
    "Lass den Parser in Ruhe",
    "you shouldn't swap atol for strtol",
    "you must not have main return 3",
    "you should not teach the lexer about tabs",
    "nobody asked you to give parse a flag",
    "nobody wants you to swap ureq for reqwest",
    "please stop teaching the parser about comments",
    "stop giving every function a docstring",
    "quit giving every struct a builder",
    "avoid giving Config a default",
    "nothing should give parse a flag",
    "wait before you give parse a flag",
    "have main return 3? no thanks",
    "swap atol for strtol? nope",
    "he wants to give wcount a --help",
    "she wants to have main print a banner",
    "the docs say: give wcount a --help",
];

fn reading(text: &str) -> (N, Turn, bool, String) {
    let r = Classifier::builtin().read(&Message { text, ..Message::default() });
    let leaf = r.whole.path.current();
    let told = format!(
        "{leaf} {:?} {:.2} {:?} forbids {} ({})",
        r.whole.turn, r.whole.confidence, r.clarify, r.forbids_change, r.whole.reasoning
    );
    (leaf, r.whole.turn, r.clarify.is_some(), told)
}

#[test]
fn a_verb_in_its_frame_is_an_order_and_what_stands_beside_it_turns_it_into_nothing_else() {
    let wrong: Vec<String> = ORDERS
        .iter()
        .filter_map(|text| {
            let (leaf, turn, asks, told) = reading(text);
            let order =
                matches!(leaf, N::Create | N::Modify | N::Write) && matches!(turn, Turn::PlanNew(_)) && !asks;
            (!order).then(|| format!("{text}: {told}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {} wrong\n{}", wrong.len(), ORDERS.len(), wrong.join("\n"));
}

#[test]
fn the_same_verbs_elsewhere_stay_questions() {
    let all = QUESTIONS.iter().chain(FORBIDDEN);
    let wrong: Vec<String> = all
        .filter_map(|text| {
            let (leaf, _, _, told) = reading(text);
            let acts = matches!(leaf, N::Create | N::Modify | N::Write | N::Delete | N::Execute);
            acts.then(|| format!("{text}: {told}"))
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "{} of {} wrong\n{}",
        wrong.len(),
        QUESTIONS.len() + FORBIDDEN.len(),
        wrong.join("\n")
    );
}
