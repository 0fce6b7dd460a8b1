// The forms of docs/openapi.json, under the names by which the pages know them.

import type { Json } from "../json";

export type Outcome = "succeeded" | "rejected" | "failed" | "unknown" | "skipped";

export interface Page<T> {
  items: T[];
  next: number | null;
}

export interface SagaStep {
  destination: string;
  direction: "forward" | "revert";
  fanoutOrder: number;
  outcome: Outcome;
  responseStatus: number | null;
  attempts: number;
  durationMs: number | null;
  publishedAt: string;
  errorMessage: string | null;
}

export interface SagaLetter {
  id: number;
  status: string;
  reason: string;
  nextRetryAt: string | null;
  revertError: string | null;
}

export interface Event {
  id: number;
  aggregateId: string;
  eventType: string;
  status: string;
  createdAt: string;
  statusChangedAt: string;
  retryCount: number;
  nextRetryAt: string | null;
  lastError: string | null;
  movedToDlq: boolean;
  run: number;
}

export interface Saga extends Event {
  plan: { destination: string; undoable: boolean }[];
  steps: SagaStep[];
  deadLetter: SagaLetter | null;
}

export interface SagaList extends Page<Saga> {
  now: string | null;
}

export interface Result {
  id: number;
  eventId: number;
  causeEventId: number;
  destination: string;
  endpointUrl: string | null;
  httpMethod: string | null;
  requestPayload: Json;
  responseStatus: number | null;
  responsePayload: Json;
  publishedAt: string;
  durationMs: number;
  success: boolean;
  outcome: Outcome;
  errorMessage: string | null;
  fanoutOrder: number;
  attempt: number;
  run: number;
  interrupted: number;
}

export interface Letter {
  id: number;
  originalEventId: number;
  aggregateId: string;
  eventType: string;
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

export interface NextAction {
  action: string;
  description: string;
  at: string | null;
}

export interface EventDetail extends Event {
  eventUuid: string;
  idempotencyKey: string | null;
  leaseOwner: string | null;
  leaseExpiresAt: string | null;
  deaths: number;
  emailId: number | null;
  payloads: Json;
  results: Result[];
  deadLetter: Letter | null;
  next: NextAction | null;
}

export interface Explanation {
  routes: { destination: string; endpointUrl: string | null; why: string }[];
  undo: { destination: string; httpMethod: string; endpointUrl: string; body: Json }[];
  undoStops: string | null;
}

interface Counts<Count> {
  counts: Count[];
  exact: boolean;
}

export interface Stats {
  events: {
    active: Counts<{ status: string; eventType: string; count: number }>;
    ended: Counts<{ status: string; eventType: string; count: number }> & { amongLatest: number };
    estimatedTotal: number;
  };
  oldestPendingAgeMs: number | null;
  deadLetters: Counts<{ status: string; reason: string; count: number }>;
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
  destinations: (CallFigures & { destination: string; slots: (CallFigures & { at: string })[] })[];
}

export interface Mail {
  id: number;
  eventId: number;
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
  idempotencyKey: string | null;
  to: string[];
  cc: string[];
  bcc: string[];
  replyTo: string | null;
  subject: string;
}

export interface MailDetail extends Mail {
  text: string | null;
  html: string | null;
  attachments: { id: number; fileName: string; contentType: string; bytes: number }[];
  tries: Result[];
}

export interface MailProvider {
  name: string;
  url: string;
  state: "closed" | "open" | "half_open";
  failures: number;
  lastError: string | null;
  openUntil: string | null;
  changedAt: string | null;
}

export interface MailStats {
  configured: boolean;
  messages: Record<string, number>;
  providers: MailProvider[];
}
