import { useState } from "preact/hooks";

import { send } from "../api/client";
import type { Letter } from "../api/forms";
import { Dialog } from "../parts/dialog";
import { Icon } from "../parts/icon";
import { say } from "../parts/toast";

export function reasonWords(reason: string): string {
  switch (reason) {
    case "MAX_RETRIES_EXCEEDED":
      return "Every retry failed.";
    case "NON_RETRYABLE_ERROR":
      return "It was refused in a way that no retry would mend.";
    case "POISONED":
      return "Workers were lost on it again and again.";
    default:
      return reason;
  }
}

/// What a person may do about a letter that waits for one.
export function LetterActions({ letter, done }: { letter: Letter; done: () => void }) {
  const [asking, setAsking] = useState<"retry" | "resolve">();
  return (
    <div class="row wrap">
      <button type="button" class="button small" onClick={() => setAsking("retry")}>
        <Icon name="retry" /> Try to undo again
      </button>
      <button type="button" class="button small" onClick={() => setAsking("resolve")}>
        <Icon name="check" /> Resolve &hellip;
      </button>
      {asking === "retry" ? (
        <Dialog
          title={`Try letter ${letter.id} again?`}
          action="Try again"
          close={() => setAsking(undefined)}
          act={async () => {
            await send("POST", `/api/dead-letters/${letter.id}/retry`);
            say(`Letter ${letter.id} is tried again.`);
            done();
          }}
        >
          <p>
            The undoing of event {letter.originalEventId} goes on where it stopped, with all its retries. What is undone already is not undone twice.
          </p>
        </Dialog>
      ) : null}
      {asking === "resolve" ? <ResolveDialog letters={[letter]} close={() => setAsking(undefined)} done={done} /> : null}
    </div>
  );
}

export function ResolveDialog({ letters, close, done }: { letters: Letter[]; close: () => void; done: () => void }) {
  const [note, setNote] = useState("");
  const first = letters[0];
  return (
    <Dialog
      title={letters.length === 1 && first !== undefined ? `Resolve letter ${first.id}?` : `Resolve ${letters.length} letters?`}
      action="Resolve"
      ready={note.trim() !== ""}
      close={close}
      act={async () => {
        for (const letter of letters) {
          await send("POST", `/api/dead-letters/${letter.id}/resolve`, { note: note.trim(), by: "console" });
        }
        say(letters.length === 1 && first !== undefined ? `Letter ${first.id} is resolved.` : `${letters.length} letters are resolved.`);
        done();
      }}
    >
      <p>Nothing is called. What is not undone stays as it is; the letter no longer asks for a person, and events of its aggregate go on.</p>
      <label class="field">
        <span>What was done about it <span class="hint">kept with the letter, and when</span></span>
        <textarea class="textarea" name="note" required maxLength={2000} value={note} onInput={(event) => setNote(event.currentTarget.value)} />
      </label>
    </Dialog>
  );
}
