//! Who the operator is in play in the talk: one of several, or themselves.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};

use super::door::SentForm;
use super::messages;
use super::pages::{PageHead, Refusal, Visitor, html_page, off_the_way};
use super::shared::Shared;
use crate::domain::{AccountId, PERSONA_CHARS, PERSONA_NAME_CHARS, Persona};
use crate::identity::{PairingError, PlayedIn};

/// Where one chooses who one is.
pub(super) const PERSONAS: &str = "/talk/persona";

#[derive(Debug, Template)]
#[template(path = "personas.html")]
struct PersonasPage {
    page: PageHead,
    /// Who they are now; themselves where there is none.
    now: Option<Persona>,
    /// Whom else they may be.
    others: Vec<Persona>,
    problem: Option<String>,
    /// What was written, where it is no persona.
    written: (String, String),
    name_chars: usize,
    chars: usize,
}

/// Who the operator is in the talk now.
pub(super) fn now_playing(shared: &Shared) -> Option<Persona> {
    shared.parts.pairing.persona_at(&AccountId::operator(), shared.talk.place())
}

fn page(shared: &Shared, head: PageHead, written: (String, String), problem: Option<String>) -> PersonasPage {
    let (now, own) = (now_playing(shared), shared.parts.pairing.personas_of(&AccountId::operator()));
    let mut others: Vec<Persona> = Vec::new();
    for one in own.all().filter(|one| now.as_ref() != Some(*one)) {
        if others.iter().all(|known| known != one) {
            others.push(one.clone());
        }
    }
    PersonasPage {
        page: head,
        now,
        others,
        problem,
        written,
        name_chars: PERSONA_NAME_CHARS,
        chars: PERSONA_CHARS,
    }
}

pub(super) async fn personas_page(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
) -> Response {
    let head = shared.door.head(messages::PERSONAS, "/talk", &visitor);
    html_page(&page(&shared, head, Default::default(), None))
}

/// Makes the operator somebody, or themselves, or throws somebody away.
pub(super) async fn post_persona(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    mut form: SentForm,
) -> Result<Response, Refusal> {
    let (wanted, name) = (form.take("do"), form.take("name"));
    let description = form.take("description").replace("\r\n", "\n");
    let own = shared.parts.pairing.personas_of(&AccountId::operator());
    // Two may have one name, in two places.
    let is_meant = |one: &&Persona| one.name == name && one.description == description;
    let known = || own.all().find(is_meant).cloned().ok_or(Refusal(StatusCode::BAD_REQUEST));
    match wanted.as_str() {
        "be" => change_persona(&shared, PersonaChange::BeAgain(known()?)).await?,
        "self" => change_persona(&shared, PersonaChange::BeOneself).await?,
        "drop" => {
            change_persona(&shared, PersonaChange::Drop(known()?)).await?;
            return Ok(Redirect::to(PERSONAS).into_response());
        }
        "new" => {
            let persona = Persona::new(&name, &description);
            let playable = |persona| shared.parts.session.playable(&AccountId::operator(), persona);
            match persona.and_then(playable) {
                Ok(persona) => change_persona(&shared, PersonaChange::Be(persona)).await?,
                Err(error) => {
                    let head = shared.door.head(messages::PERSONAS, "/talk", &visitor);
                    let told = page(&shared, head, (name, description), Some(messages::no_persona(error)));
                    return Ok((StatusCode::UNPROCESSABLE_ENTITY, html_page(&told)).into_response());
                }
            }
        }
        _ => return Err(Refusal(StatusCode::BAD_REQUEST)),
    }
    Ok(Redirect::to("/talk").into_response())
}

enum PersonaChange {
    Be(Persona),
    /// One that is kept somewhere, which takes the place of none of its name.
    BeAgain(Persona),
    BeOneself,
    Drop(Persona),
}

async fn change_persona(shared: &Shared, change: PersonaChange) -> Result<(), Refusal> {
    let (pairing, operator) = (Arc::clone(&shared.parts.pairing), AccountId::operator());
    let here = PlayedIn::Channel(shared.talk.place().channel.clone());
    off_the_way("who the operator is in play could not be kept", move || {
        match change {
            PersonaChange::Be(persona) => drop(pairing.play(&operator, here, persona)?),
            PersonaChange::BeAgain(persona) => drop(pairing.set_persona(&operator, here, persona)?),
            PersonaChange::BeOneself => drop(pairing.clear_persona(&operator, &here)?),
            PersonaChange::Drop(persona) => drop(pairing.drop_persona(&operator, &persona)?),
        }
        Ok::<_, PairingError>(())
    })
    .await?;
    shared.events.talk_changed();
    Ok(())
}
