//! The tiers beside the deterministic ones: an embedder, then a model; each with a time limit.
//!
//! Owns asking them and telling why one did not answer. Never decides what an answer is worth:
//! core joins it with the rules' own reading.

use std::{
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};

use futures::FutureExt;
use pilothouse_core::{
    clean::Clean,
    input::TiersAnswered,
    intent::{Classifier, Message, Reading, Thresholds, TierAnswer, tier_answer},
    session::State,
    talk::{Fault, FaultKind, ModelRequest, Usage},
};
use pilothouse_model::{ModelClient, Offline, OpenAi, Patience, Scripted};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::{
    config::{Intent, Provider, Vectors},
    context::classify,
    home::Home,
    vectors::Neighbours,
};

/// A message with what surrounds it, owned: it travels to where it is understood.
#[derive(Clone, Debug)]
pub struct Question {
    /// The words.
    pub text: String,
    /// The beginnings of the last messages, oldest first; whether the user said each. Of the agent's numbered list right
    /// before it the items that it names.
    pub before: Vec<(bool, String)>,
    /// The phase, the plan and the mode stand here.
    pub state: Surround,
}

/// What of a state a reading depends on.
#[derive(Clone, Debug, Default)]
pub struct Surround {
    /// Who holds control.
    pub phase: pilothouse_core::intent::Phase,
    /// The title of the active plan, else of the one that was set aside last.
    pub plan: Option<String>,
    /// Whether one is active.
    pub plan_active: bool,
    /// Whether conversation only was chosen.
    pub chat_only: bool,
    /// What was asked last of all that waits for the user.
    pub waits: Option<String>,
}

impl Question {
    /// The message of a turn in this state.
    pub fn of(text: String, state: &State, turn: pilothouse_core::ids::TurnId) -> Self {
        let seq = state.turns.get(&turn).map_or(state.seq, |t| t.seq);
        let mut before: Vec<(bool, String)> =
            state.said_before(seq).map(|said| (said.by_user, said.head.clone())).collect();
        let named = state.items_named(&text, seq);
        if let Some((_, last)) = before.last_mut().filter(|_| !named.is_empty()) {
            *last = named.join("\n");
        }
        let surround = Surround {
            phase: state.phase,
            plan: state.plan.as_ref().or_else(|| state.plan_aside()).map(|p| p.title.clone()),
            plan_active: state.plan.is_some(),
            chat_only: state.chat_only,
            waits: state.asked_last().map(str::to_owned),
        };
        Self { text, before, state: surround }
    }

    /// A message that stands alone, with the beginnings of those before it.
    pub fn alone(message: &Message<'_>) -> Self {
        Self {
            text: message.text.to_owned(),
            before: message.context.iter().map(|head| (true, head.clone())).collect(),
            state: Surround {
                phase: message.phase,
                plan: None,
                plan_active: message.plan_active,
                chat_only: message.chat_only,
                waits: None,
            },
        }
    }

    /// As core reads it.
    pub fn read<T>(&self, with: impl FnOnce(&Message<'_>) -> T) -> T {
        let context: Vec<String> = self.before.iter().map(|(_, head)| head.clone()).collect();
        with(&Message {
            text: &self.text,
            phase: self.state.phase,
            paused: false,
            plan_active: self.state.plan_active,
            chat_only: self.state.chat_only,
            context: &context,
            last: None,
        })
    }
}

/// The model to ask, or why there is none.
pub type Model = Result<Arc<dyn ModelClient>, Fault>;

/// The client of a voice.
///
/// # Errors
/// When it cannot be made, such as for a script that cannot be read.
pub fn client(voice: &Provider) -> Model {
    client_with(voice, &Patience::default())
}

/// The same, whose waits for a server are among these.
///
/// # Errors
/// The same.
pub(crate) fn client_with(voice: &Provider, patience: &Patience) -> Model {
    Ok(match voice {
        Provider::Offline => Arc::new(Offline::new()),
        Provider::Script(path) => Arc::new(Scripted::open(path).map_err(|e| Fault {
            kind: FaultKind::Internal,
            message: e.to_string(),
            hint: "check PILOTHOUSE_MODEL".to_owned(),
            status: None,
        })?),
        Provider::Endpoint(endpoint) => {
            Arc::new(OpenAi::new((**endpoint).clone()).with_patience(patience.clone()))
        }
    })
}

/// A model, and how many of its answers in a row did not come in time.
type Late = (Weak<dyn ModelClient>, u32);

/// The later tiers as they are configured.
#[derive(Clone)]
pub struct ClassifierTiers {
    wait: Duration,
    thresholds: Thresholds,
    neighbours: Option<Arc<Neighbours>>,
    /// The model that was asked last, and how often in a row its answer did not come in time.
    late: Arc<Mutex<Option<Late>>>,
}

impl ClassifierTiers {
    /// Nothing is loaded or asked yet.
    pub fn new(intent: &Intent, home: &Home) -> Self {
        let beside = !matches!(intent.embedder, Vectors::BuiltIn);
        let neighbours = beside.then(|| {
            let set = intent.classifier.exemplars().clone();
            Arc::new(Neighbours::new(intent.embedder.clone(), set, home.state.join("vectors"), intent.wait))
        });
        Self {
            wait: intent.wait,
            thresholds: intent.classifier.thresholds().clone(),
            neighbours,
            late: Arc::default(),
        }
    }

    /// Whether this model is too slow to be asked: nobody waits for it again in this session.
    fn left_out(&self, model: &Arc<dyn ModelClient>) -> bool {
        self.late_before(model) >= MOST_LATE
    }

    fn late_before(&self, model: &Arc<dyn ModelClient>) -> u32 {
        let late = self.late.lock().unwrap_or_else(PoisonError::into_inner);
        late.as_ref().filter(|(of, _)| of.ptr_eq(&Arc::downgrade(model))).map_or(0, |(_, times)| *times)
    }

    fn answered(&self, model: &Arc<dyn ModelClient>, in_time: bool) {
        let times = if in_time { 0 } else { self.late_before(model) + 1 };
        *self.late.lock().unwrap_or_else(PoisonError::into_inner) = Some((Arc::downgrade(model), times));
    }

    /// Waits until the vectors of the exemplars are made, however long it takes.
    ///
    /// # Errors
    /// A sentence for the user where the embedder cannot be used.
    pub async fn ready(&self) -> Result<(), String> {
        let Some(neighbours) = self.neighbours.clone() else { return Ok(()) };
        let made = tokio::task::spawn_blocking(move || neighbours.warm()).await;
        made.unwrap_or_else(|_| Err(failed())).map_err(|fault| not_compared(&fault))
    }

    /// Asks the tiers in their order until one knows: the embedder if `vectors`, then `model`.
    /// Never fails: what went wrong is told in the result.
    pub async fn ask(
        &self,
        question: Question,
        vectors: bool,
        model: Option<Model>,
        cancel: CancellationToken,
    ) -> TiersAnswered {
        let mut said = TiersAnswered { text: question.text.clone(), ..TiersAnswered::default() };
        if vectors {
            match self.compare(&question).await {
                Ok(opinion) => said.opinion = opinion,
                Err(fault) => said.faults.push(not_compared(&fault)),
            }
        }
        match model.filter(|_| said.opinion.is_none()) {
            Some(Ok(model)) if !self.left_out(&model) => {
                self.think(&mut said, &question, &model, cancel).await;
            }
            Some(Err(fault)) => said.faults.push(told(&fault.message)),
            Some(Ok(_)) | None => {}
        }
        if let Some(opinion) = &said.opinion {
            tracing::info!(
                tier = opinion.source.name(),
                confidence = opinion.confidence,
                "a later tier knew"
            );
        }
        said
    }

    async fn think(
        &self,
        said: &mut TiersAnswered,
        question: &Question,
        model: &Arc<dyn ModelClient>,
        cancel: CancellationToken,
    ) {
        let asked = ask_model(question, model.as_ref(), self.wait, cancel);
        let ended = AssertUnwindSafe(asked).catch_unwind().await;
        let ended = ended.unwrap_or_else(|_| Err(NoAnswer::Failed(PANICKED.to_owned())));
        self.answered(model, !matches!(ended, Err(NoAnswer::Late)));
        match ended {
            Ok((reply, usage)) => {
                said.usage = usage;
                said.opinion = question.read(|m| tier_answer::of_reply(&reply, m));
                if said.opinion.is_none() {
                    said.faults.push(told(&unread(&reply)));
                }
            }
            Err(NoAnswer::Failed(why)) => said.faults.push(told(&why)),
            Err(NoAnswer::Late) => said.faults.push(too_slow(self.wait, self.left_out(model))),
        }
    }

    /// Reads a message that stands alone; the later tiers are asked where the rules are not sure.
    /// With it what went wrong, a sentence each.
    pub async fn read(
        &self,
        classifier: &Classifier,
        message: &Message<'_>,
        vectors: bool,
        model: Option<Model>,
    ) -> (Reading, Vec<String>) {
        let reading = classifier.read(message);
        if !classifier.unsure(&reading) || !(vectors || model.is_some()) {
            return (reading, Vec::new());
        }
        let asked = model.is_some();
        let said = self.ask(Question::alone(message), vectors, model, CancellationToken::new()).await;
        let failed = asked || !said.faults.is_empty();
        (classifier.settle(reading, said.opinion.as_ref(), failed, message), said.faults)
    }

    /// What the nearest exemplars say, where they are near enough.
    async fn compare(&self, question: &Question) -> Result<Option<TierAnswer>, Fault> {
        let Some(neighbours) = self.neighbours.clone() else { return Ok(None) };
        let text = question.text.clone();
        let looked = tokio::task::spawn_blocking(move || neighbours.nearest(&text));
        let found = match tokio::time::timeout(self.wait, looked).await {
            Err(_) => return Err(late(self.wait)),
            Ok(Err(_)) => return Err(failed()),
            Ok(Ok(found)) => found?,
        };
        Ok(found.and_then(|f| question.read(|m| tier_answer::of_match(&f, &self.thresholds, m))))
    }
}

fn not_compared(fault: &Fault) -> String {
    let hint = if fault.hint.is_empty() { String::new() } else { format!("; {}", fault.hint) };
    format!("The embedder cannot be used, so the next tier decides: {}{hint}.", fault.message)
}

fn late(wait: Duration) -> Fault {
    Fault {
        kind: FaultKind::Unreachable,
        message: format!("it was not ready within {} s", wait.as_secs()),
        hint: "`wait_seconds` under [intent] makes the wait longer".to_owned(),
        status: None,
    }
}

fn failed() -> Fault {
    let message = PANICKED.to_owned();
    Fault { kind: FaultKind::Internal, message, hint: String::new(), status: None }
}

/// So often in a row an answer may not come in time before the model is left out.
const MOST_LATE: u32 = 2;

const PANICKED: &str = "a part of the program failed; the log file has the details";

fn told(why: &str) -> String {
    format!("The model could not tell what you mean ({why}).")
}

/// Why a model did not say what a message means.
#[derive(Debug)]
enum NoAnswer {
    /// It failed.
    Failed(String),
    /// None came in time.
    Late,
}

fn too_slow(wait: Duration, left_out: bool) -> String {
    let then = if left_out { "; it is no longer asked what you mean in this session" } else { "" };
    format!("The model gave no answer in {} s{then}.", wait.as_secs())
}

async fn ask_model(
    question: &Question,
    client: &dyn ModelClient,
    wait: Duration,
    cancel: CancellationToken,
) -> Result<(String, Usage), NoAnswer> {
    let request: ModelRequest = classify::request(question);
    // Nothing is shown of what comes: it only says that the model is at work.
    let (pieces, mut coming) = mpsc::channel(1);
    let reply = client.reply(request, pieces, cancel);
    tokio::pin!(reply);
    let mut comes = true;
    loop {
        tokio::select! {
            ended = &mut reply => {
                let failed = |fault: Fault| NoAnswer::Failed(fault.message);
                return ended.map(|r| (r.text, r.usage)).map_err(|unfinished| failed(unfinished.fault));
            }
            piece = coming.recv(), if comes => comes = piece.is_some(),
            () = tokio::time::sleep(wait) => return Err(NoAnswer::Late),
        }
    }
}

/// That a model's answer says nothing that can be used.
fn unread(reply: &str) -> String {
    let line = Clean::line(reply).into_string();
    let mut short: String = line.chars().take(60).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    if short.is_empty() {
        return "its answer was empty".to_owned();
    }
    format!("its answer cannot be read: “{short}”")
}

#[cfg(test)]
mod tests {
    use futures::future::{BoxFuture, FutureExt, pending};
    use pilothouse_core::talk::{ModelDelta, ModelReply};
    use pilothouse_model::Unfinished;

    use super::*;

    /// One that never answers, or at once with this.
    #[derive(Debug, Default)]
    struct Says(Mutex<Option<&'static str>>);

    impl ModelClient for Says {
        fn reply(
            &self,
            _: ModelRequest,
            _: mpsc::Sender<ModelDelta>,
            _: CancellationToken,
        ) -> BoxFuture<'_, Result<ModelReply, Unfinished>> {
            match *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
                None => pending().boxed(),
                Some(text) => {
                    std::future::ready(Ok(ModelReply { text: text.into(), ..ModelReply::default() })).boxed()
                }
            }
        }
    }

    #[tokio::test]
    async fn a_model_that_is_late_twice_in_a_row_is_left_out() {
        let wait = Duration::from_millis(1);
        let tiers = ClassifierTiers {
            wait,
            thresholds: Thresholds::default(),
            neighbours: None,
            late: Arc::default(),
        };
        let (one, other) = (Arc::new(Says::default()), Arc::new(Says::default()));
        let faults = async |model: &Arc<Says>, of: Option<&'static str>| {
            *model.0.lock().unwrap_or_else(PoisonError::into_inner) = of;
            let message = Message {
                text: "now the same for weeks",
                phase: pilothouse_core::intent::Phase::Idle,
                paused: false,
                plan_active: false,
                chat_only: false,
                context: &[],
                last: None,
            };
            let model: Model = Ok(Arc::<Says>::clone(model));
            tiers.ask(Question::alone(&message), false, Some(model), CancellationToken::new()).await.faults
        };
        assert_eq!(faults(&one, None).await, ["The model gave no answer in 0 s."]);
        // One that comes between them counts anew, whatever it says.
        assert!(faults(&one, Some("hm")).await.iter().any(|told| told.contains("its answer cannot be read")));
        let empty = "The model could not tell what you mean (its answer was empty).";
        assert_eq!(faults(&other, Some("")).await, [empty]);
        assert_eq!(faults(&one, None).await, ["The model gave no answer in 0 s."]);
        let last = "The model gave no answer in 0 s; it is no longer asked what you mean in this session.";
        assert_eq!(faults(&one, None).await, [last]);
        assert!(faults(&one, Some("hm")).await.is_empty(), "it is not asked");
        // Another model is, whatever came of the one before.
        assert_eq!(faults(&other, None).await, ["The model gave no answer in 0 s."]);
    }
}
