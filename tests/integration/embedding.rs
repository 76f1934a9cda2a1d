//! The embedding model: getting its files from a hub that behaves badly, one of a few words through the whole program, and
//! the real one where it is at hand.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use familiar_connect::config::EmbeddingsConfig;
use familiar_connect::context::recall::Pace;
use familiar_connect::domain::FamiliarId;
use familiar_connect::embedding::{
    Embedder as _, FetchError, HubModel, TextKind, TextModel, dot, kept_vectors,
};
use familiar_connect::erase::KeepCopy;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use crate::support::stage::{MESSAGES, Stage, ferry, long_ago, person};
use crate::support::tiny_model;

/// How the hub answers for the weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// As it should.
    Well,
    /// It breaks off half way, the first time.
    BreaksOff,
    /// It has none.
    HasNone,
}

/// A hub of one model, that remembers what it was asked.
struct Hub {
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

const WEIGHTS: &[u8] = &[7; 40_000];

impl Hub {
    fn that(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/", listener.local_addr().unwrap());
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let known = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                answer(stream.unwrap(), manner, &known);
            }
        });
        Self { address, asked }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    fn model(&self, sha256: Option<String>) -> HubModel {
        HubModel {
            endpoint: self.address.clone(),
            model: "some/model".to_owned(),
            revision: "abc".to_owned(),
            sha256,
        }
    }
}

fn answer(mut stream: TcpStream, manner: Manner, asked: &Mutex<Vec<String>>) {
    let mut request = Vec::new();
    let mut byte = [0];
    while !request.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) == 1 {
        request.push(byte[0]);
    }
    let request = String::from_utf8(request).unwrap();
    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
    let from: usize = request
        .lines()
        .find_map(|line| line.to_lowercase().strip_prefix("range: bytes=")?.strip_suffix('-')?.parse().ok())
        .unwrap_or(0);
    asked.lock().unwrap().push(format!("{path} from {from}"));
    let (status, body): (&str, &[u8]) = match path.rsplit('/').next().unwrap_or_default() {
        "config.json" if !path.contains("1_Pooling") => ("200 OK", b"{}"),
        "tokenizer.json" => ("200 OK", b"{\"a\":1}"),
        "model.safetensors" if manner == Manner::HasNone => ("404 Not Found", b""),
        "model.safetensors" if from > 0 => ("206 Partial Content", &WEIGHTS[from..]),
        "model.safetensors" => ("200 OK", WEIGHTS),
        _ => ("404 Not Found", b""),
    };
    let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
    let is_broken = manner == Manner::BreaksOff && body.len() == WEIGHTS.len();
    let sent = if is_broken { &body[..body.len() / 2] } else { body };
    // A client that went away is part of the test.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(sent));
    let _ = stream.shutdown(Shutdown::Both);
}

async fn fetch(hub: &HubModel, folder: &Path) -> Result<(), FetchError> {
    familiar_connect::net::install_tls();
    hub.fetch(&reqwest::Client::new(), folder, Duration::ZERO, |_, _| {}).await
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test]
async fn y11_a_models_files_are_fetched_once() {
    let (hub, folder) = (Hub::that(Manner::Well), tempfile::tempdir().unwrap());
    let model = hub.model(Some(sha256(WEIGHTS)));
    assert!(!HubModel::is_in(folder.path()));
    fetch(&model, folder.path()).await.unwrap();
    assert!(HubModel::is_in(folder.path()));
    assert_eq!(std::fs::read(folder.path().join("model.safetensors")).unwrap(), WEIGHTS);
    let asked = hub.asked();
    assert!(asked.contains(&"/some/model/resolve/abc/1_Pooling/config.json from 0".to_owned()), "{asked:?}");
    assert!(asked.last().unwrap().contains("model.safetensors"), "the weights come last: {asked:?}");
    fetch(&model, folder.path()).await.unwrap();
    let again = hub.asked().len() - asked.len();
    assert_eq!(again, 3, "only for what the hub does not have");
}

#[tokio::test]
async fn y11_a_download_that_breaks_off_goes_on_where_it_stopped() {
    let (hub, folder) = (Hub::that(Manner::BreaksOff), tempfile::tempdir().unwrap());
    fetch(&hub.model(Some(sha256(WEIGHTS))), folder.path()).await.unwrap();
    assert_eq!(std::fs::read(folder.path().join("model.safetensors")).unwrap(), WEIGHTS);
    let asked = hub.asked();
    let ranges: Vec<_> = asked.iter().filter(|one| one.contains("safetensors")).collect();
    assert_eq!(ranges.len(), 2, "{asked:?}");
    assert!(!ranges[1].ends_with("from 0"), "{asked:?}");
}

#[tokio::test]
async fn y11_weights_that_are_not_the_right_ones_are_thrown_away() {
    let (hub, folder) = (Hub::that(Manner::Well), tempfile::tempdir().unwrap());
    let wrong = fetch(&hub.model(Some(sha256(b"others"))), folder.path()).await.unwrap_err();
    assert!(wrong.to_string().contains("model.safetensors is not what it should be"), "{wrong}");
    let left: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("model"))
        .collect();
    assert_eq!(left, Vec::<String>::new());
}

#[tokio::test]
async fn y11_a_hub_that_is_not_there_is_said_in_one_line() {
    let (hub, folder) = (Hub::that(Manner::HasNone), tempfile::tempdir().unwrap());
    let refused = fetch(&hub.model(None), folder.path()).await.unwrap_err();
    assert_eq!(refused.to_string(), "the hub answered 404 Not Found for model.safetensors");
    let nobody = HubModel { endpoint: "http://127.0.0.1:9".to_owned(), ..hub.model(None) };
    let elsewhere = tempfile::tempdir().unwrap();
    let unreachable = fetch(&nobody, elsewhere.path()).await.unwrap_err();
    assert!(matches!(unreachable, FetchError::Unreachable { .. }), "{unreachable}");
    assert_eq!(unreachable.to_string().lines().count(), 1);
}

#[test]
fn y11_a_folder_without_a_model_says_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let error = TextModel::open(folder.path()).unwrap_err();
    assert!(error.to_string().contains("config.json"), "{error}");
    std::fs::write(folder.path().join("config.json"), "{\"model_type\":\"bert\"}").unwrap();
    let error = TextModel::open(folder.path()).unwrap_err();
    assert!(error.to_string().contains("hidden_size"), "{error}");
}

#[test]
fn y11_weights_that_are_cut_off_or_of_another_size_are_told() {
    let folder = tempfile::tempdir().unwrap();
    tiny_model::put(folder.path());
    let path = folder.path().join("model.safetensors");
    let whole = std::fs::read(&path).unwrap();
    for length in [4, 100, whole.len() - 1] {
        std::fs::write(&path, &whole[..length]).unwrap();
        let error = TextModel::open(folder.path()).unwrap_err();
        assert!(error.to_string().contains("model.safetensors is damaged"), "{error}");
    }
    std::fs::write(&path, &whole).unwrap();
    let config = std::fs::read_to_string(folder.path().join("config.json")).unwrap();
    std::fs::write(folder.path().join("config.json"), config.replace("64", "65")).unwrap();
    let error = TextModel::open(folder.path()).unwrap_err();
    assert!(error.to_string().contains("2048 numbers instead of 2080"), "{error}");
}

/// Real ones are too large to be here: this one is made as they are, with a SentencePiece tokeniser and prompts.
#[test]
fn y11_a_model_of_many_languages_finds_what_means_the_same_in_another() {
    let folder = tempfile::tempdir().unwrap();
    tiny_model::put_multilingual(folder.path());
    let model = TextModel::open(folder.path()).unwrap();
    let vector = |text: &str, kind| model.embed(&[text], kind).unwrap().remove(0);
    let question = vector("ferry", TextKind::Question);
    for (ferry, bread) in [("Fähre", "Brot"), ("паром", "хлеб"), ("渡し船", "パン")] {
        let (ferry, bread) = (vector(ferry, TextKind::Passage), vector(bread, TextKind::Passage));
        assert!(
            dot(&question.vector, &ferry.vector) > dot(&question.vector, &bread.vector) + 0.1,
            "{ferry:?}"
        );
    }
    let said = vector("die Fähre", TextKind::Passage);
    assert_eq!(said.spans.len(), said.tokens.len());
    assert_eq!(said.spans.last(), Some(&(4..10)), "what stands before a text is none of its words");
    let bare = tempfile::tempdir().unwrap();
    tiny_model::put_multilingual(bare.path());
    std::fs::remove_file(bare.path().join("config_sentence_transformers.json")).unwrap();
    let bare = TextModel::open(bare.path()).unwrap();
    assert_ne!(bare.id(), model.id(), "vectors made with other words before them cannot be compared");
    let unasked = bare.embed(&["ferry"], TextKind::Question).unwrap().remove(0);
    assert!(dot(&unasked.vector, &question.vector) < 0.99, "the words before a question are read");
}

#[test]
fn y11_a_short_name_says_which_model_and_which_state_of_it() {
    let settings = |model: &str, revision: Option<&str>| EmbeddingsConfig {
        enabled: true,
        folder: None,
        model: model.to_owned(),
        revision: revision.map(str::to_owned),
        sha256: None,
        endpoint: Some("https://hub.example".to_owned()),
        threads: 1,
    };
    let many = HubModel::embedder(&settings("multilingual", None));
    assert_eq!(many.model, "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2");
    assert_eq!((many.revision.len(), many.sha256.map(|hash| hash.len())), (40, Some(64)));
    let written_out = HubModel::embedder(&settings("sentence-transformers/all-MiniLM-L6-v2", None));
    assert_eq!(written_out, HubModel::embedder(&settings("english", None)));
    let another_state = HubModel::embedder(&settings("english", Some("abc")));
    assert_eq!((&*another_state.revision, another_state.sha256), ("abc", None));
    let other = HubModel::embedder(&settings("some/model", None));
    assert_eq!((&*other.model, &*other.revision, other.sha256), ("some/model", "main", None));
}

/// The folder of a real model, of which there is none in the repository.
pub fn real_model() -> PathBuf {
    std::env::var_os("FAMILIAR_TEST_MODEL").expect("a folder with all-MiniLM-L6-v2").into()
}

/// Cosines as two other implementations of the same model give them.
#[test]
#[cfg_attr(not(has_model), ignore = "needs FAMILIAR_TEST_MODEL, a folder with all-MiniLM-L6-v2")]
fn y11_the_real_model_says_what_it_says_elsewhere() {
    let model = TextModel::open(&real_model()).unwrap();
    let texts = [
        "The cat sits outside on the old stone wall",
        "A kitten is resting outdoors",
        "The stock market fell sharply today",
    ];
    let embedded = model.embed(&texts, TextKind::Passage).unwrap();
    let cosine = |a: usize, b: usize| dot(&embedded[a].vector, &embedded[b].vector);
    assert!((cosine(0, 1) - 0.540_022).abs() < 1e-4, "{}", cosine(0, 1));
    assert!((cosine(0, 2) - 0.073_411).abs() < 1e-4, "{}", cosine(0, 2));
    let alone = model.embed(&texts[1..2], TextKind::Passage).unwrap();
    assert!((dot(&alone[0].vector, &embedded[1].vector) - 1.0).abs() < 1e-5);
    let kitten = &texts[1][embedded[1].spans[1].clone()];
    assert_eq!(kitten, "kitten");
    assert_eq!(embedded[1].spans.len(), embedded[1].tokens.len());
}

/// A familiar with a model of a few words.
async fn with_a_model() -> (Stage, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    tiny_model::put(folder.path());
    let settings = format!(
        "text_lull_timeout = 0.01\n[typing_simulation]\nenabled = false\n[memory.embeddings]\nfolder = {:?}\n",
        folder.path().display().to_string()
    );
    (Stage::with(&settings, MESSAGES).await, folder)
}

/// What was said long ago: one thing that tells, and much about nothing.
async fn long_talk(stage: &Stage) {
    let lines = [("ben", "the barometer hangs in the pantry"), ("alice", "and the soup is on the stove")];
    let chatter = (0..300).map(|_| ("cleo", "the tide table once more"));
    let all = (0..).zip(lines.into_iter().chain(chatter));
    let all = all.map(|(number, (who, text))| long_ago(&ferry(), who, text, number));
    stage.history.store_all(all.collect()).await.unwrap();
    if let Some(meaning) = &stage.meaning {
        meaning.catch_up(&stage.history, Pace::Full).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn y11_what_means_the_same_in_other_words_reaches_the_prompt() {
    let question = "do you remember where the aneroid is?";
    let mut by_words = Stage::new().await;
    long_talk(&by_words).await;
    let transcript = by_words.prompt("alice", question, "Aye.").await;
    assert!(!transcript.contains("hangs in the pantry"), "{transcript}");
    let (mut stage, _model) = with_a_model().await;
    long_talk(&stage).await;
    let transcript = stage.prompt("alice", question, "Aye.").await;
    assert!(transcript.contains("hangs in the pantry"), "{transcript}");
}

#[tokio::test(start_paused = true)]
async fn y11_of_what_is_forgotten_no_vector_stays() {
    let (mut stage, _model) = with_a_model().await;
    long_talk(&stage).await;
    let file =
        familiar_connect::config::FamiliarHome::new(stage.dir.path(), &FamiliarId::new("mika").unwrap())
            .embeddings_db();
    let kept = async || kept_vectors(&file).await.unwrap().remove(0);
    let before = kept().await;
    assert_eq!((before.turns.len(), before.halves), (302, 0));
    let ben = person("ben").account;
    stage.forgets(&ben, KeepCopy::Nothing).await;
    let after = kept().await;
    assert_eq!((after.turns.len(), after.halves), (301, 0));
    let gone: Vec<_> = before.turns.difference(&after.turns).collect();
    assert_eq!(gone, [before.turns.first().unwrap()], "what Ben said");
    let transcript = stage.prompt("alice", "do you remember where the aneroid is?", "Aye.").await;
    assert!(!transcript.contains("hangs in the pantry"), "{transcript}");
}
