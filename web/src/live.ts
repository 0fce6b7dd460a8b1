import { useEffect, useRef, useState } from "preact/hooks";

// What the program tells by itself (server-sent events): which events and letters have changed, never what they are. So a
// page asks for what it shows, and a message that is lost costs a second and not the truth.

export interface Change {
  events: number[];
  deadLetters: number[];
  emails: number[];
}

export type Connection = "connecting" | "live" | "away";

type Listener = (change: Change | "everything") => void;

const listeners = new Set<Listener>();
const watchers = new Set<(state: Connection) => void>();
let source: EventSource | undefined;
let state: Connection = "connecting";
let retry: ReturnType<typeof setTimeout> | undefined;
const nothing = (): Change => ({ events: [], deadLetters: [], emails: [] });
let gathered = nothing();
let flushing: ReturnType<typeof setTimeout> | undefined;

/// The program tells once a second of all that changed; what comes closer together than this is one picture.
const pace = 60;

function become(next: Connection): void {
  if (state !== next) {
    state = next;
    watchers.forEach((watcher) => watcher(next));
  }
}

function tell(change: Change | "everything"): void {
  listeners.forEach((listener) => listener(change));
}

const unique = (ids: number[]) => [...new Set(ids)];

function gather(change: Partial<Change>): void {
  gathered.events.push(...(change.events ?? []));
  gathered.deadLetters.push(...(change.deadLetters ?? []));
  gathered.emails.push(...(change.emails ?? []));
  flushing ??= setTimeout(() => {
    flushing = undefined;
    const told = { events: unique(gathered.events), deadLetters: unique(gathered.deadLetters), emails: unique(gathered.emails) };
    gathered = nothing();
    tell(told);
  }, pace);
}

export function connect(): void {
  if (source !== undefined) {
    return;
  }
  clearTimeout(retry);
  const opened = new EventSource("/api/stream");
  source = opened;
  opened.onopen = () => {
    become("live");
    // What changed while nobody listened is not told again.
    tell("everything");
  };
  opened.onerror = () => {
    become("away");
    if (opened.readyState === EventSource.CLOSED) {
      disconnect();
      retry = setTimeout(connect, 2000);
    }
  };
  opened.addEventListener("change", (event) => {
    gather(JSON.parse((event as MessageEvent<string>).data) as Partial<Change>);
  });
}

export function disconnect(): void {
  source?.close();
  source = undefined;
}

export function useConnection(): Connection {
  const [shown, setShown] = useState(state);
  useEffect(() => {
    setShown(state);
    watchers.add(setShown);
    return () => {
      watchers.delete(setShown);
    };
  }, []);
  return shown;
}

export function useChanges(listener: Listener): void {
  const current = useRef(listener);
  current.current = listener;
  useEffect(() => {
    const tellCurrent: Listener = (change) => current.current(change);
    listeners.add(tellCurrent);
    return () => {
      listeners.delete(tellCurrent);
    };
  }, []);
}
