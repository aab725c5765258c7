"""Writes memories.jsonl and questions.jsonl of one public set, in the form of eval/memory.

`cargo xtask eval memory` runs it with the folder of a package's modules; only the standard library is needed.
The same package gives the same lines on every machine.

usage: extract.py code|answers|locomo SOURCE TARGET
"""

import ast
import hashlib
import json
import re
import sys
from datetime import datetime, timedelta
from pathlib import Path

# Limits that keep a run within minutes on a small machine.
MAX_MEMORIES = 500
MAX_QUESTIONS = 250
MAX_CHARACTERS = 2_000
# Answers shorter than this say nothing alone, and questions shorter than that ask nothing.
MIN_ANSWER = 15
MIN_QUESTION = 12
# Small talk of the corpus: its answers fit any question.
SMALL_TALK = {"greetings", "conversations", "botprofile", "emotion", "humor", "gossip"}
# Kinds of LoCoMo's questions that have an answer: several facts, dates, single facts.
LOCOMO_KINDS = {1: "several-facts", 2: "dates", 4: "single-fact"}
LOCOMO_QUESTIONS = 70


def memory(key, content, namespace, source, created="2026-01-01T00:00:00Z"):
    return {
        "key": key, "content": content, "namespace": namespace, "tags": [], "source": source,
        "scope": "user", "project": "public", "created": created,
    }


def question(key, query, relevant, kind):
    return {"key": key, "query": query, "relevant": relevant, "kind": kind, "filter": None}


def sample(items, count, text):
    """The `count` items with the smallest hashes: the same ones on every machine."""
    digest = lambda item: hashlib.sha256(text(item).encode()).digest()
    return sorted(items, key=digest)[:count]


def functions(source):
    """Public functions with a docstring: file, name, first paragraph, code without docstring."""
    for file in sorted(source.rglob("*.py")):
        place = file.relative_to(source.parent).as_posix()
        if "/tests/" in place or "dist-info" in place:
            continue
        text = file.read_text(encoding="utf-8")
        lines = text.split("\n")
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, ast.FunctionDef) or node.name.startswith("_"):
                continue
            described = ast.get_docstring(node)
            if not described or len(node.body) < 2:
                continue
            asked = " ".join(described.strip().split("\n\n")[0].split()).replace("`", "")
            first = node.body[0]
            code = "\n".join(
                lines[node.lineno - 1 : first.lineno - 1] + lines[first.end_lineno : node.end_lineno]
            )
            if 20 < len(asked) < 300 and 60 < len(code):
                yield place, node.name, asked, code[:MAX_CHARACTERS]


def code(source):
    found = sample(functions(source), MAX_MEMORIES, lambda it: it[0] + it[1] + it[3])
    memories, questions = [], {}
    for number, (place, name, asked, text) in enumerate(sorted(found)):
        key = f"f{number}"
        memories.append(memory(key, text, "code", place))
        kind = "names-it" if name in re.findall(r"\w+", asked) else "described"
        # Several functions may have the same description; then each of them is right.
        questions.setdefault(asked, question(key, asked, [], kind))["relevant"].append(key)
    return memories, sample(questions.values(), MAX_QUESTIONS, lambda it: it["query"])


def conversations(file):
    """The first two turns of each conversation, from lists of one-line scalars."""
    turns = []
    for line in file.read_text(encoding="utf-8").split("\n"):
        start = re.match(r"- - (.*)", line)
        more = re.match(r"  - (.*)", line)
        if start:
            if 2 <= len(turns):
                yield turns[0], turns[1]
            turns = [scalar(start[1])]
        elif more and turns:
            turns.append(scalar(more[1]))
    if 2 <= len(turns):
        yield turns[0], turns[1]


def scalar(text):
    text = text.strip()
    if 2 <= len(text) and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1].replace("''", "'")
    # Blocks of several lines are left out.
    return "" if text in ("|", ">", "|-", ">-") else text


def answers(source):
    keys, asked = {}, {}
    for file in sorted((source / "data/english").glob("*.yml")):
        if file.stem in SMALL_TALK:
            continue
        for query, answer in conversations(file):
            if len(answer) < MIN_ANSWER or len(query) < MIN_QUESTION:
                continue
            key = keys.setdefault(answer, f"a{len(keys)}")
            kind, relevant = asked.setdefault(query, (file.stem, []))
            if key not in relevant:
                relevant.append(key)
    memories = [memory(key, answer, "facts", None) for answer, key in keys.items()]
    questions = [
        question(f"q{number}", query, relevant, kind)
        for number, (query, (kind, relevant)) in enumerate(asked.items())
    ]
    return memories, questions


def locomo(source):
    memories, questions = [], []
    for talk in json.loads(source.read_text(encoding="utf-8")):
        turns, name = talk["conversation"], talk["sample_id"]
        known = set()
        for session in range(1, 1 + sum(key.endswith("date_time") for key in turns)):
            if f"session_{session}" not in turns:
                continue
            begun = datetime.strptime(turns[f"session_{session}_date_time"], "%I:%M %p on %d %B, %Y")
            for minute, turn in enumerate(turns[f"session_{session}"]):
                key = f"{name}/{turn['dia_id']}"
                known.add(key)
                shown = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
                when = begun + timedelta(minutes=minute)
                memories.append(memory(
                    key, f"{turn['speaker']}: {turn['text']}{shown}", "talk",
                    f"{name}/session-{session}", when.strftime("%Y-%m-%dT%H:%M:%SZ"),
                ))
        asked = [it for it in talk["qa"] if it.get("evidence") and it["category"] in LOCOMO_KINDS]
        for item in sample(asked, LOCOMO_QUESTIONS, lambda it: it["question"]):
            relevant = [f"{name}/{turn}" for turn in item["evidence"] if f"{name}/{turn}" in known]
            if relevant:
                kind = LOCOMO_KINDS[item["category"]]
                key = f"{name}/{len(questions)}"
                questions.append(question(key, item["question"], relevant, kind))
    return memories, questions


def main():
    kind, source, target = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    memories, questions = {"code": code, "answers": answers, "locomo": locomo}[kind](source)
    target.mkdir(parents=True, exist_ok=True)
    for name, lines in (("memories", memories), ("questions", questions)):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (target / f"{name}.jsonl").write_text(text, encoding="utf-8")


main()
