// The pages in the order in which people need them.

import { computed, type ReadonlySignal } from "@preact/signals";
import type { ComponentType } from "preact";
import Audit from "./pages/audit.tsx";
import Health from "./pages/health.tsx";
import Memory from "./pages/memory.tsx";
import Now from "./pages/now.tsx";
import OwnAccess from "./pages/principal/access.tsx";
import OwnHealth from "./pages/principal/health.tsx";
import OwnServers from "./pages/principal/servers.tsx";
import OwnWaiting from "./pages/principal/waiting.tsx";
import Recorder from "./pages/recorder.tsx";
import { isRecording } from "./pages/recorder/light.tsx";
import Rules from "./pages/rules.tsx";
import Servers from "./pages/servers.tsx";
import Tasks from "./pages/tasks.tsx";
import Tools from "./pages/tools.tsx";
import Trees from "./pages/trees.tsx";
import Usage from "./pages/usage.tsx";
import Waiting from "./pages/waiting.tsx";
import { isOwner } from "./rights.ts";
import { waitingCount } from "./state.ts";
import type { IconName } from "./ui/icons.tsx";

export type PageEntry = {
  id: string;
  title: string;
  icon: IconName;
  /** A number beside the title; nothing is shown for 0. */
  badge?: ReadonlySignal<number>;
  /** The navigation shows the part only while this is true. */
  onlyWhile?: ReadonlySignal<boolean>;
  view: ComponentType;
  /** What a principal who is not the owner gets in its place; nothing if it is left out. */
  forPrincipal?: { title?: string; view: ComponentType };
};

const PARTS: readonly [PageEntry, ...PageEntry[]] = [
  { id: "now", title: "Now", icon: "now", view: Now, forPrincipal: { view: Now } },
  { id: "waiting", title: "Waiting for you", icon: "waiting", badge: waitingCount, view: Waiting, forPrincipal: { title: "Waiting", view: OwnWaiting } },
  { id: "servers", title: "Servers", icon: "servers", view: Servers, forPrincipal: { view: OwnServers } },
  { id: "tools", title: "Tools", icon: "tools", view: Tools, forPrincipal: { view: Tools } },
  { id: "usage", title: "Usage", icon: "usage", view: Usage, forPrincipal: { view: Usage } },
  { id: "memory", title: "Memory", icon: "memory", view: Memory, forPrincipal: { view: Memory } },
  { id: "tasks", title: "Tasks", icon: "tasks", view: Tasks, forPrincipal: { view: Tasks } },
  { id: "trees", title: "Trees", icon: "trees", view: Trees, forPrincipal: { view: Trees } },
  { id: "audit", title: "Audit", icon: "audit", view: Audit, forPrincipal: { view: Audit } },
  { id: "rules", title: "Grants and rules", icon: "rules", view: Rules, forPrincipal: { title: "Your access", view: OwnAccess } },
  { id: "health", title: "Health", icon: "health", view: Health, forPrincipal: { view: OwnHealth } },
  { id: "recorder", title: "Recorder", icon: "recorder", onlyWhile: isRecording, view: Recorder },
];

/** The pages that the holder of the session gets. */
export const pages = computed((): readonly [PageEntry, ...PageEntry[]] => {
  if (isOwner.value) return PARTS;
  const own = PARTS.flatMap(({ forPrincipal, ...part }) => (forPrincipal === undefined ? [] : [{ ...part, ...forPrincipal }]));
  const [first, ...others] = own;
  return first === undefined ? [PARTS[0]] : [first, ...others];
});
