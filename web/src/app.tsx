import { useEffect, useState } from "preact/hooks";

import { get, onLocked } from "./api/client";
import type { Stats } from "./api/forms";
import { useResource } from "./api/resource";
import icon from "./icon.svg";
import { connect, disconnect, useConnection } from "./live";
import { DeadLettersPage } from "./pages/dead_letters";
import { EventPage } from "./pages/event";
import { LoginPage } from "./pages/login";
import { MailPage } from "./pages/mail";
import { MessagePage } from "./pages/message";
import { OverviewPage } from "./pages/overview";
import { SagasPage } from "./pages/sagas";
import { ShopPage } from "./pages/shop";
import { Icon, type IconName } from "./parts/icon";
import { Empty } from "./parts/notice";
import { Toasts } from "./parts/toast";
import { usePlace, type Place } from "./router";

export function App() {
  const [locked, setLocked] = useState(false);
  useEffect(() => {
    onLocked(() => {
      disconnect();
      setLocked(true);
    });
    connect();
  }, []);
  if (locked) {
    return (
      <LoginPage
        entered={() => {
          setLocked(false);
          connect();
        }}
      />
    );
  }
  return <Shell />;
}

/// The demo answers for the shop's own addresses; a relay alone does not.
function useShop(): boolean {
  const found = useResource("shop", () =>
    get("/api/simulators/failure-rates").then(
      () => true,
      () => false,
    ),
  );
  return found.data === true;
}

interface Entry {
  page: string;
  text: string;
  /// Where there is room for more words.
  wide?: string;
  icon: IconName;
  count?: number;
}

function titleOf(entry: Entry | undefined): string {
  return entry?.wide ?? entry?.text ?? "Not found";
}

function Shell() {
  const place = usePlace();
  const shop = useShop();
  const stats = useResource("stats", (signal) => get<Stats>("/api/outbox/stats", signal), 5000);
  const page = place.path[0] ?? "";
  const entries: Entry[] = [
    { page: "", text: "Overview", icon: "overview" },
    { page: "sagas", text: "Sagas", icon: "sagas" },
    { page: "dead-letters", text: "Letters", wide: "Dead letters", icon: "letters", count: failedLetters(stats.data) },
    { page: "mail", text: "Mail", icon: "mail" },
    ...(shop ? [{ page: "shop", text: "Shop", icon: "shop" as const }] : []),
  ];
  const current = page === "events" ? "sagas" : page;
  const title = titleOf(entries.find((entry) => entry.page === current));
  useEffect(() => {
    document.title = `${page === "events" ? `Event ${place.path[1] ?? ""}` : title} \u00b7 Sagabox`;
  }, [title, page, place.path[1]]);
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <nav class="nav" aria-label="Pages">
        <a class="brand" href="/">
          <img src={icon} alt="" width="24" height="24" />
          Sagabox
          {shop ? <span class="demo">demo</span> : null}
        </a>
        <ul>
          {entries.map((entry) => (
            <li key={entry.page}>
              <a href={`/${entry.page}`} aria-current={entry.page === current ? "page" : undefined}>
                <Icon name={entry.icon} />
                {entry.wide === undefined ? <span>{entry.text}</span> : <><span class="wide-only">{entry.wide}</span><span class="narrow-only">{entry.text}</span></>}
                {entry.count !== undefined && entry.count > 0 ? (
                  <span class="count" title={`${entry.count} need a person`}>
                    {entry.count > 99 ? "99+" : entry.count}
                    <span class="hidden-text"> need a person</span>
                  </span>
                ) : null}
              </a>
            </li>
          ))}
        </ul>
        <div class="foot">
          <ConnectionSign />
        </div>
      </nav>
      <main class="main" id="main" tabIndex={-1}>
        <Page place={place} shop={shop} stats={stats} />
      </main>
      <Toasts />
    </div>
  );
}

function failedLetters(stats: Stats | undefined): number {
  return (stats?.deadLetters.counts ?? []).filter((one) => one.status === "FAILED").reduce((sum, one) => sum + one.count, 0);
}

function Page({ place, shop, stats }: { place: Place; shop: boolean; stats: ReturnType<typeof useResource<Stats>> }) {
  const [page, id] = place.path;
  const number = Number(id);
  switch (page) {
    case undefined:
      return <OverviewPage stats={stats} shop={shop} />;
    case "sagas":
      return <SagasPage place={place} shop={shop} />;
    case "events":
      return Number.isSafeInteger(number) && number > 0 ? <EventPage key={number} id={number} /> : <NotFound />;
    case "dead-letters":
      return <DeadLettersPage place={place} />;
    case "mail":
      if (id === undefined) {
        return <MailPage place={place} />;
      }
      return Number.isSafeInteger(number) && number > 0 ? <MessagePage key={number} id={number} /> : <NotFound />;
    case "shop":
      return shop ? <ShopPage /> : <NotFound />;
    default:
      return <NotFound />;
  }
}

function NotFound() {
  return (
    <Empty
      title="There is no such page"
      actions={
        <a class="button" href="/">
          To the overview
        </a>
      }
    >
      The address may be mistyped, or the page belongs to the demo, which this is not.
    </Empty>
  );
}

function ConnectionSign() {
  const state = useConnection();
  const words = { connecting: "connecting", live: "live", away: "not connected" }[state];
  const tone = { connecting: "none", live: "good", away: "bad" }[state];
  return (
    <span class={`connection is-${tone}`} role="status" title="Whether this page hears of changes as they happen">
      {words}
    </span>
  );
}
