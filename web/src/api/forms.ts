// The forms that this console reads.

export interface SagaStep {
  destination: string;
  direction: "forward" | "revert";
  order: number;
  outcome: "succeeded" | "rejected" | "failed" | "unknown" | "skipped";
  status: number | null;
  attempts: number;
  durationMs: number | null;
  at: string;
  error: string | null;
  causedBy: number | null;
}

export interface SagaLetter {
  id: number;
  status: string;
  reason: string;
  nextRetryAt: string | null;
  revertError: string | null;
}

export interface Saga {
  id: number;
  aggregateId: string;
  type: string;
  status: string;
  createdAt: string;
  statusChangedAt: string;
  retryCount: number;
  nextRetryAt: string | null;
  lastError: string | null;
  movedToDlq: boolean;
  run: number;
  plan: PlannedStep[];
  steps: SagaStep[];
  letter: SagaLetter | null;
}

export interface PlannedStep {
  destination: string;
  undoable: boolean;
}

export interface SagaPage {
  sagas: Saga[];
  next: number | null;
  now: string;
}

import type { Json } from "../json";

export interface StatusCount {
  status: string;
  type: string;
  count: number;
}

export interface Stats {
  active: { counts: StatusCount[]; exact: boolean };
  ended: { counts: StatusCount[]; exact: boolean };
  oldestPendingMs: number | null;
  deadLetters: { counts: { status: string; reason: string; count: number }[]; exact: boolean };
}

export interface Result {
  id: number;
  eventId: number;
  causeEventId: number | null;
  destination: string;
  direction: "forward" | "revert";
  endpointUrl: string | null;
  httpMethod: string | null;
  requestPayload: Json;
  responseStatus: number | null;
  responsePayload: Json;
  publishedAt: string;
  durationMs: number;
  outcome: SagaStep["outcome"];
  errorMessage: string | null;
  fanoutOrder: number;
  attempt: number;
  route: number;
  run: number;
}

export interface Letter {
  id: number;
  eventId: number;
  aggregateId: string;
  type: string;
  reason: string;
  status: string;
  createdAt: string | null;
  failedAt: string;
  statusChangedAt: string;
  retryCount: number;
  lastError: string | null;
  revertRetryCount: number;
  revertError: string | null;
  nextRetryAt: string | null;
  resolution: { note: string; by: string | null; at: string } | null;
}

export interface UndoCall {
  destination: string;
  method: string;
  url: string;
  body: Json;
}

export interface RouteChoice {
  destination: string;
  order: number;
  condition: string | null;
  value: Json;
  why: string;
}

export interface EventDetail {
  saga: Saga;
  uuid: string;
  idempotencyKey: string | null;
  payloads: Json;
  leaseOwner: string | null;
  leaseExpiresAt: string | null;
  deaths: number;
  results: Result[];
  letter: Letter | null;
  next: { text: string; at: string | null } | null;
  undo: UndoCall[];
  undoStops: string | null;
  routes: RouteChoice[];
  now: string;
}

export interface CallFigures {
  calls: number;
  succeeded: number;
  rejected: number;
  unknown: number;
  p50Ms: number;
  p95Ms: number;
  slowestMs: number;
}

export interface Traffic {
  now: string;
  since: string;
  slotSeconds: number;
  destinations: { destination: string; whole: CallFigures; slots: ({ at: string } & CallFigures)[] }[];
}

export interface LetterPage {
  deadLetters: Letter[];
  next: number | null;
}

export interface Mail {
  id: number;
  eventId: number | null;
  status: string;
  attempts: number;
  provider: string | null;
  lastError: string | null;
  nextTryAt: string | null;
  endedAt: string | null;
  receivedAt: string;
  messageId: string;
  correlationId: string;
  documentType: string;
  to: string[];
  cc: string[];
  bcc: string[];
  replyTo: string | null;
  subject: string;
}

export interface MailTry {
  id: number;
  provider: string;
  attempt: number;
  outcome: SagaStep["outcome"];
  at: string;
  durationMs: number;
  status: number | null;
  stage: string | null;
  reply: string | null;
  error: string | null;
  recipients: { address: string; state: string; reply: string | null }[];
}

export interface MailDetail extends Mail {
  text: string | null;
  html: string | null;
  attachments: { fileName: string; contentType: string; bytes: number }[];
  tries: MailTry[];
}

export interface MailPageForm {
  emails: Mail[];
  next: number | null;
}

export interface MailStats {
  counts: { status: string; count: number }[];
  providers: { name: string; state: string; failures: number; lastError: string | null; openUntil: string | null }[];
}
