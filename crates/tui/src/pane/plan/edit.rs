//! The plan in the editor: what is handed out, and what comes back.
//!
//! Owns the text that the user wrote until it is right or given up. Never reads it: the session does.

use pilothouse_core::{input::Input, plan::Plan};

use super::{Ctx, Outcome, PlanPane, at_plan, step::not_now};
use crate::ctx::Handout;

/// Begins the comment above a text that was not taken.
const NOT_TAKEN: &str = "<!-- not taken: ";

impl PlanPane {
    /// Wants the plan in the editor.
    pub(super) fn edit(&mut self, ctx: &Ctx<'_>) -> Outcome {
        let Some(plan) = ctx.state.plan.as_ref().filter(|_| at_plan(ctx)) else {
            return Outcome::notice(not_now(ctx));
        };
        let mended = self.mended(plan);
        let whole = mended.is_none().then(|| plan.document());
        let text = mended.or_else(|| whole.clone()).unwrap_or_default();
        self.editing = Some((plan.version, whole));
        Outcome { edit: Some(Handout::new("plan.md", text)), ..Outcome::none() }
    }

    /// What the user wrote and what was not taken, with what is wrong as a comment at its top.
    pub(super) fn mended(&self, plan: &Plan) -> Option<String> {
        let (_, text) = self.written.as_ref().filter(|(version, _)| *version == plan.version)?;
        // Places are told as they are below the comment.
        let wrong = plan.edited(&format!("<!-- -->\n{text}")).err()?.to_string();
        let wrong = wrong.replace("-->", "->").replace(char::is_control, " ");
        Some(format!("{NOT_TAKEN}{wrong}; an empty file discards this text -->\n{text}"))
    }

    /// What came out of the editor; where it is not taken, the next time it opens there again.
    pub(super) fn take_back(&mut self, text: std::io::Result<String>) -> Outcome {
        match (text, self.editing.take()) {
            (_, None) => Outcome::none(),
            (Ok(text), Some(_)) if text.trim().is_empty() => {
                self.written = None;
                Outcome::notice("the file was empty; the plan is unchanged")
            }
            (Ok(text), Some((_, Some(whole)))) if text.trim_end() == whole.trim_end() => {
                Outcome::notice("nothing was changed in the editor; the plan is unchanged")
            }
            (Ok(text), Some((version, _))) => {
                let told = text.starts_with(NOT_TAKEN);
                let text = text.split_once('\n').filter(|_| told).map_or(text.clone(), |(_, t)| t.to_owned());
                self.written = Some((version, text.clone()));
                Outcome::input(Input::EditPlan { text, version })
            }
            (Err(error), Some(_)) => {
                Outcome::complaint(format!("the editor failed: {error}; the plan is unchanged"))
            }
        }
    }
}
