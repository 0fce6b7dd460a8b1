// The forms of docs/openapi.json, from which `schema.d.ts` is generated at each build, under the names by which the pages
// know them. Documents of applications and peers are JSON with all their digits.

import type { Json } from "../json";
import type { components } from "./schema";

type Schemas = components["schemas"];
type WithJson<Form, Names extends keyof Form> = Omit<Form, Names> & Record<Names, Json>;

export interface Page<T> {
  items: T[];
  next: number | null;
}

export type Event = Schemas["Event"];
export type Saga = Schemas["Saga"];
export type SagaStep = Schemas["SagaStep"];
export type SagaList = Schemas["SagaPage"];
export type Outcome = SagaStep["outcome"];

export type Result = WithJson<Schemas["Result"], "requestPayload" | "responsePayload">;
export type Letter = Schemas["DeadLetter"];
export type EventDetail = Omit<WithJson<Schemas["EventDetail"], "payloads">, "results"> & { results: Result[] };
export type NextAction = NonNullable<EventDetail["next"]>;

type Undo = Schemas["Explanation"]["undo"][number];
export type Explanation = Omit<Schemas["Explanation"], "undo"> & { undo: WithJson<Undo, "body">[] };

export type Stats = Schemas["Stats"];
export type CallFigures = Omit<Schemas["TrafficSlot"], "at">;
export type Traffic = Schemas["Traffic"];

export type Mail = Schemas["Email"];
export type MailDetail = Omit<Schemas["EmailDetail"], "tries"> & { tries: Result[] };
export type MailStats = Schemas["EmailStats"];
