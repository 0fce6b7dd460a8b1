import type { ComponentChildren } from "preact";

import type { Problem } from "../api/client";
import { clock } from "../format";
import { Icon, type IconName } from "./icon";

export function Banner({ tone, icon = "warn", children }: { tone: string; icon?: IconName; children: ComponentChildren }) {
  return (
    <div class={`banner is-${tone}`} role={tone === "bad" ? "alert" : "status"}>
      <Icon name={icon} />
      <div class="grow">{children}</div>
    </div>
  );
}

/// What went wrong with a page's data, what is still shown, and what will happen.
export function Trouble({ problem, at }: { problem: Problem | undefined; at: Date | undefined }) {
  if (problem === undefined || problem.status === 401) {
    return null;
  }
  return (
    <Banner tone={problem.away ? "warn" : "bad"}>
      <strong>
        {problem.status === 0 ? "Sagabox can\u2019t be reached." : problem.status === 503 ? "PostgreSQL can\u2019t be reached." : "This could not be loaded."}
      </strong>{" "}
      {problem.away
        ? `${at === undefined ? "Nothing can be shown yet" : `What you see is from ${clock(at)}`}; it is tried again every two seconds.${
            problem.status === 503 ? " Nothing is lost meanwhile: the relay waits for the database and goes on where it stopped." : ""
          }`
        : problem.message}
    </Banner>
  );
}

export function Empty({ title, children, actions }: { title: string; children?: ComponentChildren; actions?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children === undefined ? null : <p>{children}</p>}
      {actions === undefined ? null : <div class="actions">{actions}</div>}
    </div>
  );
}

export function Loading({ rows = 5, height = 104 }: { rows?: number; height?: number }) {
  return (
    <div class="stack" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} class="skeleton" style={{ height: `${height}px` }} />
      ))}
    </div>
  );
}
