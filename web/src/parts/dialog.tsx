import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { Problem } from "../api/client";
import { Banner } from "./notice";

interface DialogProps {
  title: string;
  children: ComponentChildren;
  /// What the button that acts says: the act itself, never just "OK".
  action: string;
  danger?: boolean;
  wide?: boolean;
  ready?: boolean;
  act: () => Promise<void>;
  close: () => void;
}

/// Asks before something is called. The browser's own dialog keeps the focus inside and closes on Escape.
export function Dialog({ title, children, action, danger = false, wide = false, ready = true, act, close }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  useEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    return () => {
      element?.close();
      if (before instanceof HTMLElement && before.isConnected) {
        before.focus();
      }
    };
  }, []);
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setFault(undefined);
    try {
      await act();
      close();
    } catch (error) {
      setFault(error instanceof Problem ? [error.message, ...error.faults.map((one) => `${one.field}: ${one.text}`)].join("\n") : String(error));
      setBusy(false);
    }
  };
  return (
    <dialog
      ref={dialog}
      class={wide ? "wide" : ""}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
    >
      <form onSubmit={(event) => void submit(event)}>
        <header>
          <h2>{title}</h2>
        </header>
        <div class="content" tabIndex={0} role="group" aria-label={title}>
          {children}
          {fault === undefined ? null : (
            <Banner tone="bad">
              <span class="pre">{fault}</span>
            </Banner>
          )}
        </div>
        <footer>
          <button type="button" class="button" onClick={close}>
            Leave it
          </button>
          <button type="submit" class={`button primary ${danger ? "danger" : ""}`} disabled={busy || !ready}>
            {busy ? "Asking \u2026" : action}
          </button>
        </footer>
      </form>
    </dialog>
  );
}
