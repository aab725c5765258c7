// Logs in to a server: the hub names the page of the login, the person opens it in a new tab, and the
// hub says how it ended. What must stay true: no page opens without the person's click, and only one
// that is encrypted or on this machine.

import { useEffect, useState } from "preact/hooks";
import { errorText } from "../../api.ts";
import { Badge, Command, ErrorNote, Foreign } from "../../ui/index.ts";
import { beginLogin, logOut, loginProgress } from "./changes.ts";
import { loginLink } from "./login_link.ts";

type Step =
  | { phase: "none" }
  | { phase: "asking" }
  | { phase: "open"; page: string }
  | { phase: "done" }
  | { phase: "failed"; message: string };

export function Login({ server, how }: { server: string; how: string }) {
  const [step, setStep] = useState<Step>({ phase: "none" });
  const begin = async () => {
    setStep({ phase: "asking" });
    try {
      const { page } = await beginLogin(server);
      if (page === null) setStep({ phase: "done" });
      else if (loginLink(page) === null) setStep({ phase: "failed", message: "The server names a login page that cannot be opened safely." });
      else setStep({ phase: "open", page });
    } catch (error) {
      setStep({ phase: "failed", message: errorText(error) });
    }
  };
  const page = step.phase === "open" ? step.page : null;
  useEffect(() => {
    if (page === null) return;
    const stop = new AbortController();
    void follow(server, stop.signal, setStep);
    return () => stop.abort();
  }, [server, page]);
  const link = page === null ? null : loginLink(page);
  return (
    <div class="stack">
      {step.phase === "failed" && <ErrorNote message={step.message} />}
      {link !== null && (
        <>
          <p class="login-page">
            <a class="button primary" href={link} target="_blank" rel="noopener noreferrer">
              Open the login page
            </a>{" "}
            at <Foreign text={new URL(link).host} max={200} />
          </p>
          <p role="status" class="quiet">
            Waiting until you have logged in there … This page goes on by itself.
          </p>
        </>
      )}
      {step.phase === "done" && <p role="status">You are logged in; the server is used with your login now.</p>}
      {(step.phase === "none" || step.phase === "asking" || step.phase === "failed") && (
        <div class="actions">
          <button type="button" class="primary" disabled={step.phase === "asking"} onClick={() => void begin()}>
            {step.phase === "asking" ? "Asking the server …" : step.phase === "failed" ? "Try again to log in" : "Log in"}
            <span class="hidden"> to {server}</span>
          </button>
          <span class="quiet small">
            or at a terminal: <Command command={how} />
          </span>
        </div>
      )}
    </div>
  );
}

/** Asks for the end of the login; each request waits for a while. */
async function follow(server: string, stop: AbortSignal, show: (step: Step) => void): Promise<void> {
  while (!stop.aborted) {
    try {
      const progress = await loginProgress(server, stop);
      if (stop.aborted) return;
      if (progress.state === "waiting") continue;
      if (progress.state === "done") show({ phase: "done" });
      else show({ phase: "failed", message: progress.state === "failed" ? progress.why : "The login was interrupted; begin it again." });
    } catch (error) {
      if (!stop.aborted) show({ phase: "failed", message: errorText(error) });
    }
    return;
  }
}

/** A card of “Waiting for you”. */
export function LoginCard({ server, reason, how }: { server: string; reason: string; how: string }) {
  return (
    <section class="panel card" aria-label={`Login: ${server}`}>
      <header>
        <Badge tone="warn">Login</Badge>
        <h2>
          <Foreign text={server} /> needs you to log in
        </h2>
      </header>
      {reason !== "" && (
        <p>
          <Foreign text={reason} max={2000} />
        </p>
      )}
      <Login server={server} how={how} />
    </section>
  );
}

/** Stays when the login is over, since it says how that went. */
export function LogOut({ server, loggedIn }: { server: string; loggedIn: boolean }) {
  const [said, setSaid] = useState<{ bad: boolean; words: string } | null>(null);
  const [busy, setBusy] = useState(false);
  const end = async () => {
    setBusy(true);
    try {
      setSaid({ bad: false, words: (await logOut(server)).said });
    } catch (error) {
      setSaid({ bad: true, words: errorText(error) });
    }
    setBusy(false);
  };
  return (
    <>
      {loggedIn && (
        <button type="button" disabled={busy} onClick={() => void end()}>
          Log out
        </button>
      )}
      {said !== null && (
        <span role="status" class={said.bad ? "bad-text" : "quiet"}>
          <Foreign text={said.words} max={400} />
        </span>
      )}
    </>
  );
}
