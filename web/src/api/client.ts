import { parseJson, writeJson, type Json } from "../json";

/// Why a request brought no answer of use, in words for the reader.
export class Problem extends Error {
  constructor(
    readonly status: number,
    detail: string,
    readonly faults: { field: string; text: string }[] = [],
  ) {
    super(detail);
  }

  /// The program itself does not answer: status 0. The database behind it: 503.
  get away(): boolean {
    return this.status === 0 || this.status === 503;
  }
}

const patience = 15_000;

/// Told when the program asks for a token.
let locked: () => void = () => {};
export function onLocked(listener: () => void): void {
  locked = listener;
}

async function ask(method: string, path: string, body: unknown, signal: AbortSignal | undefined): Promise<unknown> {
  const limit = AbortSignal.timeout(patience);
  let response: Response;
  let text: string;
  try {
    response = await fetch(path, {
      method,
      credentials: "same-origin",
      cache: "no-store",
      redirect: "error",
      headers: { Accept: "application/json", ...(method === "GET" ? {} : { "Content-Type": "application/json" }) },
      ...(body === undefined ? {} : { body: writeJson(body as Json, 0) }),
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    });
    text = await response.text();
  } catch (error) {
    if (signal?.aborted) {
      throw error;
    }
    throw new Problem(0, "Sagabox does not answer. It may be stopped, or the network is away.");
  }
  if (response.status === 401) {
    locked();
  }
  let answer: unknown = null;
  try {
    answer = text === "" ? null : parseJson(text);
  } catch {
    throw new Problem(response.status, `The answer of ${path} is no JSON.`);
  }
  if (!response.ok) {
    const problem = (answer ?? {}) as { detail?: string; errors?: { field?: string; detail?: string; text?: string }[] };
    throw new Problem(
      response.status,
      problem.detail ?? `Sagabox answered ${response.status}.`,
      (problem.errors ?? []).map((fault) => ({ field: fault.field ?? "", text: fault.detail ?? fault.text ?? "" })),
    );
  }
  return answer;
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await ask("GET", path, undefined, signal)) as T;
}

export async function send<T>(method: "POST" | "PUT" | "DELETE", path: string, body?: unknown): Promise<T> {
  return (await ask(method, path, body, undefined)) as T;
}

export function query(values: Record<string, string | number | undefined>): string {
  const made = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && value !== "") {
      made.set(name, String(value));
    }
  }
  const text = made.toString();
  return text === "" ? "" : "?" + text;
}
