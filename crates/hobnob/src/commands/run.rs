//! `hobnob run SERVICE.METHOD …`: calls a method and prints its events. `main` runs it.
//!
//! What must stay true: each event is printed as soon as it arrives, and Ctrl-C ends the call.

use crate::arguments;
use crate::content;
use crate::context::CommandContext;
use crate::with_hub::{HubOptions, with_hub};
use clap::Args;
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::hub::{Hub, NativeClient, Needs, code_of_refusal};
use hobnob_terminal::render;
use hobnob_terminal::render::Output;
use hobnob_terminal::terminal::{Consent, Spinner, Terminal};
use serde_json::{Value, json};

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The method: SERVICE.METHOD, or SERVER.TOOL; `hobnob run schema` lists all of them.
    #[arg(add = super::completions::methods())]
    method: String,

    /// key=value, converted to the type that the method wants; key:=JSON; key=@FILE; a JSON object; or
    /// - to read one from standard input. Repeat a key to pass a list.
    #[arg(value_name = "KEY=VALUE|JSON|-", add = super::completions::tool_arguments())]
    arguments: Vec<String>,
}

pub(crate) fn run(args: RunArgs, context: &CommandContext) -> anyhow::Result<()> {
    let options = HubOptions {
        needs: Needs::Knowledge,
        consent: Consent::Ask,
        message: &args.method.clone(),
    };
    with_hub(context, &options, async |hub: &Hub, terminal: &Terminal| {
        let mut client = hub.native().await?;
        if let "schema" | "hash" = &*args.method {
            let answer = client.ask(&args.method, &json!(args.arguments).to_string()).await?;
            terminal.spinner.clear();
            return render::json(&answer);
        }
        let described = client.ask("schema", &json!([args.method]).to_string()).await?;
        let Some(schema) = described.get("params").filter(|_| described.get("methods").is_none())
        else {
            let methods = described["methods"].as_array().map(Vec::as_slice).unwrap_or_default();
            let names: Vec<&str> = methods.iter().filter_map(|it| it["name"].as_str()).collect();
            let message = format!("`{}` is a service; it has: {}", args.method, names.join(", "));
            return Err(Ended::usage(message).into());
        };
        let given = arguments::arguments(&args.arguments, &schema.to_string())
            .map_err(|bad| Ended::usage(format!("{}: {bad}", args.method)))?;
        client.subscribe(&args.method, &given).await?;
        show_events(&mut client, &terminal.spinner, context.output).await
    })
}

/// Prints events until the last one, which decides the exit code.
async fn show_events(
    client: &mut NativeClient,
    spinner: &Spinner,
    output: Output,
) -> anyhow::Result<()> {
    let mut shown = Shown::Nothing;
    let mut last = Value::Null;
    while let Some(mut event) = client.next_event().await? {
        spinner.clear();
        match output {
            Output::Json => render::json_line(&event)?,
            Output::People => shown = show(&event["result"], shown)?,
        }
        last = event["result"].take();
    }
    end(&last, output, shown.end_line()?)
}

/// How much of the result the events have printed so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Nothing,
    /// Text whose last line is complete.
    Lines,
    /// Text that ends in the middle of a line.
    PartOfLine,
}

impl Shown {
    /// Prints a part of the result at once.
    fn text(self, words: &str) -> anyhow::Result<Self> {
        content::piece(words)?;
        Ok(match words.as_bytes().last() {
            None => self,
            Some(b'\n') => Self::Lines,
            Some(_) => Self::PartOfLine,
        })
    }

    /// On a terminal, makes sure that what follows begins a line: a note, an error, or the prompt
    /// of the shell. Programs get the text as it is.
    fn end_line(self) -> anyhow::Result<Self> {
        match self {
            Self::PartOfLine if content::is_on_terminal() => {
                content::piece("\n")?;
                Ok(Self::Lines)
            }
            Self::Nothing | Self::Lines | Self::PartOfLine => Ok(self),
        }
    }

    fn note(self, words: &str) -> anyhow::Result<Self> {
        let shown = self.end_line()?;
        render::note(words);
        Ok(shown)
    }
}

fn show(event: &Value, shown: Shown) -> anyhow::Result<Shown> {
    let text = |member: &str| event[member].as_str().unwrap_or_default();
    match event["type"].as_str().unwrap_or_default() {
        "content" => shown.text(text("text")),
        "stdout" => shown.text(text("data")),
        "stderr" => {
            render::error_piece(text("data"));
            Ok(shown)
        }
        // `end` reports the last event.
        "start" | "complete" | "error" => Ok(shown),
        "tool_use" => shown.note(&format!("[using {}]", text("tool_name"))),
        "progress" => {
            let total = event["total"].as_f64().map_or(String::new(), |total| format!("/{total}"));
            shown.note(&format!("[{}{total}] {}", event["progress"], text("message")))
        }
        kind => {
            let words: String = render::one_line(&event.to_string()).chars().take(160).collect();
            shown.note(&format!("[{kind}] {words}"))
        }
    }
}

/// Handles the last event: prints a result, or returns an exit code or an error.
fn end(event: &Value, output: Output, shown: Shown) -> anyhow::Result<()> {
    if event["type"] == "error" {
        let message = event["message"].as_str().unwrap_or("the call failed");
        let code = code_of_refusal(message).unwrap_or(match event["code"].as_i64() {
            Some(-32602) => Code::Usage,
            Some(-31001 | -31003) => Code::Unavailable,
            Some(-31002) => Code::Timeout,
            _ => Code::ToolError,
        });
        return Err(match output {
            Output::People => Ended::new(code, message),
            Output::Json => Ended::silently(code),
        }
        .into());
    }
    if let (Output::People, Shown::Nothing, Some(result)) = (output, shown, event.get("result")) {
        match result.as_str() {
            Some(text) => content::exact(text)?,
            None => content::pretty(&result.to_string())?,
        }
    }
    match (event["exit_code"].as_i64(), event["signal"].as_str()) {
        (None | Some(0), None) => Ok(()),
        (Some(code), _) => {
            // An exit code is one byte.
            let code = u8::try_from(code).unwrap_or(1);
            Err(Ended::silently(Code::Program(code)).into())
        }
        (None, Some(signal)) => {
            let limit =
                event["limit"].as_str().map_or(String::new(), |it| format!(", limit: {it}"));
            Err(Ended::new(Code::ToolError, format!("ended by {signal}{limit}")).into())
        }
    }
}
