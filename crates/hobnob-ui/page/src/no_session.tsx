// What the page shows in place of the hub while it has no session: why, and how to go on.
// What must stay true: nothing of the hub is shown here.

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { openSession, reopened, signInWays, type SessionState, type Without } from "./api.ts";
import { visible } from "./format.ts";
import { SignIn } from "./sign_in.tsx";
import { Command } from "./ui/notes.tsx";

const TITLES: Record<Without, string> = {
  "link-needed": "This page opens with a link from hobnob ui",
  "link-refused": "This link does not open the page",
  over: "This page's session has ended",
  left: "You have left",
};

const triedInVain = signal(false);

async function goOn(): Promise<void> {
  triedInVain.value = !(await reopened());
}

/** `kept` says that the person's page is still there, hidden, with what was typed in it. */
export function NoSession({ state, kept }: { state: Extract<SessionState, { phase: "ended" }>; kept: boolean }) {
  const { why, reason } = state;
  const canSignIn = signInWays.value.length > 0;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = "No session · Hobnob";
    triedInVain.value = false;
    heading.current?.focus();
  }, [why]);
  return (
    <main class="alone">
      <h1 tabIndex={-1} ref={heading}>
        {canSignIn && why === "link-needed" ? "Sign in to this hub" : TITLES[why]}
      </h1>
      {reason !== "" && <p class="quiet">{visible(reason)}</p>}
      {canSignIn && <SignIn />}
      <p>{canSignIn ? "The owner of the hub opens the page on its machine instead:" : why === "link-needed" ? "Run this at a terminal; it opens the page:" : "To open the page again, run this at a terminal:"}</p>
      <Command command="hobnob ui" />
      {kept && <p>What you have typed is kept: once the page is open again in this browser, this tab goes on where it was.</p>}
      {why !== "left" && (
        <p class="actions">
          <button type="button" onClick={() => void goOn()}>
            {kept ? "Go on here" : "It is open in another tab"}
          </button>
          <span role="status" class="quiet">
            {triedInVain.value && "This browser has no session yet."}
          </span>
        </p>
      )}
    </main>
  );
}

export function NoHub({ reason }: { reason: string }) {
  useEffect(() => {
    document.title = "No answer · Hobnob";
  }, []);
  return (
    <main class="alone">
      <h1>The hub does not answer</h1>
      <p class="quiet">{reason}</p>
      <p>To start it and open this page:</p>
      <Command command="hobnob ui" />
      <button type="button" onClick={() => void openSession()}>
        Try again
      </button>
    </main>
  );
}
