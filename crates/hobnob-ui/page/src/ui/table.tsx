// A table that is a list of cards on narrow screens. Rows that open have a button in their first
// cell; the arrow keys move between them. It never shows more than `max` rows.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

export type Column<Row> = {
  id: string;
  title: string;
  cell: (row: Row) => ComponentChildren;
  /** Right-aligned, with digits of one width. */
  numeric?: boolean;
  /** Gives the value to sort by; without it, the column cannot be sorted by. */
  sort?: (row: Row) => number | string;
  /** Takes the space that is left. */
  wide?: boolean;
  /** In a table of `compact` rows, narrow screens show only these columns. */
  narrow?: boolean;
};

type Props<Row> = {
  /** What the table lists, for those who cannot see it. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string | number;
  /** A click or Enter on a row. */
  onOpen?: (row: Row) => void;
  /** The key of the row that is open. */
  opened?: string | number | null;
  /** Shown in place of an empty table. */
  empty?: ComponentChildren;
  max?: number;
  /** On narrow screens, a row is one line that opens, and no card. */
  compact?: boolean;
  /** The column that sorts at first. */
  sortBy?: { id: string; down: boolean };
};

const MAX_ROWS = 200;

export function Table<Row>(props: Props<Row>) {
  const { label, columns, rows, rowKey, onOpen, opened = null, empty, max = MAX_ROWS, compact = false } = props;
  const [order, setOrder] = useState(props.sortBy ?? null);
  if (rows.length === 0 && empty !== undefined) return <>{empty}</>;
  const shown = sorted(rows, columns, order).slice(0, max);
  const turn = (id: string) => setOrder({ id, down: order?.id === id ? !order.down : true });
  return (
    <div class="table-frame">
      <table role="table" class={compact ? "table compact" : "table"} aria-label={label} onKeyDown={moveFocus}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <Heading key={column.id} column={column} order={order} onTurn={() => turn(column.id)} />
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {shown.map((row) => (
            <Line
              key={rowKey(row)}
              row={row}
              columns={columns}
              onOpen={onOpen}
              open={onOpen !== undefined && rowKey(row) === opened}
            />
          ))}
        </tbody>
      </table>
      {shown.length < rows.length && (
        <p class="quiet small">
          {shown.length} of {rows.length.toLocaleString("en-US")} rows are shown.
        </p>
      )}
    </div>
  );
}

function Heading<Row>(props: {
  column: Column<Row>;
  order: { id: string; down: boolean } | null;
  onTurn: () => void;
}) {
  const { column, order, onTurn } = props;
  const direction = order?.id === column.id ? (order.down ? "descending" : "ascending") : undefined;
  return (
    <th role="columnheader" scope="col" class={cellClass(column)} aria-sort={column.sort ? (direction ?? "none") : undefined}>
      {column.sort ? (
        <button type="button" class="sort" onClick={onTurn}>
          {column.title}
          <span aria-hidden="true">{direction === undefined ? "" : direction === "descending" ? " ↓" : " ↑"}</span>
        </button>
      ) : (
        column.title
      )}
    </th>
  );
}

function Line<Row>(props: {
  row: Row;
  columns: readonly Column<Row>[];
  onOpen: ((row: Row) => void) | undefined;
  open: boolean;
}) {
  const { row, columns, onOpen, open } = props;
  return (
    <tr role="row" class={onOpen ? (open ? "opens open" : "opens") : undefined} onClick={onOpen && (() => onOpen(row))}>
      {columns.map((column, index) => (
        <td role="cell" key={column.id} class={cellClass(column)} data-label={column.title}>
          {index === 0 && onOpen ? (
            <button type="button" class="row-open" aria-expanded={open}>
              {column.cell(row)}
            </button>
          ) : (
            column.cell(row)
          )}
        </td>
      ))}
    </tr>
  );
}

function cellClass<Row>(column: Column<Row>): string | undefined {
  const kind = column.numeric ? "numeric" : column.wide ? "wide" : "";
  const names = column.narrow ? `${kind} narrow`.trim() : kind;
  return names === "" ? undefined : names;
}

function sorted<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  order: { id: string; down: boolean } | null,
): readonly Row[] {
  const by = columns.find((column) => column.id === order?.id)?.sort;
  if (!by || !order) return rows;
  const sign = order.down ? -1 : 1;
  return [...rows].sort((left, right) => {
    const a = by(left);
    const b = by(right);
    return a === b ? 0 : (a < b ? -1 : 1) * sign;
  });
}

function moveFocus(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step === 0 || !(event.target instanceof HTMLElement) || !event.target.matches(".row-open")) return;
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>(".row-open")];
  const next = buttons[buttons.indexOf(event.target) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
