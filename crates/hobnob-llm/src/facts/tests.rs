//! The data file can be decoded, and is complete and dated.

use super::{facts_date, known_models};
use crate::dialect::ProviderDialect;
use crate::settings::ProviderSettings;

#[test]
fn every_known_model_passes_the_check_of_settings() {
    let date = facts_date();
    assert!(date.len() == 10 && date.starts_with("20") && date.matches('-').count() == 2, "{date}");
    for dialect in [ProviderDialect::Anthropic, ProviderDialect::OpenaiResponses] {
        let mut settings = ProviderSettings::new(dialect);
        settings.models = known_models(dialect).map(|(id, it)| (id.clone(), it.clone())).collect();
        let options = settings.check("known").unwrap();
        assert!(!options.models.is_empty());
        for model in options.models.values() {
            let sizes = model.context.zip(model.max_output);
            assert!(
                sizes.is_some_and(|(context, output)| u64::from(output) < context),
                "{model:?}"
            );
            assert!(model.prices.is_some() && model.thinking.is_some(), "{model:?}");
        }
    }
    assert_eq!(known_models(ProviderDialect::Ollama).count(), 0);
}
