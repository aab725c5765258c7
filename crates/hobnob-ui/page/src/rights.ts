// Whose session this is. The hub refuses what is not theirs in any case; the page does not offer it.

import { computed } from "@preact/signals";
import { session } from "./api.ts";

/** Whether the owner of the hub looks at the page; false while there is no session. */
export const isOwner = computed(() => session.value.phase === "open" && session.value.session.rights === "owner");
