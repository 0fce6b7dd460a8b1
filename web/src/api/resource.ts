import { useCallback, useEffect, useRef, useState } from "preact/hooks";

import { Problem } from "./client";

/// What a page shows: the last good answer stays while the next is on its way or fails.
export interface Resource<T> {
  data: T | undefined;
  problem: Problem | undefined;
  /// When `data` came.
  at: Date | undefined;
  reload: () => void;
}

const retryAfter = 2000;

/// Asks once, asks again by `reload`, each `every` ms, and after a failure. A key that changes starts anew.
export function useResource<T>(
  key: string | undefined,
  load: (signal: AbortSignal) => Promise<T>,
  every?: number,
): Resource<T> {
  const [state, setState] = useState<{ key: string | undefined; data?: T; problem?: Problem; at?: Date }>({ key });
  const [turn, setTurn] = useState(0);
  const loader = useRef(load);
  loader.current = load;

  useEffect(() => {
    if (key === undefined) {
      return;
    }
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const again = (after: number) => {
      timer = setTimeout(() => (document.hidden ? again(after) : void once()), after);
    };
    const once = async () => {
      try {
        const data = await loader.current(stop.signal);
        if (!stop.signal.aborted) {
          setState({ key, data, at: new Date() });
          if (every !== undefined) {
            again(every);
          }
        }
      } catch (error) {
        if (!stop.signal.aborted) {
          const problem = error instanceof Problem ? error : new Problem(-1, String(error));
          setState((old) => (old.key === key ? { ...old, problem } : { key, problem }));
          if (problem.away) {
            again(retryAfter);
          }
        }
      }
    };
    void once();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [key, turn, every]);

  const reload = useCallback(() => setTurn((old) => old + 1), []);
  const current = state.key === key ? state : { key };
  return { data: current.data, problem: current.problem, at: current.at, reload };
}
