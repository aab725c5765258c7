// The form with which a principal of the hub signs in: an access token, sent once and kept nowhere.

import { useState } from "preact/hooks";
import { errorText, signIn } from "./api.ts";
import { ErrorNote } from "./ui/notes.tsx";

type Signing = { phase: "none" } | { phase: "sent" } | { phase: "refused"; message: string };

export function SignIn() {
  const [state, setState] = useState<Signing>({ phase: "none" });
  const submit = async (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    const form = event.currentTarget;
    const field = form.elements.namedItem("token");
    if (!(field instanceof HTMLInputElement)) return;
    const token = field.value.trim();
    if (token === "") return field.focus();
    // The token stays in no field, whatever the hub says to it.
    field.value = "";
    setState({ phase: "sent" });
    try {
      await signIn(token);
    } catch (error) {
      setState({ phase: "refused", message: errorText(error) });
      field.focus();
    }
  };
  return (
    <form class="sign-in" onSubmit={submit} aria-label="Sign in">
      <label class="field">
        <span>Access token</span>
        <input type="password" name="token" autocomplete="off" spellcheck={false} required maxLength={8192} />
      </label>
      <p class="quiet small">The token that your assistants use for this hub. You see what is yours, until you leave or the token ends.</p>
      {state.phase === "refused" && <ErrorNote message={state.message} />}
      <button type="submit" class="primary" disabled={state.phase === "sent"}>
        {state.phase === "sent" ? "Signing in …" : "Sign in"}
      </button>
    </form>
  );
}
