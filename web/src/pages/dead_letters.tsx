import { useEffect, useState } from "preact/hooks";

import { get, query, send } from "../api/client";
import type { Letter, Page } from "../api/forms";
import { useResource } from "../api/resource";
import { counted, visible } from "../format";
import { useChanges } from "../live";
import { Dialog } from "../parts/dialog";
import { Icon } from "../parts/icon";
import { Empty, Loading, Trouble } from "../parts/notice";
import { Pill } from "../parts/status";
import { Ago } from "../parts/time";
import { say } from "../parts/toast";
import { go, withQuery, type Place } from "../router";
import { LetterActions, reasonWords, ResolveDialog } from "./letter_actions";

const statuses = [
  { value: "FAILED", text: "Needs a person" },
  { value: "PENDING", text: "Undoing" },
  { value: "PROCESSED", text: "Undone" },
  { value: "RESOLVED", text: "Resolved" },
  { value: "", text: "All" },
];
const words: Record<string, string> = { PENDING: "undoing", PROCESSING: "undoing", PROCESSED: "undone", FAILED: "needs a person", RESOLVED: "resolved" };
const tones: Record<string, string> = { PENDING: "undoing", PROCESSING: "undoing", PROCESSED: "undone", FAILED: "bad", RESOLVED: "none" };
const reasons = ["MAX_RETRIES_EXCEEDED", "NON_RETRYABLE_ERROR", "POISONED"];

export function DeadLettersPage({ place }: { place: Place }) {
  const status = place.query.get("status") ?? "";
  const reason = place.query.get("reason") ?? "";
  const filters = { status, reason };
  const key = JSON.stringify(filters);
  const [older, setOlder] = useState<Page<Letter>[]>([]);
  const [chosen, setChosen] = useState(new Set<number>());
  const [asking, setAsking] = useState<"retry" | "resolve">();
  const first = useResource(`letters ${key}`, (signal) => get<Page<Letter>>("/api/dead-letters" + query({ ...filters, limit: 100 }), signal));
  useEffect(() => {
    setOlder([]);
    setChosen(new Set());
  }, [key]);
  useChanges((change) => {
    if (change === "everything" ? first.data !== undefined : change.deadLetters.length > 0) {
      first.reload();
    }
  });
  const letters = [...(first.data?.items ?? []), ...older.flatMap((page) => page.items)];
  const next = older.length > 0 ? older.at(-1)?.next : first.data?.next;
  const failed = letters.filter((letter) => letter.status === "FAILED");
  const picked = failed.filter((letter) => chosen.has(letter.id));
  const done = () => {
    setChosen(new Set());
    setOlder([]);
    first.reload();
  };
  return (
    <>
      <header class="page-head">
        <div>
          <h1>Dead letters</h1>
          <p class="lead">Events that failed for good. Most undo themselves; those that could not wait here for a person.</p>
        </div>
        {picked.length > 0 ? (
          <div class="actions" role="group" aria-label="With the chosen letters">
            <button type="button" class="button" onClick={() => setAsking("retry")}>
              <Icon name="retry" /> {`Try ${picked.length} again \u2026`}
            </button>
            <button type="button" class="button" onClick={() => setAsking("resolve")}>
              <Icon name="check" /> {`Resolve ${picked.length} \u2026`}
            </button>
          </div>
        ) : null}
      </header>
      <Trouble problem={first.problem} at={first.at} />
      <div class="filters" role="search" aria-label="Filter the letters">
        <div class="chips" role="group" aria-label="Status">
          {statuses.map((one) => (
            <button key={one.value} type="button" class="chip" aria-pressed={status === one.value} onClick={() => go(withQuery({ status: one.value }), "replace")}>
              {one.text}
            </button>
          ))}
        </div>
        <select class="select" aria-label="Reason" value={reason} onChange={(event) => go(withQuery({ reason: event.currentTarget.value }), "replace")}>
          <option value="">Any reason</option>
          {reasons.map((one) => (
            <option key={one} value={one}>
              {reasonWords(one)}
            </option>
          ))}
        </select>
        {failed.length > 1 ? (
          <label class="check row">
            <input
              type="checkbox"
              checked={picked.length === failed.length}
              onChange={(event) => setChosen(new Set(event.currentTarget.checked ? failed.map((letter) => letter.id) : []))}
            />
            {`Choose all ${failed.length}`}
          </label>
        ) : null}
      </div>
      {first.data === undefined ? (
        first.problem === undefined ? <Loading rows={4} height={92} /> : null
      ) : letters.length === 0 ? (
        <Empty title={status === "FAILED" ? "Nothing needs a person" : status === "" && reason === "" ? "No dead letters" : "No letter matches"}>
          {status === "FAILED" || (status === "" && reason === "")
            ? "A letter is written when an event fails for good; what it did is then undone by itself, and only where that fails too it waits here."
            : "Choose another status or reason."}
        </Empty>
      ) : (
        <ul class={`stack letters ${first.problem === undefined ? "" : "stale"}`} aria-label="Dead letters, newest first">
          {letters.map((letter) => (
            <LetterRow
              key={letter.id}
              letter={letter}
              chosen={chosen.has(letter.id)}
              choose={(on) => {
                const now = new Set(chosen);
                if (on) {
                  now.add(letter.id);
                } else {
                  now.delete(letter.id);
                }
                setChosen(now);
              }}
              done={done}
            />
          ))}
        </ul>
      )}
      {next == null ? null : (
        <p class="more">
          <button
            type="button"
            class="button"
            onClick={() => void get<Page<Letter>>("/api/dead-letters" + query({ ...filters, limit: 100, before: next })).then((page) => setOlder([...older, page]))}
          >
            Older letters
          </button>
        </p>
      )}
      {asking === "retry" ? <RetryDialog letters={picked} close={() => setAsking(undefined)} done={done} /> : null}
      {asking === "resolve" ? <ResolveDialog letters={picked} close={() => setAsking(undefined)} done={done} /> : null}
    </>
  );
}

function LetterRow({ letter, chosen, choose, done }: { letter: Letter; chosen: boolean; choose: (on: boolean) => void; done: () => void }) {
  const open = letter.status === "FAILED";
  return (
    <li class="card letter" data-letter={letter.id}>
      <div class="letter-head">
        {open ? <input type="checkbox" aria-label={`Choose letter ${letter.id}`} checked={chosen} onChange={(event) => choose(event.currentTarget.checked)} /> : null}
        <a class="title" href={`/events/${letter.originalEventId}`}>
          <span class="clip">{visible(letter.eventType)}</span> <span class="faint">#{letter.originalEventId}</span>
        </a>
        <Pill state={letter.status} text={words[letter.status] ?? letter.status} tone={tones[letter.status] ?? letter.status} />
        <span class="faint small nowrap when">
          <Ago at={letter.failedAt} />
        </span>
      </div>
      <p class="small soft">
        {reasonWords(letter.reason)} Aggregate <a href={`/sagas?aggregate=${encodeURIComponent(letter.aggregateId)}`}>{visible(letter.aggregateId)}</a>.
      </p>
      {letter.revertError !== null && open ? <p class="quote pre">{visible(letter.revertError)}</p> : letter.lastError !== null ? <p class="quote pre">{visible(letter.lastError)}</p> : null}
      {letter.resolution === null ? null : (
        <p class="small soft">
          Resolved <Ago at={letter.resolution.at} />
          {letter.resolution.by === null ? "" : ` by ${visible(letter.resolution.by)}`}: <q class="pre">{visible(letter.resolution.note)}</q>
        </p>
      )}
      {open ? <LetterActions letter={letter} done={done} /> : null}
    </li>
  );
}

/// Requests of one bulk action in a second: a hundred letters must not hit a service that has just come back all at once.
const perSecond = 5;

function RetryDialog({ letters, close, done }: { letters: Letter[]; close: () => void; done: () => void }) {
  const [made, setMade] = useState(0);
  const byReason = new Map<string, number>();
  for (const letter of letters) {
    const why = letter.revertError ?? letter.lastError ?? letter.reason;
    byReason.set(why, (byReason.get(why) ?? 0) + 1);
  }
  return (
    <Dialog
      title={`Try ${counted(letters.length, "letter")} again?`}
      action={`Try ${letters.length} again`}
      close={close}
      act={async () => {
        let refused = 0;
        for (const [index, letter] of letters.entries()) {
          await send("POST", `/api/dead-letters/${letter.id}/retry`).catch((error: { status?: number }) => {
            if (error.status !== 409) {
              throw error;
            }
            refused += 1;
          });
          setMade(index + 1);
          await new Promise((resolve) => setTimeout(resolve, 1000 / perSecond));
        }
        say(`${counted(letters.length - refused, "letter")} ${letters.length - refused === 1 ? "is" : "are"} tried again${refused === 0 ? "." : `; ${refused} had changed meanwhile.`}`);
        done();
      }}
    >
      <p>{`For each, undoing goes on where it stopped, with all its retries: ${perSecond} a second, so that a service that has just come back is not hit by all at once.`}</p>
      <ul class="preview">
        {[...byReason].slice(0, 8).map(([why, number]) => (
          <li key={why}>
            <strong>{counted(number, "letter")}</strong> <span class="soft">{visible(why)}</span>
          </li>
        ))}
        {byReason.size > 8 ? <li class="soft">{`and ${byReason.size - 8} other reasons`}</li> : null}
      </ul>
      {made > 0 ? (
        <progress max={letters.length} value={made} aria-label="Letters tried again">
          {made}
        </progress>
      ) : null}
    </Dialog>
  );
}
