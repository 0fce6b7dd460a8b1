import type { Saga } from "../api/forms";
import { Icon, type IconName } from "./icon";

// One word and one sign for each state, whatever page shows it: colour is never alone.

const words: Record<string, { text: string; icon: IconName }> = {
  PENDING: { text: "waiting", icon: "clock" },
  PROCESSING: { text: "under way", icon: "dots" },
  PROCESSED: { text: "done", icon: "check" },
  FAILED: { text: "failed", icon: "cross" },
  CANCELLED: { text: "cancelled", icon: "skip" },
  RESOLVED: { text: "resolved", icon: "person" },
  succeeded: { text: "succeeded", icon: "check" },
  rejected: { text: "rejected", icon: "cross" },
  failed: { text: "failed", icon: "cross" },
  retrying: { text: "waits to retry", icon: "retry" },
  unknown: { text: "unknown", icon: "question" },
  skipped: { text: "skipped", icon: "skip" },
  calling: { text: "under way", icon: "dots" },
  waiting: { text: "not yet", icon: "dots" },
  undone: { text: "undone", icon: "undo" },
  undoing: { text: "undoing", icon: "undo" },
  NOT_YET_SENT: { text: "not yet sent", icon: "clock" },
  IN_PROCESS: { text: "being sent", icon: "dots" },
  REQUIRED_RESEND: { text: "will be tried again", icon: "retry" },
  SUCCESS_SENT: { text: "sent", icon: "check" },
  FAILED_NOT_RETRYABLE: { text: "refused for good", icon: "cross" },
  FAILED_RETRIES_EXHAUSTED: { text: "given up", icon: "cross" },
};

export function wordOf(state: string): string {
  return words[state]?.text ?? state;
}

export function iconOf(state: string): IconName {
  return words[state]?.icon ?? "info";
}

/// `label` is the database's own word, which stays in the title so that a search in SQL finds it.
export function Pill({ state, text, tone }: { state: string; text?: string; tone?: string }) {
  return (
    <span class={`pill is-${tone ?? state}`} title={state}>
      <Icon name={iconOf(tone !== undefined && tone in words ? tone : tone === "bad" ? "FAILED" : state)} />
      {text ?? wordOf(state)}
    </span>
  );
}

/// How an event as a whole ended or stands: `PROCESSED` alone would call a compensated order done.
export function eventState(saga: Saga): { state: string; text: string; tone: string } {
  const letter = saga.deadLetter?.status;
  if (saga.movedToDlq) {
    if (letter === "PROCESSED") {
      return { state: saga.status, text: "undone", tone: "undone" };
    }
    if (letter === "FAILED") {
      return { state: saga.status, text: "needs a person", tone: "bad" };
    }
    if (letter === "RESOLVED") {
      return { state: saga.status, text: "resolved", tone: "none" };
    }
    return { state: saga.status, text: "undoing", tone: "undoing" };
  }
  if (saga.status === "PROCESSED" && saga.steps.some((step) => step.direction === "revert" && step.outcome === "succeeded")) {
    return { state: saga.status, text: "undone by a cancel", tone: "undone" };
  }
  if (saga.status === "PENDING" && saga.nextRetryAt !== null) {
    return saga.retryCount > 0 ? { state: saga.status, text: wordOf("retrying"), tone: "retrying" } : { state: saga.status, text: "due later", tone: saga.status };
  }
  return { state: saga.status, text: wordOf(saga.status), tone: saga.status };
}
