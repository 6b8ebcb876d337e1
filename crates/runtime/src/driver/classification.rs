//! The tiers beside the deterministic ones, as the loop uses them: made ready at the opening, asked
//! about a message, and what a model resolved put aside for review.
//!
//! Never keeps the loop or the first frame waiting, and learns nothing.

use pilothouse_core::{
    event::{Event, Stamped},
    ids::TurnId,
    input::Input,
    intent::Source,
    work::WorkKey,
};
use tokio_util::sync::CancellationToken;

use super::{Driver, Inbound, port::Stored};
use crate::{context::Texts, tiers::Question};

/// From this confidence on what a model resolved is worth a look.
const SURE_ENOUGH: f32 = 0.7;

impl Driver {
    /// Makes the vectors of the exemplars beside the loop; that it cannot be done is told at once,
    /// not only when a message would need them.
    pub(super) fn warm(&self) {
        let (later, inbound) = (self.kit.later.clone(), self.inbound.clone());
        self.tasks.spawn(async move {
            if let Err(why) = later.ready().await {
                tracing::warn!(why, "the embedder cannot be used");
                drop(inbound.send(Inbound::Notice(why)).await);
            }
        });
    }

    /// Brings the text of a message back and asks the later tiers, where the session wants them.
    pub(super) fn classify(
        &mut self,
        key: WorkKey,
        turn: TurnId,
        vectors: bool,
        model: bool,
        cancel: CancellationToken,
    ) {
        let (voice, _) = self.at.config.asked(self.at.session.state().model.as_deref());
        let model = model.then(|| self.kit.client(voice));
        let texts = Stored { log: &self.at.log, blobs: &self.at.blobs };
        let state = self.at.session.state();
        let text = match state.turns.get(&turn).and_then(|t| texts.event(t.seq)).map(|e| e.event) {
            Some(Event::TurnStarted { text, .. }) => texts.whole(&text),
            _ => String::new(),
        };
        let question = Question::of(text, state, turn);
        let later = self.kit.later.clone();
        self.spawn(key, None, None, async move {
            let said = Box::new(later.ask(question, vectors, model, cancel).await);
            Input::TiersAnswered { turn, said }
        });
    }

    /// A phrase that the model resolved goes to the file for review.
    pub(super) fn suggest(&self, event: &Stamped) {
        let Event::IntentClassified { turn, class, path, confidence, source, .. } = &event.event else {
            return;
        };
        let told = *source == Source::Llm && *confidence >= SURE_ENOUGH;
        let Some(info) = self.at.session.state().turns.get(turn).filter(|_| told) else { return };
        let (phrase, class, path) = (info.head.clone(), class.clone(), path.clone());
        let (pending, classifier) = (self.kit.pending.clone(), self.at.config.intent.classifier.clone());
        drop(self.disk.run(move || match pending.suggest(&phrase, &class, &path, classifier.exemplars()) {
            Ok(true) => tracing::info!("a phrase was put into exemplars.pending.yaml for review"),
            Ok(false) => {}
            Err(why) => tracing::warn!(why, "no phrase could be put aside for review"),
        }));
    }
}
