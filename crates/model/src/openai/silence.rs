//! How long a server may say nothing.
//!
//! Owns that only time counts in which this process ran: after it stood still (stopped in the shell, or a machine that was
//! frozen) what came meanwhile is on its way to it, and is waited for.

use std::{pin::pin, time::Duration};

use tokio::time::timeout;

/// A wait is made of so many, of which standing still takes one.
const STEPS: u32 = 10;

/// What comes within that time; `None` when nothing does.
pub(super) async fn within<T>(most: Duration, coming: impl Future<Output = T>) -> Option<T> {
    let mut coming = pin!(coming);
    for _ in 0..STEPS {
        if let Ok(came) = timeout(most / STEPS, coming.as_mut()).await {
            return Some(came);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::{future::poll_fn, task::Poll};

    use super::*;

    #[tokio::test]
    async fn a_time_that_is_over_at_one_look_is_no_silence_yet() {
        let late = |mut looks: u32| {
            poll_fn(move |_| {
                looks = looks.saturating_sub(1);
                if looks == 0 { Poll::Ready("here") } else { Poll::Pending }
            })
        };
        assert_eq!(within(Duration::ZERO, late(3)).await, Some("here"));
        assert_eq!(within(Duration::ZERO, late(1_000)).await, None);
    }
}
