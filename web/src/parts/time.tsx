import { useEverySecond } from "../clock";
import { ago, duration, moment } from "../format";

/// A moment in the past, as its distance; the moment itself in the title.
export function Ago({ at }: { at: string }) {
  const now = useEverySecond();
  const date = new Date(at);
  return (
    <time dateTime={at} title={date.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "long" })}>
      {ago(Math.max(0, now - date.getTime()))}
    </time>
  );
}

/// How long until a moment; `now` once it has come.
export function Until({ at }: { at: string }) {
  const now = useEverySecond();
  const left = new Date(at).getTime() - now;
  return (
    <time dateTime={at} title={at}>
      {left <= 0 ? "now" : `in ${left < 60_000 ? `${Math.ceil(left / 1000)} s` : duration(left)}`}
    </time>
  );
}

export function At({ at }: { at: string }) {
  return (
    <time dateTime={at} title={at}>
      {moment(new Date(at))}
    </time>
  );
}
