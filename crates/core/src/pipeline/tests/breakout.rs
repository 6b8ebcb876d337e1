//! T-11 and T-12: what leaves a paused pipeline, and what the answer to that means.

use super::*;

/// T-11, whole: every word wherever it stands and however it is written, and none of what is no such word.
#[test]
fn t11_words_that_leave_a_paused_pipeline() {
    let classifier = Classifier::builtin();
    let words = [
        "break out",
        "breakout",
        "exit pipeline",
        "exit agent",
        "stop pipeline",
        "stop agent",
        "cancel pipeline",
        "cancel agent",
        "forget the pipeline",
        "skip pipeline",
        "leave pipeline",
        "something else",
        "something different",
        "different question",
        "different topic",
        "change topic",
        "change the topic",
        "new question",
        "new topic",
        "never mind",
        "nevermind",
        "forget it",
        "changed my mind",
    ];
    assert_eq!(words.len(), 23);
    for word in words {
        for line in [word.to_owned(), word.to_uppercase(), format!("Hm, I'd say {word}, if you please.")] {
            assert!(classifier.leaves_pipeline(&line), "{line}");
        }
    }
    for line in [
        "3",
        " 3. ",
        "cancel the pipeline",
        "exit the pipeline",
        "leave this pipeline",
        "I want to do something else - just tell me what the weather in zurich is today",
        // A denied word is still one: the question behind it catches that (BRK-14).
        "don't break out",
    ] {
        assert!(classifier.leaves_pipeline(line), "{line}");
    }
    for line in [
        "I want to do the search now",
        "I want to ask about stage 2",
        "instead can you look at b.rs",
        "instead tell me more",
        "instead just the summary",
        "proceed",
        "continue",
        "yes",
        "33",
        "option 3 please",
        "3 more files",
        "Actually what is the weather in zurich today?",
        "",
    ] {
        assert!(!classifier.leaves_pipeline(line), "{line}");
    }
}

/// T-12: the answer to "leave?".
#[test]
fn t12_answers_to_leaving() {
    use Response::{Confirm, Deny, Implicit, Nothing};
    for (text, means) in [
        ("1", Confirm),
        ("1.", Confirm),
        (" 1 ", Confirm),
        ("2", Deny),
        ("2.", Deny),
        ("yes, continue", Deny),
        ("yes", Confirm),
        ("continue", Deny),
        ("no", Deny),
        ("cancel", Confirm),
        ("cancel the pipeline", Confirm),
        ("Stage 1 looks good", Implicit),
        ("Check citation 2", Implicit),
        ("", Nothing),
        ("  ", Nothing),
        ("what is the weather?", Implicit),
        ("n", Deny),
        ("nope", Deny),
        ("Y", Confirm),
        ("YES", Confirm),
        ("don't exit", Deny),
        ("don’t exit", Deny),
        ("keep going", Deny),
        ("go back", Deny),
        ("stay", Deny),
        ("break out", Confirm),
        ("quit", Confirm),
        ("q", Confirm),
        ("q3 only", Implicit),
        ("stop", Confirm),
        ("leave", Confirm),
        ("sure", Confirm),
        ("ok", Confirm),
        ("it looks fine", Implicit),
        ("12", Implicit),
        ("2 more", Implicit),
        ("notes on yaml", Implicit),
        ("ok, proceed", Deny),
        ("yesterday", Implicit),
    ] {
        assert_eq!(response(text), means, "{text}");
    }
}

/// T-12: the cases.
#[test]
fn t12_decision_tree() {
    let said = |text, keyword, judged| Said { text, keyword, judged };
    for (waits, said, case) in [
        (true, said("no", false, None), Case::Stay),
        (true, said("2", false, None), Case::Stay),
        (true, said("yes", false, None), Case::LeaveForOriginal),
        (true, said("1", false, None), Case::LeaveForOriginal),
        (true, said("how old is it?", false, None), Case::LeaveForThis),
        (true, said("", false, None), Case::Ignore),
        // The question is answered before any word is looked for.
        (true, said("never mind, continue", true, None), Case::Stay),
        (false, said("never mind", true, None), Case::Ask(Source::Keyword)),
        (false, said("weather?", false, Some(Judgement::Breakout)), Case::Ask(Source::Semantic)),
        (false, said("go on", false, Some(Judgement::PipelineResponse)), Case::Resume),
        (false, said("hm", false, Some(Judgement::Unclear)), Case::Resume),
        (false, said("hm", false, None), Case::Resume),
        (false, said(" ", false, None), Case::Ignore),
    ] {
        assert_eq!(breakout_decide(waits, said), case, "{said:?}");
    }
}

#[test]
fn a_models_word_counts_from_its_confidence_on_and_doubt_goes_on() {
    for (reply, means) in [
        (r#"{"intent": "breakout", "confidence": 0.7}"#, Judgement::Breakout),
        ("Sure:\n```json\n{\"intent\":\"breakout\",\"confidence\":0.93}\n```", Judgement::Breakout),
        (r#"{"intent": "breakout", "confidence": 0.69}"#, Judgement::Unclear),
        (r#"{"intent": "pipeline_response", "confidence": 0.9}"#, Judgement::PipelineResponse),
        (r#"{"intent": "unclear", "confidence": 1.0}"#, Judgement::Unclear),
        (r#"{"intent": "breakout"}"#, Judgement::Unclear),
        (r#"{"intent": "breakout", "confidence": "#, Judgement::Unclear),
        ("breakout", Judgement::Unclear),
        ("", Judgement::Unclear),
    ] {
        assert_eq!(judged(reply), means, "{reply}");
    }
}

#[test]
fn a_kept_message_is_cut_at_characters() {
    assert_eq!(kept(&"ä".repeat(900)).chars().count(), 500);
}
