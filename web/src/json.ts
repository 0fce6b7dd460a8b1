// JSON that keeps every digit: amounts and ids pass through Sagabox unchanged, so they must not
// become 100.1 or lose their last figure on the screen either.

/// A number whose text JavaScript's own numbers would not give back.
export class Digits {
  constructor(readonly text: string) {}
}

/// As a number of JavaScript, where digits do not matter: `0.0` of a peer is 0.
export function toNumber(value: unknown): number {
  return Number(value instanceof Digits ? value.text : value);
}

export type Json = null | boolean | number | string | Digits | Json[] | { [name: string]: Json };

type Reviver = (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown;

const keepDigits: Reviver = (_key, value, context) => {
  const source = context?.source;
  return typeof value === "number" && source !== undefined && String(value) !== source ? new Digits(source) : value;
};

export function parseJson(text: string): unknown {
  return JSON.parse(text, keepDigits);
}

export function isObject(value: unknown): value is { [name: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Digits);
}

/// As `JSON.stringify` with its digits kept.
export function writeJson(value: Json, indent = 2, depth = 0): string {
  if (value instanceof Digits) {
    return value.text;
  }
  const open = indent > 0 ? "\n" + " ".repeat(indent * (depth + 1)) : "";
  const close = indent > 0 ? "\n" + " ".repeat(indent * depth) : "";
  if (Array.isArray(value)) {
    return value.length === 0
      ? "[]"
      : "[" + value.map((item) => open + writeJson(item, indent, depth + 1)).join(",") + close + "]";
  }
  if (isObject(value)) {
    const members = Object.entries(value).map(
      ([name, member]) => open + JSON.stringify(name) + (indent > 0 ? ": " : ":") + writeJson(member, indent, depth + 1),
    );
    return members.length === 0 ? "{}" : "{" + members.join(",") + close + "}";
  }
  return JSON.stringify(value);
}
