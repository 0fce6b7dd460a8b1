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

function databaseAway(problem: Problem): boolean {
  return problem.status === 503 && problem.message.startsWith("The database cannot be reached");
}

function titleOf(problem: Problem): string {
  if (problem.status === 0) {
    return "Sagabox can\u2019t be reached.";
  }
  if (databaseAway(problem)) {
    return "PostgreSQL can\u2019t be reached.";
  }
  // Not yet migrated, still starting: the program says so itself, and what to do.
  return problem.away ? problem.message : "This could not be loaded.";
}

/// What went wrong with a page's data, what is still shown, and what will happen.
export function Trouble({ problem, at }: { problem: Problem | undefined; at: Date | undefined }) {
  if (problem === undefined || problem.status === 401) {
    return null;
  }
  return (
    <Banner tone={problem.away ? "warn" : "bad"}>
      <strong>
        {titleOf(problem)}
      </strong>{" "}
      {problem.away
        ? `${at === undefined ? "Nothing can be shown yet" : `What you see is from ${clock(at)}`}; it is tried again every two seconds.${
            databaseAway(problem) ? " Nothing is lost meanwhile: the relay waits for the database and goes on where it stopped." : ""
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
