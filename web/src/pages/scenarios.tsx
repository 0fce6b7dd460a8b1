import { useState } from "preact/hooks";

import { get, send } from "../api/client";
import { Icon } from "../parts/icon";
import { say, sayProblem } from "../parts/toast";
import { order, type Order } from "./shop";

// Each is prepared for its own order by the simulators' script, so that it plays the same whatever else is going on.

interface Scenario {
  name: string;
  title: string;
  watch: string;
  play: () => Promise<Order>;
}

function script(service: string, order: number, answers: object[]): Promise<unknown> {
  return send("PUT", "/api/simulators/script", { service, aggregateId: String(order), answers });
}

/// Charges of odd and even orders go different ways; a scenario on the charge prepares both.
async function scriptCharge(id: number, answers: object[]): Promise<void> {
  await script("billing.charge", id, answers);
  await script("highValue.process", id, answers);
}

/// Prepares the services for the order that will be made next, and makes it. Where another one came in between, or the
/// latest was removed, the id is another: then once more, with what is known now.
async function prepared(prepare: (id: number) => Promise<unknown>, customer: string): Promise<Order> {
  const { orders } = await get<{ orders: Order[] }>("/api/orders?limit=1");
  let expected = (orders[0]?.id ?? 0) + 1;
  for (let turn = 0; ; turn += 1) {
    await prepare(expected);
    const made = await order(customer, "domestic");
    if (made.id === expected || turn === 3) {
      return made;
    }
    expected = made.id + 1;
  }
}

async function settled(id: number): Promise<void> {
  for (let turn = 0; turn < 60; turn += 1) {
    const now = await get<Order>(`/api/orders/${id}`);
    if (now.orderStatus !== "PENDING") {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
}

const scenarios: Scenario[] = [
  {
    name: "happy",
    title: "All goes well",
    watch: "Watch the dots turn green from left to right: each answer is stored before the next service is called.",
    play: () => order("ada", "domestic"),
  },
  {
    name: "declined",
    title: "The card is declined",
    watch: "Watch the violet line run backward from the dead letter: the parcel first, then the reservation; the fraud check left nothing to undo.",
    play: () => order("declined-card", "international"),
  },
  {
    name: "flaky",
    title: "A service stumbles twice",
    watch: "Watch the charge count its tries with a growing pause between them, while no step before it is called again.",
    play: () => prepared((id) => scriptCharge(id, [{ status: 503, times: 2 }]), "grace"),
  },
  {
    name: "cancel",
    title: "A customer changes their mind",
    watch: "Watch a second saga, !OrderCreated, appear and undo the first one\u2019s steps, last first, hours later as well as now.",
    play: async () => {
      const made = await order("edsger", "domestic");
      await settled(made.id);
      await send("DELETE", `/api/orders/${made.id}/cancel`);
      return made;
    },
  },
  {
    name: "person",
    title: "Even the undoing fails",
    watch: "Watch the letter stop at a refused cancel and ask for a person: open it, and try again, which now succeeds.",
    play: () => prepared((id) => script("shipping.domestic.cancel", id, [{ status: 409, times: 1 }]), "declined-card"),
  },
];

export function GuidedScenarios({ done }: { done: () => void }) {
  const [busy, setBusy] = useState<string>();
  const [played, setPlayed] = useState<Record<string, number>>({});
  const play = (scenario: Scenario) => {
    setBusy(scenario.name);
    scenario
      .play()
      .then((made) => {
        setPlayed((old) => ({ ...old, [scenario.name]: made.id }));
        say(`${scenario.title}: order ${made.id}.`);
      }, sayProblem)
      .finally(() => {
        setBusy(undefined);
        done();
      });
  };
  return (
    <section class="card" aria-label="Scenarios">
      <header>
        <h2>Five scenarios</h2>
      </header>
      <ol class="body scenarios">
        {scenarios.map((scenario) => (
          <li key={scenario.name}>
            <div class="grow">
              <h3>{scenario.title}</h3>
              <p class="small soft">{scenario.watch}</p>
            </div>
            <div class="scenario-actions">
              <button type="button" class="button small" disabled={busy !== undefined} aria-label={`Play: ${scenario.title}`} onClick={() => play(scenario)}>
                <Icon name="play" /> {busy === scenario.name ? "Playing \u2026" : "Play"}
              </button>
              {played[scenario.name] === undefined ? null : (
                <a class="small nowrap" href={`/sagas?aggregate=${played[scenario.name]}`}>
                  watch order {played[scenario.name]}
                </a>
              )}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
