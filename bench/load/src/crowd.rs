//! Many callers at the same time.

use tokio::task::JoinSet;

/// Lets all do their work at once and gathers what they did; the first failure ends them all.
pub(crate) async fn together<C, T, W>(
    work: impl Iterator<Item = W>,
) -> anyhow::Result<(Vec<C>, Vec<T>)>
where
    C: Send + 'static,
    T: Send + 'static,
    W: Future<Output = anyhow::Result<(C, Vec<T>)>> + Send + 'static,
{
    let mut working: JoinSet<_> = work.collect();
    let (mut callers, mut done) = (Vec::new(), Vec::new());
    while let Some(ended) = working.join_next().await {
        let (caller, mut its) = ended??;
        callers.push(caller);
        done.append(&mut its);
    }
    Ok((callers, done))
}
