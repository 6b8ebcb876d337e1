//! scratch
#![allow(warnings, clippy::all, clippy::pedantic, clippy::restriction, missing_docs)]
#[path = "intent/frames.rs"]
mod frames;
#[path = "intent/learn.rs"]
mod learn;
#[path = "intent/lines.rs"]
mod lines;
use learn::*;
use lines::*;
use pilothouse_core::intent::{features, Classifier, cli_row, features::features, stats::{LEAVES, STEPS, HEADS, softmax}};
use std::collections::BTreeMap;

#[derive(Default, Clone, Debug)]
struct T { n: usize, leaf: usize, turn: usize, mleaf: usize, asked: usize, acted: usize, forb: usize, forbacted: usize, must: usize, mustbad: usize, hi: usize, hiok: usize }
impl T { fn add(&mut self, o: &T) { self.n+=o.n; self.leaf+=o.leaf; self.turn+=o.turn; self.mleaf+=o.mleaf; self.asked+=o.asked; self.acted+=o.acted; self.forb+=o.forb; self.forbacted+=o.forbacted; self.must+=o.must; self.mustbad+=o.mustbad; self.hi+=o.hi; self.hiok+=o.hiok; }
 fn show(&self, name:&str) { let p=|a:usize,b:usize| 100.0*a as f64/b.max(1) as f64; println!("{name:8} n{:5} leaf {:5.1} model {:5.1} turn {:5.1} acted {}/{} forbid {}/{} must {}/{} hi {}/{} {:.1}", self.n, p(self.leaf,self.n), p(self.mleaf,self.n), p(self.turn,self.n), self.acted,self.asked,self.forbacted,self.forb,self.mustbad,self.must,self.hiok,self.hi,p(self.hiok,self.hi)); } }

fn eval(w: &[f32], table: &[f32; STEPS], rows: &[Row], misses: bool) -> T {
    let c = Classifier::with_weights(bytes(w, table)).unwrap();
    let mut t = T::default();
    for r in rows {
        let out = cli_row(None, &c.read(&r.message()), 0);
        let got = out.leaf.name();
        let (l, u) = (r.leaf_right(got), r.turn_right(out.turn, out.sub));
        let s = sums(w, &features(&r.message()));
        let mut i = (0..12).max_by(|a, b| s[*a].total_cmp(&s[*b])).unwrap();
        t.n += 1; t.leaf += l as usize; t.turn += u as usize; t.mleaf += r.leaf_right(LEAVES[i].name()) as usize;
        if out.confidence >= 0.9 { t.hi += 1; t.hiok += l as usize; }
        let mut ser = "";
        if r.only_asks() { t.asked += 1; if r.forbids() { t.forb += 1; } if acts(got) && !l { t.acted += 1; ser="ACTED"; if r.forbids() { t.forbacted += 1; ser="FORBID"; } } }
        if r.guard.as_deref() == Some("must_ask") { t.must += 1; if !l { t.mustbad += 1; ser="MUST"; } }
        if misses && (!l || !u) {
            let mut p=[0f32;2]; softmax(&s[27..29], &mut p); let mut q=[0f32;2]; softmax(&s[29..31], &mut q);
            println!("{ser:7} {:9} {}→{}{} {}.{}→{}.{}{} c{:.2} model {} asks {:.2} ban {:.2} [{}] {:?}", r.phase, r.leaf, got, if l {""} else {"✗"}, r.turn, r.sub.as_deref().unwrap_or("-"), out.turn, out.sub.unwrap_or("-"), if u {""} else {"✗"}, out.confidence, LEAVES[i].name(), p[1], q[1], out.reasoning, r.text.chars().take(160).collect::<String>());
        }
    }
    t
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let val = |n: &str| args.iter().position(|a| a == n).and_then(|i| args.get(i + 1)).cloned();
    let mut k = Knobs::default();
    if let Some(v) = val("--epochs") { k.epochs = v.parse().unwrap(); }
    if let Some(v) = val("--rate") { k.rate = v.parse().unwrap(); }
    if let Some(v) = val("--drop") { k.drop = v.parse().unwrap(); }
    if let Some(v) = val("--decay") { k.decay = v.parse().unwrap(); }
    let misses = args.iter().any(|a| a == "--misses");
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/intent/");
    let rows = read(&val("--corpus").unwrap_or(format!("{root}corpus.jsonl")));
    if let Some(d) = val("--dump") { use std::io::Write; let mut o = std::io::BufWriter::new(std::fs::File::create(&d).unwrap()); let mut all = rows.clone(); for f in val("--dev").unwrap_or_default().split(',').filter(|f| !f.is_empty()) { let b = f.rsplit('/').next().unwrap().trim_end_matches(".jsonl").trim_start_matches("intent-batch-").to_owned(); for mut r in read(f) { r.batch = format!("D{b}"); all.push(r); } }
      for r in &all { let f = features(&r.message()); writeln!(o, "{}\t{}\t{}\t{}\t{}", r.batch, r.leaf, r.also.join(","), f.iter().map(|(a,b)| format!("{a}:{b:.4}")).collect::<Vec<_>>().join(" "), serde_json::to_string(&r.text).unwrap()).unwrap(); } return; }
    let samples: Vec<(String, Vec<Sample>)> = rows.iter().map(|r| (r.batch.clone(), Sample::all(r))).collect();
    let mut samples = samples;
    if let Some(t) = val("--frames") { let fw: f32 = val("--fw").map_or(0.3, |v| v.parse().unwrap()); let ex = frames::expand(&std::fs::read_to_string(format!("{root}frames.txt")).unwrap(), t.parse().unwrap()); eprintln!("{} frame lines", ex.len()); if args.iter().any(|a| a=="--show") { for r in ex.iter().step_by(37) { println!("{} {} {} {}", r.leaf, r.phase, r.turn, r.text); } } samples.push(("frame".into(), ex.iter().map(|r| Sample::new(r, fw)).collect())); }
    let n: usize = samples.iter().map(|s| s.1.len()).sum();
    let nf: usize = samples.iter().flat_map(|s| &s.1).map(|s| s.features.len()).sum();
    eprintln!("{n} samples, {} features each", nf / n);
    if let Some(d) = val("--cv") { use std::io::Write; let mut o = std::io::BufWriter::new(std::fs::File::create(&d).unwrap());
      let mut put = |b: &str, r: &Row, w: &[f32], gw: &[f32]| { let z = guard_sums(gw, &pilothouse_core::intent::features::guards(&r.message())); let s = sums(w, &features(&r.message())); let mut v = vec![]; for (a, z) in HEADS { let mut p = vec![0f32; z-a]; softmax(&s[a..z], &mut p); v.extend(p); } v.extend(z.map(|z| 1.0 / (1.0 + (-z).exp()))); let rd = Classifier::builtin().read(&r.message()); v.push(rd.forbids_change as u8 as f32); v.extend(features::debug(&r.message())); writeln!(o, "{b}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}", r.phase, r.leaf, r.also.join(","), r.guard.clone().unwrap_or("-".into()), r.tags.join(","), r.turn, v.iter().map(|x| format!("{x:.4}")).collect::<Vec<_>>().join(" "), serde_json::to_string(&r.text).unwrap()).unwrap(); };
      for f in 0..5u64 { let inside: Vec<&Sample> = samples.iter().zip(rows.iter().map(Some).chain(std::iter::repeat(None))).filter(|(s, r)| r.is_none_or(|r| hash(&r.text) >> 20 & 0xffff % 65536 == 0 || (hash(&r.text) >> 20) % 5 != f)).flat_map(|(s, _)| &s.1).collect(); let w = train(&inside, &k); let gw = train_guards(&inside, &k); for r in rows.iter().filter(|r| (hash(&r.text) >> 20) % 5 == f) { put(&r.batch, r, &w, &gw); } }
      let inside: Vec<&Sample> = samples.iter().flat_map(|s| &s.1).collect(); let w = train(&inside, &k); let gw = train_guards(&inside, &k);
      for f in val("--dev").unwrap_or_default().split(',').filter(|f| !f.is_empty()) { for r in read(f) { put("DEV", &r, &w, &gw); } }
      return; }
    let folds = val("--folds").unwrap_or("g1,g2,g3,g4,f1,f2,f3,f4".into());
    let mut table = [0f32; STEPS];
    for (i, t) in table.iter_mut().enumerate() { *t = i as f32 / (STEPS - 1) as f32; }
    let mut total = T::default();
    let names: Vec<String> = folds.split(',').filter(|f| !f.is_empty()).map(str::to_owned).collect();
    let work = std::sync::Mutex::new(names.clone());
    let results = std::sync::Mutex::new(BTreeMap::new());
    std::thread::scope(|s| for _ in 0..2 { s.spawn(|| loop {
        let Some(name) = work.lock().unwrap().pop() else { break };
        let inside: Vec<&Sample> = samples.iter().filter(|s| s.0 != name).flat_map(|s| &s.1).collect();
        let w = train(&inside, &k);
        let test: Vec<Row> = rows.iter().filter(|r| r.batch == name).cloned().collect();
        let t = eval(&w, &table, &test, misses);
        results.lock().unwrap().insert(name, t);
    }); });
    for (n, t) in results.into_inner().unwrap() { t.show(&n); total.add(&t); }
    if total.n > 0 { total.show("FOLDS"); }
    if let Some(dev) = val("--dev") {
        let inside: Vec<&Sample> = samples.iter().flat_map(|s| &s.1).collect();
        let w = train(&inside, &k);
        let mut total = T::default();
        for f in dev.split(',') {
            let t = eval(&w, &table, &read(f), misses);
            t.show(f.rsplit(['/']).next().unwrap().trim_end_matches(".jsonl").trim_start_matches("intent-batch-"));
            total.add(&t);
        }
        total.show("DEV");
    }
}
