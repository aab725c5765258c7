//! What is reserved, what is counted, and when a budget is spent.

use super::TokenBudget;
use crate::error::ProviderError;

#[test]
fn what_is_used_stays_taken_and_the_rest_is_free_again() {
    let budget = TokenBudget::new(100);
    let mut first = budget.reserve(60).unwrap();
    let second = budget.reserve(60).unwrap();
    assert_eq!((first.output_limit(), second.output_limit()), (60, 40));
    let spent = ProviderError::BudgetSpent { used: 100, limit: 100 };
    assert_eq!(budget.reserve(1).unwrap_err(), spent);

    drop(second);
    assert_eq!(budget.taken(), 60);
    // The input counts too, and only it can exceed the limit.
    first.record(30);
    first.record(130);
    drop(first);
    assert_eq!(budget.taken(), 130);
    let spent = ProviderError::BudgetSpent { used: 130, limit: 100 };
    assert_eq!(budget.clone().reserve(1).unwrap_err(), spent);
}

#[test]
fn an_empty_budget_lets_nothing_through() {
    assert!(TokenBudget::new(0).reserve(0).is_err());
}

#[test]
fn requests_at_the_same_time_do_not_spend_a_token_twice() {
    let budget = TokenBudget::new(1_000);
    let share = || {
        let reserved: Vec<_> = (0..100).map_while(|_| budget.reserve(7).ok()).collect();
        reserved
    };
    let reserved = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(share)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    let sum: u32 = reserved.iter().map(super::BudgetShare::output_limit).sum();
    assert_eq!((sum, budget.taken()), (1_000, 1_000));
    drop(reserved);
    assert_eq!(budget.taken(), 0);
}
