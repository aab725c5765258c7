// Keeps a keyboard user's place: when the element with the focus is removed or hidden, the focus goes
// on at the heading of the page and not at the top of the window.

/** Watches `area` until the returned function is called. */
export function keepFocus(area: HTMLElement): () => void {
  let last: HTMLElement | null = null;
  const entered = ({ target }: FocusEvent) => {
    last = target instanceof HTMLElement ? target : null;
  };
  // A person who clicks beside everything has left the element on purpose.
  const pressed = () => {
    last = null;
  };
  const check = () => {
    if (last === null || (last.isConnected && last.getClientRects().length > 0)) return;
    if (document.activeElement !== document.body && document.activeElement !== null && document.activeElement !== last) return;
    last = null;
    focusHeading();
  };
  const removed = new MutationObserver(check);
  removed.observe(area, { childList: true, subtree: true, attributes: true, attributeFilter: ["class", "hidden"] });
  area.addEventListener("focusin", entered);
  document.addEventListener("pointerdown", pressed, true);
  return () => {
    removed.disconnect();
    area.removeEventListener("focusin", entered);
    document.removeEventListener("pointerdown", pressed, true);
  };
}

/** The heading of the page that is shown. */
export function focusHeading(): void {
  document.getElementById("page-title")?.focus({ preventScroll: true });
}
