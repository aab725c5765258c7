//! A data set: memories, and questions whose answers are known.

use hobnob_store::memory::{MemoryScope, Namespace, NewMemory, OrgRole, Tag, WritableScope};
use hobnob_store::{Owner, ProjectKey, Time};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// At most how many questions of another set are asked of a set.
const FOREIGN_QUESTIONS: usize = 80;

/// The memories and questions of one folder.
#[derive(Clone)]
pub(crate) struct DataSet {
    /// The name of the folder.
    pub(crate) name: String,
    pub(crate) memories: Vec<MemoryLine>,
    pub(crate) questions: Vec<QuestionLine>,
}

#[derive(Clone, Deserialize)]
pub(crate) struct MemoryLine {
    pub(crate) key: String,
    pub(crate) content: String,
    namespace: String,
    tags: Vec<String>,
    pub(crate) source: Option<String>,
    scope: String,
    /// Where it was captured; only memories of the scope `project` need it.
    project: Option<String>,
    created: String,
}

#[derive(Clone, Deserialize)]
pub(crate) struct QuestionLine {
    pub(crate) query: String,
    pub(crate) relevant: Vec<String>,
    pub(crate) kind: String,
    pub(crate) filter: Option<String>,
    /// The language of the question; English if the line does not say it.
    #[serde(default = "english")]
    pub(crate) language: String,
}

impl DataSet {
    pub(crate) fn read(folder: &Path) -> Result<Self, Box<dyn Error>> {
        let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy();
        Ok(Self {
            name: name.into_owned(),
            memories: lines(&folder.join("memories.jsonl"))?,
            questions: lines(&folder.join("questions.jsonl"))?,
        })
    }

    /// Adds questions of another set, which have no answer here.
    pub(crate) fn add_foreign(&mut self, other: &Self) {
        let asked = other.questions.iter().filter(|it| it.filter.is_none());
        let answerable: Vec<&QuestionLine> = asked.filter(|it| !it.relevant.is_empty()).collect();
        let step = answerable.len().div_ceil(FOREIGN_QUESTIONS).max(1);
        let kind = format!("of {}", other.name);
        self.questions.extend(answerable.into_iter().step_by(step).map(|question| QuestionLine {
            relevant: Vec::new(),
            kind: kind.clone(),
            ..question.clone()
        }));
    }

    /// A day after the last memory, so that a run next year has the same figures.
    pub(crate) fn now(&self) -> Time {
        let last = self.memories.iter().filter_map(|line| line.created().ok()).max();
        last.unwrap_or_default().plus(Duration::from_hours(24))
    }
}

impl MemoryLine {
    pub(crate) fn new_memory(&self, owner: &Owner) -> Result<NewMemory, Box<dyn Error>> {
        let scope = match self.scope.as_str() {
            "project" => match &self.project {
                Some(project) => MemoryScope::Project(ProjectKey::new(project)),
                None => return Err(format!("{}: it names no project", self.key).into()),
            },
            "user" => MemoryScope::User,
            "org" => MemoryScope::Org,
            other => return Err(format!("{}: there is no scope `{other}`", self.key).into()),
        };
        Ok(NewMemory {
            owner: owner.clone(),
            scope: WritableScope::new(scope, Some(OrgRole::Writer))?,
            namespace: Namespace::parse(&self.namespace)?,
            content: self.content.clone(),
            tags: self.tags.iter().map(|tag| Tag::parse(tag)).collect::<Result<_, _>>()?,
            source: self.source.clone(),
            created: self.created()?,
            expires: None,
            id: None,
            arrived_micros: None,
        })
    }

    fn created(&self) -> Result<Time, jiff::Error> {
        let created: jiff::Timestamp = self.created.parse()?;
        Ok(Time::from_millis(created.as_millisecond()))
    }
}

fn english() -> String {
    "en".to_owned()
}

fn lines<T: DeserializeOwned>(file: &Path) -> Result<Vec<T>, Box<dyn Error>> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let line = |line| {
        serde_json::from_str(line).map_err(|error| format!("{}: {error}: {line}", file.display()))
    };
    Ok(text.lines().filter(|line| !line.trim().is_empty()).map(line).collect::<Result<_, _>>()?)
}
