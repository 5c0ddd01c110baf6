//! Keys read ahead, by a thread of its own.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    },
    thread,
    time::Duration,
};

use super::Fault;
use crate::{
    measure::Progress,
    workload::{Error, RecordReader, Records},
};

/// How long an interrupt may go unnoticed while a pipe gives no keys.
const PATIENCE: Duration = Duration::from_millis(100);

/// Batches of keys, as they come.
pub(super) struct Feed {
    batches: Receiver<Sent>,
    read: Arc<AtomicU64>,
    ended: bool,
    weighed: [bool; 2],
    notes: Vec<String>,
}

enum Sent {
    Batch(Records),
    Failed(Error),
    /// The file has ended; what a person should know of it.
    End(Vec<String>),
}

impl Feed {
    /// Begins to read, `ahead` batches at most, or all keys as one batch.
    ///
    /// The thread is left to itself: it may be waiting for a pipe when nobody wants its keys any more.
    pub(super) fn start(reader: RecordReader, whole: bool, ahead: usize) -> Self {
        let (sender, batches) = sync_channel(ahead);
        let read = reader.bytes_read();
        thread::spawn(move || send(reader, whole, &sender));
        Self {
            batches,
            read,
            ended: false,
            weighed: [false; 2],
            notes: Vec::new(),
        }
    }

    /// The next batches, as many as `wanted`; fewer, or none, at the end.
    pub(super) fn next(
        &mut self,
        wanted: usize,
        progress: &Progress,
    ) -> Result<Vec<Records>, Fault> {
        let mut out = Vec::new();
        while out.len() < wanted && !self.ended {
            progress.check()?;
            match self.batches.recv_timeout(PATIENCE) {
                Ok(Sent::Batch(batch)) => {
                    self.weighed = [!batch.bytes.is_empty(), !batch.hits.is_empty()];
                    out.push(batch);
                }
                Ok(Sent::Failed(err)) => return Err(Fault::Keys(err)),
                Ok(Sent::End(notes)) => {
                    self.ended = true;
                    self.notes = notes;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => panic!("the reading thread has ended"),
            }
            progress.at_byte(self.read.load(Ordering::Relaxed));
        }
        Ok(out)
    }

    /// Whether the keys came with bytes, and with hits.
    pub(super) fn weighed(&self) -> [bool; 2] {
        self.weighed
    }

    /// What a person should know of the keys, once they have ended.
    pub(super) fn notes(self) -> Vec<String> {
        self.notes
    }
}

/// Sends all that is read, until nobody listens.
fn send(mut reader: RecordReader, whole: bool, to: &SyncSender<Sent>) {
    let mut sent_whole = false;
    loop {
        let read = if whole {
            let all = !sent_whole;
            sent_whole = true;
            all.then(|| reader.read_all()).transpose()
        } else {
            let mut batch = Records::default();
            reader.read(&mut batch).map(|n| (n > 0).then_some(batch))
        };
        let sent = match read {
            Ok(Some(batch)) if !batch.keys.is_empty() => to.send(Sent::Batch(batch)),
            Ok(_) => {
                let _ = to.send(Sent::End(reader.notes()));
                return;
            }
            Err(err) => {
                let _ = to.send(Sent::Failed(err));
                return;
            }
        };
        if sent.is_err() {
            return;
        }
    }
}
