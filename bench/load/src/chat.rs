//! A chat on a pseudo-terminal: how soon it can be typed into, how soon the first word of an answer is
//! shown, and its memory after many turns.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};

use crate::model::{Model, Question};
use crate::options::ChatOptions;
use crate::report::{Chat, Report, micros, millis, quantile};
use crate::terminal::Terminal;

/// What the chat shows where it can be typed into.
const PROMPT: &str = "> ";
/// Turns before the first look at its memory: what it makes once is there by then.
const EARLY: usize = 50;
/// What follows the first word of an answer: as long as answers often are.
const REST: &str = "and then a paragraph that says a little more about what was asked, with **weight** \
    on some words and `code` among them.\n\n- one point\n- another point\n\n```rust\nfn main() {}\n```\n\n";

pub(crate) async fn measure(options: &ChatOptions) -> anyhow::Result<Report> {
    let mut model = Model::listen().await?;
    write_settings(&options.home, &model)?;
    let mut terminal = Terminal::start(&options.command, &options.home)?;
    let started = terminal.started();
    let prompt = terminal.wait_for(PROMPT).await?.duration_since(started);
    let (mut latencies, mut early_kib) = (Vec::new(), 0);
    for number in 0..options.turns.max(1) {
        latencies.push(turn(&mut terminal, &mut model, number).await?);
        if number < EARLY {
            early_kib = terminal.usage()?.rss_kib;
        }
    }
    let rss_kib = terminal.usage()?.rss_kib;
    terminal.end().await;
    latencies.sort_unstable();
    Ok(Report::Chat(Chat {
        prompt_ms: millis(prompt),
        first_word_p50_us: micros(quantile(&latencies, 50)),
        first_word_p99_us: micros(quantile(&latencies, 99)),
        early_kib,
        rss_kib,
    }))
}

/// The time from sending the first word of an answer to seeing it.
async fn turn(
    terminal: &mut Terminal,
    model: &mut Model,
    number: usize,
) -> anyhow::Result<Duration> {
    let text = format!("question {number}");
    terminal.write(format!("{text}\r").as_bytes())?;
    let mut question = asked(model, &text).await?;
    let word = format!("answer{number}");
    let sent = Instant::now();
    question.say(&format!("{word} ")).await?;
    let shown = terminal.wait_for(&word).await?.duration_since(sent);
    question.say(REST).await?;
    question.end().await?;
    terminal.wait_for(PROMPT).await?;
    Ok(shown)
}

/// The request that asks this. Before it the chat may have old turns summed up.
async fn asked(model: &mut Model, text: &str) -> anyhow::Result<Question> {
    for _ in 0..3 {
        let mut question = model.next().await?;
        if question.last_message()?.contains(text) {
            return Ok(question);
        }
        question.say("They asked many questions.").await?;
        question.end().await?;
    }
    anyhow::bail!("nobody asked the model: {text}")
}

fn write_settings(home: &Path, model: &Model) -> anyhow::Result<()> {
    let settings = format!(
        "[models]\ndefault = \"bench/m\"\n[providers.bench]\ndialect = \"ollama\"\nurl = \"{}\"\n\
         [providers.bench.models.m]\ncontext = 128000\n",
        model.url()
    );
    let folder = home.join("config");
    ensure!(folder.is_dir(), "there are no settings in {}", home.display());
    std::fs::write(folder.join("config.toml"), settings).context("cannot write settings")
}
