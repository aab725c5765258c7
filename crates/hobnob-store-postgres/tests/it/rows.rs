//! Row-level security: a query that forgets its owner finds only what its transaction may see, for
//! the role of transactions and for the owner of the tables.

use crate::server::{Server, Version};
use hobnob_store::Time;
use hobnob_store::memory::{MemoryRepository as _, PromptRepository as _, StoredPrompt};
use hobnob_store::suite::{new_task, note_in};
use hobnob_store::tasks::{TaskAccess, TaskRepository as _};
use hobnob_store::{Owner, StoreError};
use hobnob_store_postgres::{PostgresStore, StoreUrl};
use tokio_postgres::Client;

/// Tables whose rows belong to owners.
const OWNED: [&str; 7] =
    ["memories", "memory_history", "memory_tags", "tasks", "task_history", "prompts", "changes"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_forgotten_where_shows_nothing_of_others() {
    let Some(server) = Server::start(Version::V16) else { return };
    let (admin, _tasks) = server.connect("postgres").await;
    let make = "CREATE ROLE plain LOGIN; CREATE SCHEMA forced AUTHORIZATION plain; \
                CREATE ROLE creator LOGIN CREATEROLE; CREATE SCHEMA made AUTHORIZATION creator";
    admin.batch_execute(make).await.unwrap();
    // A superuser, who needs the role; a user who makes it; and one who may not.
    for (user, schema, role) in [
        ("plain", "forced", None),
        ("creator", "made", Some("hobnob_rows")),
        ("postgres", "super", Some("hobnob_rows")),
    ] {
        let url = StoreUrl::parse(&server.url(user, &format!("?schema={schema}"))).unwrap();
        let store = PostgresStore::open(url).await.unwrap();
        fill(&store).await.unwrap();
        let (client, _tasks) = server.connect(user).await;
        let begin = |principal: &str| {
            let role = role.map_or_else(String::new, |role| format!("SET LOCAL ROLE {role};"));
            format!(
                "BEGIN; SET LOCAL search_path = {schema}; {role} \
                 SELECT set_config('hobnob.principal', '{principal}', true)"
            )
        };
        for (principal, rows) in [("ann", 1), ("bob", 1), ("eve", 0)] {
            client.batch_execute(&begin(principal)).await.unwrap();
            for table in OWNED {
                let found = count(&client, table).await;
                let some = if table == "changes" { 3 * rows } else { rows };
                assert_eq!(found, some, "{user}: {principal} in {table}");
            }
            client.batch_execute("ROLLBACK").await.unwrap();
        }
        // Without a principal there is nothing, and nothing can be written for others.
        let begin = begin("ann").replace("SELECT set_config", "-- SELECT set_config");
        client.batch_execute(&begin).await.unwrap();
        assert_eq!(count(&client, "memories").await, 0, "{user}");
        let forged = "UPDATE prompts SET owner = 'ann'";
        assert_eq!(client.execute(forged, &[]).await.unwrap(), 0);
        client.batch_execute("ROLLBACK").await.unwrap();
    }
}

async fn fill(store: &PostgresStore) -> Result<(), StoreError> {
    for owner in ["ann", "bob"] {
        let owner = Owner::named(owner);
        let tag = hobnob_store::memory::Tag::parse("tag").unwrap();
        let mut note = note_in("notes", "hush").unwrap();
        (note.owner, note.tags) = (owner.clone(), vec![tag]);
        store.capture(note).await?;
        let access = TaskAccess { owner: owner.clone(), now: Time::from_millis(1) };
        store.create(access, new_task("hush")).await.unwrap();
        let (name, template) = ("name".into(), "hush".into());
        let updated = Time::from_millis(1);
        store.save(StoredPrompt { owner, name, description: None, template, updated }).await?;
    }
    Ok(())
}

async fn count(client: &Client, table: &str) -> i64 {
    let sql = format!("SELECT count(*) FROM {table}");
    client.query_one(&sql, &[]).await.unwrap().get(0)
}
