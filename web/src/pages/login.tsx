import { useState } from "preact/hooks";

import { send } from "../api/client";

export function LoginPage({ entered }: { entered: () => void }) {
  const [token, setToken] = useState("");
  const [fault, setFault] = useState<string>();
  const [busy, setBusy] = useState(false);
  return (
    <main class="login" id="main">
      <form
        class="card stack"
        onSubmit={(event) => {
          event.preventDefault();
          setBusy(true);
          send("POST", "/api/session", { token })
            .then(entered)
            .catch((error: unknown) => {
              setFault(error instanceof Error ? error.message : String(error));
              setBusy(false);
            });
        }}
      >
        <h1>Sagabox</h1>
        <p class="soft">This console is reachable from other machines, so it asks for the token of its configuration, http.auth.token.</p>
        <label class="field">
          <span>Token</span>
          <input
            class="input"
            type="password"
            name="token"
            autoComplete="current-password"
            value={token}
            autofocus
            required
            aria-invalid={fault !== undefined}
            aria-describedby={fault === undefined ? undefined : "fault"}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
          {fault === undefined ? null : (
            <span class="fault" id="fault" role="alert">
              {fault}
            </span>
          )}
        </label>
        <button type="submit" class="button primary" disabled={busy || token === ""}>
          Enter
        </button>
      </form>
    </main>
  );
}
