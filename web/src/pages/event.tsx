import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

import { get, Problem, send } from "../api/client";
import type { EventDetail, Explanation, Letter, NextAction, Saga, SagaList } from "../api/forms";
import { useResource } from "../api/resource";
import { learnDatabaseTime } from "../clock";
import { visible } from "../format";
import { writeJson } from "../json";
import { useChanges } from "../live";
import { Dialog } from "../parts/dialog";
import { Icon } from "../parts/icon";
import { JsonView } from "../parts/json_view";
import { Empty, Loading, Trouble } from "../parts/notice";
import { Rail } from "../parts/rail";
import { eventState, Pill } from "../parts/status";
import { Ago, At, Until } from "../parts/time";
import { say } from "../parts/toast";
import { CallTimeline } from "./call_timeline";
import { LetterActions, reasonWords } from "./letter_actions";

/// What the page shows, read in three questions at once.
export interface EventStory {
  event: EventDetail;
  saga: Saga;
  explanation: Explanation;
}

async function loadStory(id: number, signal: AbortSignal): Promise<EventStory> {
  const [event, sagas, explanation] = await Promise.all([
    get<EventDetail>(`/api/outbox/events/${id}`, signal),
    get<SagaList>(`/api/outbox/sagas?ids=${id}`, signal),
    get<Explanation>(`/api/outbox/events/${id}/explain`, signal),
  ]);
  learnDatabaseTime(sagas.now);
  const saga = sagas.items[0];
  if (saga === undefined) {
    throw new Problem(404, `There is no event ${id}.`);
  }
  return { event, saga, explanation };
}

export function EventPage({ id }: { id: number }) {
  const event = useResource(`event ${id}`, (signal) => loadStory(id, signal));
  useChanges((change) => {
    const letter = event.data?.event.deadLetter?.id;
    if (change === "everything" ? event.data !== undefined : change.events.includes(id) || (letter !== undefined && change.deadLetters.includes(letter))) {
      event.reload();
    }
  });
  if (event.data === undefined) {
    if (event.problem?.status === 404) {
      return (
        <Empty title={`There is no event ${id}`} actions={<a class="button" href="/sagas">To the sagas</a>}>
          It may be older than what outbox.retention keeps: finished events are deleted after that.
        </Empty>
      );
    }
    return event.problem === undefined ? <Loading rows={3} height={160} /> : <Trouble problem={event.problem} at={event.at} />;
  }
  return (
    <>
      <Trouble problem={event.problem} at={event.at} />
      <div class={event.problem === undefined ? "" : "stale"}>
        <Story story={event.data} reload={event.reload} />
      </div>
    </>
  );
}

function Card({ title, aside, children }: { title: string; aside?: ComponentChildren; children: ComponentChildren }) {
  return (
    <section class="card" aria-label={title}>
      <header>
        <h2>{title}</h2>
        {aside}
      </header>
      <div class="body">{children}</div>
    </section>
  );
}

function Story({ story, reload }: { story: EventStory; reload: () => void }) {
  const { event: detail, saga, explanation } = story;
  return (
    <div class="stack event">
      <header class="page-head">
        <div class="grow">
          <p class="crumbs small">
            <a href="/sagas">Sagas</a> <span aria-hidden="true">/</span>
          </p>
          <h1 class="row wrap">
            <span>{visible(saga.eventType)}</span>
            <span class="faint number">#{saga.id}</span>
            <Pill {...eventState(saga)} />
          </h1>
          <p class="lead">
            of aggregate <a href={`/sagas?aggregate=${encodeURIComponent(saga.aggregateId)}`}>{visible(saga.aggregateId)}</a>, committed <Ago at={saga.createdAt} />
            {saga.run > 1 ? `, run ${saga.run}` : ""}
          </p>
        </div>
        <Actions story={story} reload={reload} />
      </header>
      <section class="card rail-card" aria-label="The saga">
        <Rail saga={saga} />
      </section>
      <Next next={detail.next} />
      <Card title="Calls" aside={<span class="faint small">oldest first; choose one to see what was asked and answered</span>}>
        <CallTimeline detail={detail} />
      </Card>
      <div class="columns">
        <div class="stack">
          {detail.deadLetter === null ? null : <LetterCard letter={detail.deadLetter} reload={reload} />}
          <Card title="Routes chosen">
            <Routes explanation={explanation} />
          </Card>
        </div>
        <div class="stack">
        {saga.eventType.startsWith("!") ? null : (
            <Card title="What would be undone" aside={<span class="faint small">by a cancel, now</span>}>
              <UndoList explanation={explanation} />
            </Card>
          )}
        <Card title="The event">
          <dl class="facts">
            <dt>Committed</dt>
            <dd><At at={saga.createdAt} /></dd>
            <dt>Last change</dt>
            <dd><At at={saga.statusChangedAt} /></dd>
            <dt>Status</dt>
            <dd><code>{saga.status}</code></dd>
            <dt>UUID</dt>
            <dd><code>{detail.eventUuid}</code></dd>
            <dt>Idempotency key</dt>
            <dd>{detail.idempotencyKey === null ? <span class="faint">none</span> : <code>{visible(detail.idempotencyKey)}</code>}</dd>
            {detail.leaseOwner === null ? null : (
              <>
                <dt>Held by</dt>
                <dd>
                  <code>{visible(detail.leaseOwner)}</code>
                  {detail.leaseExpiresAt === null ? null : <>, lease ends <Until at={detail.leaseExpiresAt} /></>}
                </dd>
              </>
            )}
            {detail.deaths === 0 ? null : (
              <>
                <dt>Workers lost on it</dt>
                <dd>{detail.deaths}</dd>
              </>
            )}
          </dl>
        </Card>
        </div>
      </div>
      <Card title="Payloads" aside={<span class="faint small">what the application committed, by destination</span>}>
        <JsonView value={detail.payloads} label="payloads" open={3} />
      </Card>
    </div>
  );
}

function Next({ next }: { next: NextAction | null }) {
  if (next === null) {
    return null;
  }
  return (
    <div class={`banner is-${next.action === "needsPerson" ? "bad" : "calling"}`} role="status">
      <Icon name={next.action === "needsPerson" ? "person" : "clock"} />
      <div class="grow">
        <strong>Next:</strong> {visible(next.description)}
        {next.at === null ? null : <>, <Until at={next.at} /></>}
      </div>
    </div>
  );
}

function LetterCard({ letter, reload }: { letter: Letter; reload: () => void }) {
  return (
    <Card title="Dead letter" aside={<Pill state={letter.status} text={letterWords[letter.status] ?? letter.status} tone={letterTones[letter.status] ?? letter.status} />}>
      <div class="stack">
        <p>{reasonWords(letter.reason)}</p>
        {letter.lastError === null ? null : <p class="quote pre">{visible(letter.lastError)}</p>}
        {letter.revertError === null ? null : (
          <>
            <p>Undoing stopped, because:</p>
            <p class="quote pre">{visible(letter.revertError)}</p>
          </>
        )}
        {letter.nextRetryAt !== null && (letter.status === "PENDING" || letter.status === "PROCESSING") ? (
          <p class="soft">
            The next try to undo is due <Until at={letter.nextRetryAt} />.
          </p>
        ) : null}
        {letter.resolution === null ? null : (
          <p class="soft">
            Closed <At at={letter.resolution.at} />
            {letter.resolution.by === null ? "" : ` by ${visible(letter.resolution.by)}`}: <q class="pre">{visible(letter.resolution.note)}</q>
          </p>
        )}
        {letter.status === "FAILED" ? <LetterActions letter={letter} done={reload} /> : null}
      </div>
    </Card>
  );
}

const letterWords: Record<string, string> = {
  PENDING: "undoing",
  PROCESSING: "undoing",
  PROCESSED: "all undone",
  FAILED: "needs a person",
  RESOLVED: "closed by a person",
};
const letterTones: Record<string, string> = { PENDING: "undoing", PROCESSING: "undoing", PROCESSED: "undone", FAILED: "bad", RESOLVED: "none" };

export function UndoList({ explanation }: { explanation: Explanation }) {
  return (
    <div class="stack tight">
      {explanation.undo.length === 0 && explanation.undoStops === null ? <p class="soft">Nothing: no step that took effect is left to undo.</p> : null}
      <ol class="undo-list">
        {explanation.undo.map((call, index) => (
          <li key={index}>
            <span class="dot is-undone"><Icon name="undo" /></span>
            <div class="grow">
              <div class="name">{visible(call.destination)}</div>
              <code class="address">
                {call.httpMethod} {visible(call.endpointUrl)}
              </code>
              {call.body === null ? null : <code class="address faint">{visible(writeJson(call.body, 0).slice(0, 400))}</code>}
            </div>
          </li>
        ))}
      </ol>
      {explanation.undoStops === null ? null : (
        <p class="fault-text">
          <Icon name="warn" /> {`Then it stops: ${visible(explanation.undoStops)}`}
        </p>
      )}
    </div>
  );
}

function Routes({ explanation }: { explanation: Explanation }) {
  if (explanation.routes.length === 0) {
    return <p class="soft">No step has been routed yet.</p>;
  }
  return (
    <dl class="routes">
      {explanation.routes.map((route) => (
        <div key={route.destination}>
          <dt>{visible(route.destination)}</dt>
          <dd class="pre">{visible(route.why)}</dd>
        </div>
      ))}
    </dl>
  );
}

function Actions({ story, reload }: { story: EventStory; reload: () => void }) {
  const [asking, setAsking] = useState<"retry" | "cancel">();
  const { event: detail, saga, explanation } = story;
  const over = saga.status !== "PENDING" && saga.status !== "PROCESSING";
  const cancels = saga.eventType.startsWith("!");
  const mayRetry = (saga.status === "PENDING" && saga.nextRetryAt !== null) || (saga.movedToDlq && saga.deadLetter !== null && saga.deadLetter.status !== "PENDING" && saga.deadLetter.status !== "PROCESSING") || saga.status === "FAILED";
  const mayCancel = !cancels && saga.status !== "CANCELLED" && !(saga.deadLetter !== null && saga.deadLetter.status === "PROCESSED");
  return (
    <div class="actions">
      {mayRetry ? (
        <button type="button" class="button" onClick={() => setAsking("retry")}>
          <Icon name="retry" /> {over ? "Run it again" : "Retry now"}
        </button>
      ) : null}
      {mayCancel ? (
        <button type="button" class="button danger" onClick={() => setAsking("cancel")}>
          <Icon name="undo" /> Cancel and compensate
        </button>
      ) : null}
      {asking === "retry" ? (
        <Dialog
          title={over ? `Run event ${saga.id} again?` : `Retry event ${saga.id} now?`}
          action={over ? "Run it again" : "Retry now"}
          close={() => setAsking(undefined)}
          act={async () => {
            await send("POST", `/api/outbox/events/${saga.id}/retry`);
            say(`Event ${saga.id} is tried again.`);
            reload();
          }}
        >
          <p>
            {over
              ? "What was undone is done anew, as another run with idempotency keys of its own. Steps that still stand are not called again."
              : "It is taken up at once and not when its pause is over; its retries are counted anew. Steps that succeeded are not called again."}
          </p>
          {detail.next === null ? null : <p class="quote pre">{`Next: ${visible(detail.next.description)}`}</p>}
        </Dialog>
      ) : null}
      {asking === "cancel" ? (
        <Dialog
          title={`Cancel event ${saga.id}, and undo what it did?`}
          action="Cancel and compensate"
          danger
          wide
          close={() => setAsking(undefined)}
          act={async () => {
            const made = await send<{ id: number; eventType: string }>("POST", `/api/outbox/events/${saga.id}/cancel`);
            say(`Event ${made.id} undoes what event ${saga.id} did.`);
            reload();
          }}
        >
          <p>
            {over
              ? `A !${saga.eventType} event is committed for aggregate ${visible(saga.aggregateId)}. It undoes every ${saga.eventType} of this aggregate, last step first. For this one these calls are made:`
              : `It stops at its next step. Then a !${saga.eventType} event undoes every ${saga.eventType} of aggregate ${visible(saga.aggregateId)}, last step first. As it stands, for this one these calls are made:`}
          </p>
          <UndoList explanation={explanation} />
        </Dialog>
      ) : null}
    </div>
  );
}
