// The result of a tool, rendered: text with links, images, tables of structured data, the rest as JSON.
// What must stay true: nothing in it is ever read as HTML.

import type { ComponentChildren } from "preact";
import { visible } from "../format.ts";
import { prettyJson, showJson } from "../json_text.ts";
import type { ContentBlock, Json, ToolResult } from "../types.ts";
import { Badge, type Column, Foreign, Table } from "../ui/index.ts";
import { type Grid, gridOf, imageUri, linkOf, pieces } from "./safe.ts";

const MAX_CHARS = 200_000;
const MAX_BLOCKS = 100;

export function ResultView({ result }: { result: ToolResult }) {
  const blocks = Array.isArray(result.content) ? result.content : [];
  const grid = gridOf(result.structuredContent);
  const structured = result.structuredContent;
  return (
    <div class="stack">
      {result.isError === true && (
        <p>
          <Badge tone="bad">The tool says that it failed</Badge>
        </p>
      )}
      {grid && <GridTable grid={grid} />}
      {blocks.slice(0, MAX_BLOCKS).map((block, index) => (
        <Block key={index} block={block} />
      ))}
      {MAX_BLOCKS < blocks.length && <p class="quiet">{blocks.length - MAX_BLOCKS} more blocks are in the raw answer.</p>}
      {structured !== undefined && !grid && (
        <>
          <h3>Structured content</h3>
          <Pre label="Structured content">{showJson(structured).slice(0, MAX_CHARS)}</Pre>
        </>
      )}
      {blocks.length === 0 && structured === undefined && <p class="quiet">The result is empty.</p>}
    </div>
  );
}

function Pre({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <pre class="text" tabIndex={0} role="group" aria-label={label}>
      {children}
    </pre>
  );
}

function Block({ block }: { block: ContentBlock }) {
  switch (block.type) {
    case "text":
      return <LinkedText text={typeof block["text"] === "string" ? block["text"] : ""} />;
    case "image": {
      const uri = imageUri(block["mimeType"], block["data"]);
      if (uri === null) return <p class="quiet">An image of a kind that is not shown: <Foreign text={String(block["mimeType"])} /></p>;
      return <img class="result-image" src={uri} alt="Image in the result" />;
    }
    case "resource_link":
      return (
        <p>
          Resource <Foreign text={typeof block["name"] === "string" ? block["name"] : null} />: <Uri uri={block["uri"]} />
        </p>
      );
    case "resource":
      return <Embedded resource={block["resource"]} />;
    default:
      return <Pre label={`Block ${visible(String(block.type))}`}>{showJson(block).slice(0, 5000)}</Pre>;
  }
}

function Embedded({ resource }: { resource: Json | undefined }) {
  if (typeof resource !== "object" || resource === null || Array.isArray(resource)) return null;
  const image = imageUri(resource["mimeType"], resource["blob"]);
  return (
    <div class="stack">
      <p>
        Resource <Uri uri={resource["uri"]} />
      </p>
      {typeof resource["text"] === "string" && <LinkedText text={resource["text"]} />}
      {image !== null && <img class="result-image" src={image} alt="Image in the result" />}
    </div>
  );
}

function Uri({ uri }: { uri: Json | undefined }) {
  if (typeof uri !== "string") return <Foreign text={null} />;
  return linkOf(uri) === null ? <span class="mono"><Foreign text={uri} max={1000} /></span> : <Link address={uri} />;
}

function Link({ address }: { address: string }) {
  return (
    <a href={linkOf(address) ?? undefined} rel="noopener noreferrer" target="_blank">
      {address}
    </a>
  );
}

/** Text as it is; JSON is broken into lines, addresses can be followed. */
function LinkedText({ text }: { text: string }) {
  const cut = text.slice(0, MAX_CHARS);
  const json = text.length <= MAX_CHARS && /^\s*[[{]/.test(text);
  const shown = json ? prettyJson(cut) : cut.replaceAll("\r\n", "\n");
  return (
    <>
      <Pre label="Text of the result">
        {pieces(shown).map((piece, index) => (piece.kind === "link" ? <Link key={index} address={piece.text} /> : visible(piece.text)))}
      </Pre>
      {cut.length < text.length && <p class="quiet small">The first {MAX_CHARS.toLocaleString("en-US")} of {text.length.toLocaleString("en-US")} characters.</p>}
    </>
  );
}

function GridTable({ grid }: { grid: Grid }) {
  type Row = { index: number; cells: Record<string, Json> };
  const rows = grid.rows.map((cells, index): Row => ({ index, cells }));
  const own = (row: Row, name: string) => (Object.hasOwn(row.cells, name) ? row.cells[name] : undefined);
  const columns = grid.columns.map((name): Column<Row> => {
    const numeric = grid.rows.every((row) => typeof row[name] === "number" || row[name] === undefined || row[name] === null);
    return {
      id: name,
      title: visible(name),
      numeric,
      cell: (row) => {
        const value = own(row, name);
        return value === undefined || value === null ? <span class="quiet">–</span> : <Foreign text={String(value)} />;
      },
      sort: (row) => {
        const value = own(row, name);
        return numeric ? Number(value ?? Number.NEGATIVE_INFINITY) : String(value ?? "");
      },
    };
  });
  return <Table label="Structured content" columns={columns} rows={rows} rowKey={(row) => row.index} />;
}
