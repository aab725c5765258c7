// The pages in the order in which people need them.

import type { ReadonlySignal } from "@preact/signals";
import type { ComponentType } from "preact";
import Audit from "./pages/audit.tsx";
import Health from "./pages/health.tsx";
import Memory from "./pages/memory.tsx";
import Now from "./pages/now.tsx";
import Recorder from "./pages/recorder.tsx";
import { isRecording } from "./pages/recorder/light.tsx";
import Rules from "./pages/rules.tsx";
import Servers from "./pages/servers.tsx";
import Tasks from "./pages/tasks.tsx";
import Tools from "./pages/tools.tsx";
import Trees from "./pages/trees.tsx";
import Usage from "./pages/usage.tsx";
import Waiting from "./pages/waiting.tsx";
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
};

export const PAGES: readonly [PageEntry, ...PageEntry[]] = [
  { id: "now", title: "Now", icon: "now", view: Now },
  { id: "waiting", title: "Waiting for you", icon: "waiting", badge: waitingCount, view: Waiting },
  { id: "servers", title: "Servers", icon: "servers", view: Servers },
  { id: "tools", title: "Tools", icon: "tools", view: Tools },
  { id: "usage", title: "Usage", icon: "usage", view: Usage },
  { id: "memory", title: "Memory", icon: "memory", view: Memory },
  { id: "tasks", title: "Tasks", icon: "tasks", view: Tasks },
  { id: "trees", title: "Trees", icon: "trees", view: Trees },
  { id: "audit", title: "Audit", icon: "audit", view: Audit },
  { id: "rules", title: "Grants and rules", icon: "rules", view: Rules },
  { id: "health", title: "Health", icon: "health", view: Health },
  { id: "recorder", title: "Recorder", icon: "recorder", onlyWhile: isRecording, view: Recorder },
];
