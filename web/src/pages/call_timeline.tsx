import { useMemo, useState } from "preact/hooks";

import type { EventDetail, Result } from "../api/forms";
import { useEverySecond } from "../clock";
import { duration, visible } from "../format";
import { writeJson } from "../json";
import { CopyButton } from "../parts/copy";
import { Icon } from "../parts/icon";
import { JsonView } from "../parts/json_view";
import { iconOf, wordOf } from "../parts/status";
import { At, Until } from "../parts/time";

const revert = ".revert";

interface Span {
  result: Result;
  from: number;
  to: number;
}

/// Places moments on a line of 0 to 100. A long stretch in which nothing was called is drawn shorter than it was, so that
/// calls of milliseconds are seen beside pauses of minutes.
interface Scale {
  at: (moment: number) => number;
  cuts: { at: number; length: number }[];
}

/// Pauses up to this are drawn as long as they were.
const brief = 200;

function scaleOf(spans: Span[], end: number): Scale {
  const edges = spans.map((span) => ({ from: span.from, to: span.to })).sort((a, b) => a.from - b.from);
  let short = 0;
  edges.forEach((edge, index) => {
    const pause = edge.from - (edges[index - 1]?.to ?? edge.from);
    short += Math.max(1, edge.to - edge.from) + (pause < brief ? Math.max(0, pause) : 0);
  });
  const longest = Math.max(short, 60);
  const points: { moment: number; place: number }[] = [];
  const cuts: { from: number; length: number }[] = [];
  let moment = edges[0]?.from ?? end;
  let place = 0;
  points.push({ moment, place });
  const go = (to: number, cut: boolean) => {
    if (to <= moment) {
      return;
    }
    const length = to - moment;
    if (cut && length > longest) {
      cuts.push({ from: place, length });
      place += longest;
    } else {
      place += length;
    }
    moment = to;
    points.push({ moment, place });
  };
  for (const edge of edges) {
    go(edge.from, true);
    go(edge.to, false);
  }
  go(end, true);
  const whole = Math.max(place, 1);
  return {
    at: (wanted) => {
      let before = points[0];
      for (const point of points) {
        if (point.moment >= wanted) {
          const from = before ?? point;
          const share = point.moment === from.moment ? 1 : (wanted - from.moment) / (point.moment - from.moment);
          return ((from.place + (point.place - from.place) * Math.max(0, share)) / whole) * 100;
        }
        before = point;
      }
      return 100;
    },
    cuts: cuts.map((cut) => ({ at: (cut.from / whole) * 100, length: cut.length })),
  };
}

export function CallTimeline({ detail }: { detail: EventDetail }) {
  const [open, setOpen] = useState<number>();
  const waiting = detail.nextRetryAt ?? detail.deadLetter?.nextRetryAt ?? null;
  const active = detail.next !== null;
  const now = useEverySecond(active && waiting !== null);
  const spans = useMemo(
    () =>
      detail.results
        .filter((result) => result.outcome !== "skipped")
        .map((result): Span => {
          const to = Date.parse(result.publishedAt);
          return { result, from: to - result.durationMs, to };
        }),
    [detail.results],
  );
  const due = active && waiting !== null ? Date.parse(waiting) : undefined;
  const scale = useMemo(() => scaleOf(spans, due ?? 0), [spans, due]);
  if (detail.results.length === 0) {
    return <p class="soft">No call has been made yet.</p>;
  }
  const before = new Map<string, Span>();
  return (
    <ol class="calls">
      {detail.results.map((result) => {
        const span = spans.find((one) => one.result === result);
        const name = result.destination;
        const earlier = before.get(name);
        if (span !== undefined) {
          before.set(name, span);
        }
        return (
          <CallRow
            key={result.id}
            result={result}
            span={span}
            earlier={earlier}
            scale={scale}
            open={open === result.id}
            toggle={() => setOpen(open === result.id ? undefined : result.id)}
            detail={detail}
          />
        );
      })}
      {due === undefined || waiting === null ? null : (
        <li class="call">
          <div class="call-line is-retrying">
            <span class="call-name soft"><Icon name="clock" /> next try</span>
            <span class="call-bars">
              <span class="wait" style={{ left: `${scale.at(Math.min(spans.at(-1)?.to ?? now, due))}%`, right: "0" }} />
              <span class="wait-label" style={{ left: "auto", right: "4px" }}><Until at={waiting} /></span>
            </span>
            <span class="call-end" />
          </div>
        </li>
      )}
    </ol>
  );
}

interface CallRowProps {
  result: Result;
  span: Span | undefined;
  earlier: Span | undefined;
  scale: Scale;
  open: boolean;
  toggle: () => void;
  detail: EventDetail;
}

function CallRow({ result, span, earlier, scale, open, toggle, detail }: CallRowProps) {
  const back = result.destination.endsWith(revert);
  const state = back && result.outcome === "succeeded" ? "undone" : result.outcome;
  const left = span === undefined ? 0 : scale.at(span.from);
  const right = span === undefined ? 0 : scale.at(span.to);
  const waitFrom = earlier === undefined ? left : scale.at(earlier.to);
  return (
    <li class={`call ${open ? "open" : ""}`}>
      <button type="button" class={`call-line is-${state}`} aria-expanded={open} onClick={toggle}>
        <span class="call-name">
          <span class="dot"><Icon name={iconOf(state)} /></span>
          <span class="clip">
            {back ? "undo " : ""}
            {visible(back ? result.destination.slice(0, -revert.length) : result.destination)}
            {result.attempt > 1 ? <span class="faint"> try {result.attempt}</span> : null}
          </span>
        </span>
        <span class="call-bars" aria-hidden="true">
          {scale.cuts.map((cut) => <span key={cut.at} class="cut" style={{ left: `${cut.at}%` }} title={`${duration(cut.length)} in which nothing was called, drawn shorter`} />)}
          {earlier === undefined || span === undefined ? null : (
            <>
              <span class="wait" style={{ left: `${waitFrom}%`, width: `${Math.max(0, left - waitFrom)}%` }} />
              <span class="wait-label" style={{ right: `calc(${100 - left}% + 5px)`, left: "auto" }}>{duration(span.from - earlier.to)}</span>
            </>
          )}
          {span === undefined ? <span class="skip-note">skipped: no call was made</span> : <span class="bar" style={{ left: `${left}%`, width: `max(4px, ${right - left}%)` }} />}
        </span>
        <span class="call-end">
          {span === undefined ? <span class="faint">skipped</span> : <span class="code">{result.responseStatus ?? wordOf(result.outcome)}</span>}
          {span === undefined ? null : <span class="faint">{duration(result.durationMs)}</span>}
          <Icon name="chevron" />
        </span>
      </button>
      {open ? <CallDetail result={result} detail={detail} /> : null}
    </li>
  );
}

function CallDetail({ result, detail }: { result: Result; detail: EventDetail }) {
  return (
    <div class="call-detail">
      <div class="row wrap between">
        <code class="address">
          {result.httpMethod === null ? "no call" : `${result.httpMethod} ${visible(result.endpointUrl ?? "")}`}
        </code>
        {result.httpMethod === null || result.httpMethod === "SMTP" ? null : <CopyButton text={curlOf(result, detail)} what="this call as curl" label="Copy as curl" />}
      </div>
      <p class="small soft">
        {wordOf(result.outcome)}, <At at={result.publishedAt} />, attempt {result.attempt}
        {result.run > 1 ? `, run ${result.run}` : ""}
        {result.causeEventId !== detail.id && result.causeEventId !== result.eventId ? <>, for the cancel <a href={`/events/${result.causeEventId}`}>#{result.causeEventId}</a></> : null}
        {result.eventId !== detail.id ? <>, undoing a step of <a href={`/events/${result.eventId}`}>#{result.eventId}</a></> : null}
      </p>
      {result.errorMessage === null ? null : <p class="quote pre">{visible(result.errorMessage)}</p>}
      <div class="two">
        <div>
          <h3>Request</h3>
          <JsonView value={result.requestPayload} label="request" />
        </div>
        <div>
          <h3>Answer</h3>
          <JsonView value={result.responsePayload} label="answer" />
        </div>
      </div>
    </div>
  );
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/// The call as it was made but for what is secret: configured headers are not stored, so they can't be here.
export function curlOf(result: Result, detail: EventDetail): string {
  const run = result.run > 1 ? `:${result.run}` : "";
  // A revert goes by the key of the event that it undoes, which on a cancel's page is another one.
  const key = result.eventId === detail.id ? `${detail.eventUuid}:${result.destination}${run}` : undefined;
  const lines = [
    "# headers of the configuration and secrets are left out",
    `curl -i -X ${result.httpMethod ?? "POST"} ${quoted(result.endpointUrl ?? "")}`,
    ...(key === undefined ? [] : [`  -H ${quoted(`Idempotency-Key: ${key}`)}`]),
    `  -H ${quoted(`X-Event-Id: ${result.eventId}`)}`,
    `  -H ${quoted(`X-Event-Type: ${detail.eventType}`)}`,
    `  -H ${quoted(`X-Aggregate-Id: ${detail.aggregateId}`)}`,
    `  -H ${quoted(`X-Destination: ${result.destination}`)}`,
  ];
  if (result.requestPayload !== null) {
    lines.push(`  -H 'Content-Type: application/json'`, `  --data-binary ${quoted(writeJson(result.requestPayload, 0))}`);
  }
  const [comment, ...call] = lines;
  return `${comment}\n${call.join(" \\\n")}\n`;
}
