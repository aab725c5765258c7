"""Measures mcp-memory-service on sets in the form of eval/memory: hit@1, hit@5 and MRR, as Markdown.

Run it with a Python that has the package, `onnxruntime` and `tokenizers`; README.md beside it has the commands.
It calls the package's storage, as its server does for `memory_search`, in the modes `semantic` (the default) and `hybrid`.

usage: measure.py WORK DATA...
"""

import asyncio
import json
import shutil
import sys
from datetime import datetime
from pathlib import Path

from mcp_memory_service.models.memory import Memory
from mcp_memory_service.storage.sqlite_vec import SqliteVecMemoryStorage
from mcp_memory_service.utils.hashing import generate_content_hash

LIMIT = 10
MODES = ("semantic", "hybrid")


def lines(file):
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]


async def fill(storage, memories):
    """Stores one memory after the other, and returns the keys by content hash."""
    keys = {}
    for item in memories:
        created = datetime.fromisoformat(item["created"].replace("Z", "+00:00")).timestamp()
        digest = generate_content_hash(item["content"])
        memory = Memory(
            content=item["content"], content_hash=digest, tags=item["tags"],
            created_at=created, updated_at=created,
        )
        stored, message = await storage.store(memory, skip_semantic_dedup=True)
        if stored:
            keys[digest] = item["key"]
        elif digest not in keys:
            print(f"{item['key']} is not stored: {message}", file=sys.stderr)
    return keys


def figures(ranks):
    count = max(len(ranks), 1)
    within = lambda limit: 100 * sum(rank is not None and rank < limit for rank in ranks) / count
    mrr = 100 * sum(1 / (rank + 1) for rank in ranks if rank is not None) / count
    return f"{within(1):.1f} | {within(5):.1f} | {mrr:.1f}"


async def measure(work, data):
    shutil.rmtree(work / data.name, ignore_errors=True)
    (work / data.name).mkdir(parents=True)
    storage = SqliteVecMemoryStorage(str(work / data.name / "memories.db"))
    await storage.initialize()
    print(f"{data.name}: embeds with {type(storage.embedding_model).__name__}", file=sys.stderr)
    keys = await fill(storage, lines(data / "memories.jsonl"))
    asked = [question for question in lines(data / "questions.jsonl") if question["relevant"]]
    row = f"| {data.name} | {len(asked)} |"
    for mode in MODES:
        ranks = []
        for question in asked:
            answer = await storage.search_memories(query=question["query"], mode=mode, limit=LIMIT)
            found = [keys.get(memory["content_hash"]) for memory in answer["memories"]]
            right = (rank for rank, key in enumerate(found) if key in question["relevant"])
            ranks.append(next(right, None))
        row += f" {figures(ranks)} |"
    print(row, flush=True)
    await storage.close() if asyncio.iscoroutinefunction(storage.close) else storage.close()


async def main():
    print("| set | questions |" + "".join(f" {mode} hit@1 | hit@5 | MRR |" for mode in MODES))
    print("|---|---|" + "---|---|---|" * len(MODES), flush=True)
    for data in sys.argv[2:]:
        await measure(Path(sys.argv[1]), Path(data))


asyncio.run(main())
