//! Turns of a conversation, found by the words of the turns just before and after. `list` has the
//! cases.

use super::sample::{
    MODEL, SearchUnderTest, ann, at, by_text, embed, finds, note, org, placed, say, stored,
};
use crate::memory::{
    Closeness, Memory, NewMemory, NewVector, QuestionVectors, QuestionWord, WantedWords,
    WritableScope,
};
use crate::owner::{Owner, ProjectKey};
use crate::suite::case_result::{CaseResult, Failed, equal, hold};

pub(super) async fn a_turn_is_found_by_what_was_said_beside_it(
    store: SearchUnderTest,
) -> CaseResult {
    let question = stored(&store, turn("Where did you spend the holidays?")?).await?;
    let answer = stored(&store, turn("In Porto, with my sister")?).await?;
    let later = stored(&store, turn("Lovely, the azulejos alone!")?).await?;
    finds(&store, "holidays", &[&question, &answer]).await?;
    finds(&store, "porto", &[&answer, &later, &question]).await?;
    // Both words count: the answer's own and its neighbour's.
    finds(&store, "holidays in porto", &[&answer, &question, &later]).await?;

    let question = say(&store, &question, "Where have you been?").await?;
    finds(&store, "holidays", &[]).await?;
    store.delete(ann(), answer.id.clone()).await?;
    finds(&store, "porto", &[]).await?;
    // The turns on both sides of it are neighbours now.
    finds(&store, "azulejos", &[&later, &question]).await?;
    store.purge(ann(), later.id).await?;
    finds(&store, "azulejos", &[]).await
}

pub(super) async fn only_turns_of_the_same_talk_are_neighbours(
    store: SearchUnderTest,
) -> CaseResult {
    let word = stored(&store, turn("xylophone")?).await?;
    let others = [
        NewMemory { source: Some("another talk".into()), ..turn("of another source")? },
        NewMemory { source: None, ..turn("of no source")? },
        NewMemory { owner: Owner::named("bob"), scope: org()?, ..turn("of another owner")? },
        NewMemory { scope: org()?, ..turn("of another scope")? },
        NewMemory {
            scope: WritableScope::project(ProjectKey::new("alpha")),
            ..turn("of a project")?
        },
        NewMemory { expires: Some(at(500)), ..turn("expired")? },
    ];
    for other in others {
        stored(&store, other).await?;
    }
    finds(&store, "xylophone", &[&word]).await?;
    let next = stored(&store, turn("said next")?).await?;
    finds(&store, "xylophone", &[&word, &next]).await?;
    let hits = by_text(&store, "xylophone").await?;
    let fits: Vec<f64> = hits.iter().map(|hit| hit.fit).collect();
    hold(matches!(fits.as_slice(), [own, beside] if *beside < own / 2.0), &format!("{fits:?}"))
}

pub(super) async fn closeness_knows_what_was_said_around(store: SearchUnderTest) -> CaseResult {
    let turns = [[1.0, 0.0], [0.0, 1.0], [0.6, 0.8], [0.8, 0.6]];
    let mut talk = Vec::new();
    for (number, vector) in turns.iter().enumerate() {
        talk.push(placed(&store, turn(&format!("turn {number}"))?, vector).await?);
    }
    let alone = placed(&store, note("Elsewhere")?, &[0.6, 0.8]).await?;
    let none = stored(&store, note("Without a vector")?).await?;
    let about = |found: &[(u8, f32)], expected: &[(u8, f32)]| {
        let near = |(one, other): (&(u8, f32), &(u8, f32))| {
            one.0 == other.0 && (one.1 - other.1).abs() < 0.01
        };
        found.len() == expected.len() && found.iter().zip(expected).all(near)
    };
    let expected: [(&Memory, &[(u8, f32)]); 6] = [
        (&talk[0], &[(0, 1.0), (1, 0.0), (2, 0.6)]),
        (&talk[1], &[(0, 0.0), (1, 1.0), (1, 0.6), (2, 0.8)]),
        (&talk[2], &[(0, 0.6), (1, 0.0), (2, 1.0), (1, 0.8)]),
        (&talk[3], &[(0, 0.8), (1, 0.6), (2, 0.0)]),
        (&alone, &[(0, 0.6)]),
        (&none, &[]),
    ];
    for (memory, expected) in expected {
        let found = cosines(&store, memory).await?;
        hold(about(&found, expected), &format!("{}: {found:?}", memory.content))?;
    }
    // The changed neighbour has no vector yet.
    say(&store, &talk[1], "Over there").await?;
    let found = cosines(&store, &talk[0]).await?;
    hold(about(&found, &[(0, 1.0), (2, 0.6)]), &format!("{found:?}"))
}

pub(super) async fn closeness_tells_questions_from_answers(store: SearchUnderTest) -> CaseResult {
    let texts = [
        "Is it open on Mondays? ",
        "Yes, from nine.",
        "She asked: \u{201c}And the café?\u{201d}",
        "Closed for good",
        "Really?",
    ];
    let mut talk = Vec::new();
    for (place, text) in (0_u8..).zip(texts) {
        let cosine = f32::from(place) / 5.0;
        let vector = [cosine, (1.0 - cosine * cosine).sqrt()];
        talk.push(placed(&store, turn(text)?, &vector).await?);
    }
    talk.push(placed(&store, note("Asked outside of any talk?")?, &[0.0, 1.0]).await?);
    // Whether it is an answered question, and the cosine of the question before it.
    let expected = [
        (true, None),
        (false, Some(0.0)),
        (true, None),
        (false, Some(0.4)),
        (false, None),
        (false, None),
    ];
    for (memory, (is_answered, before)) in talk.iter().zip(expected) {
        let found = closeness(&store, memory).await?;
        let cosine = found.question_before.map(|near| near.cosine);
        let fits = match (cosine, before) {
            (Some(cosine), Some(before)) => (cosine - before).abs() < 0.01_f32,
            (cosine, before) => cosine.is_none() && before.is_none(),
        };
        let fits = fits && found.is_answered_question == is_answered;
        hold(fits, &format!("{}: {found:?}", memory.content))?;
    }
    Ok(())
}

pub(super) async fn turns_stand_in_the_order_they_came_in(store: SearchUnderTest) -> CaseResult {
    // The arrival time of each turn and its place in the talk, in the order of writing. Of the two
    // turns with the same arrival time, the one written first is the earlier one.
    let written: [(u64, i8); 5] = [(4, 3), (2, 1), (5, 4), (2, 2), (1, 0)];
    let mut talk = Vec::new();
    for (arrived, place) in written {
        let new = turn(&format!("turn {place}"))?;
        let new = NewMemory { arrived_micros: Some(1_000_000_000_000_000 + arrived), ..new };
        let cosine = f32::from(place) / 5.0;
        let memory = placed(&store, new, &[cosine, (1.0 - cosine * cosine).sqrt()]).await?;
        talk.push((place, memory));
    }
    for (place, memory) in talk {
        let found = cosines(&store, &memory).await?;
        let found: Vec<f32> = found.iter().skip(1).map(|(_, cosine)| 5.0 * cosine).collect();
        let expected = [place - 1, place - 2, place + 1, place + 2];
        let expected: Vec<i8> = expected.into_iter().filter(|it| (0..5).contains(it)).collect();
        let near = |(one, other): (&f32, &i8)| (one - f32::from(*other)).abs() < 0.1;
        let fits = found.len() == expected.len() && found.iter().zip(&expected).all(near);
        hold(fits, &format!("around {place}: found {found:?}, expected {expected:?}"))?;
    }
    finds_one_step_away(&store).await
}

/// Text search uses the same order.
async fn finds_one_step_away(store: &SearchUnderTest) -> CaseResult {
    let hits = by_text(store, "turn 3").await?;
    let fit = |place: u8| {
        let content = format!("turn {place}");
        hits.iter().find(|hit| hit.memory.content == content).map(|hit| hit.fit)
    };
    let (beside, farther) = ([fit(2), fit(4)], [fit(0), fit(1)]);
    let fits = beside.iter().all(|near| farther.iter().all(|far| far < near));
    hold(fits, &format!("beside {beside:?}, farther {farther:?}"))
}

pub(super) async fn closeness_counts_words_by_their_rarity(store: SearchUnderTest) -> CaseResult {
    let (east, north) = (vec![1.0, 1.0], vec![1.0, -1.0]);
    let memory = stored(&store, note("one about the other")?).await?;
    let new = NewVector {
        words: Some(vec![east.clone()]),
        ..NewVector::of_text(memory.id.clone(), memory.version, vec![1.0, 0.0])
    };
    store.put_vectors(MODEL.into(), vec![new]).await?;
    let words = async |words: Vec<QuestionWord>| -> Result<Option<f32>, Failed> {
        let question = QuestionVectors { vector: vec![1.0, 0.0], words };
        let found = store.closeness(ann(), MODEL.into(), question, vec![memory.id.clone()]).await?;
        Ok(found.first().and_then(|it| it.own).and_then(|own| own.words))
    };
    let word =
        |term: &str, vector: &Vec<f32>| QuestionWord { term: term.into(), vector: vector.clone() };
    equal(&words(Vec::new()).await?, &None, "no words")?;
    let near = words(vec![word("one", &east)]).await?.unwrap_or_default();
    hold(0.99 < near, &format!("the very word: {near}"))?;
    // `about` occurs in the memory, so it is less rare than a word in no memory.
    let rare_far = words(vec![word("about", &east), word("unheard", &north)]).await?;
    let rare_near = words(vec![word("unheard", &east), word("about", &north)]).await?;
    hold(rare_far < rare_near, &format!("{rare_far:?}, {rare_near:?}"))?;
    // With a vector but no word vectors, the memory has a cosine and counts as unembedded.
    embed(&store, &memory, &[1.0, 0.0]).await?;
    equal(&words(vec![word("one", &east)]).await?, &None, "a vector without words")?;
    let now = memory.created;
    for (wanted, count) in [(WantedWords::No, 0), (WantedWords::Yes, 1), (WantedWords::No, 1)] {
        let missing = store.unembedded(MODEL.into(), wanted, now, 5).await?;
        equal(&missing.len(), &count, &format!("{wanted:?}"))?;
    }
    Ok(())
}

/// The cosines of a memory and of its neighbours, by distance in steps.
async fn closeness(store: &SearchUnderTest, memory: &Memory) -> Result<Closeness, Failed> {
    let question = QuestionVectors { vector: vec![1.0, 0.0], words: Vec::new() };
    let found = store.closeness(ann(), MODEL.into(), question, vec![memory.id.clone()]).await?;
    found.into_iter().next().ok_or_else(|| Failed::because("no answer"))
}

async fn cosines(store: &SearchUnderTest, memory: &Memory) -> Result<Vec<(u8, f32)>, Failed> {
    let closeness = closeness(store, memory).await?;
    let own = closeness.own.map(|own| (0, own.cosine));
    let around = closeness.around.iter().map(|(steps, it)| (*steps, it.cosine));
    Ok(own.into_iter().chain(around).collect())
}

fn turn(content: &str) -> Result<NewMemory, Failed> {
    Ok(NewMemory { source: Some("talk".into()), ..note(content)? })
}
