import type { Saga } from "../api/forms";
import { duration, visible } from "../format";
import { railOf, type BackState, type RailStep, type StepState } from "../saga";
import { Icon, type IconName } from "./icon";
import { wordOf } from "./status";
import { Until } from "./time";

const signs: Record<StepState, IconName> = {
  succeeded: "check",
  rejected: "cross",
  failed: "cross",
  retrying: "retry",
  unknown: "question",
  skipped: "skip",
  calling: "dots",
  waiting: "dots",
};

const backTone: Record<BackState, string> = {
  undone: "undone",
  undoing: "undoing",
  retrying: "retrying",
  failed: "bad",
  unknown: "unknown",
  ahead: "undoing",
  skipped: "skipped",
};

export function Rail({ saga }: { saga: Saga }) {
  const rail = railOf(saga);
  const cancel = saga.eventType.startsWith("!");
  const letter = saga.deadLetter;
  const cells = 2 + Math.max(rail.steps.length, 1) + (letter === null ? 0 : 1);
  const leftmost = rail.steps.findIndex((step) => step.back !== undefined && step.back.state !== "skipped");
  const rightmost = rail.steps.reduce((found, step, index) => (step.back !== undefined && step.back.state !== "skipped" ? index : found), -1);
  const end = letter === null ? rightmost : rail.steps.length;
  return (
    <ol class="rail" style={{ "--cells": String(cells) }} aria-label="Steps">
      <li class="cell place aggregate is-none">
        <span class="dot"><Icon name="row" /></span>
        <span class="line done is-none" />
        <div class="name clip" title={saga.aggregateId}>{visible(saga.aggregateId)}</div>
        <div class="meta clip">aggregate</div>
      </li>
      <li class="cell place is-none">
        <span class="dot"><Icon name="outbox" /></span>
        {rail.steps.length > 0 ? <span class={`line ${rail.steps[0]?.state === "waiting" ? "ahead" : "done"} is-none`} /> : null}
        <div class="name clip">outbox</div>
        <div class="meta clip">{outboxMeta(saga)}</div>
      </li>
      {rail.steps.map((step, index) => (
        <ForwardCell
          key={step.destination}
          step={step}
          retryAt={saga.nextRetryAt}
          next={index < rail.steps.length - 1 ? rail.steps[index + 1]?.state : letter === null ? undefined : "rejected"}
        />
      ))}
      {rail.steps.length === 0 ? (
        <li class="cell is-waiting">
          <span class="dot hollow small" />
          <div class="meta clip">{cancel ? "undoes the steps of the events that it cancels" : "no fan-out of this type"}</div>
        </li>
      ) : null}
      {letter === null ? null : (
        <li class={`cell letter-cell is-${letter.status === "FAILED" ? "bad" : letter.status === "RESOLVED" ? "none" : "undone"}`}>
          <span class="dot"><Icon name="letters" /></span>
          <div class="name clip">dead letter</div>
          <div class="meta clip" title={letter.reason}>{letterWord(letter.status)}</div>
        </li>
      )}
      {!rail.compensates ? null : (
        <>
          {rail.steps.map((step, index) =>
            step.back === undefined ? (
              index > leftmost && leftmost >= 0 && index < end ? (
                <li key={step.destination} class="cell back" aria-hidden="true" style={{ gridColumn: `calc(var(--first) + ${index})` }}>
                  <span class="line backward through" />
                </li>
              ) : null
            ) : (
              <BackCell
                key={step.destination}
                step={step}
                index={index}
                hasLine={index >= leftmost && leftmost >= 0 && index < end}
                retryAt={letter?.nextRetryAt ?? null}
              />
            ),
          )}
          {letter === null || leftmost < 0 ? null : (
            <li class="cell back" aria-hidden="true" style={{ gridColumn: `calc(var(--first) + ${rail.steps.length})` }}>
              <span class="turn" />
            </li>
          )}
        </>
      )}
    </ol>
  );
}

function outboxMeta(saga: Saga): string {
  if (saga.run > 1) {
    return `run ${saga.run}`;
  }
  return saga.status === "PENDING" && saga.steps.length === 0 ? "waits" : "event";
}

function letterWord(status: string): string {
  switch (status) {
    case "PROCESSED":
      return "all undone";
    case "FAILED":
      return "needs a person";
    case "RESOLVED":
      return "resolved";
    default:
      return "undoing";
  }
}

function ForwardCell({ step, retryAt, next }: { step: RailStep; retryAt: string | null; next: StepState | undefined }) {
  const { state, last } = step;
  const hollow = state === "waiting" ? "hollow small" : state === "skipped" || state === "retrying" ? "hollow" : state === "unknown" ? "dashed" : "";
  return (
    <li class={`cell is-${state}`} title={last?.errorMessage ?? undefined}>
      <span class={`dot ${hollow} ${state === "calling" ? "live" : ""}`}>{state === "waiting" ? null : <Icon name={signs[state]} />}</span>
      {next === undefined ? null : <span class={`line ${next === "waiting" ? "ahead" : "done"}`} />}
      <div class="name clip" title={step.destination}>{visible(step.destination)}</div>
      <div class="meta clip">
        <span class="hidden-text">{wordOf(state)} </span>
        <StepFigures state={state} last={last} retryAt={state === "retrying" ? retryAt : null} />
      </div>
    </li>
  );
}

function StepFigures({ state, last, retryAt }: { state: string; last: RailStep["last"]; retryAt: string | null }) {
  if (last === undefined) {
    return <>{state === "calling" ? "calling \u2026" : state === "undoing" ? "undoing \u2026" : "\u2013"}</>;
  }
  if (last.outcome === "skipped") {
    return <>skipped</>;
  }
  return (
    <>
      <span class="code">{last.responseStatus ?? (last.outcome === "succeeded" ? "ok" : "no answer")}</span>
      {last.attempts > 1 ? ` \u00d7${last.attempts}` : ""}
      <span class="more">{retryAt !== null ? <>{" \u00b7 "}<Until at={retryAt} /></> : last.durationMs === null ? null : ` \u00b7 ${duration(last.durationMs)}`}</span>
    </>
  );
}

function BackCell({ step, index, hasLine, retryAt }: { step: RailStep; index: number; hasLine: boolean; retryAt: string | null }) {
  const back = step.back;
  if (back === undefined) {
    return null;
  }
  const { state, last } = back;
  const ahead = state === "ahead" || state === "undoing";
  return (
    <li class={`cell back is-${backTone[state]}`} style={{ gridColumn: `calc(var(--first) + ${index})` }} title={last?.errorMessage ?? undefined}>
      {state === "skipped" ? (
        <>
          <span class="dot hollow small" />
          {hasLine ? <span class="line backward" /> : null}
          <div class="meta clip">nothing to undo</div>
        </>
      ) : (
        <>
          <span class={`dot ${state === "ahead" ? "hollow" : state === "unknown" ? "dashed" : ""} ${state === "undoing" ? "live" : ""}`}>
            <Icon name={state === "failed" ? "cross" : state === "retrying" ? "retry" : "undo"} />
          </span>
          {hasLine ? <span class={`line backward ${ahead ? "ahead" : ""}`} /> : null}
          <div class="meta clip">
            <span class="word">{state === "ahead" ? "to be undone" : state === "undone" ? "undone " : state === "failed" ? "failed " : state === "undoing" && last !== undefined ? "undoing " : ""}</span>
            {state === "ahead" ? null : <StepFigures state={state} last={last} retryAt={state === "retrying" ? retryAt : null} />}
          </div>
        </>
      )}
    </li>
  );
}
