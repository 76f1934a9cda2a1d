//! Looking on at a phrase that is being spoken.

use tokio::sync::mpsc;

use crate::voice::engines::{Speech, SpeechEvent};

/// The same speech, with somebody who sees what comes. Up to `room` events wait for whoever listens; once nobody does, the
/// engine is stopped.
pub(super) fn relay(
    speech: Speech,
    room: usize,
    mut see: impl FnMut(&SpeechEvent) + Send + 'static,
) -> Speech {
    let (tell, told) = mpsc::channel(room);
    let rate = speech.rate;
    tokio::spawn(async move {
        // All of it: what stops the engine when it is dropped comes along.
        let mut speech = speech;
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
    use tokio_util::sync::CancellationToken;

    use super::*;

    #[tokio::test]
    async fn the_engine_goes_on_as_long_as_somebody_listens_and_not_longer() {
        let (tell, events) = mpsc::channel(1);
        let stop = CancellationToken::new();
        let speech = Speech::new(24_000, events).stopped_by(stop.clone());
        let (seen, mut seeing) = mpsc::unbounded_channel();
        let mut relayed = relay(speech, 4, move |event| seen.send(event.clone()).unwrap());
        for _ in 0..3 {
            tell.send(SpeechEvent::Samples(vec![1])).await.unwrap();
            assert_eq!(seeing.recv().await, Some(SpeechEvent::Samples(vec![1])));
        }
        assert!(!stop.is_cancelled());
        assert_eq!(relayed.events.recv().await, Some(SpeechEvent::Samples(vec![1])));
        drop(relayed);
        stop.cancelled().await;
    }
}
