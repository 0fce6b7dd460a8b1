import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

/// Rows of known heights, of which only those near the window are rendered. While rows come, go or grow above it, what
/// the reader looks at stays where it is.
export interface Virtual<T> {
  ref: { current: HTMLOListElement | null };
  total: number;
  rows: { item: T; top: number; height: number; index: number }[];
  /// True while the list's begin is in view, so that new rows may push in.
  atTop: boolean;
}

const margin = 600;

export function useVirtual<T>(items: T[], keyOf: (item: T) => number, heightOf: (item: T) => number): Virtual<T> {
  const ref = useRef<HTMLOListElement>(null);
  const [view, setView] = useState({ top: 0, bottom: 1200 });
  const anchor = useRef<{ key: number; top: number } | undefined>(undefined);

  const tops = useMemo(() => {
    const made = new Array<number>(items.length + 1);
    let top = 0;
    items.forEach((item, index) => {
      made[index] = top;
      top += heightOf(item);
    });
    made[items.length] = top;
    return made;
  }, [items, heightOf]);

  const firstAt = (position: number) => {
    let low = 0;
    let high = items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((tops[middle + 1] ?? 0) <= position) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  };

  const look = () => {
    const list = ref.current;
    if (list === null) {
      return;
    }
    const top = -list.getBoundingClientRect().top;
    setView((old) => (Math.abs(old.top - top) < 40 && old.bottom - old.top >= innerHeight ? old : { top, bottom: top + innerHeight }));
    const first = firstAt(top);
    const item = items[first];
    anchor.current = top > 0 && item !== undefined ? { key: keyOf(item), top: tops[first] ?? 0 } : undefined;
  };
  const looking = useRef(look);
  looking.current = look;

  useEffect(() => {
    const onMove = () => looking.current();
    addEventListener("scroll", onMove, { passive: true });
    addEventListener("resize", onMove);
    return () => {
      removeEventListener("scroll", onMove);
      removeEventListener("resize", onMove);
    };
  }, []);

  useLayoutEffect(() => {
    const held = anchor.current;
    if (held !== undefined) {
      const index = items.findIndex((item) => keyOf(item) === held.key);
      const shift = index < 0 ? 0 : (tops[index] ?? 0) - held.top;
      if (shift !== 0) {
        scrollBy({ top: shift, behavior: "instant" });
      }
    }
    looking.current();
  }, [items, tops]);

  const from = Math.max(0, firstAt(view.top - margin));
  const to = Math.min(items.length, firstAt(view.bottom + margin) + 1);
  return {
    ref,
    total: tops[items.length] ?? 0,
    rows: items.slice(from, to).map((item, offset) => {
      const index = from + offset;
      const top = tops[index] ?? 0;
      return { item, top, height: (tops[index + 1] ?? top) - top, index };
    }),
    atTop: view.top <= 8,
  };
}
