// The form with which a principal of the hub signs in: a user name and a password where the hub has
// users, or an access token. Both are sent once and kept nowhere.

import { useState } from "preact/hooks";
import { errorText, signIn, signInWays, type SignInProof } from "./api.ts";
import type { SignInWay } from "./types.ts";
import { ErrorNote } from "./ui/notes.tsx";

type Signing = { phase: "none" } | { phase: "sent" } | { phase: "refused"; message: string };

const OTHER_WAY: Record<SignInWay, string> = {
  password: "Sign in with your user name",
  token: "Use an access token instead",
};

export function SignIn() {
  const ways = signInWays.value;
  const [chosen, choose] = useState<SignInWay | null>(null);
  const [state, setState] = useState<Signing>({ phase: "none" });
  const way = chosen ?? ways[0] ?? "token";
  const submit = async (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    const form = event.currentTarget;
    const secret = field(form, way);
    const proof = proofOf(form, way);
    if (proof === null) return secret.focus();
    // The secret stays in no field, whatever the hub says to it.
    secret.value = "";
    setState({ phase: "sent" });
    try {
      await signIn(proof);
    } catch (error) {
      setState({ phase: "refused", message: errorText(error) });
      secret.focus();
    }
  };
  const other = ways.find((it) => it !== way);
  return (
    <form class="sign-in" onSubmit={submit} aria-label="Sign in">
      {way === "password" ? <PasswordFields /> : <TokenField />}
      {state.phase === "refused" && <ErrorNote message={state.message} />}
      <p class="actions">
        <button type="submit" class="primary" disabled={state.phase === "sent"}>
          {state.phase === "sent" ? "Signing in …" : "Sign in"}
        </button>
        {other !== undefined && (
          <button type="button" onClick={() => (choose(other), setState({ phase: "none" }))}>
            {OTHER_WAY[other]}
          </button>
        )}
      </p>
    </form>
  );
}

function PasswordFields() {
  return (
    <>
      <label class="field">
        <span>User name</span>
        <input name="name" autocomplete="username" autocapitalize="none" spellcheck={false} required maxLength={64} />
      </label>
      <label class="field">
        <span>Password</span>
        <input type="password" name="password" autocomplete="current-password" required maxLength={1024} />
      </label>
      <p class="quiet small">As on the login page of this hub. You see what is yours, for 12 hours or until you leave.</p>
    </>
  );
}

function TokenField() {
  return (
    <>
      <label class="field">
        <span>Access token</span>
        <input type="password" name="token" autocomplete="off" spellcheck={false} required maxLength={8192} />
      </label>
      <p class="quiet small">The token that your assistants use for this hub. You see what is yours, until you leave or the token ends.</p>
    </>
  );
}

function field(form: HTMLFormElement, name: string): HTMLInputElement {
  return form.elements.namedItem(name) as HTMLInputElement;
}

/** What the person typed; null if something is missing. Spaces may be part of a password. */
function proofOf(form: HTMLFormElement, way: SignInWay): SignInProof | null {
  if (way === "token") {
    const token = field(form, "token").value.trim();
    return token === "" ? null : { token };
  }
  const name = field(form, "name").value.trim();
  const password = field(form, "password").value;
  return name === "" || password === "" ? null : { user: { name, password } };
}
