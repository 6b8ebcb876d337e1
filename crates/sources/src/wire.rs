//! What messages travel on: the pipes of a process or an address.
//!
//! Owns what must be known in the order in which it came: by the time an answer is read, a word before it that the tools
//! are others now was heard.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use futures::future::Either;
use rmcp::{
    RoleClient,
    model::{JsonRpcMessage, ServerNotification},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::{StreamableHttpClientTransport, Transport, async_rw::AsyncRwTransport},
};
use tokio::{
    process::{ChildStdin, ChildStdout},
    time::timeout,
};
use tokio_util::sync::CancellationToken;

use crate::{connection::LAST_WORD, meter::Metered};

/// The pipes of a process.
pub(crate) type Pipe = AsyncRwTransport<RoleClient, Metered<ChildStdout>, ChildStdin>;

/// One of the ways to a server.
pub(crate) enum Way {
    /// With whether all that the process said on its error output was read.
    Pipe(Pipe, CancellationToken),
    Http(StreamableHttpClientTransport<reqwest::Client>),
}

/// The way to a server, with an ear for what it says of its tools.
pub(crate) struct Wire {
    pub way: Way,
    /// How often it said that its tools are others now.
    pub changes: Arc<AtomicU64>,
}

/// Why a message could not travel.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct WireFault(#[source] Box<dyn std::error::Error + Send + Sync>);

impl Transport<RoleClient> for Wire {
    type Error = WireFault;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), WireFault>> + Send + 'static {
        let sent = match &mut self.way {
            Way::Pipe(pipe, _) => Either::Left(pipe.send(message)),
            Way::Http(http) => Either::Right(http.send(message)),
        };
        async {
            match sent {
                Either::Left(sent) => sent.await.map_err(|e: io::Error| WireFault(e.into())),
                Either::Right(sent) => sent.await.map_err(|e| WireFault(e.into())),
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let message = match &mut self.way {
            Way::Pipe(pipe, heard) => {
                let message = pipe.receive().await;
                if message.is_none() {
                    // Its last words tell why it ended; they come another way.
                    drop(timeout(LAST_WORD, heard.cancelled()).await);
                }
                message
            }
            Way::Http(http) => http.receive().await,
        };
        // The library hands notifications on beside answers, in no order.
        if let Some(JsonRpcMessage::Notification(told)) = &message
            && matches!(told.notification, ServerNotification::ToolListChangedNotification(_))
        {
            self.changes.fetch_add(1, Ordering::AcqRel);
        }
        message
    }

    async fn close(&mut self) -> Result<(), WireFault> {
        match &mut self.way {
            Way::Pipe(pipe, _) => pipe.close().await.map_err(|e| WireFault(e.into())),
            Way::Http(http) => http.close().await.map_err(|e| WireFault(e.into())),
        }
    }
}
