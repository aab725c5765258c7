//! Tools found through an expression's synonym, though the query does not contain the expression.

use crate::phrases::Phrases;
use crate::{RankingRequest, ToolDocument, ToolIndex};
use serde_json::json;

/// An index whose tools' vectors are the given vector, scaled by the shares.
fn index(vector: &[f32], shares: [f32; 3]) -> ToolIndex {
    let names = ["list_boards", "delete_board", "create_board"];
    let tools = names.map(|name| ToolDocument::from_definition("s", &json!({"name": name})));
    let scaled = |share: f32| Some(vector.iter().map(|number| share * number).collect());
    ToolIndex::build(tools).with_vectors(shares.map(scaled).to_vec())
}

#[test]
fn what_an_expression_near_the_query_means_counts() {
    let asked = Phrases::built_in().vector_of("throw away").unwrap();
    let found = |index: &ToolIndex, vector: &[f32]| -> Vec<usize> {
        let request =
            RankingRequest { query: "xyzzy", vector: Some(vector), limit: 2, ..Default::default() };
        index.rank(&request).iter().map(|hit| hit.position).collect()
    };
    // The list's vector is nearer than the deletion's, but "throw away" means "delete".
    assert_eq!(found(&index(&asked, [1.0, 0.9, 0.0]), &asked), [1, 0]);
    // Vectors of another model are not compared with our expressions.
    let short = &asked[..64];
    assert_eq!(found(&index(short, [1.0, 0.9, 0.0]), short), [0, 1]);
    // It does not outweigh a tool whose vector is much nearer.
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
