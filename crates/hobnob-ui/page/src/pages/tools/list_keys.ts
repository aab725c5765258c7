// The keys of the list of tools: down from the search field into the list, up and down in it, back to
// the field with Escape. Enter opens, as on every link.

export function moveInList(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const { target, currentTarget: list, key } = event;
  if (!(target instanceof HTMLElement) || event.altKey || event.ctrlKey || event.metaKey) return;
  const items = [...list.querySelectorAll<HTMLElement>("[data-item]")];
  const field = list.querySelector<HTMLElement>("[data-search]");
  const at = items.indexOf(target);
  if (at < 0 && target !== field) return;
  const next = nextItem(key, at, items, field);
  if (!next) return;
  event.preventDefault();
  next.focus();
}

function nextItem(key: string, at: number, items: readonly HTMLElement[], field: HTMLElement | null) {
  if (key === "ArrowDown") return items[at + 1];
  if (at < 0) return undefined;
  switch (key) {
    case "ArrowUp":
      return at === 0 ? field : items[at - 1];
    case "Home":
      return items[0];
    case "End":
      return items.at(-1);
    case "Escape":
      return field;
    default:
      return undefined;
  }
}
