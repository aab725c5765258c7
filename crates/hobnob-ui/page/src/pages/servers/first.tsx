// What other parts say while no server is configured: where the first one is added.

import { href } from "../../router.ts";
import { isOwner } from "../../rights.ts";
import { known, status } from "../../state.ts";
import { Note } from "../../ui/index.ts";

export function AddFirstServer() {
  if (!isOwner.value || !known.value || status.value?.servers.length !== 0) return null;
  return (
    <Note>
      <span>
        No server is configured, so there are only Hobnob's own tools. <a href={href("servers")}>Add your first server</a>
      </span>
    </Note>
  );
}
