import { useState } from "preact/hooks";

import { get, send } from "../api/client";
import { useResource } from "../api/resource";
import { count, visible } from "../format";
import { Digits } from "../json";
import { useChanges } from "../live";
import { Trouble } from "../parts/notice";
import { Ago } from "../parts/time";
import { say, sayProblem } from "../parts/toast";
import { GuidedScenarios } from "./scenarios";
import { Services } from "./services";

export interface Order {
  id: number;
  customerId: string;
  totalAmount: number | Digits;
  shippingType: string;
  orderStatus: string;
  createdAt: string;
}

export interface Ledger {
  totals: { arrivals: number; effects: number; active: { reserved: number; shipped: number; charged: number; notified: number } };
}

const customers = ["ada", "grace", "edsger", "barbara", "donald", "margaret", "alan", "frances"];

export async function order(customerId: string, shippingType: string): Promise<Order> {
  const cents = 1000 + Math.floor(Math.random() * 40_000);
  return send<Order>("POST", "/api/orders", { customerId, shippingType, totalAmount: `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}` });
}

export function ShopPage() {
  const orders = useResource("orders", (signal) => get<{ orders: Order[] }>("/api/orders?limit=30", signal), 2000);
  const ledger = useResource("ledger", (signal) => get<Ledger>("/api/simulators/ledger?limit=0", signal), 2000);
  const refresh = () => {
    orders.reload();
    ledger.reload();
  };
  useChanges(refresh);
  return (
    <>
      <header class="page-head">
        <div>
          <h1>Shop</h1>
          <p class="lead">
            Each order is one row and one event in one transaction. Sagabox then reserves stock, checks for fraud, books the parcel and charges the card, at services that are
            simulated here.
          </p>
        </div>
      </header>
      <Trouble problem={orders.problem} at={orders.at} />
      <div class="shop">
        <div class="stack">
          <MakeOrders done={refresh} />
          <GuidedScenarios done={refresh} />
          <Orders orders={orders.data?.orders} done={refresh} />
        </div>
        <div class="stack">
          <Effects ledger={ledger.data} />
          <Services />
        </div>
      </div>
    </>
  );
}

function MakeOrders({ done }: { done: () => void }) {
  const [busy, setBusy] = useState(false);
  const make = async (action: () => Promise<void>) => {
    setBusy(true);
    try {
      await action();
    } catch (error) {
      sayProblem(error);
    }
    setBusy(false);
    done();
  };
  const one = (customer: string, shipping: string) =>
    make(async () => {
      const made = await order(customer, shipping);
      say(`Order ${made.id} is placed.`);
    });
  const fifty = () =>
    make(async () => {
      let left = 50;
      const place = async () => {
        while (left-- > 0) {
          await order(customers[left % customers.length] ?? "ada", left % 3 === 0 ? "international" : "domestic");
        }
      };
      await Promise.all([place(), place(), place(), place()]);
      say("50 orders are placed.");
    });
  return (
    <section class="card" aria-label="Order">
      <header>
        <h2>Order</h2>
        <a class="small" href="/sagas">watch the sagas</a>
      </header>
      <div class="body row wrap">
        <button type="button" class="button primary" disabled={busy} onClick={() => void one("ada", "domestic")}>Order, domestic</button>
        <button type="button" class="button" disabled={busy} onClick={() => void one("grace", "international")}>Order, international</button>
        <button type="button" class="button" disabled={busy} onClick={() => void one("declined-card", "domestic")}>With a declined card</button>
        <button type="button" class="button" disabled={busy} onClick={() => void fifty()}>Order fifty</button>
      </div>
    </section>
  );
}

function Effects({ ledger }: { ledger: Ledger | undefined }) {
  const active = ledger?.totals.active;
  const figures = [
    { text: "reserved", number: active?.reserved },
    { text: "shipped", number: active?.shipped },
    { text: "charged", number: active?.charged },
  ];
  return (
    <section class="card" aria-label="The outside world">
      <header>
        <h2>The outside world</h2>
        <a class="small" href="/api/simulators/ledger" target="_blank" rel="noreferrer">whole ledger</a>
      </header>
      <div class="body stack tight">
        <dl class="effects">
          {figures.map((figure) => (
            <div key={figure.text}>
              <dd>{figure.number === undefined ? "\u2013" : count(figure.number)}</dd>
              <dt>{figure.text}</dt>
            </div>
          ))}
        </dl>
        <p class="small soft">
          What the services hold in force now. An order that ended well holds one of each; one that was undone holds none.
          {ledger === undefined ? "" : ` ${count(ledger.totals.arrivals)} calls came in; ${count(ledger.totals.effects)} of them changed something.`}
        </p>
      </div>
    </section>
  );
}

const tones: Record<string, string> = {
  CONFIRMED: "good",
  SHIPPED: "good",
  DELIVERED: "good",
  COMPLETED: "good",
  PENDING: "warn",
  PROCESSING: "calling",
  PAYMENT_FAILED: "undone",
  CANCELLED: "none",
  NEEDS_ATTENTION: "bad",
};
const orderWords: Record<string, string> = { PAYMENT_FAILED: "payment failed", NEEDS_ATTENTION: "needs a person" };

function Orders({ orders, done }: { orders: Order[] | undefined; done: () => void }) {
  const act = (text: string, action: () => Promise<unknown>) => {
    action().then(
      () => {
        say(text);
        done();
      },
      (error: unknown) => {
        sayProblem(error);
        done();
      },
    );
  };
  return (
    <section class="card" aria-label="Orders">
      <header>
        <h2>Orders</h2>
        <span class="faint small">the shop&rsquo;s own table, newest first</span>
      </header>
      <div class="body">
        {orders === undefined || orders.length === 0 ? (
          <p class="soft">{orders === undefined ? "Loading \u2026" : "No orders yet. Make one above, or play one of the scenarios."}</p>
        ) : (
          <ul class="orders">
            {orders.map((one) => (
              <li key={one.id} data-order={one.id}>
                <a class="order-title" href={`/sagas?aggregate=${one.id}`}>
                  Order {one.id}
                </a>
                <span class="clip soft small">
                  {visible(one.customerId)}, {amount(one.totalAmount)}, {one.shippingType}, <Ago at={one.createdAt} />
                </span>
                <span class={`pill is-${tones[one.orderStatus] ?? "none"}`} title={one.orderStatus}>
                  {orderWords[one.orderStatus] ?? one.orderStatus.toLowerCase()}
                </span>
                <span class="order-actions">
                  <OrderButton order={one} text="Ship" ready={one.orderStatus === "CONFIRMED"} act={() => act(`Order ${one.id} is shipped.`, () => send("PUT", `/api/orders/${one.id}/status`, { status: "SHIPPED" }))} />
                  <OrderButton order={one} text="Deliver" ready={one.orderStatus === "SHIPPED"} act={() => act(`Order ${one.id} is delivered.`, () => send("PUT", `/api/orders/${one.id}/status`, { status: "DELIVERED" }))} />
                  <OrderButton order={one} text="Cancel" ready={one.orderStatus !== "CANCELLED"} act={() => act(`Order ${one.id} is cancelled.`, () => send("DELETE", `/api/orders/${one.id}/cancel`))} />
                  <OrderButton order={one} text="Remove" ready act={() => act(`Order ${one.id} is removed.`, () => send("DELETE", `/api/orders/${one.id}`))} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </section>
  );
}

function OrderButton({ order: one, text, ready, act }: { order: Order; text: string; ready: boolean; act: () => void }) {
  return (
    <button type="button" class="button bare small" disabled={!ready} aria-label={`${text} order ${one.id}`} onClick={act}>
      {text}
    </button>
  );
}

function amount(value: number | Digits): string {
  const text = value instanceof Digits ? value.text : String(value);
  const [whole, cents = ""] = text.split(".");
  return `${whole}.${cents.padEnd(2, "0")} USD`;
}

