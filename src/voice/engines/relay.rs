//! Looking on at a phrase that is being spoken.

use tokio::sync::mpsc;

use super::{EngineError, Speech, SpeechEvent};

impl Speech {
    /// The same speech, with somebody who sees what comes. Up to `room` events wait for whoever listens; once nobody does,
    /// the engine is stopped.
    pub(in crate::voice) fn seen_by(
        self,
        room: usize,
        see: impl FnMut(&SpeechEvent) + Send + 'static,
    ) -> Self {
        relay(Vec::new(), self, room, see)
    }

    /// The same speech, once its first sound is there or it is over without one.
    ///
    /// # Errors
    /// When the engine fails before that.
    pub(super) async fn once_it_sounds(mut self, room: usize) -> Result<Self, EngineError> {
        let mut first = Vec::new();
        while let Some(event) = self.events.recv().await {
            match event {
                SpeechEvent::Failed(error) => return Err(error),
                event @ SpeechEvent::Words(_) => first.push(event),
                event => {
                    first.push(event);
                    break;
                }
            }
        }
        Ok(relay(first, self, room, |_| ()))
    }
}

/// What came already, and then the rest.
fn relay(
    first: Vec<SpeechEvent>,
    mut speech: Speech,
    room: usize,
    mut see: impl FnMut(&SpeechEvent) + Send + 'static,
) -> Speech {
    let (tell, told) = mpsc::channel(room);
    let rate = speech.rate;
    tokio::spawn(async move {
        for event in first {
            if tell.send(event).await.is_err() {
                return;
            }
        }
        loop {
            tokio::select! {
                event = speech.events.recv() => {
                    let Some(event) = event else { return };
                    see(&event);
                    if tell.send(event).await.is_err() {
                        return;
                    }
                }
                () = tell.closed() => return,
            }
        }
    });
    Speech::new(rate, told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_engine_goes_on_as_long_as_somebody_listens_and_not_longer() {
        let (tell, events) = mpsc::channel(1);
        let speech = Speech::new(24_000, events);
        let (seen, mut seeing) = mpsc::unbounded_channel();
        let mut relayed = speech.seen_by(4, move |event| seen.send(event.clone()).unwrap());
        for _ in 0..3 {
            tell.send(SpeechEvent::Samples(vec![1])).await.unwrap();
            assert_eq!(seeing.recv().await, Some(SpeechEvent::Samples(vec![1])));
        }
        assert!(!tell.is_closed());
        assert_eq!(relayed.events.recv().await, Some(SpeechEvent::Samples(vec![1])));
        drop(relayed);
        tell.closed().await;
    }
}
