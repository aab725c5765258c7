"""An MCP server on stdio that misbehaves on request, written without any library.

Switches choose the era it speaks and what is wrong with it; its journal, one JSON text a line,
tells a test what it was asked and how often it was started. Tools say what they do by name.
"""

import argparse
import json
import os
import subprocess
import sys
import threading
import time

parser = argparse.ArgumentParser()
parser.add_argument("--journal")
parser.add_argument("--era", choices=["legacy", "modern", "dual"], default="legacy")
parser.add_argument("--revision", default="2025-11-25")
parser.add_argument("--name", default="faulty")
parser.add_argument("--description", default="Says it back")
parser.add_argument("--description-file")
parser.add_argument("--extra-tool", action="append", default=[])
parser.add_argument("--only", action="append", default=[])
parser.add_argument("--prompt", action="append", default=[])
parser.add_argument("--fault", action="append", default=[])
parser.add_argument("--times", type=int, help="how often a fault happens, in all processes")
parser.add_argument("--stderr-bytes", type=int, default=0)
parser.add_argument("--no-subscribe", action="store_true")
parser.add_argument("--tasks", choices=["no", "optional", "required"], default="no")
parser.add_argument("--start-ms", type=int, default=0)
parser.add_argument("--fork", choices=["setsid", "daemon"])
options = parser.parse_args()

MODERN = "2026-07-28"
META = "io.modelcontextprotocol/"
RESOURCE = "test://notes/1"
out = threading.Lock()
state = threading.Condition()
counter = 0
content = 0
grown = []
described = {}
cancelled = set()
answers = {}
subscribed = set()
listens = {}
tasks = {}
next_id = 1000


def note(what, **more):
    if options.journal:
        line = json.dumps({"what": what, "pid": os.getpid(), **more}) + "\n"
        with open(options.journal, "a", encoding="utf-8") as journal:
            journal.write(line)


def happens(fault):
    """Whether this fault is due; one that has happened often enough is not."""
    if fault not in options.fault:
        return False
    if options.times is not None:
        with open(options.journal, encoding="utf-8") as journal:
            lines = [json.loads(line) for line in journal]
        if sum(line["what"] == "fault" for line in lines) >= options.times:
            return False
    note("fault", fault=fault)
    return True


def write(text):
    data = text.encode() + b"\n"
    with out:
        try:
            while data:
                data = data[os.write(1, data):]
        except OSError:
            os._exit(0)


def send(message):
    write(json.dumps({"jsonrpc": "2.0", **message}))


def text(words, **more):
    return {"content": [{"type": "text", "text": words}], **more}


class Refused(Exception):
    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.error = {"code": code, "message": message}
        if data is not None:
            self.error["data"] = data


class Call:
    """One request that runs."""

    def __init__(self, ident, params):
        self.ident = ident
        self.params = params
        self.meta = params.get("_meta", {})
        self.modern = META + "protocolVersion" in self.meta

    def progress(self, done, total=None, message=None):
        token = self.meta.get("progressToken")
        if token is not None:
            params = {"progressToken": token, "progress": done}
            params.update({"total": total} if total else {})
            params.update({"message": message} if message else {})
            send({"method": "notifications/progress", "params": params})

    def is_cancelled(self):
        with state:
            return self.ident in cancelled

    def wait(self, seconds):
        """Waits; false if the call was cancelled meanwhile."""
        end = time.monotonic() + seconds
        with state:
            while self.ident not in cancelled:
                left = end - time.monotonic()
                if left <= 0:
                    return True
                state.wait(left)
        note("stopped", id=self.ident)
        return False

    def ask(self, method, params, key="first"):
        """Asks the client something, the way its era has it."""
        global next_id
        if self.modern:
            given = self.params.get("inputResponses", {}).get(key)
            if given is not None:
                return given
            raise Questions({key: {"method": method, "params": params}}, "state-" + key)
        with state:
            next_id += 1
            number = next_id
        send({"id": number, "method": method, "params": params})
        with state:
            while number not in answers:
                state.wait()
            answer = answers.pop(number)
        note("answered", answer=answer)
        if "error" in answer:
            raise Refused(answer["error"]["code"], "asked in vain: " + answer["error"]["message"])
        return answer["result"]


class Questions(Exception):
    def __init__(self, requests, request_state):
        super().__init__("questions")
        self.result = {
            "resultType": "input_required",
            "inputRequests": requests,
            "requestState": request_state,
        }


def echo(call, given):
    return text(given.get("message", ""))


def count(call, given):
    global counter
    with state:
        counter += 1
        return text(str(counter))


def run(call, given):
    """Leaves a line in a file each time it runs, then takes its time."""
    with open(given["file"], "a", encoding="utf-8") as file:
        file.write("ran\n")
    return text("ran") if call.wait(given.get("ms", 0) / 1000) else None


def nap(call, given):
    note("napping", id=call.ident)
    if given.get("deaf"):
        time.sleep(given["ms"] / 1000)
        note("late", id=call.ident)
        return text("slept")
    if not call.wait(given["ms"] / 1000):
        return None
    note("finished", id=call.ident)
    return text("slept")


def advance(call, given):
    """Progress again and again, perhaps for ever."""
    for step in range(1, given.get("steps", 1 << 30) + 1):
        call.progress(step, given.get("steps"), "step")
        if not call.wait(given.get("ms", 0) / 1000):
            return None
    return text("arrived")


def talk(call, given):
    log = {"level": given.get("level", "warning"), "logger": "faulty", "data": {"said": given.get("message", "")}}
    send({"method": "notifications/message", "params": log})
    return text("talked")


FORM = {
    "message": "Who?",
    "requestedSchema": {
        "type": "object",
        "properties": {"who": {"type": "string"}},
        "required": ["who"],
    },
}
SAMPLE = {
    "messages": [{"role": "user", "content": {"type": "text", "text": "Say something"}}],
    "maxTokens": 10,
}


def elicit(call, given):
    form = dict(FORM) if not call.modern else {"mode": "form", **FORM}
    answer = call.ask("elicitation/create", form)
    return text(answer["action"] + ":" + str(answer.get("content", {}).get("who")))


def twice(call, given):
    """Two questions, one after the other."""
    if call.modern:
        known = call.params.get("requestState", "")
        given = call.params.get("inputResponses", {})
        if not known:
            raise Questions({"one": {"method": "elicitation/create",
                                     "params": {"mode": "form", **FORM}}}, "1")
        if "two" not in given:
            who = given["one"]["content"]["who"]
            raise Questions({"two": {"method": "elicitation/create",
                                     "params": {"mode": "form", **FORM}}}, "2" + who)
        return text(known[1:] + "+" + given["two"]["content"]["who"])
    first = call.ask("elicitation/create", FORM)["content"]["who"]
    return text(first + "+" + call.ask("elicitation/create", FORM)["content"]["who"])


def sample(call, given):
    answer = call.ask("sampling/createMessage", {**SAMPLE, **given})
    return text(answer["content"]["text"])


def roots(call, given):
    answer = call.ask("roots/list", {})
    return text(",".join(root["uri"] for root in answer["roots"]))


def page(call, given):
    """Wants a page visited first, the way 2025-11-25 has it; afterwards it runs."""
    global counter
    with state:
        counter += 1
        first = counter == 1
    if first:
        visit = {"mode": "url", "elicitationId": "e1", "url": "https://example.com/x",
                 "message": "Please sign in"}
        over = {"method": "notifications/elicitation/complete", "params": {"elicitationId": "e1"}}
        threading.Timer(0.3, send, [over]).start()
        raise Refused(-32042, "visit a page first", {"elicitations": [visit]})
    return text("visited")


def big(call, given):
    return text("x" * given["bytes"])


def odd(call, given):
    """Members nobody knows and numbers nobody can hold."""
    raw = ('{"content":[{"type":"text","text":"odd","vendor":{"n":12345678901234567890123}}],'
           '"structuredContent":{"big":9007199254740993,"deep":{"list":[1.10,2e400]}},'
           '"x-unknown":[null,true],"_meta":{"vendor/key":"kept"}%s}')
    return Raw(raw % (',"resultType":"complete"' if call.modern else ""))


def given_back(call, given):
    return text(json.dumps({"arguments": given, "meta": call.meta}))


class Raw(str):
    pass


def fail(call, given):
    return text("it failed", isError=True)


def refuse(call, given):
    raise Refused(-32000, "refused by the server", {"why": "because"})


def die(call, given):
    note("dying")
    os._exit(3)


def half_close(call, given):
    """Closes standard output and stays alive."""
    with out:
        os.close(1)
    time.sleep(600)


def touch(call, given):
    global content
    content += 1
    if RESOURCE in subscribed:
        send({"method": "notifications/resources/updated", "params": {"uri": RESOURCE}})
    for ident, wanted in list(listens.items()):
        if RESOURCE in wanted.get("resourceSubscriptions", []):
            send({"method": "notifications/resources/updated",
                  "params": {"uri": RESOURCE, "_meta": {META + "subscriptionId": ident}}})
    return text(str(content))


def changed(method, wish):
    if options.era != "modern" and not listens:
        send({"method": method})
    for ident, wanted in list(listens.items()):
        if wanted.get(wish):
            send({"method": method, "params": {"_meta": {META + "subscriptionId": ident}}})


def grow(call, given):
    grown.append(given["name"])
    changed("notifications/tools/list_changed", "toolsListChanged")
    return text("grown")


def describe(call, given):
    described[given["name"]] = given["description"]
    changed("notifications/tools/list_changed", "toolsListChanged")
    return text("described")


def garbage(call, given):
    """Things on standard output that are no messages, then the answer."""
    for line in ["INFO starting up", "{not json", "[]", "\u0000\u0001", "42", '{"jsonrpc":"2.0"}']:
        write(line)
    send({"id": 987654, "result": {}})
    return text("still here")


def chatter(call, given):
    chunk = b"e" * 1023 + b"\n"
    for _ in range(given["bytes"] // len(chunk)):
        os.write(2, chunk)
    os.write(2, b"the last words\n")
    return text("chattered")


TOOLS = {
    "echo": echo, "count": count, "run": run, "nap": nap, "advance": advance, "talk": talk,
    "elicit": elicit, "twice": twice, "sample": sample, "roots": roots, "page": page, "big": big,
    "odd": odd, "given": given_back, "fail": fail, "refuse": refuse, "die": die,
    "half_close": half_close, "touch": touch, "grow": grow, "describe": describe,
    "garbage": garbage, "chatter": chatter,
}
SLOW = {run, nap, advance, elicit, twice, sample, roots, half_close, chatter}


def named():
    known = [name for name in TOOLS if not options.only or name in options.only]
    return known + options.extra_tool + grown


def definition(name):
    words = described.get(name, options.description if name == "echo" else "Does " + name)
    if name == "echo" and options.description_file:
        with open(options.description_file, encoding="utf-8") as file:
            words = file.read()
    tool = {"name": name, "description": words, "inputSchema": {"type": "object"}}
    if options.tasks != "no" and name in ("nap", "elicit", "count"):
        tool["execution"] = {"taskSupport": options.tasks}
    return tool


def listed(call, key, entries):
    more = {"ttlMs": 0, "cacheScope": "private"} if call.modern else {}
    return {key: entries, **more}


def tools_list(call):
    if happens("tools"):
        raise Refused(-32603, "the list is broken")
    return listed(call, "tools", [definition(name) for name in named()])


def resources_list(call):
    # Longer than a start waits for it.
    if happens("slow-resources") and not call.wait(4):
        return None
    return listed(call, "resources", [
        {"uri": RESOURCE, "name": "note", "mimeType": "text/plain", "description": "A note"}])


def tools_call(call):
    name, given = call.params["name"], call.params.get("arguments", {})
    note("call", tool=name)
    work = TOOLS.get(name, echo if name in named() else None)
    if work is None:
        raise Refused(-32602, "no tool " + name)
    return work(call, given)


def read(call):
    uri = call.params["uri"]
    note("read", uri=uri)
    if uri != RESOURCE:
        code = -32602 if call.modern else -32002
        raise Refused(code, "no such resource", {"uri": uri})
    return listed(call, "contents", [{"uri": uri, "mimeType": "text/plain",
                                      "text": "version %d" % content}])


def prompts_get(call):
    words = {"type": "text", "text": "prompt of " + options.name}
    return {"messages": [{"role": "user", "content": words}]}


def complete(call):
    return {"completion": {"values": [call.params["argument"]["value"] + "!"]}}


def capabilities():
    able = {
        "tools": {"listChanged": True},
        "resources": {"subscribe": not options.no_subscribe, "listChanged": True},
        "prompts": {}, "logging": {}, "completions": {},
    }
    if options.tasks != "no":
        if options.era == "legacy":
            able["tasks"] = {"cancel": {}, "list": {}, "requests": {"tools": {"call": {}}}}
        else:
            able["extensions"] = {META + "tasks": {}}
    return able


def initialize(call):
    if options.era == "modern":
        raise Refused(-32022, "no handshake here", {"supported": [MODERN]})
    asked = call.params["protocolVersion"]
    return {"protocolVersion": min(asked, options.revision), "capabilities": capabilities(),
            "serverInfo": {"name": options.name, "version": "1"},
            "instructions": "Be kind to " + options.name}


def discover(call):
    if options.era == "legacy":
        raise Refused(-32601, "no server/discover")
    supported = [MODERN] + ([options.revision] if options.era == "dual" else [])
    return {"supportedVersions": supported, "capabilities": capabilities(), "ttlMs": 0,
            "cacheScope": "private",
            "_meta": {META + "serverInfo": {"name": options.name, "version": "1"}}}


def subscribe(call):
    if options.no_subscribe:
        raise Refused(-32601, "no subscriptions")
    note("subscribe", uri=call.params["uri"])
    subscribed.add(call.params["uri"])
    return {}


def unsubscribe(call):
    note("unsubscribe", uri=call.params["uri"])
    subscribed.discard(call.params["uri"])
    return {}


def listen(call):
    wanted = call.params["notifications"]
    note("listen", wanted=wanted)
    listens[call.ident] = wanted
    send({"method": "notifications/subscriptions/acknowledged", "params": {
        "notifications": wanted, "_meta": {META + "subscriptionId": call.ident}}})


# Tasks: what 2025-11-25 and the extension of 2026-07-28 have in common is one table.

def task_view(ident, flat):
    task = tasks[ident]
    view = {"taskId": ident, "status": task["status"], "createdAt": "2026-01-01T00:00:00Z",
            "lastUpdatedAt": "2026-01-01T00:00:00Z"}
    view.update({"ttlMs": None, "pollIntervalMs": 50} if flat else {"ttl": None, "pollInterval": 50})
    if flat and task["status"] == "completed":
        view["result"] = task["result"]
    return view


def begin_task(call):
    ident = "task-%d-%d" % (os.getpid(), len(tasks))
    tasks[ident] = {"status": "working", "result": None}
    note("task", id=ident)

    def work():
        try:
            result = tools_call(call)
            status = "completed"
        except Refused as refused:
            result, status = text(refused.error["message"], isError=True), "completed"
        with state:
            if tasks[ident]["status"] == "working":
                tasks[ident].update(status=status, result=result)
            state.notify_all()

    threading.Thread(target=work, daemon=True).start()
    if call.modern:
        return {"resultType": "task", **task_view(ident, True)}
    return {"task": task_view(ident, False)}


def tasks_get(call):
    return task_view(call.params["taskId"], call.modern)


def tasks_result(call):
    ident = call.params["taskId"]
    with state:
        while tasks[ident]["status"] == "working":
            state.wait()
        return {**tasks[ident]["result"], "_meta": {META + "related-task": {"taskId": ident}}}


def tasks_cancel(call):
    ident = call.params["taskId"]
    note("task-cancel", id=ident)
    with state:
        tasks[ident].update(status="cancelled", result=text("cancelled", isError=True))
        state.notify_all()
    return {} if call.modern else task_view(ident, False)


METHODS = {
    "initialize": initialize, "server/discover": discover, "ping": lambda call: {},
    "tools/list": tools_list, "tools/call": tools_call, "resources/read": read,
    "resources/list": resources_list,
    "resources/templates/list": lambda call: listed(call, "resourceTemplates", [
        {"uriTemplate": "test://notes/{id}", "name": "notes"}]),
    "prompts/list": lambda call: listed(call, "prompts", [
        {"name": name, "arguments": [{"name": "topic"}]} for name in ["greet", *options.prompt]]),
    "prompts/get": prompts_get, "completion/complete": complete,
    "resources/subscribe": subscribe, "resources/unsubscribe": unsubscribe,
    "subscriptions/listen": listen, "logging/setLevel": lambda call: {},
    "tasks/get": tasks_get, "tasks/result": tasks_result, "tasks/cancel": tasks_cancel,
}


def answer(call, method):
    try:
        as_task = method == "tools/call" and (
            "task" in call.params if not call.modern else
            options.tasks != "no" and call.params["name"] in ("nap", "count")
            and META + "tasks" in call.meta.get(META + "clientCapabilities", {}).get("extensions", {}))
        result = begin_task(call) if as_task else METHODS[method](call)
    except Questions as questions:
        result = questions.result
    except Refused as refused:
        return send({"id": call.ident, "error": refused.error})
    if result is None:
        return None
    if isinstance(result, Raw):
        return write('{"jsonrpc":"2.0","id":%s,"result":%s}' % (json.dumps(call.ident), result))
    if call.modern and "resultType" not in result:
        result["resultType"] = "complete"
    return send({"id": call.ident, "result": result})


def take(message):
    method = message.get("method")
    if method is None:
        with state:
            answers[message["id"]] = message
            state.notify_all()
        return
    params = message.get("params", {})
    if "id" not in message:
        note("notified", method=method, id=params.get("requestId"))
        if method == "notifications/cancelled":
            with state:
                cancelled.add(params.get("requestId"))
                state.notify_all()
            listens.pop(params.get("requestId"), None)
        return
    note("asked", method=method, id=message["id"])
    if "hang" in options.fault or ("hang-calls" in options.fault and method == "tools/call"):
        return
    if method not in METHODS:
        send({"id": message["id"], "error": {"code": -32601, "message": "no " + method}})
        return
    call = Call(message["id"], params)
    slow = method == "tasks/result" or TOOLS.get(params.get("name")) in SLOW
    if slow:
        threading.Thread(target=answer, args=(call, method), daemon=True).start()
    else:
        answer(call, method)


def fork():
    """Leaves somebody behind who wants to outlive us."""
    behind = [sys.executable, "-c", "import time; time.sleep(600)", str(options.journal)]
    if options.fork == "setsid":
        subprocess.Popen(behind, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         start_new_session=True)
    elif options.fork == "daemon" and os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execv(behind[0], behind)
        os._exit(0)


note("start")
fork()
if options.start_ms:
    time.sleep(options.start_ms / 1000)
if happens("exit"):
    sys.stderr.write("no configuration found\n")
    sys.exit(2)
if "banner" in options.fault:
    write("Welcome to faulty 1.0!\n*** listening on stdio ***\n\n{\"level\":\"info\"}")
if "only-garbage" in options.fault:
    while True:
        write("nothing but noise " + "#" * 100)
        time.sleep(0.01)
while options.stderr_bytes > 0:
    options.stderr_bytes -= os.write(2, b"noise " * 1000)
for line in sys.stdin.buffer:
    if line.strip():
        try:
            take(json.loads(line))
        except KeyError as missing:
            note("missing", key=str(missing))
note("end of input")
