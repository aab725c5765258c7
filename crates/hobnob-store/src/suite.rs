//! The behaviour that every backend must have, as named test cases. Each case gets its own store,
//! and the first failing case ends the run with its name.

mod case;
mod case_result;
mod folder;
mod reference;
mod sample;

mod agents;
mod authorizations;
mod calls;
mod changes;
mod keys;
mod memories;
mod model_sessions;
mod prompts;
mod replicas;
mod search;
mod tasks;
mod trees;
mod usage;

pub use agents::agents;
pub use authorizations::authorizations;
pub use calls::calls;
pub use case_result::{CaseResult, Failed};
pub use changes::changes;
pub use folder::TemporaryFolder;
pub use keys::keys;
pub use memories::memories;
pub use model_sessions::model_sessions;
pub use prompts::prompts;
pub use replicas::{StoreHandles, replicas};
pub use sample::note_in;
pub use search::{SearchableStore, search};
pub use tasks::{new_task, tasks};
pub use trees::trees;
pub use usage::usage;
