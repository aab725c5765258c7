// Starts the page: theme, address, session, then the live stream.

import "./styles/base.css";
import "./styles/frame.css";
import "./styles/parts.css";
import "./styles/views.css";
import { effect } from "@preact/signals";
import { render } from "preact";
import { followOtherTabs, openSession, session } from "./api.ts";
import { App } from "./app.tsx";
import { listen, stopListening } from "./live.ts";
import { startRouter } from "./router.ts";
import { startClock } from "./ui/clock.ts";
import { startTheme } from "./ui/theme.ts";

startTheme();
// The link leaves the address before the router reads it.
const opening = openSession();
startRouter();
startClock();
followOtherTabs();
effect(() => {
  if (session.value.phase === "open") listen();
  else stopListening();
});
render(<App />, document.body);
await opening;
