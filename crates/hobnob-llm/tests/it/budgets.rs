//! Token budgets: they bound answers, count what was used, and refuse when they are spent.

use hobnob_llm::{
    HttpProvider, ModelEvent, ModelRequest, Provider as _, ProviderError, TokenBudget,
};

use crate::server::{ModelServer, Step, collect, provider, question, stream, whole};
use crate::streams::{ALL, ANTHROPIC, CHAT};

fn with_budget(budget: &TokenBudget, max_tokens: Option<u32>) -> ModelRequest {
    ModelRequest { budget: Some(budget.clone()), max_tokens, ..question() }
}

#[tokio::test]
async fn a_budget_bounds_the_answer_and_counts_what_the_provider_counted() {
    for answer in &ALL {
        let server = ModelServer::start(vec![whole(answer.kind, &answer.whole(), 64)]).await;
        let provider = provider(&server, answer.dialect);
        let budget = TokenBudget::new(22);
        let (_, error) = collect(provider.chat(with_budget(&budget, Some(7)))).await;
        assert_eq!((error, budget.taken()), (None, 15));
        // Only seven tokens are left.
        let (_, error) = collect(provider.chat(with_budget(&budget, Some(100)))).await;
        assert_eq!((error, budget.taken()), (None, 30));
        let (_, error) = collect(provider.chat(with_budget(&budget, None))).await;
        assert_eq!(error, Some(ProviderError::BudgetSpent { used: 30, limit: 22 }));

        let limits: Vec<_> = server.seen().iter().map(|request| limit(&request.body)).collect();
        assert_eq!(limits, [7, 7], "{:?}", answer.dialect);
    }
}

fn limit(body: &serde_json::Value) -> u64 {
    let places = ["/max_tokens", "/max_output_tokens", "/options/num_predict"];
    places.iter().find_map(|place| body.pointer(place)?.as_u64()).unwrap()
}

/// Reads an answer up to its first text, and drops the stream.
async fn begin(provider: &HttpProvider, budget: &TokenBudget) {
    let mut stream = provider.chat(with_budget(budget, Some(1_000)));
    while !matches!(stream.next().await.unwrap().unwrap(), ModelEvent::Text(_)) {}
    assert_eq!(budget.taken(), 1_000, "reserved while it runs");
}

#[tokio::test]
async fn an_answer_that_is_dropped_counts_by_what_came() {
    // Anthropic counts the request at once; the other server has not yet, so bytes are charged.
    for (answer, max_taken) in [(&ANTHROPIC, 12), (&CHAT, 100)] {
        let mut steps = stream(answer.kind, answer.beginning, 64);
        steps.push(Step::Hold);
        let mut server = ModelServer::start(vec![steps]).await;
        let budget = TokenBudget::new(10_000);
        begin(&provider(&server, answer.dialect), &budget).await;
        server.client_gone().await;
        let taken = budget.taken();
        assert!((12..=max_taken).contains(&taken), "{:?}: {taken}", answer.dialect);
    }
}
