//! Turns of a conversation, found by what was said just before and after them. `list` has the
//! cases.

use super::sample::{
    SearchUnderTest, ann, at, by_text, by_vector, finds, note, placed, say, stored,
};
use crate::memory::{Memory, MemoryScope, NewMemory};
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
    // Both words count, the answer's own and its neighbour's.
    finds(&store, "holidays in porto", &[&answer, &question, &later]).await?;

    let question = say(&store, &question, "Where have you been?").await?;
    finds(&store, "holidays", &[]).await?;
    store.delete(ann(), answer.id.clone()).await?;
    finds(&store, "porto", &[]).await?;
    // Those on both sides of it are neighbours now.
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
        NewMemory {
            owner: Owner::named("bob"),
            scope: MemoryScope::Org,
            ..turn("of another owner")?
        },
        NewMemory { scope: MemoryScope::Org, ..turn("of another scope")? },
        NewMemory {
            scope: MemoryScope::Project(ProjectKey::new("alpha")),
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

pub(super) async fn a_vector_hit_knows_its_neighbours(store: SearchUnderTest) -> CaseResult {
    let question = placed(&store, turn("Where?")?, &[1.0, 0.0]).await?;
    let answer = placed(&store, turn("There")?, &[0.0, 1.0]).await?;
    let alone = placed(&store, note("Elsewhere")?, &[0.6, 0.8]).await?;
    let expected = [(&question, 1.0, 0.0), (&alone, 0.6, -1.0), (&answer, 0.0, 1.0)];
    let near = by_vector(&store, &[1.0, 0.0]).await?;
    equal(&near.len(), &expected.len(), "how many are found")?;
    for (hit, (memory, cosine, beside)) in near.iter().zip(expected) {
        let about = |one: f32, other: f32| (one - other).abs() < 0.01;
        equal(&hit.memory, memory, "which")?;
        hold(about(hit.cosine, cosine) && about(hit.beside, beside), &format!("{hit:?}"))?;
    }
    // A neighbour that says something else has no vector yet.
    let answer: Memory = say(&store, &answer, "Over there").await?;
    let near = by_vector(&store, &[1.0, 0.0]).await?;
    let first = near.first().ok_or_else(|| Failed::because("nothing is near"))?;
    hold(first.beside == -1.0, &format!("{first:?} beside {answer:?}"))
}

fn turn(content: &str) -> Result<NewMemory, Failed> {
    Ok(NewMemory { source: Some("talk".into()), ..note(content)? })
}
