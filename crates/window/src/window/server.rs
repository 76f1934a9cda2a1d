//! The one port: bound, served within bounds, closed in order.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::thread::available_parallelism;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, FromRef, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::{get, post};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use secrecy::SecretString;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::WindowParts;
use super::accent::Accent;
use super::closing::BrowserStream;
use super::confirm::WindowActions;
use super::door::{self, CARD_FORM_BYTES, Door, FORM_BYTES, Host, PICTURES_FORM_BYTES, WITH_PICTURES};
use super::events::{Events, Topic};
use super::message_view::Heads;
use super::operator::records;
use super::outbox::WindowOutbox;
use super::setup::{self, Setup, SetupParts, steps};
use super::shared::{Examined, Shared};
use super::sign_in::{SignIns, write_down};
use super::talk_now::Talk;
use super::{
    assets, beginnings, compare, entrance, export, follow, forget, health, hear, hours, listening, map,
    memory, messages, metrics, models, note_begin, note_edit, one_person, pages, personas, proposals, rooms,
    settings, talk, xray,
};
use crate::clock::SharedClock;
use crate::config::{WindowConfig, is_operator_token};
use crate::familiar::portrait;

/// So many connections are served at a time; one more is closed at once.
const CONNECTIONS_MAX: usize = 128;

/// So long a browser may take for the head of a request, and a connection may lie idle.
const HEADERS_WITHIN: Duration = Duration::from_secs(10);

/// The largest head of a request, in bytes.
const HEADERS_BYTES: usize = 32 * 1024;

/// After so long a connection is closed, whatever happens on it. Pages that follow events come again by themselves.
const CONNECTION_LIFE: Duration = Duration::from_secs(2 * 3600);

/// So long what is being answered may take when the program stops.
const CLOSE_WITHIN: Duration = Duration::from_secs(2);

/// What is waited after a connection could not be taken: the machine has run out of something.
const ACCEPT_PAUSE: Duration = Duration::from_millis(200);

/// The open port and who is signed in there. What is served there may change, from choosing a familiar to talking with it,
/// while browsers that ask meanwhile wait. The port is closed with the last clone.
#[derive(Debug, Clone)]
pub struct Doorway {
    listener: Arc<TcpListener>,
    /// Where it was to be.
    wanted: SocketAddr,
    bound: SocketAddr,
    sign_ins: Arc<SignIns>,
}

/// What comes by the port to be told where to write its address down.
#[derive(Debug)]
pub struct DoorwayParts<'a> {
    pub settings: &'a WindowConfig,
    /// What signs in as often as one likes, where the operator set one.
    pub token: Option<SecretString>,
    pub clock: SharedClock,
    /// Holds the address that signs in once, for as long as the window is open.
    pub address_file: PathBuf,
}

/// The window, open until it is closed.
#[derive(Debug)]
pub struct Window {
    doorway: Doorway,
    stop: CancellationToken,
    tasks: TaskTracker,
}

/// Why the window could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum WindowError {
    /// Others could reach it, and it has no token of the operator's.
    #[error("{}", messages::TOKEN_WANTED)]
    TokenWanted,
    /// The address is none of this machine's, or may not be used.
    #[error("{address} cannot be listened on: {source}")]
    Bind { address: SocketAddr, source: std::io::Error },
    /// Our own constant is not a usable id.
    #[error(transparent)]
    Id(#[from] crate::domain::InvalidId),
    /// The address that signs in could not be written down.
    #[error("the address that opens it could not be written down: {0}")]
    AddressFile(std::io::Error),
}

impl Doorway {
    /// Opens the port as `[window]` says; where it is taken, any free one.
    ///
    /// # Errors
    /// See [`WindowError`].
    pub async fn open(parts: DoorwayParts<'_>) -> Result<Self, WindowError> {
        let DoorwayParts { settings, token, clock, address_file } = parts;
        if settings.lacks_token(token.as_ref()) {
            return Err(WindowError::TokenWanted);
        }
        let token = token.filter(is_operator_token);
        let wanted = SocketAddr::new(settings.address, settings.port);
        let (listener, bound) =
            bind(wanted).await.map_err(|source| WindowError::Bind { address: wanted, source })?;
        let sign_ins = Arc::new(SignIns::new(origin(bound), address_file, token, clock));
        Ok(Self { listener: Arc::new(listener), wanted, bound, sign_ins })
    }

    /// Whether it is where these settings want it.
    fn is_at(&self, settings: &WindowConfig) -> bool {
        self.wanted == SocketAddr::new(settings.address, settings.port)
    }

    fn door(&self, stop: &CancellationToken) -> Door {
        Door {
            sign_ins: Arc::clone(&self.sign_ins),
            host: Host::of(self.bound.ip()),
            cookie: format!("familiar_window_{}", self.bound.port()).into(),
            stop: stop.clone(),
            character: None,
        }
    }

    /// From now on this is served here.
    async fn serve(self, app: Router, stop: CancellationToken) -> Result<Window, WindowError> {
        write_down(&self.sign_ins).await.map_err(WindowError::AddressFile)?;
        let tasks = TaskTracker::new();
        tasks.spawn(accept(Arc::clone(&self.listener), app, stop.clone(), tasks.clone()));
        Ok(Window { doorway: self, stop, tasks })
    }
}

impl Window {
    /// Opens the window as `[window]` says, at the port that is open already where it is the right one.
    ///
    /// # Errors
    /// See [`WindowError`]. Nothing else depends on it.
    pub async fn open(parts: WindowParts, doorway: Option<Doorway>) -> Result<Self, WindowError> {
        let settings = parts.config.current().window.clone();
        let doorway = match doorway.filter(|doorway| doorway.is_at(&settings)) {
            Some(doorway) => {
                doorway.sign_ins.moves_to(parts.address_file.clone());
                doorway
            }
            None => {
                Doorway::open(DoorwayParts {
                    settings: &settings,
                    token: parts.token.clone(),
                    clock: Arc::clone(&parts.clock),
                    address_file: parts.address_file.clone(),
                })
                .await?
            }
        };
        let first = u64::try_from(parts.clock.now().as_microsecond()).unwrap_or_default();
        let events = Arc::new(Events::from(first));
        let stop = CancellationToken::new();
        let heads = Heads {
            character: Arc::clone(&parts.character),
            config: Arc::clone(&parts.config),
            clock: Arc::clone(&parts.clock),
            engines: Arc::clone(&parts.engines),
        };
        let actions = WindowActions::new(Arc::clone(&events), Arc::clone(&parts.character));
        let outbox = WindowOutbox::new(Arc::clone(&events), heads.clone(), Arc::new(actions));
        let talk = Talk::connect(&parts.session, &parts.history, outbox).await?;
        let door = Door { character: Some(Arc::clone(&parts.character)), ..doorway.door(&stop) };
        let familiar = parts.config.home().id().clone();
        let shared = Arc::new(Shared {
            setup: Setup::new(door.clone(), parts.setup.clone(), Some(familiar)),
            door,
            events,
            talk,
            heads,
            examined: Examined::default(),
            tried_storing: parking_lot::Mutex::default(),
            accent: OnceLock::new(),
            exporting: Arc::default(),
            speaking: tokio::sync::Mutex::default(),
            asking: tokio::sync::Mutex::default(),
            tidying: tokio::sync::Mutex::default(),
            parts,
        });
        let window = doorway.serve(router(Arc::clone(&shared)), stop).await?;
        window.tasks.spawn(look_at_picture(Arc::clone(&shared)));
        window.tasks.spawn(follow_turns(shared));
        Ok(window)
    }

    /// Where somebody chooses a familiar, until `parts.ready` is cancelled.
    ///
    /// # Errors
    /// See [`WindowError`].
    pub async fn open_setup(parts: SetupParts, doorway: Doorway) -> Result<(Self, Setup), WindowError> {
        let stop = CancellationToken::new();
        let setup = Setup::new(doorway.door(&stop), parts, None);
        Ok((doorway.serve(setup_router(setup.clone()), stop).await?, setup))
    }

    /// Where it is: `http://127.0.0.1:8737/`.
    pub fn address(&self) -> String {
        self.doorway.sign_ins.address()
    }

    /// The address that opens it, once.
    pub fn opening_address(&self) -> String {
        self.doorway.sign_ins.opening_address()
    }

    /// Takes nothing more and lets what is being answered be answered. The port is closed with what is given back.
    pub async fn close(self) -> Doorway {
        self.stop.cancel();
        self.tasks.close();
        if tokio::time::timeout(CLOSE_WITHIN * 2, self.tasks.wait()).await.is_err() {
            tracing::warn!("a page of the window does not end");
        }
        let file = self.doorway.sign_ins.file();
        // It names a port that is closed; `familiar window` looks whether the program runs.
        let _left = tokio::task::spawn_blocking(move || std::fs::remove_file(file)).await;
        self.doorway
    }
}

async fn bind(wanted: SocketAddr) -> std::io::Result<(TcpListener, SocketAddr)> {
    let listener = match TcpListener::bind(wanted).await {
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => {
            let other = TcpListener::bind(SocketAddr::new(wanted.ip(), 0)).await?;
            tracing::warn!("{}", messages::port_taken(wanted.port(), other.local_addr()?.port()));
            other
        }
        bound => bound?,
    };
    let bound = listener.local_addr()?;
    Ok((listener, bound))
}

/// How a browser of this machine names it.
fn origin(bound: SocketAddr) -> String {
    let ip = match bound.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::from([127, 0, 0, 1]),
        ip => ip,
    };
    format!("http://{}", SocketAddr::new(ip, bound.port()))
}

fn router(shared: Arc<Shared>) -> Router {
    let pages = Router::new()
        .route("/assets/accent.css", get(assets::accent_css))
        // Going back from the first talk, or another page that is still open there.
        .route(steps::WHO, get(entrance::lives_here))
        .route(steps::CAME, get(entrance::lives_here))
        .route("/events", get(follow::follow_events))
        .route("/talk", post(talk::post_message))
        .route(WITH_PICTURES, post(talk::post_pictures).layer(DefaultBodyLimit::max(PICTURES_FORM_BYTES)))
        .route(personas::PERSONAS, get(personas::personas_page).post(personas::post_persona))
        .route("/talk/stop", post(talk::stop))
        .route("/talk/answer", post(talk::answer))
        .route("/talk/act", post(talk::act))
        .route(beginnings::RESET_TALK, post(beginnings::post_of_talk))
        .route("/talk/record", post(talk::post_record))
        .route("/talk/edit", get(talk::message_edit_page).post(talk::post_message_edit))
        .route("/talk/hear", post(hear::post_hear))
        .route("/talk/greet", post(talk::post_greeting))
        .route("/rooms/{channel}/act", post(rooms::act))
        .route("/rooms/{channel}/reset", post(rooms::post_reset))
        .route("/listening", get(listening::listening_page).post(listening::post_listening))
        .route("/memory/proposed", get(proposals::proposed_page).post(proposals::post_proposed))
        .route(hours::MAKE, post(hours::post_make))
        .route("/memory/tidy", post(proposals::post_tidy))
        .route("/memory/export", post(export::post_export))
        .route(one_person::ONE_PERSON, get(one_person::one_person_page).post(one_person::post_one_person))
        .route(note_begin::BEGIN, get(note_begin::begin_note))
        .route("/memory/edit", get(note_edit::edit_note).post(note_edit::post_edit))
        .route("/xray/compare", get(compare::compare).post(compare::post_ask))
        .route("/forget", get(forget::preview).post(forget::forget))
        .route("/forget/undo", get(forget::preview_undo).post(forget::undo))
        .route("/settings/set", get(settings::setting_field).post(settings::post_setting))
        .route("/settings/models", get(models::models_page))
        .route("/settings/edit", get(settings::edit_settings).post(settings::post_settings))
        .route("/health", get(health::health_page))
        .route("/health/examine", post(health::examine))
        .route("/healthz", get(health::healthz))
        .route("/metrics", get(metrics::show_metrics));
    let pages = match &shared.parts.assistants {
        Some(assistants) => pages.merge(assistants.routes(&shared)),
        None => pages,
    };
    guarded(pages.merge(reading_pages()).merge(setup_pages()), shared.door.clone()).with_state(shared)
}

/// Pages that show what is stored, made a few at a time: with fifty at once, whoever waits for an answer waited for them too.
fn reading_pages() -> Router<Arc<Shared>> {
    let at_once = available_parallelism().map_or(1, |processors| processors.get().div_ceil(2));
    Router::new()
        .route("/talk", get(talk::talk_page))
        .route("/rooms", get(rooms::list_rooms))
        .route("/rooms/{channel}", get(rooms::room))
        .route("/memory", get(memory::list_notes))
        .route("/memory/map", get(map::map_page))
        .route("/memory/note", get(memory::show_note))
        .route("/xray", get(xray::list_turns))
        .route("/xray/{turn}", get(xray::turn))
        .route("/settings", get(settings::settings_page))
        .route_layer(from_fn_with_state(Arc::new(Semaphore::new(at_once)), when_it_is_its_turn))
}

async fn when_it_is_its_turn(State(places): State<Arc<Semaphore>>, request: Request, next: Next) -> Response {
    let _place = places.acquire().await;
    next.run(request).await
}

/// What there is where nobody lives yet.
fn setup_router(setup: Setup) -> Router {
    let pages = Router::new()
        .route(steps::WHO, get(setup::who_page))
        .route(steps::EXAMPLE, post(setup::post_example))
        .route(steps::CARD, post(setup::post_card).layer(DefaultBodyLimit::max(CARD_FORM_BYTES)))
        .route(steps::CAME, get(setup::came_page))
        .route(steps::NAME, post(setup::post_name))
        .route("/setup/picture/{which}", get(setup::picture));
    guarded(pages.merge(setup_pages()), setup.door().clone()).with_state(setup)
}

/// What can be set up before somebody lives here, and later.
fn setup_pages<S: Clone + Send + Sync + 'static>() -> Router<S>
where
    Setup: FromRef<S>,
{
    Router::new()
        .route(steps::MODEL, get(setup::model_page).post(setup::post_model))
        .route(steps::DISCORD, get(setup::discord_page).post(setup::post_discord))
        .route(steps::GO, post(setup::post_go))
}

/// With what every window has, behind its door.
fn guarded<S: Clone + Send + Sync + 'static>(pages: Router<S>, door: Door) -> Router<S>
where
    Door: FromRef<S>,
{
    pages
        .route("/", get(entrance::front))
        .route("/sign-in", get(entrance::sign_in_page).post(entrance::sign_in))
        .route("/sign-out", post(entrance::sign_out))
        .route("/theme", post(entrance::theme))
        .route("/assets/{name}", get(assets::asset))
        .fallback(pages::nothing_here)
        .method_not_allowed_fallback(pages::not_that_way)
        .layer(DefaultBodyLimit::max(FORM_BYTES))
        .layer(from_fn_with_state(door, door::guard))
}

async fn accept(listener: Arc<TcpListener>, app: Router, stop: CancellationToken, tasks: TaskTracker) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    loop {
        let taken = tokio::select! {
            // First: what comes behind the end waits for what is served next.
            biased;
            () = stop.cancelled() => return,
            taken = listener.accept() => taken,
        };
        match taken {
            Ok((stream, _)) => {
                if let Ok(place) = Arc::clone(&places).try_acquire_owned() {
                    tasks.spawn(serve_connection(stream, app.clone(), stop.clone(), place));
                }
            }
            Err(error) => {
                tracing::debug!(%error, "a connection to the window was not taken");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

async fn serve_connection(
    stream: TcpStream,
    app: Router,
    stop: CancellationToken,
    _place: OwnedSemaphorePermit,
) {
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS_WITHIN)
        .max_buf_size(HEADERS_BYTES)
        .serve_connection(TokioIo::new(BrowserStream::new(stream)), TowerToHyperService::new(app));
    tokio::pin!(served);
    // What goes wrong on a connection is its browser's to tell.
    tokio::select! {
        _ended = tokio::time::timeout(CONNECTION_LIFE, served.as_mut()) => {}
        () = stop.cancelled() => {
            served.as_mut().graceful_shutdown();
            let _ended = tokio::time::timeout(CLOSE_WITHIN, served.as_mut()).await;
        }
    }
}

/// Takes the colour of pages from the character's picture.
async fn look_at_picture(shared: Arc<Shared>) {
    let home = shared.parts.config.home().clone();
    let looked = tokio::task::spawn_blocking(move || match portrait(&home) {
        Ok(picture) => picture
            .filter(|picture| picture.extension == "png")
            .and_then(|picture| Accent::of_png(&picture.bytes)),
        Err(refusal) => {
            tracing::debug!(%refusal, "the character's picture could not be looked at");
            None
        }
    });
    if let Ok(accent) = looked.await {
        let _first = shared.accent.set(accent);
    }
}

/// Each turn that is finished gets its row, and its reply in the talk the fold that says why; the page of a room has what is
/// said there when it is stored.
async fn follow_turns(shared: Arc<Shared>) {
    let (mut finished, mut changes) = (shared.parts.traces.finished(), shared.parts.history.changes());
    loop {
        let turn = tokio::select! {
            turn = finished.recv() => turn,
            changed = changes.recv() => match changed {
                Ok(channel) => {
                    shared.events.changed(&channel);
                    continue;
                }
                Err(broadcast::error::RecvError::Lagged(_)) => continue,
                Err(broadcast::error::RecvError::Closed) => return,
            },
            () = shared.door.stop.cancelled() => return,
        };
        match turn {
            Ok(turn) => {
                if let Ok(Some(trace)) = records(&shared.parts.traces).get(turn).await {
                    shared.events.tell(Topic::Turns, "turn", &xray::row_event(&shared, &trace).await);
                    shared.events.changed(&trace.place.channel);
                    if let Some(message) = talk::explained(&shared, &trace) {
                        shared.events.tell(Topic::Talk, "message", &message);
                    }
                }
            }
            Err(broadcast::error::RecvError::Lagged(_)) => {}
            Err(broadcast::error::RecvError::Closed) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use axum::body::Body;
    use futures::future::join_all;
    use tower_service::Service as _;

    use super::*;

    #[tokio::test]
    async fn pages_that_show_what_is_stored_wait_for_each_other() {
        static UNDERWAY: AtomicUsize = AtomicUsize::new(0);
        let page = || async {
            let underway = UNDERWAY.fetch_add(1, Ordering::SeqCst) + 1;
            tokio::task::yield_now().await;
            UNDERWAY.fetch_sub(1, Ordering::SeqCst);
            underway.to_string()
        };
        let places = Arc::new(Semaphore::new(2));
        let pages = Router::<()>::new()
            .route("/", get(page))
            .route_layer(from_fn_with_state(places, when_it_is_its_turn));
        let answers = (0..20).map(|_| pages.clone().call(Request::new(Body::empty())));
        let mut most = 0;
        for answer in join_all(answers).await {
            let body = axum::body::to_bytes(answer.unwrap().into_body(), 8).await.unwrap();
            most = most.max(std::str::from_utf8(&body).unwrap().parse::<usize>().unwrap());
        }
        assert_eq!(most, 2);
    }
}
