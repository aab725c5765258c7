//! The table of commands: names, arguments and effects. `/help` lists it, the editor completes it.

/// A command, as `/help` lists it.
pub(super) struct ChatCommand {
    pub(super) name: &'static str,
    pub(super) arguments: &'static str,
    pub(super) about: &'static str,
}

const fn command(name: &'static str, arguments: &'static str, about: &'static str) -> ChatCommand {
    ChatCommand { name, arguments, about }
}

/// What may follow `/mcp`, before the name of a server.
pub(super) const SERVER_VERBS: &[&str] = &["reconnect", "login"];

/// All commands, in the order of `/help`.
pub(super) const COMMANDS: &[ChatCommand] = &[
    command("help", "", "list the commands"),
    command("mcp", "[reconnect|login NAME]", "show the servers, or restart or log in to one"),
    command("tools", "[WORDS]", "list the tools, or those that fit"),
    command("model", "[NAME]", "show the model, or ask another one from now on"),
    command("memory", "[WORDS | save TEXT]", "recall memories, or capture one"),
    command("tasks", "", "list open tasks"),
    command("thinking", "", "show what the model thinks, or hide it again"),
    command("permissions", "[ask|plan|skip]", "show the rules, or change how calls are decided"),
    command("permissions", "allow|ask|deny TOOL", "write a rule"),
    command("approve", "[NAME]", "review tools and servers that wait for your approval"),
    command("clear", "", "begin a new conversation"),
    command("compact", "[WHAT TO KEEP]", "replace what was said by a summary"),
    command("save", "FILE", "write the conversation to a file, as Markdown"),
    command("resume", "[NUMBER|NAME]", "list earlier chats, or go on with one"),
    command("branch", "[NUMBER]", "list your questions, or go back before one of them"),
    command("tree", "", "draw the conversation with all its branches"),
    command("cost", "", "show tokens and cost"),
    command("quit", "", "leave"),
];
