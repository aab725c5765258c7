//! The Rust blocks of `docs/src/writing-a-server.md`, each in a module or function that it compiles
//! in.
//!
//! The code is word for word what the page shows; change both.

#![expect(dead_code, reason = "it is compiled, and only the test of a test is run")]

use hobnob_mcp::types::content::SamplingContent;
use hobnob_mcp::types::input::InputRequests;
use hobnob_mcp::types::sampling::{CreateMessageParams, CreateMessageResult, SamplingMessage};
use hobnob_mcp::{
    CompletionRequest, Context, ErrorCode, Kit, KitBuilder, KitError, LoggingLevel, ResourceSpec,
    RpcError, Server, Structured, TaskMode, ToolError, ToolSpec,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Area {
    /// Width in metres.
    #[schemars(range(min = 0.0))]
    width: f64,
    /// Height in metres; as wide as high if left out.
    height: Option<f64>,
}

#[derive(Serialize, JsonSchema)]
struct Measured {
    /// Square metres.
    area: f64,
}

async fn area(args: Area) -> Structured<Measured> {
    Structured(Measured { area: args.width * args.height.unwrap_or(args.width) })
}

fn kit() -> KitBuilder {
    Kit::service("shapes").tool("area", "Works out the area of a rectangle", area)
}

mod state {
    use hobnob_mcp::{Context, Kit, KitBuilder};
    use std::sync::atomic::{AtomicU64, Ordering};

    #[derive(Default)]
    struct Shop {
        sold: AtomicU64,
    }

    async fn sell(context: Context<Shop>) -> String {
        let sold = context.state().sold.fetch_add(1, Ordering::Relaxed) + 1;
        format!("{sold} sold")
    }

    fn kit() -> KitBuilder<Shop> {
        Kit::plain("shop").with_state(Shop::default()).tool("sell", "Sells one piece", sell)
    }
}

#[derive(Deserialize, JsonSchema)]
struct Note {
    /// Which note.
    name: String,
}

async fn read_file(note: Note) -> Result<String, ToolError> {
    if note.name.contains('/') {
        return Err(ToolError::failed("a note's name has no slash; use its plain name"));
    }
    if note.name == "secret" {
        let error = RpcError::new(ErrorCode(-31100), "not for you");
        return Err(error.into());
    }
    Ok(std::fs::read_to_string(&note.name)?)
}

async fn copy_part(_: i32) -> std::io::Result<()> {
    Ok(())
}

async fn copy(context: Context) -> Result<&'static str, ToolError> {
    for done in 1..=10 {
        copy_part(done).await?;
        context.progress(f64::from(done), Some(10.0), Some("copying"));
    }
    context.log(LoggingLevel::Info, &"all copied");
    Ok("done")
}

#[derive(Deserialize, JsonSchema)]
struct Confirmation {
    /// The name of the note that will be deleted.
    name: String,
}

async fn delete(note: Note, context: Context) -> Result<&'static str, ToolError> {
    let typed: Confirmation = context.elicit("confirm", "Type the note's name to delete it")?;
    if typed.name != note.name {
        return Err(ToolError::failed("nothing was deleted: the name was not confirmed"));
    }
    std::fs::remove_file(&note.name)?; // only the second run comes here
    Ok("deleted")
}

fn asking() -> KitBuilder {
    Kit::plain("notes").asks::<Confirmation>().tool("delete", "Deletes a note", delete)
}

async fn two_questions(context: Context) -> Result<CreateMessageResult, ToolError> {
    let message = SamplingMessage::user(SamplingContent::text("Greet somebody in five words"));
    let both = InputRequests::new()
        .elicit("who", context.form::<Confirmation>("Who is it?")?)
        .create_message("greeting", CreateMessageParams::new(vec![message], 50));
    context.ask_with_request_state(both, "asked once")?;
    let who: Confirmation = context.elicit("who", "Who is it?")?;
    let greeting: CreateMessageResult = context.answer("greeting")?;
    drop(who);
    Ok(greeting)
}

async fn read_note(note: Note) -> Option<&'static str> {
    match note.name.as_str() {
        "one" => Some("The first note"),
        _ => None,
    }
}

fn resources() -> KitBuilder {
    let readme = ResourceSpec::new("Read me").mime_type("text/plain");
    Kit::plain("notes")
        .resource("notes://readme", readme, async || "Notes, by name.")
        .template("notes://by-name/{name}", "A note", read_note)
        .complete("notes://by-name/{name}", "name", ["one"])
}

#[derive(Deserialize, JsonSchema)]
struct Review {
    /// Which file.
    file: String,
    /// How thorough it should be.
    depth: Option<Depth>,
}

#[derive(Deserialize, JsonSchema)]
enum Depth {
    Quick,
    Thorough,
}

async fn review(review: Review) -> String {
    let depth = match review.depth {
        Some(Depth::Thorough) => "line by line",
        Some(Depth::Quick) | None => "at a glance",
    };
    format!("Please review {} {depth}.", review.file)
}

async fn files(typed: CompletionRequest) -> Vec<String> {
    typed.matching(["main.rs", "lib.rs"])
}

fn prompts() -> KitBuilder {
    Kit::plain("reviews")
        .prompt("review", "Asks for a review of one file", review)
        .complete("review", "file", files)
}

async fn build_index() -> &'static str {
    "indexed"
}

fn tasks() -> KitBuilder {
    let spec = ToolSpec::new("Builds the index").tasks(TaskMode::Optional);
    Kit::plain("search").tool("index", spec, build_index)
}

fn blocking() -> KitBuilder {
    Kit::plain("host").blocking_tool("name", "Reads the name of this machine", || {
        Ok::<_, ToolError>(std::fs::read_to_string("/etc/hostname")?)
    })
}

fn replacing(server: &Server, new_kit: Kit) -> Result<(), KitError> {
    if let Some(toolbox) = server.toolbox() {
        toolbox.replace(new_kit)?; // or add, or remove("notes")
        toolbox.notify_resource_updated("notes://readme");
    }
    Ok(())
}

async fn serving(server: Server) -> Result<(), Box<dyn std::error::Error>> {
    use hobnob_mcp::{HttpOptions, bind, serve_http};

    let options = HttpOptions::default();
    let listener = bind("127.0.0.1:4815".parse()?, &options).await?;
    serve_http(&server, listener, options, server.stopping()).await?;
    server.shut_down().await;
    Ok(())
}

mod tested {
    use hobnob_mcp::{Kit, Server, testkit};

    fn my_server() -> Result<Server, Box<dyn std::error::Error>> {
        let kit = Kit::plain("greetings").tool("hello", "Greets somebody", async || "hello");
        Ok(Server::of(kit).build()?)
    }

    #[tokio::test]
    async fn the_server_greets() -> Result<(), Box<dyn std::error::Error>> {
        let client = testkit::connect(&my_server()?).await?;
        let greeting: String = client.call("hello", &()).await?;
        assert_eq!(greeting, "hello");
        Ok(())
    }
}
