//! A named group of tools, resources, templates, prompts and completions.
//!
//! Made by an author, handed to a [`Toolbox`](super::Toolbox) as a whole, removed as a whole.

use super::completion::{Completer, Target, Typing, completer};
use super::context::Context;
use super::error::{KitError, ToolError};
use super::name::{Names, Naming};
use super::prompt::{IntoPrompt, RegisteredPrompt};
use super::reply::IntoToolResult;
use super::resource::{IntoContents, Matched, RegisteredResource, RegisteredTemplate};
use super::schema::{DeriveSchema, input_schema_of};
use super::spec::ToolSpec;
use super::tool::{self, RegisteredTool};
use hobnob_mcp_types::entries::Entries;
use hobnob_mcp_types::prompts::Prompt;
use hobnob_mcp_types::resources::{Resource, ResourceTemplate};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

/// A group of tools, resources and prompts that come and go together.
pub struct Kit {
    name: Box<str>,
    naming: Naming,
    pub(super) tools: Vec<(Names, Arc<RegisteredTool>)>,
    pub(super) resources: BTreeMap<Box<str>, Arc<RegisteredResource>>,
    pub(super) templates: BTreeMap<Box<str>, Arc<RegisteredTemplate>>,
    pub(super) prompts: BTreeMap<Box<str>, Arc<RegisteredPrompt>>,
    pub(super) completions: BTreeMap<(Target, Box<str>), Arc<Completer>>,
}

impl Kit {
    /// A kit whose tools are listed under the names they are given.
    pub fn plain(name: impl Into<Box<str>>) -> Self {
        Self::new(name.into(), Naming::Plain)
    }

    /// A service: its tool `check` is listed as `health_check`, and calls to `health.check` reach
    /// it too.
    pub fn service(name: impl Into<Box<str>>) -> Self {
        let name = name.into();
        Self::new(name.clone(), Naming::Service(name))
    }

    fn new(name: Box<str>, naming: Naming) -> Self {
        Self {
            name,
            naming,
            tools: Vec::new(),
            resources: BTreeMap::new(),
            templates: BTreeMap::new(),
            prompts: BTreeMap::new(),
            completions: BTreeMap::new(),
        }
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The same kit with one more tool. Its arguments are decoded and have fitted their schema
    /// before the handler runs.
    pub fn tool<A, T, F, Work>(self, spec: ToolSpec, handler: F) -> Result<Self, KitError>
    where
        A: DeserializeOwned + JsonSchema + Send + 'static,
        T: IntoToolResult,
        F: Fn(A, Context) -> Work + Send + Sync + 'static,
        Work: Future<Output = Result<T, ToolError>> + Send + 'static,
    {
        self.add_tool(spec, input_schema_of::<A>, tool::waiting(handler))
    }

    /// The same for a handler that blocks. At most 64 of them run at once in a process, and the
    /// other calls wait. Once begun it runs to its end, whatever happens to its call; a long one
    /// should look at [`Context::is_cancelled`] now and then.
    pub fn blocking_tool<A, T, F>(self, spec: ToolSpec, handler: F) -> Result<Self, KitError>
    where
        A: DeserializeOwned + JsonSchema + Send + 'static,
        T: IntoToolResult,
        F: Fn(A, Context) -> Result<T, ToolError> + Send + Sync + 'static,
    {
        self.add_tool(spec, input_schema_of::<A>, tool::blocking(handler))
    }

    pub(super) fn add_tool(
        mut self,
        spec: ToolSpec,
        derive: DeriveSchema,
        run: tool::Handler,
    ) -> Result<Self, KitError> {
        let names = self.naming.names(spec.name())?;
        if self.tools.iter().any(|(other, _)| other.listed == names.listed) {
            return Err(self.twice("tool", &names.listed));
        }
        let tool = RegisteredTool::new(spec, derive, &names, run)?;
        self.tools.push((names, Arc::new(tool)));
        Ok(self)
    }

    /// The same kit with one more resource.
    pub fn resource<C, F, Work>(mut self, resource: Resource, handler: F) -> Result<Self, KitError>
    where
        C: IntoContents,
        F: Fn(Context) -> Work + Send + Sync + 'static,
        Work: Future<Output = Result<C, ToolError>> + Send + 'static,
    {
        let registered = RegisteredResource::new(&resource, handler)?;
        let key: Box<str> = resource.uri.into();
        match self.resources.insert(key.clone(), Arc::new(registered)) {
            Some(_) => Err(self.twice("resource", &key)),
            None => Ok(self),
        }
    }

    /// The same kit with one more family of resources.
    pub fn template<C, F, Work>(
        mut self,
        template: ResourceTemplate,
        handler: F,
    ) -> Result<Self, KitError>
    where
        C: IntoContents,
        F: Fn(Matched, Context) -> Work + Send + Sync + 'static,
        Work: Future<Output = Result<C, ToolError>> + Send + 'static,
    {
        let registered = RegisteredTemplate::new(&template, handler)?;
        let key: Box<str> = template.uri_template.into();
        match self.templates.insert(key.clone(), Arc::new(registered)) {
            Some(_) => Err(self.twice("template", &key)),
            None => Ok(self),
        }
    }

    /// The same kit with one more prompt; its handler gets what was filled in.
    pub fn prompt<P, F, Work>(mut self, prompt: Prompt, handler: F) -> Result<Self, KitError>
    where
        P: IntoPrompt,
        F: Fn(Entries<String>, Context) -> Work + Send + Sync + 'static,
        Work: Future<Output = Result<P, ToolError>> + Send + 'static,
    {
        let registered = RegisteredPrompt::new(&prompt, handler)?;
        let key: Box<str> = prompt.name.into();
        match self.prompts.insert(key.clone(), Arc::new(registered)) {
            Some(_) => Err(self.twice("prompt", &key)),
            None => Ok(self),
        }
    }

    /// Suggestions for an argument of one of this kit's prompts.
    pub fn complete_prompt<F, Work>(
        self,
        prompt: &str,
        argument: &str,
        handler: F,
    ) -> Result<Self, KitError>
    where
        F: Fn(Typing, Context) -> Work + Send + Sync + 'static,
        Work: Future<Output = Result<Vec<String>, ToolError>> + Send + 'static,
    {
        let known = self.prompts.get(prompt).is_some_and(|known| known.takes(argument));
        self.complete(known, Target::Prompt(prompt.into()), argument, completer(handler))
    }

    /// Suggestions for a variable of one of this kit's templates.
    pub fn complete_template<F, Work>(
        self,
        template: &str,
        variable: &str,
        handler: F,
    ) -> Result<Self, KitError>
    where
        F: Fn(Typing, Context) -> Work + Send + Sync + 'static,
        Work: Future<Output = Result<Vec<String>, ToolError>> + Send + 'static,
    {
        let known = self.templates.get(template).is_some_and(|known| known.pattern.has(variable));
        self.complete(known, Target::Template(template.into()), variable, completer(handler))
    }

    fn complete(
        mut self,
        known: bool,
        target: Target,
        argument: &str,
        run: Completer,
    ) -> Result<Self, KitError> {
        let name = match &target {
            Target::Prompt(name) | Target::Template(name) => format!("{name} {argument}"),
        };
        if !known {
            let message =
                format!("kit `{}` has no argument or variable `{name}` to complete", self.name);
            return Err(KitError::new(message));
        }
        match self.completions.insert((target, argument.into()), Arc::new(run)) {
            Some(_) => Err(self.twice("completion", &name)),
            None => Ok(self),
        }
    }

    fn twice(&self, kind: &str, key: &str) -> KitError {
        KitError::new(format!("kit `{}` has the {kind} `{key}` twice", self.name))
    }
}

impl std::fmt::Debug for Kit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let tools: Vec<_> = self.tools.iter().map(|(names, _)| &names.listed).collect();
        f.debug_struct("Kit")
            .field("name", &self.name)
            .field("tools", &tools)
            .finish_non_exhaustive()
    }
}
