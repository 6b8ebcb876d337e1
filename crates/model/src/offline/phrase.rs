//! The phrasings of every job, English and German.
//!
//! Owns the patterns. A mark between private-use characters stands for a quotation.

use super::pattern::Pattern;

macro_rules! phrases {
    ($($name:ident = [$($text:literal),+ $(,)?];)+) => {
        $(pub(super) static $name: [Pattern; [$($text),+].len()] = [$(Pattern::new(concat!("(?is)^", $text, "$"))),+];)+
        #[cfg(test)]
        pub(super) fn all() -> Vec<&'static Pattern> {
            let mut all = Vec::new();
            $(all.extend(&$name);)+
            all
        }
    };
}

phrases! {
    RENAME = [
        r"(?:rename|refactor|change the name of)\s+(?<old>\S+)\s+in\s+(?<in>\S+)\s+to\s+(?<new>\S+)",
        r"(?:rename|refactor|change the name of)\s+(?<old>\S+)\s+(?:to|into|as|->|=>|→)\s+(?<new>\S+)(?<rest>\s.*)?",
        r"(?:be)?nenne\s+(?<old>\S+)\s+um\s+(?:in|zu|nach|->|→)\s+(?<new>\S+)(?<rest>\s.*)?",
        r"(?:be)?nenne\s+(?<old>\S+)\s+(?:in|unter|im ordner)\s+(?<in>\S+)\s+(?:in|zu|nach)\s+(?<new>\S+)\s+um",
        r"(?:be)?nenne\s+(?<old>\S+)\s+(?:in|zu|nach|->|→)\s+(?<new>\S+)(?<rest>\s.*?)?\s+um(?<more>\s.*)?",
        r"(?<old>\S+)\s+umbenennen\s+(?:in|zu|nach|->|→)\s+(?<new>\S+)(?<rest>\s.*)?",
        r"(?<old>\S+)\s+(?:in|zu|nach|->|→)\s+(?<new>\S+)\s+umbenennen(?<rest>\s.*)?",
    ];
    REPLACE = [
        r"(?:replace|substitute|swap)\s+(?<old>\S+)\s+(?:with|by|for|->|=>|→)\s+(?<new>\S+)(?<rest>\s.*)?",
        r"ersetze\s+(?<old>\S+)\s+(?:durch|mit|->|→)\s+(?<new>\S+)(?<rest>\s.*)?",
        r"(?<old>\S+)\s+durch\s+(?<new>\S+)\s+ersetzen(?<rest>\s.*)?",
        r"(?:change|ändere)\s+(?<old>\x{e000}\d+\x{e001})\s+(?:to|into|in|zu)\s+(?<new>\x{e000}\d+\x{e001})(?<rest>\s.*)?",
    ];
    CREATE = [
        r"(?:create|add|make|write|new|generate|touch|erstelle|erzeuge|lege|leg|schreibe)\s+(?<kind>(?:(?:a|an|the|new|empty|text|file|called|named|ein|eine|einen|neue|neuen|leere|datei|die|namens|mit dem namen)\s+)*)(?<path>\S+?)(?:\s+an)?(?:\s+file)?(?<rest>(?:[\s:,].*)?)",
        r"(?<kind>(?:neue\s+)?datei\s+)(?<path>\S+)\s+(?:anlegen|erstellen|erzeugen)(?<rest>(?:[\s:,].*)?)",
    ];
    CONTENT = [
        r"[\s:,]*(?:(?:with|containing|mit|and put|that (?:says|contains)|and write)[\s:]+)?(?:the\s+|dem\s+|den\s+)?(?:(?:content|contents|text|inhalt|line|zeile)\s*:?\s*)?(?<span>\x{e000}\d+\x{e001})(?:\s+(?:in it|an|into it|hinein))?",
        r"[\s:,]*(?:with|mit)\s+(?:the\s+|dem\s+)?(?:content|contents|text|inhalt)\s*:?\s+(?<bare>.+?)(?:\s+an)?",
        r":\s*(?<bare>.+)",
        r"(?<none>(?:\s+an)?\s*)",
    ];
    DELETE = [
        r"(?:delete|remove|rm|erase|lösche|entferne)\s+(?<kind>(?:(?:the|file|files|folder|directory|die|der|das|den|datei|dateien|ordner|verzeichnis)\s+)*)(?<paths>.+)",
        r"(?<kind>(?:(?:die|den|datei|dateien|ordner)\s+)*)(?<paths>.+?)\s+(?:löschen|entfernen)",
    ];
    MOVE = [
        r"(?<verb>move|mv|rename|verschiebe|copy|cp|kopiere)\s+(?:(?:the|file|die|den|das|datei)\s+)*(?<old>\S+)\s+(?:to|into|as|nach|->|=>|→)\s+(?:(?:the|file)\s+)*(?<new>\S+)",
        r"(?:move|mv|verschiebe|copy|cp|kopiere)\s+.+",
    ];
    SCOPE = [
        r"\s*",
        r"\s*,?\s*(?:everywhere|project-wide|überall|(?:in|across|throughout|within)\s+(?:all|the|the whole|the entire|this|every)\s*(?:files?|project|codebase|code|repo|repository|workspace)|(?:in allen dateien|im ganzen (?:projekt|code)))",
        r"\s*,?\s*(?:but\s+)?(?:only\s+|just\s+|nur\s+)?(?:in|inside|within|under|below|across|throughout|unter|innerhalb von|im)\s+(?:(?:the|der|die|dem|den|file|files in|folder|directory|crate|module|package|datei|ordner|verzeichnis)\s+)*(?<in>\S+)(?:\s+(?:file|files|folder|directory|crate|module|package|only|ordner|verzeichnis))*",
    ];
    USES = [
        r"(?:who|what|which (?:files?|code|functions?))\s+(?:uses?|calls?|references?|imports?|depends? on)\s+(?<x>.+)",
        r"where\s+(?:is|are)\s+(?<x>.+?)\s+(?:being\s+)?(?:used|called|referenced|imported|needed)",
        r"where\s+(?:do|does)\s+(?:we|i|it|you|this|anyone|the code)\s+(?:use|call|reference|import)\s+(?<x>.+)",
        r"(?:(?:find|show|list|give)\s+)?(?:me\s+)?(?:all\s+)?(?:the\s+)?(?:usages?|uses|references|callers|calls)\s+(?:of|to|for)\s+(?<x>.+)",
        r"(?:find|show|list)\s+(?:all\s+)?(?<x>\S+)\s+(?:usages?|references|callers)",
        r"wer\s+(?:benutzt|verwendet|nutzt|ruft|importiert)\s+(?<x>.+?)(?:\s+auf)?",
        r"wo\s+(?:wird|werden)\s+(?<x>.+?)\s+(?:überall\s+)?(?:benutzt|verwendet|genutzt|aufgerufen|gebraucht|importiert)",
    ];
    OVERVIEW = [
        r"(?:what(?:'s|s| is| are| does)|describe|explain|summari[sz]e|give me|show me|tell me about|how is|was (?:ist|macht|steckt|enthält|tut)|worum geht es|beschreibe|erkläre|fasse)\b.*?\b(?:codebase|code base|repo|repository|project|workspace|projekt|codebasis|verzeichnis)(?:\s+(?:do|does|about|contain|here|zusammen|structured|organi[sz]ed|drin))?",
        r"(?:(?:give me|show me)\s+)?(?:an?\s+|the\s+)?(?:overview|übersicht|überblick|summary|zusammenfassung)(?:\s+(?:of|über)\s+(?:this|the|everything|das|alles))?(?:\s+(?:code|codebase|repo|project|projekt))?",
        r"what(?:'s| is)\s+(?:in\s+)?(?:here|this)",
        r"(?:where|how|with what|what)\s+(?:do|should|can|could|would)\s+(?:i|we|you|one)\s+(?:start|begin)(?:\s+(?:reading|here|with|from|looking))*",
        r"wo\s+(?:fange|beginne|starte)\s+ich(?:\s+an)?",
    ];
    REVIEW = [
        r"(?:review|check|inspect|look at)\s+(?:(?:my|the|these|this|current|working|uncommitted|local|recent|git)\s+)*(?:changes?|diff|edits|work|working tree|modifications)",
        r"(?:review|git diff)",
        r"what(?:'s| did i| has| have i| was)?\s*(?:changed?|been changed|modified)(?:\s+(?:here|so far|in git))?",
        r"(?:prüfe|überprüfe|zeige?)\s+(?:mir\s+)?(?:(?:meine|die|den|aktuelle[nr]?)\s+)*(?:änderungen|diff)",
        r"(?:which|what)\s+files?\s+(?:(?:have|has|were|are|did i)\s+)?(?:been\s+)?(?:changed?|modified|edited|touched)(?:\s+(?:here|so far|in git|since the last commit))?",
        r"was\s+(?:habe ich|hat sich|wurde)\s+geändert",
    ];
    LIST = [
        r"ls(?:\s+(?<in>\S+))?",
        r"(?:list|show|what|which|liste|zeige?|welche)\s+(?:me\s+|mir\s+)?(?:(?:all|the|of|alle|die)\s+)*(?:files|folders|directories|dateien|ordner|verzeichnisse)(?:\s+(?:are|exist|there|do we have|have we|gibt es|auf))*(?:\s+(?:in|under|unter|im)\s+(?:(?:the|this|dem|folder|directory|ordner)\s+)*(?<in>\S+?)(?:\s+(?:folder|directory))?)?(?:\s+(?:are|exist|there|auf))*",
        r"(?:show|open|display|list|explore|look\s+(?:at|in|into|inside)|zeige?)\s+(?:(?:me|us|mir|the|my|our|den|das)\s+)*(?<dir>\S+?/?)(?<said>\s+(?:folder|directory|dir|ordner|verzeichnis))",
        r"(?:list|liste)\s+(?<in>\S+)(?:\s+auf)?",
        r"what(?:'s|s| is)\s+(?:in|inside)\s+(?:(?:the|my|our|this|folder|directory)\s+)*(?<dir>\S+?/?)(?<said>\s+(?:folder|directory|dir))?",
        r"what\s+does\s+(?:the\s+)?(?<dir>\S+?/?)(?<said>\s+(?:folder|directory|dir))\s+(?:contain|have|hold)",
    ];
    OUTLINE = [
        r"(?:(?:show|give)\s+(?:me\s+)?)?(?:an?\s+|the\s+)?(?:outline|summari[sz]e|summary|structure|overview|symbols|gliedere|gliederung|zusammenfassung|überblick)\s+(?:(?:of|in|for|von|über|the|file|folder|datei|der)\s+)*(?<x>\S+)",
        r"fasse\s+(?:(?:die|datei)\s+)*(?<x>\S+)\s+zusammen",
    ];
    TRADE = [
        r"(?:show|list|display|print|give|see|view|get|find|search|grep|look|open|read|check|explain|describe|zeige?|liste|finde|suche)\s+(?:(?:me|us|mir|for|at|nach|up|through)\s+)*(?<x>.+)",
        r"(?:are|is)\s+there\s+(?:still\s+)?(?<x>.+)",
        r"do\s+(?:we|i|you)\s+have\s+(?<x>.+)",
        r"(?:what|which|where)(?:'s|s|\s+is|\s+are|\s+was|\s+were|\s+does|\s+do)\s+(?<named>.+?)(?:\s+(?:do|does|about))?",
        r"(?:what|which)\s+(?<x>.+?)\s+(?:am\s+i|are\s+we|is\s+this)\s+on",
        r"(?:what|which)\s+(?<x>.+?)\s+(?:are|is|exist)(?:\s+(?:there|left))?",
        r"(?<x>.+)",
    ];
    WITHIN = [
        r"(?<x>.+?)\s+(?:in|inside|under|below|unter)\s+(?:(?:the|folder|directory)\s+)*(?<in>\S+?)(?:\s+(?:folder|directory))?",
    ];
    SHOW = [
        r"(?:show|read|open|print|cat|view|display|look\s+(?:at|into)|zeige?|lies|öffne)\s+(?:(?:me|mir|the|file|contents? of|die|datei)\s+)*(?<x>\S+)(?:,?\s+(?:from\s+)?(?:lines?|zeilen?)\s+(?<from>\d+)(?:\s*(?:-|–|to|bis)\s*(?<to>\d+))?)?",
        r"(?:show|read|print|zeige?|lies)\s+(?:me\s+|mir\s+)?(?:lines?|zeilen?)\s+(?<from>\d+)(?:\s*(?:-|–|to|bis)\s*(?<to>\d+))?\s+(?:of|in|from|von)\s+(?<x>\S+)",
    ];
    WHERE = [
        r"(?:find|show|give)\s+(?:me\s+)?(?:the\s+)?(?:definition|declaration|implementation)\s+of\s+(?<x>.+)",
        r"(?:definition|declaration|implementation)\s+of\s+(?<x>.+)",
        r"where(?:'s|s|\s+is|\s+are|\s+can i find|\s+do i find|\s+do we find|\s+does|\s+do)\s+(?<x>.+?)(?:\s+(?:defined|declared|implemented|located|live|handled|come from|coming from))?",
        r"(?:locate|go to|goto|jump to)\s+(?<x>.+)",
        r"which file\s+(?:defines|contains|has|implements)\s+(?<x>.+)",
        r"wo\s+(?:ist|sind|steht|wird|finde ich|liegt|befindet sich)\s+(?<x>.+?)(?:\s+(?:definiert|deklariert|implementiert))?",
    ];
    WHAT = [
        r"what\s+(?:does|do)\s+(?<x>.+?)\s+(?:return|give back|take|accept|expect|need|produce|print|contain|hold|look like|stand for)s?",
        r"what(?:'s|s|\s+is|\s+are|\s+does|\s+do)\s+(?<x>.+?)(?:\s+(?:do|does|mean|for|good for|used for|about))?",
        r"(?:explain|describe|tell me about|define|show me|show|erkläre?|beschreibe|zeige?)\s+(?:(?:me|mir|what|how)\s+)*(?<x>.+?)(?:\s+(?:does|works|is|means))?",
        r"how\s+(?:does|do|is|are)\s+(?<x>.+?)(?:\s+(?:works?|implemented|done|built|handled))?",
        r"was\s+(?:ist|sind|macht|bedeutet|tut)\s+(?<x>.+)",
        r"wie\s+(?:funktioniert|arbeitet|geht)\s+(?<x>.+)",
    ];
    FIND = [
        r"(?:find|search|grep|look|suche?|finde)\s+(?:(?:for|nach|all|every|any|me|text|the)\s+)*(?<x>\S+|.+?)(?<rest>\s+(?:in|inside|within|under|unter)\s+\S+)?",
    ];
    HOW = [
        r"how\s+(?:(?:do|can|could|should|would|must)\s+(?:i|we|you|one)|to)\s+(?<x>.+)",
        r"how\s+(?:is|are)\s+(?<x>(?:the|this|it|all)\b.*?)\s+(?:run|started|built|tested|linted|formatted)",
        r"wie\s+(?<x>(?:starte|führe|lasse?|baue|kompiliere|formatiere|teste)\b.*)",
        r"what(?:'s|\s+is)\s+the\s+(?:command|way)\s+(?:for|to)\s+(?<x>.+)",
    ];
    START = [
        r"(?:run|start|launch|execute|use|try|open|starte|benutze)(?:\s+ich)?(?:\s+(?:it|this|that|everything|(?:(?:the|this|das|dieses)\s+)?(?:program|programm|app|application|project|projekt|server|tool|binary|game|site|code)))?",
    ];
    LAUNCH = [
        r"(?:run|start|launch|execute|starte)\s+(?<x>it|this|that|(?:(?:the|this|my|our|das|dieses)\s+)?(?:program|programm|app|application|project|projekt|server|binary|game|site|tool))(?<again>\s+(?:again|once\s+more|nochmal))?",
        r"(?<again>rerun(?:\s+(?:it|this|that|the\s+(?:last\s+)?command))?|run\s+the\s+(?:last|same)\s+command(?:\s+again)?)",
    ];
    COMMIT = [
        r"commit(?:\s+(?:it|this|that|everything|all|(?:(?:all|the|my|our|these|those)\s+)*(?:changes?|edits|work|files?)))?(?:[\s,:]+(?:(?:with|using)\s+)?(?:(?:the|a)\s+)?(?:message|saying|as|with|-m)?\s*:?\s*(?<x>\x{e000}\d+\x{e001}))?",
    ];
    BRANCH = [
        r"(?:create|make|open|start|add|new)\s+(?:(?:a|the|new|git|local)\s+)*branch\s+(?:(?:called|named|with\s+the\s+name)\s+)?(?<new>\S+?)(?:\s+and\s+(?:switch|go)\s+to\s+it)?",
        r"(?:switch|change|go|check\s*out)(?:\s+(?:to|over\s+to))?\s+(?:the\s+)?branch\s+(?<old>\S+)",
        r"(?:switch|change|go)\s+to\s+(?:the\s+)?(?<old>\S+)\s+branch",
    ];
    INSTALL = [
        r"install\s+(?:(?:the|a|an)\s+)?(?:(?:crate|package|library|dependency|module|gem)\s+)?(?<x>\S+)(?:\s+(?:crate|package|library|dependency|module|gem))?",
        r"add\s+(?:(?:the|a|an)\s+)?(?:crate|package|library|dependency|gem)\s+(?<x>\S+)",
        r"add\s+(?:the\s+)?(?<x>\S+)\s+(?:(?:crate|package|library|dependency|gem)|as\s+an?\s+dependency|to\s+(?:the|my|our)\s+dependencies)",
    ];
    FAILED_WHY = [
        r"(?:(?:and|so|but|ok|okay)[\s,]+)?why\s+(?:do|does|did|is|are|was|were|has|have)\s+(?:it|this|that|they|(?:(?:the|my|our|this|that|these|all)\s+)*(?:tests?|build|command|run|gates?|checks?|suite|test\s+suite|compilation|lint))\s+(?:all\s+|still\s+|not\s+)?(?:fail|fails|failed|failing|break|broke|broken|red|crash|crashed|pass|passing|work|working|compile|compiling)",
        r"why\s+(?:it|the\s+(?:tests?|build|gate|check)|this|that)\s+(?:fails?|failed|broke)",
        r"(?:explain|show\s+me|tell\s+me)\s+why\s+(?:it|the\s+(?:tests?|build|gate|check)|this|that)\s+(?:fails?|failed|broke|is\s+red)",
        r"warum\s+(?:schlägt|schlug|scheitert)\s+(?:es|das|er|der\s+test)(?:\s+fehl)?",
    ];
    FAILED_WHICH = [
        r"(?:which|what)\s+(?:(?:of\s+)?(?:the\s+)?(?:tests?|ones?|checks?|gates?|them)\s+)?(?:(?:is|are|was|were|has|have)\s+)?(?:fails?|failed|failing|broke|broken|red)",
        r"(?:which|what)\s+(?:tests?|checks?|gates?)\s+did\s+(?:fail|not\s+pass)",
        r"what\s+(?:went|has\s+gone|is)\s+wrong",
        r"(?:show|list|print|give|tell|explain|describe)\s+(?:me\s+|us\s+)?(?:(?:the|all|last|that|this)\s+)*(?:errors?|error\s+messages?|failures?|failing\s+tests?|failed\s+tests?|test\s+failures?)",
        r"(?:what|where)(?:'s|\s+is|\s+are|\s+was|\s+were)\s+the\s+(?:errors?|error\s+messages?|failures?|failing\s+tests?|failed\s+tests?)",
        r"welche[rs]?\s+tests?\s+(?:ist|sind)\s+(?:fehlgeschlagen|rot)",
    ];
    FAILED_HOW = [
        r"(?:did|have|has)\s+(?:it|that|they|(?:(?:all|the|my|our)\s+)*(?:tests?|build|command|checks?))\s+(?:pass|passed|fail|failed|work|worked|succeed|succeeded|go\s+(?:well|through))",
        r"how\s+did\s+(?:it|that|they|the\s+(?:tests?|build|command|checks?|run))\s+(?:go|end|do)",
        r"(?:show|print|give)\s+(?:me\s+)?(?:the\s+)?(?:last\s+)?(?:output|test\s+results?|results?\s+of\s+the\s+tests)",
    ];
    WHY_ASKED = [
        r"why\s+(?:was|am|were|are)\s+(?:i|we)\s+(?:being\s+)?asked(?:\s+(?:that|this|about\s+(?:it|that|this)))?",
        r"why\s+(?:do|did|are)\s+you\s+(?:ask|asking)(?:\s+me)?(?:\s+(?:that|this|about\s+(?:it|that|this)|first|every\s+time|all\s+the\s+time|again))?",
        r"why\s+(?:do|did)\s+i\s+(?:have|need)\s+to\s+(?:confirm|approve|say\s+yes|answer)(?:\s+(?:that|this|it))?",
        r"warum\s+(?:wurde|werde)\s+ich\s+gefragt",
    ];
    UNCOMMIT = [r"(?:undo|revert|take\s+back|roll\s*back)\s+(?:(?:a|the|my|last|previous|latest)\s+)*commit"];
    UNDO = [
        r"(?:undo|revert|roll\s*back|take\s+back|reverse)(?:\s+(?:it|this|that|everything|all|(?:(?:the|my|your|last|previous|latest|a|all|of)\s+)*(?:changes?|edits?|step|thing|one|what\s+you\s+did)))?",
        r"(?:take|roll|put)\s+(?:it|this|that|everything)\s+back",
        r"mach(?:e)?\s+(?:das|es)\s+(?:rückgängig|ungeschehen)",
    ];
    MODEL = [
        r"(?:connect|use|set up|set|choose|pick|select|change|switch|configure|enable)(?:\s+(?:to|up))?\s+(?:(?:a|an|the|another|my|your|its)\s+)*(?:(?:api\s+)?keys?|(?:ai\s+|language\s+)?models?|llms?|providers?|endpoints?)(?:\s+(?:to|for|with|in)\s+(?<x>\S+)(?:\s.*)?)?",
        r"(?:use|switch\s+to|change\s+to|take|connect(?:\s+to)?|nimm|benutze)\s+(?:the\s+)?(?:model\s+)?(?<x>(?:gpt|chatgpt|claude|gemini|gemma|llama|qwen|mistral|mixtral|codestral|devstral|deepseek|grok|kimi|glm|phi|o[1-9])[\w.:/-]*)(?:\s+(?:model|instead|now|please))*",
    ];
    WHO = [
        r"(?:which|what)\s+(?:(?:ai|language)\s+)?(?:model|llm|ai|engine)\s+(?:are|is|do|does|am|answers?|runs?)\b.*",
        r"(?:who|what)\s+are\s+you",
        r"are\s+you\s+(?:an?\s+)?(?:ai|llm|model|bot|human|gpt|chatgpt|claude|gemini)\b.*",
        r"(?:welches|was für ein)\s+modell\s+.+",
    ];
    GREETING = [
        r"(?:(?:hi|hello|hey|hallo|hej|hola|ciao|salut|bonjour|bonsoir|servus|moin|good\s+(?:morning|afternoon|evening|day)|guten\s+(?:morgen|tag|abend))(?:\s+(?:there|all|everybody|zusammen))?|there)",
    ];
    THANKS = [
        r"(?:(?:many|ok|okay|great|cool)[\s,]+)?(?:thanks|thank\s+you|thx|ty|danke|merci|gracias|grazie)(?:\s+(?:a\s+lot|so\s+much|very\s+much|again|schön|sehr))?",
    ];
    ABLE = [
        r"what\s+(?:can|do|could)\s+you\s+(?:do|help(?:\s+(?:me|us))?(?:\s+with)?)(?:\s+(?:here|for\s+(?:me|us)))?",
        r"how\s+(?:can|could)\s+you\s+help(?:\s+(?:me|us))?",
        r"was\s+kannst\s+du(?:\s+(?:alles|hier|für\s+mich))?(?:\s+(?:tun|machen))?",
    ];
    PRIVACY = [
        r"(?:is|are|was|were|will|does|do|can)\s+(?:.*\b)?(?:my|our|anything)\b.*\b(?:sent|send|sends|uploaded|upload|leaves?|leaving|transmitted)\b.*",
        r"(?:do|does|will|are|is)\s+(?:you|pilothouse)\s+(?:send|sending|upload|uploading|share|sharing|collect|phone|track)\b.*",
        r"where\s+(?:does|do|is|are)\s+(?:my|our)\s+(?:code|data|files?|sources?|prompts?|messages?)\s+(?:go|sent|stored|uploaded|kept)\b.*",
    ];
    TESTS = [
        r"(?:(?:run|execute|start|rerun|führe|starte|lass)\s+)?(?:ich\s+)?(?:(?:all|the|unit|my|our|die|alle|nur)\s+)*(?:tests?|test suite|testsuite)(?:\s+(?:aus|laufen|lassen|ausführen|starten|again|nochmal))*",
        r"teste(?:\s+(?:alles|das projekt|es))?",
        r"(?:do|are)\s+(?:(?:all|the)\s+)*tests\s+(?:pass|passing|green)",
    ];
    BUILD = [r"(?:(?:run|start)\s+(?:the|a)\s+)?(?:build|compile|baue|kompiliere)(?:\s+ich)?(?:\s+(?:it|this|that|the code|the project|everything|das projekt|alles))?"];
    LINT = [r"(?:(?:run|start)\s+(?:the\s+)?)?(?:lint|linter|lints)(?:\s+(?:it|this|that|the project|the code))?"];
    FORMAT = [r"(?:run\s+(?:the\s+)?)?(?:format|formatter|formatiere)(?:\s+ich)?(?:\s+(?:it|this|that|the project|the code|everything|den code))?"];
    RUN = [
        r"!\s*(?<x>.+)",
        r"(?:run|execute|exec|führe|starte|start)\s+(?:(?:the|command|den|befehl|this)\s+)*:?\s*(?<x>.+?)(?:\s+aus)?",
        r"(?<x>\x{e000}\d+\x{e001})",
        r"(?:show|print|give|tell|zeige?)\s+(?:(?:me|us|mir|the|a|das|den)\s+)*(?<x>git\s+(?:log|status|diff|show|branch|blame|remote|tag)(?:\s.*)?)",
    ];
    REFINE = [
        r"(?:no,?\s+|nein,?\s+)?(?:but\s+)?(?:only|just|nur)\s+(?:in|inside|within|under|unter|im)\s+(?:(?:the|folder|directory|ordner)\s+)*(?<in>\S+)(?:\s+(?:folder|directory))?",
    ];
    BARE = [
        r"git\s+(?:log|status|diff|show|branch|blame|remote|tag|stash\s+list)(?:\s.*)?",
        r"go\s+(?:test|build|run|vet|fmt|mod|get|install|generate|env|version|list|doc)(?:\s.*)?",
        r"(?:make|just)(?:\s+[\w./-]+)?(?:\s+\w+=\S+)*",
    ];
}

/// The first phrasing of a set that fits the whole text.
pub(super) fn first<'t>(set: &[Pattern], text: &'t str) -> Option<regex::Captures<'t>> {
    set.iter().find_map(|p| p.captures(text))
}
