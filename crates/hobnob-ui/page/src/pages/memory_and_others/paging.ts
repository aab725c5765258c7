// Follows cursors until enough entries are read. A list that is longer says that there is more.

export type Part<T> = { items: T[]; next: string | undefined };

export type Collected<T> = { items: T[]; more: boolean };

/** Reads parts until at least `wanted` entries are there, or the list ends. */
export async function collected<T>(
  wanted: number,
  read: (cursor: string | undefined) => Promise<Part<T>>,
): Promise<Collected<T>> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const part: Part<T> = await read(cursor);
    items.push(...part.items);
    // A part without entries cannot bring the list further.
    cursor = part.items.length === 0 ? undefined : part.next;
  } while (cursor !== undefined && items.length < wanted);
  return { items, more: cursor !== undefined };
}
