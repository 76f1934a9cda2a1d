//! Who it is to be: somebody who comes with the program, or a card that is dropped here.

use std::convert::Infallible;
use std::path::Path as FilePath;
use std::sync::Arc;

use askama::Template;
use axum::extract::{Extension, Path, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use jiff::tz::TimeZone;

use super::super::door::{SentFile, SentForm, read_sent_file};
use super::super::messages;
use super::super::pages::{PageHead, Refusal, Visitor, html_page, off_the_way, on_disk, status_of_file};
use super::steps::{CAME, MODEL, WHO};
use super::{ExampleCard, Setup};
use crate::config::FamiliarHome;
use crate::domain::FamiliarId;
use crate::familiar::{
    self, Existing, ImportReport, ImportStatus, InitRequest, Picture, Writing, give_name, init,
    lives_by_clock_of, portrait, read_card,
};
use crate::text::short::{one_line, shortened};

/// The largest name that is kept, of a file or of somebody whose card has none, in characters.
const NAME_CHARS: usize = 100;

/// Where whoever was chosen before waits, in the data folder, while somebody else comes in.
const BEFORE: &str = ".chosen-before";

/// So much is told of who comes with the program, in characters.
const ABOUT_CHARS: usize = 220;

/// The picture of who was chosen, by its address.
const CHOSEN: &str = "chosen";

#[derive(Debug, Template)]
#[template(path = "setup_who.html")]
struct WhoPage {
    page: PageHead,
    notice: Option<String>,
    examples: Vec<ExampleView>,
    /// Who was chosen before, by name.
    chosen: Option<String>,
    most_bytes: u64,
}

#[derive(Debug)]
struct ExampleView {
    id: String,
    name: String,
    about: String,
}

#[derive(Debug, Template)]
#[template(path = "setup_came.html")]
struct CamePage {
    page: PageHead,
    name: String,
    facts: Vec<(&'static str, String)>,
    /// Whether its card named nobody.
    is_nameless: bool,
    has_picture: bool,
    sections: Vec<(&'static str, Vec<String>)>,
    next: &'static str,
}

pub(in super::super) async fn who_page(
    State(setup): State<Setup>,
    Extension(visitor): Extension<Visitor>,
) -> Result<Response, Refusal> {
    who(&setup, &visitor, None).await
}

async fn who(setup: &Setup, visitor: &Visitor, notice: Option<String>) -> Result<Response, Refusal> {
    let examples = Arc::clone(&setup.parts().examples);
    let views = off_the_way("who comes with the program could not be read for the window", move || {
        Ok::<_, Infallible>(examples.iter().map(ExampleView::of).collect())
    });
    Ok(html_page(&WhoPage {
        page: setup.door().head(messages::WHO_IS_IT, WHO, visitor),
        notice,
        examples: views.await?,
        chosen: setup.0.came.lock().as_ref().map(|came| came.name.clone()),
        most_bytes: familiar::Limit::File.value(),
    }))
}

impl ExampleView {
    /// Unpacks the card.
    fn of(example: &ExampleCard) -> Self {
        let about = read_card(&example.file.1).map(|card| card.creator_notes).unwrap_or_default();
        // Its first sentence.
        let about = about.split("\n\n").next().and_then(|first| first.split_inclusive(". ").next());
        let about = about.unwrap_or_default().trim_end();
        Self {
            id: example.id.to_string(),
            name: example.name.clone(),
            about: shortened(&one_line(about), ABOUT_CHARS),
        }
    }
}

/// Takes in somebody who comes with the program.
pub(in super::super) async fn post_example(
    State(setup): State<Setup>,
    Extension(visitor): Extension<Visitor>,
    form: SentForm,
) -> Result<Response, Refusal> {
    let wanted = form.field("id");
    let example = setup.parts().examples.iter().find(|example| example.id.as_str() == wanted).cloned();
    let example = example.ok_or(Refusal(StatusCode::NOT_FOUND))?;
    let (name, bytes) = example.file;
    match take_in(&setup, SentFile { name, bytes }, Some(example.id)).await? {
        Ok(()) => Ok(Redirect::to(CAME).into_response()),
        Err(refused) => refused_page(&setup, &visitor, &refused).await,
    }
}

/// Takes in a card that somebody sent.
pub(in super::super) async fn post_card(
    State(setup): State<Setup>,
    Extension(visitor): Extension<Visitor>,
    request: Request,
) -> Result<Response, Refusal> {
    let card = read_sent_file(&visitor, request).await?;
    match take_in(&setup, card, None).await? {
        Ok(()) => Ok(Redirect::to(CAME).into_response()),
        Err(refused) => refused_page(&setup, &visitor, &refused).await,
    }
}

async fn refused_page(
    setup: &Setup,
    visitor: &Visitor,
    refused: &familiar::Refusal,
) -> Result<Response, Refusal> {
    let notice = messages::card_refused(refused);
    let page = who(setup, visitor, Some(notice)).await?;
    Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
}

/// Imports a card, in the place of who was chosen here before.
async fn take_in(
    setup: &Setup,
    card: SentFile,
    id: Option<FamiliarId>,
) -> Result<Result<(), familiar::Refusal>, Refusal> {
    let _once = setup.0.busy.lock().await;
    let before = setup.0.came.lock().clone();
    let data_dir = setup.parts().data_dir.clone();
    let taken = off_the_way("a card could not be taken in", move || {
        let imported = import(&data_dir, &card, id, before.as_ref());
        if let Ok(report) = &imported
            && report.status == ImportStatus::Created
            && let Err(error) =
                lives_by_clock_of(&FamiliarHome::new(&data_dir, &report.id), &TimeZone::system())
        {
            // It lives by UTC, as the doctor says.
            tracing::warn!(%error, "the time zone of this machine could not be written down");
        }
        Ok::<_, Infallible>(imported)
    })
    .await?;
    Ok(taken.map(|report| {
        *setup.0.familiar.lock() = Some(report.id.clone());
        *setup.0.came.lock() = Some(report);
    }))
}

/// As `familiar init` does. What was made here before goes only when the new card is known to be good. Blocks.
fn import(
    data_dir: &FilePath,
    card: &SentFile,
    id: Option<FamiliarId>,
    before: Option<&ImportReport>,
) -> Result<ImportReport, familiar::Refusal> {
    let folder = tempfile::tempdir().map_err(unwritten(&std::env::temp_dir()))?;
    let file = folder.path().join(card_file_name(&card.name));
    std::fs::write(&file, &card.bytes).map_err(unwritten(&file))?;
    let request = InitRequest {
        id,
        existing: Existing::Merge,
        writing: Writing::DryRun,
        ..InitRequest::new(file, data_dir.to_owned())
    };
    init(&request, |_| ())?;
    let Some(before) = before else {
        return init(
            &InitRequest { existing: Existing::Refuse, writing: Writing::ForReal, ..request },
            |_| (),
        );
    };
    // It may have the same name. It comes back where the new one cannot be written.
    let aside = data_dir.join(BEFORE);
    crate::home::if_there(std::fs::remove_dir_all(&aside)).map_err(unwritten(&aside))?;
    crate::home::if_there(std::fs::rename(&before.path, &aside)).map_err(unwritten(&aside))?;
    let made =
        init(&InitRequest { existing: Existing::Refuse, writing: Writing::ForReal, ..request }, |_| ());
    if made.is_err() {
        crate::home::if_there(std::fs::remove_dir_all(&before.path)).map_err(unwritten(&before.path))?;
        crate::home::if_there(std::fs::rename(&aside, &before.path)).map_err(unwritten(&before.path))?;
    } else if let Err(error) = crate::home::if_there(std::fs::remove_dir_all(&aside)) {
        tracing::warn!(%error, folder = %aside.display(), "whoever was chosen before could not be removed");
    }
    made
}

/// What is said where a file or folder could not be written.
fn unwritten(path: &FilePath) -> impl Fn(std::io::Error) -> familiar::Refusal {
    move |error| familiar::Refusal::io("write", path, &error)
}

/// What a file may be called here, of what a browser says that it is called.
fn card_file_name(sent: &str) -> String {
    let last = sent.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = last.chars().filter(|c| !c.is_control()).take(NAME_CHARS).collect();
    if name.trim_matches(['.', ' ']).is_empty() { "card".to_owned() } else { name }
}

/// Calls somebody whose card has no name as whoever brought it says.
pub(in super::super) async fn post_name(
    State(setup): State<Setup>,
    form: SentForm,
) -> Result<Response, Refusal> {
    let wanted: String = form.field("name").chars().take(NAME_CHARS).collect();
    let _once = setup.0.busy.lock().await;
    let came = setup.0.came.lock().clone().filter(|came| came.is_nameless);
    if let Some(came) = came {
        let home = FamiliarHome::new(&setup.parts().data_dir, &came.id);
        let given =
            on_disk("a name could not be written down", status_of_file, move || give_name(&home, &wanted))
                .await?;
        if let Some(name) = given {
            *setup.0.came.lock() = Some(ImportReport { name, is_nameless: false, ..came });
        }
    }
    Ok(Redirect::to(CAME).into_response())
}

/// How it came in.
pub(in super::super) async fn came_page(
    State(setup): State<Setup>,
    Extension(visitor): Extension<Visitor>,
) -> Response {
    let Some(came) = setup.0.came.lock().clone() else { return Redirect::to(WHO).into_response() };
    let home = FamiliarHome::new(&setup.parts().data_dir, &came.id);
    let has_picture = tokio::task::spawn_blocking(move || portrait(&home).is_ok_and(|found| found.is_some()))
        .await
        .unwrap_or(false);
    let mut facts =
        vec![("Card", came.card_told()), ("Greetings", came.greetings_told()), ("Lore", came.lore_told())];
    if !came.tags.is_empty() {
        facts.push(("Tags", one_line(&came.tags.join(", "))));
    }
    facts.push(("Lives in", came.path.display().to_string()));
    let lines = [
        (messages::BENT, came.warnings),
        (messages::MACROS_LEFT, came.unsupported_macros),
        (messages::MACROS_UNCACHED, came.uncached_macros),
        (messages::LORE_WANTS, came.lore_features),
    ];
    html_page(&CamePage {
        page: setup.door().head(&messages::moved_in(&came.name), WHO, &visitor),
        name: came.name,
        facts,
        is_nameless: came.is_nameless,
        has_picture,
        sections: lines.into_iter().filter(|(_, lines)| !lines.is_empty()).collect(),
        next: MODEL,
    })
}

/// The portrait of somebody who comes with the program, or of who was chosen.
pub(in super::super) async fn picture(
    State(setup): State<Setup>,
    Path(which): Path<String>,
) -> Result<Response, Refusal> {
    let parts = setup.parts().clone();
    let chosen = setup.chosen();
    let found = off_the_way("a picture could not be read for the window", move || {
        let example = parts.examples.iter().find(|example| example.id.as_str() == which);
        match (example, chosen) {
            (Some(example), _) => read_card(&example.file.1).map(|card| card.avatar),
            (None, Some(id)) if which == CHOSEN => portrait(&FamiliarHome::new(&parts.data_dir, &id)),
            _ => Ok(None),
        }
    });
    let Picture { extension, bytes } = found.await?.ok_or(Refusal(StatusCode::NOT_FOUND))?;
    let kind = match extension {
        "jpg" => "image/jpeg",
        "webp" => "image/webp",
        "gif" => "image/gif",
        "avif" => "image/avif",
        _ => "image/png",
    };
    Ok(([(header::CONTENT_TYPE, kind)], bytes).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_called_something_that_stays_in_its_folder() {
        for (sent, kept) in [
            ("../../etc/passwd", "passwd"),
            ("C:\\cards\\mika.png", "mika.png"),
            ("..", "card"),
            ("", "card"),
            ("a\0b\n.json", "ab.json"),
            ("川の渡し.png", "川の渡し.png"),
        ] {
            assert_eq!(card_file_name(sent), kept, "{sent:?}");
        }
        assert_eq!(card_file_name(&"x".repeat(300)).len(), NAME_CHARS);
    }
}
