//! The Rust blocks of `docs/src/writing-a-server.md`, each in a function that it compiles in.
//!
//! The code between the lines of a function is word for word what the page shows; change both.

#![expect(dead_code, reason = "it is compiled, not run")]

use std::collections::HashMap;

use hobnob_mcp_server::Server;
use hobnob_mcp_server::toolbox::{
    Context, Kit, KitError, NoArguments, Structured, TaskMode, ToolError, ToolSpec, Typing,
};
use hobnob_mcp_types::content::SamplingContent;
use hobnob_mcp_types::elicitation::{ElicitParams, ElicitResult};
use hobnob_mcp_types::form::FormSchema;
use hobnob_mcp_types::form_field::StringSchema;
use hobnob_mcp_types::input::InputRequests;
use hobnob_mcp_types::logging::LoggingLevel;
use hobnob_mcp_types::prompts::{Prompt, PromptArgument};
use hobnob_mcp_types::resources::{Resource, ResourceContents, ResourceTemplate};
use hobnob_mcp_types::sampling::{CreateMessageParams, SamplingMessage};
use hobnob_mcp_types::{ErrorCode, RpcError};
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

fn kit() -> Result<Kit, KitError> {
    let area = ToolSpec::new("area", "Works out the area of a rectangle").output::<Measured>();
    Kit::service("shapes").tool(area, |args: Area, _: Context| async move {
        Ok(Structured(Measured { area: args.width * args.height.unwrap_or(args.width) }))
    })
}

#[derive(Deserialize, JsonSchema)]
struct Read {
    /// Which note.
    name: String,
}

fn errors(kit: Kit, spec: ToolSpec) -> Result<Kit, KitError> {
    kit.tool(spec, |args: Read, _: Context| async move {
        if args.name.contains('/') {
            return Err(ToolError::failed("a note's name has no slash; use its plain name"));
        }
        if args.name == "secret" {
            let error = RpcError::new(ErrorCode(-31100), "not for you");
            return Err(error.into());
        }
        Ok(std::fs::read_to_string(&args.name)?)
    })
}

async fn copy_part(_: i32) -> std::io::Result<()> {
    Ok(())
}

fn progress(kit: Kit, spec: ToolSpec) -> Result<Kit, KitError> {
    kit.tool(spec, |_: NoArguments, context: Context| async move {
        for done in 1..=10 {
            copy_part(done).await?;
            context.progress(f64::from(done), Some(10.0), Some("copying"));
        }
        context.log(LoggingLevel::Info, &"all copied");
        Ok("done")
    })
}

#[derive(Deserialize, JsonSchema)]
struct Delete {
    /// Which note.
    name: String,
}

fn asking(kit: Kit, spec: ToolSpec) -> Result<Kit, KitError> {
    kit.tool(spec, |args: Delete, context: Context| async move {
        let form = FormSchema::new().required("name", StringSchema::default());
        let question = ElicitParams::form("Type the note's name to delete it", form);
        let answer = context.elicit("confirm", question)?; // the first run ends here
        let form: Option<HashMap<String, String>> = answer.form()?;
        if form.and_then(|mut form| form.remove("name")).as_ref() != Some(&args.name) {
            return Err(ToolError::failed("nothing was deleted: the name was not confirmed"));
        }
        std::fs::remove_file(&args.name)?; // only the second run comes here
        Ok("deleted")
    })
}

async fn two_questions(context: Context) -> Result<ElicitResult, ToolError> {
    let form = FormSchema::new().required("name", StringSchema::default());
    let message = SamplingMessage::user(SamplingContent::text("Greet somebody in five words"));
    let both = InputRequests::new()
        .elicit("who", ElicitParams::form("Who is it?", form))
        .create_message("greeting", CreateMessageParams::new(vec![message], 50));
    context.ask_with_state(both, "asked once")?;
    let who: ElicitResult = context.answer("who")?;
    Ok(who)
}

fn resources(kit: Kit) -> Result<Kit, KitError> {
    let readme = Resource::new("notes://readme", "Read me").with_mime_type("text/plain");
    let note = ResourceTemplate::new("notes://by-name/{name}", "A note");
    let kit = kit
        .resource(readme, |_| async move {
            Ok(ResourceContents::text("notes://readme", "text/plain", "Notes, by name."))
        })?
        .template(note, |matched, _| async move {
            let text = match matched.get("name") {
                "one" => "The first note",
                _ => return Err(ToolError::no_resource(matched.uri.as_str())),
            };
            Ok(ResourceContents::text(&matched.uri, "text/plain", text))
        })?
        .complete_template("notes://by-name/{name}", "name", |typing: Typing, _| async move {
            let names = ["one"].into_iter();
            Ok(names.filter(|name| name.starts_with(&typing.value)).map(str::to_owned).collect())
        })?;
    Ok(kit)
}

fn prompts(kit: Kit) -> Result<Kit, KitError> {
    let review = Prompt::new("review")
        .with_description("Asks for a review of one file")
        .with_argument(PromptArgument::required("file").with_description("Which file"));
    let kit = kit.prompt(review, |given, _| async move {
        Ok(format!("Please review {}.", given.get("file").map_or("", |it| it)))
    })?;
    Ok(kit)
}

fn tasks(kit: Kit) -> Result<Kit, KitError> {
    let spec = ToolSpec::new("index", "Builds the index").tasks(TaskMode::Optional);
    kit.tool(spec, |_: NoArguments, _: Context| async move { Ok("indexed") })
}

fn blocking(kit: Kit, spec: ToolSpec) -> Result<Kit, KitError> {
    kit.blocking_tool(spec, |_: NoArguments, _: Context| {
        Ok(std::fs::read_to_string("/etc/hostname")?)
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
    use hobnob_mcp::{Context, Kit, NoArguments, Server, ToolSpec, testkit};

    fn my_server() -> Result<Server, Box<dyn std::error::Error>> {
        let spec = ToolSpec::new("hello", "Greets");
        let kit = Kit::plain("greetings").tool(spec, async |_: NoArguments, _: Context| Ok("hello"))?;
        Ok(Server::builder("greeter", "1.0.0").kit(kit).build()?)
    }

    #[tokio::test]
    async fn the_server_greets() -> Result<(), Box<dyn std::error::Error>> {
        let client = testkit::connect(&my_server()?).await?;
        let greeting: String = client.call("hello", &()).await?;
        assert_eq!(greeting, "hello");
        Ok(())
    }
}
