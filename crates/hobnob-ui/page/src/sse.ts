// Server-sent events from bytes: the part of the format that a hub sends. Pure.

export type ServerEvent = { id: string | null; event: string; data: string };

/** The longest event that is kept; a hub's largest is a state of 500 calls. */
const MAX_EVENT_CHARS = 16 << 20;

export class EventParser {
  #rest = "";
  #event = "";
  #data: string[] = [];
  #id: string | null = null;
  #chars = 0;

  /** Takes a piece of the stream and gives the events that are complete with it. */
  push(piece: string): ServerEvent[] {
    const text = this.#rest + piece;
    // A CR at the end may be half a CRLF: it waits for the next piece.
    const end = text.endsWith("\r") ? text.length - 1 : text.length;
    const lines = text.slice(0, end).split(/\r\n|\n|\r/);
    this.#rest = (lines.pop() ?? "") + text.slice(end);
    if (MAX_EVENT_CHARS < this.#rest.length) throw new Error("an event of the hub is too long");
    const events: ServerEvent[] = [];
    for (const line of lines) {
      const event = this.#line(line);
      if (event) events.push(event);
    }
    return events;
  }

  #line(line: string): ServerEvent | null {
    if (line === "") return this.#complete();
    if (line.startsWith(":")) return null;
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const raw = colon < 0 ? "" : line.slice(colon + 1);
    const value = raw.startsWith(" ") ? raw.slice(1) : raw;
    if (field === "event") this.#event = value;
    else if (field === "id") this.#id = value;
    else if (field === "data") {
      this.#chars += value.length;
      if (MAX_EVENT_CHARS < this.#chars) throw new Error("an event of the hub is too long");
      this.#data.push(value);
    }
    return null;
  }

  #complete(): ServerEvent | null {
    const event =
      this.#data.length === 0
        ? null
        : { id: this.#id, event: this.#event || "message", data: this.#data.join("\n") };
    this.#event = "";
    this.#data = [];
    this.#chars = 0;
    return event;
  }
}
