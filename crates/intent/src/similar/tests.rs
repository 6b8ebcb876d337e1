#![allow(clippy::unwrap_used)]

use super::*;

#[test]
fn an_exemplar_is_nearest_to_itself() {
    let set = Exemplars::builtin();
    let index = Index::built_in(set).unwrap();
    for e in set.entries() {
        let found = index.nearest(&Hashed::vector(&e.phrase)).unwrap();
        let near = match e.section {
            Section::Primary => found.primary,
            Section::Sub => found.sub,
            Section::Leaves => found.leaf,
        };
        let near = near.unwrap();
        assert!(near.score > 0.999 && near.phrase == e.phrase, "{:?} → {near:?}", e.phrase);
    }
}

#[test]
fn vectors_that_do_not_fit_make_no_index() {
    let set = Exemplars::parse("leaves:\n  read:\n    - a\n    - b\n").unwrap();
    assert!(Index::of(&set, &[]).is_none());
    assert!(Index::of(&set, &[vec![1.0]]).is_none());
    assert!(Index::of(&set, &[vec![1.0], vec![1.0, 0.0]]).is_none());
    let index = Index::of(&set, &[vec![1.0, 0.0], vec![0.6, 0.8]]).unwrap();
    assert!(index.nearest(&[1.0]).is_none());
    let found = index.nearest(&[0.6, 0.8]).unwrap().leaf.unwrap();
    assert_eq!((found.phrase.as_str(), found.score > 0.999), ("b", true));
}

/// A model that finds any two texts alike (as the bge family does) gives the same scores as one
/// that does not.
#[test]
fn what_all_vectors_have_in_common_counts_for_nothing() {
    let set = Exemplars::builtin();
    let plain: Vec<_> = set.entries().iter().map(|e| Hashed::vector(&e.phrase)).collect();
    let alike = |v: &Vec<f32>| unit(v.iter().map(|x| x * 0.5).chain([1.0]).collect::<Vec<_>>());
    let levelled = Index::levelled(set, plain.iter().map(alike).collect()).unwrap();
    let wanted = Index::levelled(set, plain).unwrap();
    for text in ["run the tests and tell me", "what is a borrow checker", "delete the legacy module"] {
        let (a, b) = (alike(&Hashed::vector(text)), Hashed::vector(text));
        let (a, b) = (levelled.nearest(&a).unwrap().leaf.unwrap(), wanted.nearest(&b).unwrap().leaf.unwrap());
        assert!(a.phrase == b.phrase && (a.score - b.score).abs() < 1e-3, "{text}: {a:?}, {b:?}");
    }
    let silent = levelled.nearest(&vec![0.0; levelled.width()]).unwrap();
    assert!(silent.leaf.unwrap().score.abs() < 1e-6, "nothing is near to nothing");
}

#[test]
fn an_intent_can_have_a_threshold_of_its_own() {
    let mut t = Thresholds::default();
    t.own.insert("control".into(), 0.95);
    assert!((t.of(Section::Primary, "control") - 0.95).abs() < 1e-6);
    assert!((t.of(Section::Primary, "query") - 0.80).abs() < 1e-6);
    assert!((t.of(Section::Sub, "query.lookup") - 0.65).abs() < 1e-6);
}
