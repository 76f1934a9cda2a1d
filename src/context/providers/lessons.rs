//! What the person who is answered asked for in this session.

use std::time::Duration;

use async_trait::async_trait;

use super::{ContextProvider, Part, ProviderError};
use crate::context::contribution::{Contribution, Importance, Placement, TailPart, Trust};
use crate::context::request::TurnRequest;
use crate::domain::Layer;
use crate::text::names::prompt_label;
use crate::world::Lesson;

/// Contributes session lessons (specs mechanisms A23), one line each, in the program's own words; the source names the
/// message that is the evidence, for the x-ray.
#[derive(Debug, Clone, Copy, Default)]
pub struct LessonsProvider;

#[async_trait]
impl ContextProvider for LessonsProvider {
    fn name(&self) -> &'static str {
        "lessons"
    }

    fn deadline(&self) -> Duration {
        Duration::from_millis(50)
    }

    fn part(&self) -> Part {
        Part::Current
    }

    fn tells_the_moment(&self) -> bool {
        true
    }

    async fn contribute(&self, request: &TurnRequest) -> Result<Vec<Contribution>, ProviderError> {
        let Some(author) = &request.author else { return Ok(Vec::new()) };
        let name = prompt_label(author.label());
        let view = request.world.for_place(&request.place);
        let lessons = view.lessons(&author.account, request.now);
        Ok(lessons.filter_map(|lesson| contribution(request, &name, lesson)).collect())
    }
}

fn contribution(request: &TurnRequest, name: &str, lesson: &Lesson) -> Option<Contribution> {
    let wish = lesson.wish.words()?;
    let source = match &lesson.message {
        Some(message) => format!("lessons/{} (message {message})", lesson.wish.name()),
        None => format!("lessons/{}", lesson.wish.name()),
    };
    Some(Contribution {
        importance: Importance::High,
        ..Contribution::new(
            source,
            Layer::Core,
            Placement::Tail(TailPart::Lessons),
            Trust::Program,
            request.place.audience.clone(),
            format!("In this talk {name} asked for {wish}."),
        )
    })
}
