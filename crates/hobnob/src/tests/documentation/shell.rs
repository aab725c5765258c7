//! Splits what people type into commands and words, as far as the documentation needs it.
//!
//! Knows quotes, comments, continued lines, pipes, lists of commands and redirections; expands
//! nothing.

/// The commands of a script, each as its words. Assignments in front of a command are left out.
pub(super) fn commands(script: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = script.chars().peekable();
    while let Some(it) = characters.next() {
        match (quote, it) {
            (Some(open), _) if open == it => quote = None,
            (Some('"') | None, '\\') => match characters.next() {
                Some('\n') | None => {}
                Some(escaped) => word.get_or_insert_default().push(escaped),
            },
            (Some(_), _) => word.get_or_insert_default().push(it),
            (None, '\'' | '"') => {
                quote = Some(it);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => {
                while characters.next_if(|it| *it != '\n').is_some() {}
            }
            (None, '\n' | '|' | ';' | '&') => {
                finish(&mut commands, &mut word);
                commands.push(Vec::new());
            }
            (None, '(' | ')')
                if word.as_deref().is_none_or(|it| it.ends_with('$')) || it == ')' =>
            {
                finish(&mut commands, &mut word);
                commands.push(Vec::new());
            }
            (None, _) if it.is_whitespace() => finish(&mut commands, &mut word),
            (None, _) => word.get_or_insert_default().push(it),
        }
    }
    finish(&mut commands, &mut word);
    commands.iter_mut().for_each(clean);
    commands.retain(|words| !words.is_empty());
    commands
}

fn finish(commands: &mut [Vec<String>], word: &mut Option<String>) {
    if let (Some(word), Some(last)) = (word.take(), commands.last_mut()) {
        last.push(word);
    }
}

/// Leaves out redirections with their files, and assignments before the program.
fn clean(words: &mut Vec<String>) {
    if let Some(at) = words.iter().position(|word| word == ">" || word == "<") {
        words.truncate(at);
    }
    let assigns = |word: &String| {
        let name = word.split_once('=').map_or("", |(name, _)| name);
        !name.is_empty() && name.chars().all(|it| it.is_ascii_uppercase() || it == '_')
    };
    let assignments = words.iter().take_while(|word| assigns(word)).count();
    words.drain(..assignments);
}
