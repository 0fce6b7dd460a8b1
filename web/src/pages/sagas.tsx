import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";

import { get, Problem, query } from "../api/client";
import type { Saga, SagaList } from "../api/forms";
import { learnDatabaseTime } from "../clock";
import { counted } from "../format";
import { useChanges } from "../live";
import { Icon } from "../parts/icon";
import { Empty, Loading, Trouble } from "../parts/notice";
import { useVirtual } from "../parts/virtual";
import { go, withQuery, type Place } from "../router";
import { heightOf, SagaRow } from "./saga_row";

const pageSize = 100;
/// Ids that one question may name.
const mostIds = 100;

interface Filter {
  status: string;
  type: string;
  aggregate: string;
}

const statuses = [
  { value: "", text: "All" },
  { value: "PENDING", text: "Waiting" },
  { value: "PROCESSING", text: "Under way" },
  { value: "PROCESSED", text: "Ended" },
  { value: "FAILED", text: "Failed" },
  { value: "CANCELLED", text: "Cancelled" },
];

const keyOf = (saga: Saga) => saga.id;

export function SagasPage({ place, shop }: { place: Place; shop: boolean }) {
  const status = place.query.get("status") ?? "";
  const type = place.query.get("type") ?? "";
  const aggregate = place.query.get("aggregate") ?? "";
  const text = place.query.get("text") ?? "";
  const list = useSagas({ status, type, aggregate });

  const seen = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter((word) => word !== "");
    return words.length === 0 ? list.sagas : list.sagas.filter((saga) => words.every((word) => matches(saga, word)));
  }, [list.sagas, text]);

  const virtual = useVirtual(seen, keyOf, heightOf);
  list.hold.current = !virtual.atTop;
  useEffect(() => {
    if (virtual.atTop) {
      list.takeNewer();
    }
  }, [virtual.atTop]);

  const last = virtual.rows.at(-1);
  const nearEnd = last === undefined || last.index >= seen.length - 20;
  useEffect(() => {
    if (nearEnd && list.more) {
      list.loadMore();
    }
  }, [nearEnd, list.more, seen.length, list.loadMore]);

  const filtered = status !== "" || type !== "" || aggregate !== "" || text !== "";
  return (
    <>
      <header class="page-head">
        <div>
          <h1>Sagas</h1>
          <p class="lead">One row for each committed event. Violet runs backward: what is undone, last step first.</p>
        </div>
      </header>
      <Trouble problem={list.problem} at={list.at} />
      <div class="filters" role="search" aria-label="Filter the sagas">
        <div class="chips" role="group" aria-label="Status">
          {statuses.map((one) => (
            <button
              key={one.value}
              type="button"
              class="chip"
              aria-pressed={status === one.value}
              onClick={() => go(withQuery({ status: one.value }), "replace")}
            >
              {one.text}
            </button>
          ))}
        </div>
        <FilterInput name="type" value={type} label="Event type" />
        <FilterInput name="aggregate" value={aggregate} label="Aggregate" />
        <FilterInput name="text" value={text} label="Search in these" />
        {filtered ? (
          <button type="button" class="button bare small" onClick={() => go(location.pathname, "replace")}>
            <Icon name="cross" /> Clear
          </button>
        ) : null}
      </div>
      {list.newer > 0 ? (
        <div class="newer">
          <button
            type="button"
            class="button primary"
            onClick={() => {
              list.takeNewer();
              scrollTo({ top: 0 });
            }}
          >
            <Icon name="up" />
            {counted(list.newer, "new saga")}
          </button>
        </div>
      ) : null}
      {list.at === undefined ? (
        list.problem === undefined ? <Loading /> : null
      ) : seen.length === 0 ? (
        <Nothing filtered={filtered} shop={shop} text={text} more={list.more} loaded={list.sagas.length} />
      ) : (
        <ol
          class={`saga-list ${list.problem === undefined ? "" : "stale"}`}
          ref={virtual.ref}
          style={{ height: `${virtual.total}px` }}
          aria-label="Sagas, newest first"
        >
          {virtual.rows.map(({ item, top, height, index }) => (
            <SagaRow key={item.id} saga={item} top={top} height={height} index={index} total={seen.length} fresh={list.fresh.current.has(item.id)} />
          ))}
        </ol>
      )}
      {seen.length > 0 && !list.more ? <p class="faint small">{`That is all: ${counted(seen.length, "saga")}.`}</p> : null}
    </>
  );
}

function matches(saga: Saga, word: string): boolean {
  return (
    String(saga.id) === word.replace(/^#/, "") ||
    saga.eventType.toLowerCase().includes(word) ||
    saga.aggregateId.toLowerCase().includes(word) ||
    (saga.lastError ?? "").toLowerCase().includes(word) ||
    (saga.deadLetter?.revertError ?? "").toLowerCase().includes(word) ||
    saga.steps.some((step) => step.destination.toLowerCase().includes(word) || String(step.responseStatus) === word)
  );
}

function FilterInput({ name, value, label }: { name: string; value: string; label: string }) {
  const [typed, setTyped] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  useEffect(() => setTyped(value), [value]);
  return (
    <input
      class="input"
      type="search"
      name={name}
      aria-label={label}
      placeholder={label}
      value={typed}
      maxLength={200}
      autoComplete="off"
      spellcheck={false}
      onInput={(event) => {
        const next = event.currentTarget.value;
        setTyped(next);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => go(withQuery({ [name]: next.trim() }), "replace"), 250);
      }}
    />
  );
}

function Nothing({ filtered, shop, text, more, loaded }: { filtered: boolean; shop: boolean; text: string; more: boolean; loaded: number }) {
  if (text !== "" && more) {
    return <Empty title="Nothing yet">{`Looked through ${counted(loaded, "saga")}; older ones are being fetched.`}</Empty>;
  }
  if (filtered) {
    return (
      <Empty
        title="No saga matches"
        actions={
          <button type="button" class="button" onClick={() => go(location.pathname, "replace")}>
            Show all
          </button>
        }
      >
        Aggregates and types are compared whole and letter by letter; the search looks through what is loaded.
      </Empty>
    );
  }
  return (
    <Empty
      title="No sagas yet"
      actions={
        shop ? (
          <a class="button primary" href="/shop">
            Make an order in the shop
          </a>
        ) : undefined
      }
    >
      A saga begins when an application commits a row into outbox_events together with its own change, for instance by outbox_emit. It will appear here by
      itself.
    </Empty>
  );
}

interface Sagas {
  sagas: Saga[];
  more: boolean;
  newer: number;
  problem: Problem | undefined;
  at: Date | undefined;
  /// While true, new sagas are counted and not shown, so that nothing moves under a reader.
  hold: { current: boolean };
  fresh: { current: Set<number> };
  takeNewer: () => void;
  loadMore: () => void;
}

function useSagas(filter: Filter): Sagas {
  const [sagas, setSagas] = useState<Saga[]>([]);
  const [next, setNext] = useState<number | null>(null);
  const [waiting, setWaiting] = useState<Saga[]>([]);
  const [problem, setProblem] = useState<Problem>();
  const [at, setAt] = useState<Date>();
  const hold = useRef(false);
  const fresh = useRef(new Set<number>());
  const busy = useRef(false);
  const stop = useRef(new AbortController());
  const shown = useRef(sagas);
  shown.current = sagas;
  const key = JSON.stringify(filter);

  const failed = (error: unknown, again: () => void) => {
    if (error instanceof Problem) {
      setProblem(error);
      if (error.away) {
        const signal = stop.current.signal;
        setTimeout(() => signal.aborted || again(), 2000);
      }
    }
  };

  const loadFirst = useCallback(async () => {
    const signal = stop.current.signal;
    try {
      const page = await get<SagaList>("/api/outbox/sagas" + query({ ...filter, limit: pageSize }), signal);
      learnDatabaseTime(page.now);
      fresh.current.clear();
      setSagas(page.items);
      setNext(page.next);
      setWaiting([]);
      setProblem(undefined);
      setAt(new Date());
    } catch (error) {
      if (!signal.aborted) {
        failed(error, () => void loadFirst());
      }
    }
  }, [key]);

  useEffect(() => {
    stop.current.abort();
    stop.current = new AbortController();
    busy.current = false;
    setAt(undefined);
    setSagas([]);
    setNext(null);
    void loadFirst();
    return () => stop.current.abort();
  }, [key]);

  const loadMore = useCallback(() => {
    if (busy.current || next === null) {
      return;
    }
    busy.current = true;
    const signal = stop.current.signal;
    get<SagaList>("/api/outbox/sagas" + query({ ...filter, limit: pageSize, before: next }), signal)
      .then((page) => {
        setSagas((old) => merge(old, page.items));
        setNext(page.next);
        setProblem(undefined);
      })
      .catch((error: unknown) => {
        if (!signal.aborted) {
          failed(error, () => setNext((old) => old));
        }
      })
      .finally(() => {
        busy.current = false;
      });
  }, [key, next]);

  const take = (got: Saga[]) => {
    const known = new Set(shown.current.map(keyOf));
    const changed = got.filter((saga) => known.has(saga.id));
    const added = got.filter((saga) => !known.has(saga.id) && fits(saga, filter));
    if (added.length > 0 && !hold.current) {
      added.forEach((saga) => fresh.current.add(saga.id));
    }
    if (changed.length > 0 || (added.length > 0 && !hold.current)) {
      setSagas((old) => merge(old, hold.current ? changed : [...changed, ...added]));
    }
    if (hold.current) {
      setWaiting((old) => merge(old, added));
    }
  };

  useChanges((change) => {
    if (change === "everything") {
      if (at !== undefined) {
        void refresh(shown.current.slice(0, mostIds).map(keyOf));
        void loadTop();
      }
      return;
    }
    const newest = shown.current[0]?.id ?? 0;
    const oldest = shown.current.at(-1)?.id ?? 0;
    const wanted = change.events.filter((id) => id > newest || id >= oldest).sort((a, b) => b - a);
    void refresh(wanted.slice(0, mostIds));
  });

  const refresh = async (ids: number[]) => {
    if (ids.length === 0) {
      return;
    }
    const signal = stop.current.signal;
    try {
      const page = await get<SagaList>("/api/outbox/sagas" + query({ ids: ids.join(",") }), signal);
      learnDatabaseTime(page.now);
      take(page.items);
      setProblem(undefined);
    } catch (error) {
      if (!signal.aborted) {
        failed(error, () => void refresh(ids));
      }
    }
  };

  const loadTop = async () => {
    const signal = stop.current.signal;
    try {
      const page = await get<SagaList>("/api/outbox/sagas" + query({ ...filter, limit: pageSize }), signal);
      take(page.items);
    } catch {
      // The next change tells.
    }
  };

  const takeNewer = useCallback(() => {
    setWaiting((old) => {
      if (old.length > 0) {
        setSagas((shownNow) => merge(shownNow, old));
      }
      return [];
    });
  }, []);

  return { sagas, more: next !== null, newer: waiting.length, problem, at, hold, fresh, takeNewer, loadMore };
}

function fits(saga: Saga, filter: Filter): boolean {
  return (
    (filter.status === "" || saga.status === filter.status) &&
    (filter.type === "" || saga.eventType === filter.type) &&
    (filter.aggregate === "" || saga.aggregateId === filter.aggregate)
  );
}

/// Newest first, each id once, the later reading winning.
function merge(old: Saga[], got: Saga[]): Saga[] {
  const byId = new Map(got.map((saga) => [saga.id, saga]));
  const kept = old.map((saga) => {
    const newer = byId.get(saga.id);
    byId.delete(saga.id);
    return newer ?? saga;
  });
  if (byId.size === 0) {
    return kept;
  }
  return [...kept, ...byId.values()].sort((a, b) => b.id - a.id);
}
