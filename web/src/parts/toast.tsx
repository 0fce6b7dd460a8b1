import { useEffect, useState } from "preact/hooks";

import { Icon } from "./icon";

interface Toast {
  id: number;
  tone: "good" | "bad";
  text: string;
}

let next = 1;
let shown: Toast[] = [];
let changed: () => void = () => {};

function drop(id: number): void {
  shown = shown.filter((toast) => toast.id !== id);
  changed();
}

/// Says in a corner what an action has done, or why it has not.
export function say(text: string, tone: "good" | "bad" = "good"): void {
  const id = next++;
  shown = [...shown.slice(-3), { id, tone, text }];
  changed();
  setTimeout(drop, tone === "bad" ? 12_000 : 5_000, id);
}

export function sayProblem(error: unknown): void {
  say(error instanceof Error ? error.message : String(error), "bad");
}

export function Toasts() {
  const [, render] = useState(0);
  useEffect(() => {
    changed = () => render((old) => old + 1);
    return () => {
      changed = () => {};
    };
  }, []);
  return (
    <div class="toasts" aria-live="polite" role="status">
      {shown.map((toast) => (
        <div key={toast.id} class={`toast is-${toast.tone}`}>
          <Icon name={toast.tone === "good" ? "check" : "warn"} />
          <div class="grow">{toast.text}</div>
          <button type="button" class="button bare small" aria-label="Close this message" onClick={() => drop(toast.id)}>
            <Icon name="cross" />
          </button>
        </div>
      ))}
    </div>
  );
}
