"""A provider of models that knows only what a request tells it.

It answers `What is fact N?` with the value that the request has for it, or with "unknown". Everything else
it answers at length. It sums up by repeating every fact that it is shown. For each request it adds a JSON
line with the last words of the person and the answer to the file that it was started with.
"""

import json
import re
import sys

from provider import serve

FACT = re.compile(r"fact (\d+) is (\w+)")
FILLER = "This answer is long, as answers of models are, and says little that matters. " * 24


def answer(messages):
    shown = "\n".join(message.get("content", "") for message in messages)
    facts = dict(FACT.findall(shown))
    if messages[0].get("content", "").startswith("Summarise the conversation"):
        return "summary", "; ".join(f"fact {n} is {value}" for n, value in facts.items()) or "nothing"
    # A summary may stand before the question.
    asked = messages[-1].get("content", "").split("\n\n")[-1]
    wanted = re.search(r"What is fact (\d+)\?", asked)
    return asked, facts.get(wanted.group(1), "unknown") + "." if wanted else FILLER


def reply(request):
    asked, said = answer(request["messages"])
    with open(sys.argv[1], "a", encoding="utf-8") as journal:
        journal.write(json.dumps({"asked": asked, "said": said[:80]}) + "\n")
    # About four bytes a token, as in English.
    read = sum(len(message.get("content", "")) for message in request["messages"]) // 4
    return said, read, len(said) // 4


serve(reply)
