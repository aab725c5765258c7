//! Tools that are found by what is meant by an expression which the query does not contain.

use crate::phrases::Phrases;
use crate::{RankingRequest, ToolDocument, ToolIndex};
use serde_json::json;

/// An index whose tools are as near to the vector as the shares say.
fn index(vector: &[f32], shares: [f32; 3]) -> ToolIndex {
    let names = ["list_boards", "delete_board", "create_board"];
    let tools = names.map(|name| ToolDocument::from_definition("s", &json!({"name": name})));
    let scaled = |share: f32| Some(vector.iter().map(|number| share * number).collect());
    ToolIndex::build(tools).with_vectors(shares.map(scaled).to_vec())
}

#[test]
fn what_an_expression_near_the_query_means_counts() {
    let asked = Phrases::of_the_trade().vector_of("throw away").unwrap();
    let found = |index: &ToolIndex, vector: &[f32]| -> Vec<usize> {
        let request =
            RankingRequest { query: "xyzzy", vector: Some(vector), limit: 2, ..Default::default() };
        index.rank(&request).iter().map(|hit| hit.position).collect()
    };
    // The list is nearer than the deletion, but to throw away is to delete.
    assert_eq!(found(&index(&asked, [1.0, 0.9, 0.0]), &asked), [1, 0]);
    // Another model's vectors say nothing of our expressions.
    let short = &asked[..64];
    assert_eq!(found(&index(short, [1.0, 0.9, 0.0]), short), [0, 1]);
    // It does not outweigh a tool that is much nearer.
    assert_eq!(found(&index(&asked, [1.0, 0.4, 0.0]), &asked), [0, 1]);
}

#[test]
fn products_of_any_length_are_summed() {
    for length in [0, 1, 7, 8, 9, 384] {
        let numbers: Vec<f32> = (0..length).map(|at| at as f32).collect();
        let expected: f32 = numbers.iter().map(|it| it * it).sum();
        let found = super::dot(&numbers, &numbers);
        assert!((found - expected).abs() <= expected * 1e-5, "{length}: {found}");
    }
}
