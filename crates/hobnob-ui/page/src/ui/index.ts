// The components that every page uses, in one place to import from.

export { CallPath } from "./call_path.tsx";
export { clock, useSampled } from "./clock.ts";
export { Confirm, Dialog } from "./dialog.tsx";
export { Icon, type IconName } from "./icons.tsx";
export { keptSwitch } from "./kept.ts";
export { Command, CopyButton, Empty, ErrorNote, Loading, Note, Skeleton } from "./notes.tsx";
export { Page, Panel, SearchField } from "./page.tsx";
export { type Column, Table } from "./table.tsx";
export { type Tab, Tabs } from "./tabs.tsx";
export { cssColor, theme } from "./theme.ts";
export { type Fetched, useFetch } from "./use_fetch.ts";
export { useRemembered } from "./use_remembered.ts";
export { Badge, Bytes, Duration, Facts, Foreign, Outcome, Text, TimeOfDay, When } from "./values.tsx";
