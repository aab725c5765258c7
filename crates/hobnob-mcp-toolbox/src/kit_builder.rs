//! How an author fills a kit: one line for each tool, resource, template, prompt and completion.
//!
//! Mistakes are collected, so that an author sees all of them at once. Methods are generic only as
//! far as types go; what they do with a handler is not.

use crate::completion::{Completable, Completer, CompletionSource, word_list};
use crate::error::KitError;
use crate::handler::{KitHandler, RunHandler, run_handler};
use crate::kit::Kit;
use crate::name::Naming;
use crate::prompt::{IntoPrompt, RegisteredPrompt};
use crate::prompt_spec::PromptSpec;
use crate::read_result::IntoContents;
use crate::reply::{IntoToolResult, ToolReply};
use crate::resource::{
    ReadHandler, RegisteredResource, RegisteredTemplate, TemplateHandler, read_handler,
    template_handler,
};
use crate::resource_spec::ResourceSpec;
use crate::schema::{FormOfType, NoArguments, TextFields};
use crate::spec::{ToolSpec, ToolTypes};
use crate::tool::{self, RegisteredTool};
use hobnob_mcp_engine::{ClientId, Subscriber};
use hobnob_mcp_types::prompts::GetPromptResult;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::future::Future;
use std::sync::Arc;

/// A kit under construction. `S` is the state that its handlers share.
///
/// Servers and toolboxes accept it directly; call [`Self::build`] to find mistakes earlier.
#[must_use = "a kit does nothing until a server has it"]
pub struct KitBuilder<S = ()> {
    kit: Kit,
    naming: Naming,
    state: Arc<S>,
    completions: Vec<(Box<str>, Box<str>, Completer)>,
    problems: Vec<String>,
}

impl Kit {
    /// A kit whose tools are listed under exactly the names you give them.
    pub fn plain(name: impl Into<Box<str>>) -> KitBuilder {
        KitBuilder::new(name.into(), Naming::Plain)
    }

    /// A kit for a service: the tool `check` of `health` is listed as `health_check`, and calls to
    /// `health.check` reach it too.
    pub fn service(name: impl Into<Box<str>>) -> KitBuilder {
        let name = name.into();
        KitBuilder::new(name.clone(), Naming::Service(name))
    }
}

impl KitBuilder {
    fn new(name: Box<str>, naming: Naming) -> Self {
        Self {
            kit: Kit::empty(name),
            naming,
            state: Arc::new(()),
            completions: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// Sets the state of all handlers added after this; [`Context::state`](crate::Context::state)
    /// returns it. Neither the state nor the handlers are ever cloned.
    ///
    /// ```
    /// # use hobnob_mcp_toolbox::{Context, Kit};
    /// # use std::sync::atomic::{AtomicU64, Ordering};
    /// async fn count(context: Context<AtomicU64>) -> String {
    ///     context.state().fetch_add(1, Ordering::Relaxed).to_string()
    /// }
    ///
    /// let kit = Kit::plain("counter").with_state(AtomicU64::new(0)).tool("count", "Counts", count);
    /// # kit.build().unwrap();
    /// ```
    pub fn with_state<S>(self, state: S) -> KitBuilder<S> {
        let Self { kit, naming, completions, problems, .. } = self;
        KitBuilder { kit, naming, state: Arc::new(state), completions, problems }
    }
}

impl<S: Send + Sync + 'static> KitBuilder<S> {
    /// Adds a tool. Before the handler runs, its arguments are checked against their schema and
    /// decoded; the output schema comes from the handler's return type.
    ///
    /// `spec` is a description, or a [`ToolSpec`] with more details.
    pub fn tool<H, Shape>(
        self,
        name: impl Into<String>,
        spec: impl Into<ToolSpec>,
        handler: H,
    ) -> Self
    where
        H: KitHandler<S, Shape> + Send + Sync + 'static,
        H::Arguments: DeserializeOwned + JsonSchema + 'static,
        H::Returned: Future<Output: IntoToolResult> + Send + 'static,
    {
        let types = ToolTypes::of::<H::Arguments, <H::Returned as Future>::Output>();
        let run = run_handler(Arc::clone(&self.state), handler, IntoToolResult::into_tool_result);
        self.add_tool(name.into(), spec.into(), &types, run)
    }

    /// Adds a tool whose handler blocks its thread. At most 64 of them run at once in a process;
    /// further calls wait. A handler that has started runs to its end, so a long one should check
    /// [`CallContext::is_cancelled`](crate::CallContext::is_cancelled) now and then.
    pub fn blocking_tool<H, Shape>(
        self,
        name: impl Into<String>,
        spec: impl Into<ToolSpec>,
        handler: H,
    ) -> Self
    where
        H: KitHandler<S, Shape> + Send + Sync + 'static,
        H::Arguments: DeserializeOwned + JsonSchema + Send + 'static,
        H::Returned: IntoToolResult,
    {
        let types = ToolTypes::of::<H::Arguments, H::Returned>();
        let run = tool::blocking(Arc::clone(&self.state), handler);
        self.add_tool(name.into(), spec.into(), &types, run)
    }

    /// Adds a resource. `spec` is a name, or a [`ResourceSpec`] with more details.
    pub fn resource<H, Shape>(
        self,
        uri: impl Into<String>,
        spec: impl Into<ResourceSpec>,
        handler: H,
    ) -> Self
    where
        H: KitHandler<S, Shape, Arguments = NoArguments> + Send + Sync + 'static,
        H::Returned: Future<Output: IntoContents> + Send + 'static,
    {
        let run = read_handler(Arc::clone(&self.state), handler);
        self.add_resource(uri.into(), spec.into(), run)
    }

    /// Adds a resource template. The handler's arguments are the variables of the URI: each
    /// variable must be a field of their type.
    pub fn template<H, Shape>(
        self,
        uri_template: impl Into<String>,
        spec: impl Into<ResourceSpec>,
        handler: H,
    ) -> Self
    where
        H: KitHandler<S, Shape> + Send + Sync + 'static,
        H::Arguments: DeserializeOwned + JsonSchema,
        H::Returned: Future<Output: IntoContents> + Send + 'static,
    {
        let run = template_handler(Arc::clone(&self.state), handler);
        let fields = TextFields::of_type::<H::Arguments>();
        self.add_template(uri_template.into(), spec.into(), fields, run)
    }

    /// Adds a prompt. Its arguments are the fields of the handler's type: a field of type `Option`
    /// is optional, and doc comments describe the fields.
    ///
    /// `spec` is a description, or a [`PromptSpec`] with more details.
    pub fn prompt<H, Shape>(
        self,
        name: impl Into<String>,
        spec: impl Into<PromptSpec>,
        handler: H,
    ) -> Self
    where
        H: KitHandler<S, Shape> + Send + Sync + 'static,
        H::Arguments: DeserializeOwned + JsonSchema,
        H::Returned: Future<Output: IntoPrompt> + Send + 'static,
    {
        let run = run_handler(Arc::clone(&self.state), handler, IntoPrompt::into_prompt);
        let fields = TextFields::of_type::<H::Arguments>();
        self.add_prompt(name.into(), spec.into(), fields, run)
    }

    /// Names the tool of this kit that a read of its resources and templates counts as, so that
    /// permissions for the tool cover those reads too.
    pub fn reads_count_as(mut self, tool: &str) -> Self {
        match self.naming.names(tool) {
            Ok(names) => self.kit.reads_count_as = Some(Arc::from(&*names.listed)),
            Err(problem) => self.problems.push(problem),
        }
        self
    }

    /// Adds suggestions for an argument of a prompt, or for a variable of a template, of this kit.
    /// Arguments whose type is an enum have suggestions already.
    pub fn complete<C, Shape>(
        mut self,
        prompt_or_template: impl Into<Box<str>>,
        argument: impl Into<Box<str>>,
        source: C,
    ) -> Self
    where
        C: CompletionSource<S, Shape>,
    {
        let completer = source.into_completer(Arc::clone(&self.state));
        self.completions.push((prompt_or_template.into(), argument.into(), completer));
        self
    }

    /// Declares that handlers of this kit ask for a `T`. If `T` cannot be a form, building the kit
    /// fails, instead of the first call that asks.
    pub fn asks<T: JsonSchema>(mut self) -> Self {
        if let Err(problem) = FormOfType::new::<T>() {
            self.problems.push(problem);
        }
        self
    }

    /// Sets a hook that runs when a client with a session (a pipe, or a legacy session over HTTP)
    /// has gone, to drop what the handlers keep for that client alone. It must not wait.
    pub fn on_client_gone<F>(mut self, end: F) -> Self
    where
        F: Fn(&S, ClientId) + Send + Sync + 'static,
    {
        let state = Arc::clone(&self.state);
        self.kit.client_gone = Some(Box::new(move |client| end(&state, client)));
        self
    }

    /// Sets a hook that decides who may subscribe to a resource; without it, every client may. It
    /// is called for all URIs, also those of other kits, and must not wait.
    pub fn may_subscribe<F>(mut self, decide: F) -> Self
    where
        F: Fn(&S, Subscriber<'_>, &str) -> bool + Send + Sync + 'static,
    {
        let state = Arc::clone(&self.state);
        self.kit.may_subscribe = Some(Box::new(move |who, uri| decide(&state, who, uri)));
        self
    }

    /// Builds the kit, or fails with everything that is wrong with it.
    pub fn build(mut self) -> Result<Kit, KitError> {
        for (of, argument, completer) in std::mem::take(&mut self.completions) {
            self.add_completion(&of, argument, completer);
        }
        self.complete_choices();
        if let Some(name) = &self.kit.reads_count_as
            && !self.kit.tools.iter().any(|(names, _)| *names.listed == **name)
        {
            let problem =
                format!("kit `{}` has no tool `{name}` for `reads_count_as`", self.kit.name);
            self.problems.push(problem);
        }
        KitError::unless_none(self.problems, self.kit)
    }

    pub(crate) fn add_tool(
        mut self,
        name: String,
        spec: ToolSpec,
        types: &ToolTypes,
        run: RunHandler<ToolReply>,
    ) -> Self {
        let added = self.naming.names(&name).and_then(|names| {
            if self.kit.tools.iter().any(|(other, _)| other.listed == names.listed) {
                return Err(twice(&self.kit.name, "tool", &names.listed));
            }
            let tool = RegisteredTool::new(&name, spec, &names, types, run)?;
            self.kit.tools.push((names, Arc::new(tool)));
            Ok(())
        });
        self.problems.extend(added.err());
        self
    }

    fn add_resource(mut self, uri: String, spec: ResourceSpec, run: ReadHandler) -> Self {
        let made = RegisteredResource::new(&uri, spec, run);
        let added = insert(&mut self.kit.resources, &self.kit.name, "resource", uri, made);
        self.problems.extend(added.err());
        self
    }

    fn add_template(
        mut self,
        uri_template: String,
        spec: ResourceSpec,
        fields: Result<TextFields, String>,
        run: TemplateHandler,
    ) -> Self {
        let made = RegisteredTemplate::new(&uri_template, spec, fields, run);
        let added = insert(&mut self.kit.templates, &self.kit.name, "template", uri_template, made);
        self.problems.extend(added.err());
        self
    }

    fn add_prompt(
        mut self,
        name: String,
        spec: PromptSpec,
        fields: Result<TextFields, String>,
        run: RunHandler<GetPromptResult>,
    ) -> Self {
        let made = RegisteredPrompt::new(name.clone(), spec, fields, run);
        let added = insert(&mut self.kit.prompts, &self.kit.name, "prompt", name, made);
        self.problems.extend(added.err());
        self
    }

    fn add_completion(&mut self, of: &str, argument: Box<str>, completer: Completer) {
        let prompt = self.kit.prompts.get(of).filter(|prompt| prompt.takes(&argument));
        let template = self.kit.templates.get(of).filter(|it| it.pattern.has(&argument));
        let target = match (prompt, template) {
            (Some(_), _) => Completable::Prompt(of.into()),
            (None, Some(_)) => Completable::Template(of.into()),
            (None, None) => {
                self.problems.push(format!(
                    "kit `{}` has no prompt or template `{of}` with `{argument}` to complete",
                    self.kit.name
                ));
                return;
            }
        };
        let name = format!("{of} {argument}");
        if self.kit.completions.insert((target, argument), Arc::new(completer)).is_some() {
            self.problems.push(twice(&self.kit.name, "completion", &name));
        }
    }

    /// Adds completions for arguments that accept only a few words.
    fn complete_choices(&mut self) {
        let prompts = self.kit.prompts.iter().flat_map(|(name, prompt)| {
            prompt.fields.iter().map(move |field| (Completable::Prompt(name.clone()), field))
        });
        let templates = self.kit.templates.iter().flat_map(|(uri, template)| {
            template.fields.iter().map(move |field| (Completable::Template(uri.clone()), field))
        });
        for (target, field) in prompts.chain(templates).filter(|(_, it)| !it.choices.is_empty()) {
            let suggest = || Arc::new(word_list(field.choices.clone()));
            self.kit.completions.entry((target, field.name.clone())).or_insert_with(suggest);
        }
    }
}

fn twice(kit: &str, kind: &str, key: &str) -> String {
    format!("kit `{kit}` has the {kind} `{key}` twice")
}

fn insert<T>(
    all: &mut BTreeMap<Box<str>, Arc<T>>,
    kit: &str,
    kind: &str,
    key: String,
    made: Result<T, String>,
) -> Result<(), String> {
    let made = made?;
    match all.entry(key.into()) {
        Entry::Vacant(place) => {
            place.insert(Arc::new(made));
            Ok(())
        }
        Entry::Occupied(taken) => Err(twice(kit, kind, taken.key())),
    }
}

impl<S> std::fmt::Debug for KitBuilder<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KitBuilder")
            .field("kit", &self.kit)
            .field("problems", &self.problems)
            .finish_non_exhaustive()
    }
}

/// A kit, or a builder that a server turns into one.
pub trait IntoKit {
    /// The kit, or everything that is wrong with it.
    fn into_kit(self) -> Result<Kit, KitError>;
}

impl IntoKit for Kit {
    fn into_kit(self) -> Result<Kit, KitError> {
        Ok(self)
    }
}

impl<S: Send + Sync + 'static> IntoKit for KitBuilder<S> {
    fn into_kit(self) -> Result<Kit, KitError> {
        self.build()
    }
}
