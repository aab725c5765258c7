// Which pages of logins a person may be sent to. Pure.

import { linkOf } from "../../result/safe.ts";

/** The address of a page that may be opened: encrypted, or on this machine. */
export function loginLink(page: string): string | null {
  const link = linkOf(page);
  if (link === null) return null;
  const { protocol, hostname } = new URL(link);
  const local = ["127.0.0.1", "localhost", "[::1]"].includes(hostname);
  return protocol === "https:" || local ? link : null;
}
