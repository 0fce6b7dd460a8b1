import { useEffect, useState } from "preact/hooks";

// One timer for all that shows a passing time, and an estimate of the database's clock, by which due times are set.

let offset = 0;

/// `now` of an answer that has just come.
export function learnDatabaseTime(now: string | null | undefined): void {
  if (now != null) {
    const at = Date.parse(now);
    if (!Number.isNaN(at)) {
      offset = at - Date.now();
    }
  }
}

export function databaseNow(): number {
  return Date.now() + offset;
}

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/// Renders again each second, while the page is seen.
export function useEverySecond(active = true): number {
  const [now, setNow] = useState(databaseNow);
  useEffect(() => {
    if (!active) {
      return;
    }
    const tick = () => setNow(databaseNow());
    listeners.add(tick);
    timer ??= setInterval(() => {
      if (!document.hidden) {
        for (const listener of listeners) {
          listener();
        }
      }
    }, 1000);
    return () => {
      listeners.delete(tick);
      if (listeners.size === 0) {
        clearInterval(timer);
        timer = undefined;
      }
    };
  }, [active]);
  return now;
}
