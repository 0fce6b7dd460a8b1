import type { Saga, SagaStep } from "./api/forms";

// What a rail shows, from what is stored: the same reading for the list and for an event's own page.

export type StepState = "succeeded" | "rejected" | "failed" | "retrying" | "unknown" | "skipped" | "calling" | "waiting";
export type BackState = "undone" | "undoing" | "retrying" | "failed" | "unknown" | "ahead" | "skipped";

export interface RailStep {
  destination: string;
  state: StepState;
  last: SagaStep | undefined;
  back: { state: BackState; last: SagaStep | undefined } | undefined;
}

export interface Rail {
  steps: RailStep[];
  /// There is a lower line, that runs back.
  compensates: boolean;
  /// Something on the way changes without being asked.
  moving: boolean;
}

const over = (saga: Saga) => saga.status !== "PENDING" && saga.status !== "PROCESSING";

export function railOf(saga: Saga): Rail {
  const forward = new Map<string, SagaStep>();
  const reverts = new Map<string, SagaStep>();
  for (const step of saga.steps) {
    (step.direction === "forward" ? forward : reverts).set(step.destination, step);
  }
  const planned = new Map(saga.plan.map((step) => [step.destination, step]));
  // A fan-out that has changed since must hide nothing that was called.
  const names = [...planned.keys()];
  for (const step of [...saga.steps].sort((a, b) => a.fanoutOrder - b.fanoutOrder)) {
    if (!planned.has(step.destination) && !names.includes(step.destination)) {
      names.push(step.destination);
    }
  }

  const letterOpen = saga.deadLetter !== null && (saga.deadLetter.status === "PENDING" || saga.deadLetter.status === "PROCESSING");
  const compensates = saga.deadLetter !== null || reverts.size > 0;
  let current = !over(saga);
  const steps = names.map((destination): RailStep => {
    const last = forward.get(destination);
    let state: StepState = "waiting";
    if (last?.outcome === "succeeded" || last?.outcome === "skipped") {
      state = last.outcome;
    } else if (current) {
      current = false;
      state = saga.status === "PROCESSING" ? "calling" : last === undefined ? "waiting" : "retrying";
    } else if (last !== undefined) {
      state = last.outcome;
    }
    return { destination, state, last, back: undefined };
  });

  if (compensates) {
    // Last first: the first that is still to be undone is the one at work.
    let working = letterOpen;
    for (const step of [...steps].reverse()) {
      const last = reverts.get(step.destination);
      const tookEffect = step.state === "succeeded" || step.state === "unknown";
      if (last?.outcome === "succeeded") {
        step.back = { state: "undone", last };
      } else if (last !== undefined) {
        step.back = { state: working ? (saga.deadLetter?.status === "PROCESSING" ? "undoing" : "retrying") : last.outcome === "unknown" ? "unknown" : "failed", last };
        working = false;
      } else if (tookEffect && (planned.get(step.destination)?.undoable ?? false)) {
        step.back = { state: working ? "undoing" : letterOpen || saga.deadLetter?.status === "FAILED" ? "ahead" : "skipped", last: undefined };
        working = false;
      } else if (tookEffect) {
        step.back = { state: "skipped", last: undefined };
      }
    }
  }
  return { steps, compensates, moving: !over(saga) || letterOpen };
}
