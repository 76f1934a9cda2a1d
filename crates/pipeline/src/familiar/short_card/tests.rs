use super::*;
use crate::familiar::read_card;

fn example(card: &[u8]) -> Character {
    Character::from(&read_card(card).unwrap())
}

fn pell() -> Character {
    example(include_bytes!("../../../../../familiars/pell/card.json"))
}

fn size(character: &Character) -> u32 {
    [&character.description, &character.personality, &character.scenario, &character.mes_example]
        .iter()
        .map(|text| card_tokens(text))
        .sum()
}

#[test]
fn a26_a_short_card_is_the_cards_own_sentences_and_always_the_same_ones() {
    let whole = pell();
    let short = short_card(&whole).unwrap();
    assert_eq!(short_card(&whole).unwrap(), short);
    assert!(size(&short) * 100 < size(&whole) * 50, "{} of {}", size(&short), size(&whole));
    let source = format!("{}\n{}\n{}", whole.description, whole.personality, whole.scenario);
    for line in short.description.lines() {
        let line = line.trim_start_matches("Personality: ").trim_start_matches("Scenario: ");
        for sentence in sentences_of(line) {
            assert!(source.contains(sentence.trim()), "{sentence}");
        }
    }
    assert!(short.description.starts_with("{{char}} is a moth"), "{}", short.description);
    assert_eq!(short.post_history_instructions, whole.post_history_instructions);
    assert_eq!(short.system_prompt, whole.system_prompt);
    insta::assert_snapshot!("pell", format!("{}\n\n{}", short.description, short.mes_example));
}

#[test]
fn a26_what_the_operator_wrote_is_the_short_card() {
    let whole = Character { short: Some(" A moth with a lamp.\n".to_owned()), ..pell() };
    let short = short_card(&whole).unwrap();
    assert_eq!(short.description, "A moth with a lamp.");
    assert_eq!((short.personality.as_str(), short.scenario.as_str()), ("", ""));
}

#[test]
fn a26_a_card_that_is_short_already_stays_whole() {
    let card = Character { description: "Bob sails.".to_owned(), ..Character::default() };
    assert_eq!(short_card(&card), None);
    assert_eq!(short_card(&Character::default()), None);
}

#[test]
fn a26_attributes_stay_in_one_piece_and_what_repeats_goes_first() {
    let filler = "The harbour is old and the harbour is grey and the ropes of the harbour are wet. ";
    let card = Character {
        name: "Bob".to_owned(),
        description: format!("Bob sails the night ferry.\nLikes: tea, rope, silence\n{}", filler.repeat(30)),
        ..Character::default()
    };
    let short = short_card(&card).unwrap().description;
    assert!(short.contains("Bob sails the night ferry."), "{short}");
    assert!(short.contains("Likes: tea, rope, silence"), "{short}");
    assert!(card_tokens(&short) <= *SHORT_TOKENS.end() + 5, "{short}");
}

#[test]
fn a26_one_example_is_kept() {
    assert_eq!(first_dialogue("<START>\na: 1\n<start>\na: 2"), "<START>\na: 1");
    assert_eq!(first_dialogue("a: 1\n<START>\na: 2"), "a: 1");
    assert_eq!(first_dialogue("no blocks"), "no blocks");
    assert_eq!(first_dialogue(""), "");
}

#[test]
fn a26_what_the_short_card_spares_of_the_bundled_cards() {
    let cards: [(&str, &[u8]); 3] = [
        ("pell", include_bytes!("../../../../../familiars/pell/card.json")),
        ("tarry", include_bytes!("../../../../../familiars/tarry/tarry.png")),
        ("squall", include_bytes!("../../../../../familiars/squall/card.json")),
    ];
    let lines = cards.map(|(name, card)| {
        let whole = example(card);
        let short = short_card(&whole).unwrap_or_else(|| whole.clone());
        format!("{name}: {} of {} tokens, estimated", size(&short), size(&whole))
    });
    insta::assert_snapshot!("spared", lines.join("\n"));
}
