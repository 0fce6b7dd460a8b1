import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";

import { get } from "../api/client";
import type { MailStats, Stats, Traffic } from "../api/forms";
import { useResource, type Resource } from "../api/resource";
import { count, counted, duration, percent, visible } from "../format";
import { Chart } from "../parts/chart";
import { Icon } from "../parts/icon";
import { Empty, Loading, Trouble } from "../parts/notice";
import { wordOf } from "../parts/status";
import { Until } from "../parts/time";

/// An event that has waited longer, though it could be taken now, means that nobody takes it.
const worryingWait = 30_000;

export function OverviewPage({ stats, shop }: { stats: Resource<Stats>; shop: boolean }) {
  const traffic = useResource("traffic", (signal) => get<Traffic>("/api/outbox/traffic", signal), 3000);
  const mail = useResource("mail stats", (signal) => get<MailStats>("/api/emails/stats", signal), 5000);
  if (stats.data === undefined) {
    return (
      <>
        <header class="page-head">
          <h1>{stats.problem === undefined ? "Overview" : "The database is away"}</h1>
        </header>
        <Trouble problem={stats.problem} at={stats.at} />
        {stats.problem === undefined ? <Loading rows={3} height={150} /> : null}
      </>
    );
  }
  const health = healthOf(stats.data, traffic.data, mail.data, stats.problem !== undefined);
  return (
    <>
      <header class="page-head">
        <div>
          <h1 class={`health is-${health.tone}`}>
            <span class="health-sign"><Icon name={health.tone === "good" ? "check" : "warn"} /></span>
            {health.sentence}
          </h1>
          <p class="lead">{health.why}</p>
        </div>
      </header>
      <Trouble problem={stats.problem} at={stats.at} />
      <div class={stats.problem === undefined ? "stack overview" : "stack overview stale"}>
        <Attention stats={stats.data} mail={mail.data} />
        <LeftAlone destinations={stats.data.destinationsLeftAlone} />
        <Figures stats={stats.data} traffic={traffic.data} />
        <Flow traffic={traffic.data} shop={shop} />
        {mail.data === undefined ? null : <MailSummary mail={mail.data} />}
      </div>
    </>
  );
}

function sum(counts: { status: string; count: number }[], ...statuses: string[]): number {
  return counts.filter((one) => statuses.includes(one.status)).reduce((total, one) => total + one.count, 0);
}

const mailFailed = (mail: MailStats | undefined) => (mail?.messages.FAILED_NOT_RETRYABLE ?? 0) + (mail?.messages.FAILED_RETRIES_EXHAUSTED ?? 0);

interface Health {
  tone: "good" | "warn" | "bad";
  sentence: string;
  why: string;
}

function healthOf(stats: Stats, traffic: Traffic | undefined, mail: MailStats | undefined, stale: boolean): Health {
  if (stale) {
    return { tone: "bad", sentence: "Sagabox or its database is away", why: "The figures below are the last ones that were known." };
  }
  const people = sum(stats.deadLetters.counts, "FAILED");
  const failing = (traffic?.destinations ?? []).filter((one) => one.calls >= 5 && one.succeeded / one.calls < 0.8).map((one) => wordsOf(one.destination));
  if ((stats.oldestPendingAgeMs ?? 0) > worryingWait) {
    return {
      tone: "bad",
      sentence: "Events wait, and nobody takes them",
      why: `The oldest that is due has waited for ${duration(stats.oldestPendingAgeMs ?? 0)}. Is a relay running, and do its claims work?`,
    };
  }
  if (people > 0) {
    return { tone: "bad", sentence: `${counted(people, "dead letter")} ${people === 1 ? "needs" : "need"} a person`, why: "What these events did could not be undone by itself. Everything else goes on." };
  }
  const alone = stats.destinationsLeftAlone.map((one) => one.destination);
  if (alone.length > 0) {
    return { tone: "warn", sentence: `${listed(alone)} ${alone.length === 1 ? "is" : "are"} left alone for now`, why: "Events that need it wait, and do not use up their retries meanwhile. Everything else goes on." };
  }
  if (failing.length > 0) {
    return { tone: "warn", sentence: `${listed(failing)} ${failing.length === 1 ? "fails" : "fail"} often`, why: "More than one call in five of the last 15 minutes did not succeed. What may pass is retried; what fails for good is undone." };
  }
  if (mailFailed(mail) > 0) {
    return { tone: "warn", sentence: `${counted(mailFailed(mail), "mail")} could not be sent`, why: "Everything else is well." };
  }
  return { tone: "good", sentence: "All is well", why: "Events are taken as they come, and nothing needs a person." };
}

function wordsOf(destination: string): string {
  return destination.endsWith(".revert") ? `undoing ${destination.slice(0, -7)}` : destination;
}

function listed(names: string[]): string {
  return names.length < 3 ? names.map(visible).join(" and ") : `${names.slice(0, 2).map(visible).join(", ")} and ${names.length - 2} more`;
}

function Attention({ stats, mail }: { stats: Stats; mail: MailStats | undefined }) {
  const people = sum(stats.deadLetters.counts, "FAILED");
  const items: { href: string; text: string }[] = [];
  if (people > 0) {
    items.push({ href: "/dead-letters?status=FAILED", text: `${counted(people, "dead letter")} to look at` });
  }
  const failedEvents = sum(stats.events.ended.counts, "FAILED");
  if (failedEvents > 0) {
    items.push({ href: "/sagas?status=FAILED", text: `${counted(failedEvents, "cancel")} that could not be carried out` });
  }
  for (const status of ["FAILED_NOT_RETRYABLE", "FAILED_RETRIES_EXHAUSTED"]) {
    const number = mail?.messages[status] ?? 0;
    if (number > 0) {
      items.push({ href: `/mail?status=${status}`, text: `${counted(number, "mail")} ${wordOf(status)}` });
    }
  }
  if (items.length === 0) {
    return null;
  }
  return (
    <section class="card attention" aria-label="What needs a person">
      <header>
        <h2>What needs a person</h2>
      </header>
      <ul class="body">
        {items.map((item) => (
          <li key={item.href}>
            <a href={item.href}>
              {item.text} <Icon name="chevron" />
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/// Destinations that no relay calls just now.
function LeftAlone({ destinations }: { destinations: Stats["destinationsLeftAlone"] }) {
  if (destinations.length === 0) {
    return null;
  }
  return (
    <section class="card" aria-label="Left alone for now">
      <header>
        <h2>Left alone for now</h2>
      </header>
      <div class="body stack tight">
        {destinations.map((one) => (
          <p key={one.destination} class="small">
            <strong>{visible(one.destination)}</strong>{" "}
            {one.state === "held" ? <span class="is-warn coloured">asked not to be called</span> : one.state === "open" ? <span class="is-bad coloured">{`failed ${counted(one.failures, "time")} in a row`}</span> : <span class="is-warn coloured">is on trial: one call shows how it is</span>}
            {one.state === "half_open" ? null : <>, called again <Until at={one.until} /></>}
            {one.why === "" ? null : <span class="soft">{`; last: ${visible(one.why)}`}</span>}
          </p>
        ))}
      </div>
    </section>
  );
}

function Tile({ label, value, hint, tone, href }: { label: string; value: ComponentChildren; hint?: string; tone?: string | undefined; href?: string }) {
  const inner = (
    <>
      <span class="tile-label">{label}</span>
      <span class={`tile-value ${tone === undefined ? "" : `is-${tone} coloured`}`}>{value}</span>
      {hint === undefined ? null : <span class="tile-hint">{hint}</span>}
    </>
  );
  return href === undefined ? <div class="tile">{inner}</div> : <a class="tile" href={href}>{inner}</a>;
}

function Figures({ stats, traffic }: { stats: Stats; traffic: Traffic | undefined }) {
  const { active, ended } = stats.events;
  const some = (exact: boolean, number: number) => (exact ? count(number) : `${count(number)}+`);
  const oldest = stats.oldestPendingAgeMs;
  const calls = (traffic?.destinations ?? []).reduce((total, one) => total + one.calls, 0);
  const span = traffic === undefined ? 0 : (Date.parse(traffic.now) - Date.parse(traffic.since)) / 1000;
  const among = ended.exact ? "of all that are kept" : `of the latest ${count(ended.amongLatest)}`;
  return (
    <section class="tiles" aria-label="Events by status">
      <Tile label="Waiting" value={some(active.exact, sum(active.counts, "PENDING"))} hint={oldest === null ? "none is due" : `oldest due for ${duration(oldest)}`} tone={(oldest ?? 0) > worryingWait ? "bad" : undefined} href="/sagas?status=PENDING" />
      <Tile label="Under way" value={some(active.exact, sum(active.counts, "PROCESSING"))} hint="held by a relay" href="/sagas?status=PROCESSING" />
      <Tile label="Ended" value={count(sum(ended.counts, "PROCESSED"))} hint={among} href="/sagas?status=PROCESSED" />
      <Tile label="Undone" value={count(sum(stats.deadLetters.counts, "PROCESSED"))} hint="compensated" href="/dead-letters?status=PROCESSED" />
      <Tile label="Cancelled" value={count(sum(ended.counts, "CANCELLED"))} hint={among} href="/sagas?status=CANCELLED" />
      <Tile label="Calls" value={span === 0 ? "\u2013" : rate(calls / span)} hint="over the last 15 minutes" />
    </section>
  );
}

function rate(perSecond: number): string {
  if (perSecond === 0) {
    return "none";
  }
  return perSecond >= 10 ? `${count(perSecond)}/s` : perSecond >= 1 ? `${perSecond.toFixed(1)}/s` : `${(perSecond * 60).toFixed(perSecond * 60 < 10 ? 1 : 0)}/min`;
}

function Flow({ traffic, shop }: { traffic: Traffic | undefined; shop: boolean }) {
  const chart = useMemo(() => (traffic === undefined ? undefined : slotsOf(traffic)), [traffic]);
  if (traffic === undefined || chart === undefined) {
    return <Loading rows={1} height={240} />;
  }
  const span = (Date.parse(traffic.now) - Date.parse(traffic.since)) / 1000;
  return (
    <section class="card" aria-label="The last 15 minutes">
      <header>
        <h2>The last 15 minutes</h2>
        {span < 890 ? <span class="faint small">{`so many calls that the look reaches back only ${duration(span * 1000)}`}</span> : null}
      </header>
      {traffic.destinations.length === 0 ? (
        <Empty title="No calls in this time" actions={shop ? <a class="button primary" href="/shop">Make an order in the shop</a> : undefined}>
          Once events come in, this shows how often each destination is called, how often it succeeds and how long it takes.
        </Empty>
      ) : (
        <div class="body">
          <div class="charts">
            <figure>
              <figcaption>
                Calls a minute <span class="key is-succeeded">succeeded</span> <span class="key is-failed">not</span>
              </figcaption>
              <Chart
                label="Calls a minute over the last 15 minutes"
                times={chart.times}
                show={(value) => count(value)}
                lines={[
                  { label: "succeeded", colour: "--ok", values: chart.succeeded, fill: true },
                  { label: "not", colour: "--bad", values: chart.others },
                ]}
              />
            </figure>
            <figure>
              <figcaption>
                Time to answer <span class="key is-calling">half are faster</span> <span class="key is-retrying">95% are faster</span>
              </figcaption>
              <Chart
                label="Time to answer over the last 15 minutes"
                times={chart.times}
                show={(value) => (value === 0 ? "0" : duration(value))}
                lines={[
                  { label: "half", colour: "--running", values: chart.p50 },
                  { label: "95%", colour: "--waiting", values: chart.p95 },
                ]}
              />
            </figure>
          </div>
          <div class="table-scroll" tabIndex={0} role="region" aria-label="Destinations">
            <table>
              <thead>
                <tr>
                  <th scope="col">Destination</th>
                  <th scope="col" class="number">Calls</th>
                  <th scope="col" class="number">Rate</th>
                  <th scope="col" class="number">Succeeded</th>
                  <th scope="col" class="number">p50</th>
                  <th scope="col" class="number">p95</th>
                  <th scope="col" class="number">Slowest</th>
                </tr>
              </thead>
              <tbody>
                {traffic.destinations.map(({ destination, ...whole }) => {
                  const share = whole.calls === 0 ? 1 : whole.succeeded / whole.calls;
                  return (
                    <tr key={destination}>
                      <th scope="row" class="destination">
                        {destination.endsWith(".revert") ? <><span class="undo-mark"><Icon name="undo" /></span>{visible(destination.slice(0, -7))}<span class="hidden-text"> undone</span></> : visible(destination)}
                      </th>
                      <td class="number">{count(whole.calls)}</td>
                      <td class="number">{rate(whole.calls / Math.max(span, 1))}</td>
                      <td class={`number is-${share >= 0.99 ? "good" : share >= 0.8 ? "warn" : "bad"} coloured`}>{percent(whole.succeeded, whole.calls)}</td>
                      <td class="number">{duration(whole.p50Ms)}</td>
                      <td class="number">{duration(whole.p95Ms)}</td>
                      <td class="number">{duration(whole.slowestMs)}</td>
                    </tr>
                  );
                })}
              </tbody>
            </table>
          </div>
        </div>
      )}
    </section>
  );
}

function slotsOf(traffic: Traffic) {
  const slot = traffic.slotSeconds;
  const to = Math.floor(Date.parse(traffic.now) / 1000 / slot) * slot;
  const times = Array.from({ length: 900 / slot }, (_, index) => to - 900 + slot * (index + 1));
  const perMinute = 60 / slot;
  const values = times.map((time) => {
    const figures = traffic.destinations.flatMap((one) => one.slots.filter((figure) => Math.floor(Date.parse(figure.at) / 1000) === time));
    const calls = figures.reduce((total, one) => total + one.calls, 0);
    const succeeded = figures.reduce((total, one) => total + one.succeeded, 0);
    // Of several destinations the median of medians, weighed by calls, is near enough for a line that shows a trend.
    const p50 = calls === 0 ? null : figures.reduce((total, one) => total + one.p50Ms * one.calls, 0) / calls;
    const p95 = calls === 0 ? null : Math.max(...figures.map((one) => one.p95Ms));
    return { succeeded: succeeded * perMinute, others: (calls - succeeded) * perMinute, p50, p95 };
  });
  return {
    times,
    succeeded: values.map((value) => value.succeeded),
    others: values.map((value) => value.others),
    p50: values.map((value) => value.p50),
    p95: values.map((value) => value.p95),
  };
}

function MailSummary({ mail }: { mail: MailStats }) {
  const known = Object.entries(mail.messages).map(([status, number]) => ({ status, count: number })).filter((one) => one.count > 0);
  if (!mail.configured && known.length === 0) {
    return null;
  }
  return (
    <section class="card" aria-label="Mail">
      <header>
        <h2>Mail</h2>
      </header>
      <div class="body stack">
        <div class="chips">
          {known.map((one) => (
            <a key={one.status} class="chip link" href={`/mail?status=${one.status}`}>
              {wordOf(one.status)}
              <span class="figure">{count(one.count)}</span>
            </a>
          ))}
        </div>
        {mail.providers.map((provider) => (
          <p key={provider.name} class="small">
            Provider <strong>{visible(provider.name)}</strong>:{" "}
            {provider.state === "open" ? <span class="is-bad coloured">left out for now</span> : provider.state === "half_open" ? <span class="is-warn coloured">on trial</span> : "in use"}
            {provider.openUntil !== null && provider.state === "open" ? <>, tried again <Until at={provider.openUntil} /></> : null}
            {provider.lastError === null ? null : <span class="soft">{`; last: ${visible(provider.lastError)}`}</span>}
          </p>
        ))}
      </div>
    </section>
  );
}
