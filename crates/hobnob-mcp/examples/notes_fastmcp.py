"""Notes: state, two tools, a template, a prompt and a question, with FastMCP on standard input and output."""

from typing import Annotated

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ResourceError, ToolError
from pydantic import BaseModel, Field

mcp = FastMCP("notes", version="1.0.0")
notes: dict[str, str] = {}


class Count(BaseModel):
    count: Annotated[int, Field(description="How many notes there are now")]


class Confirmation(BaseModel):
    confirmed: Annotated[bool, Field(description="Whether to delete it")]


Name = Annotated[str, Field(description="The name of the note")]


@mcp.tool
def add(name: Name, text: Annotated[str, Field(description="The text of the note")]) -> Count:
    """Adds a note under a name"""
    notes[name] = text
    return Count(count=len(notes))


@mcp.tool
async def delete(name: Name, ctx: Context) -> str:
    """Deletes a note, if the user agrees"""
    if name not in notes:
        raise ToolError(f"there is no note {name}")
    answer = await ctx.elicit(f"Delete {name}?", Confirmation)
    if answer.action != "accept" or not answer.data.confirmed:
        return "kept"
    del notes[name]
    return "deleted"


@mcp.resource("notes://{name}", name="note", mime_type="text/plain")
def note(name: str) -> str:
    """A note by its name"""
    if name not in notes:
        raise ResourceError(f"there is no note {name}")
    return notes[name]


@mcp.prompt
def summarize(name: Name, words: Annotated[int, Field(description="At most this many words")]) -> str:
    """Asks for a summary of a note"""
    if name not in notes:
        raise ValueError(f"there is no note {name}")
    return f"Summarize in at most {words} words: {notes[name]}"


if __name__ == "__main__":
    mcp.run(show_banner=False)
