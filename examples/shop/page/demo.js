"use strict";

const byId = (id) => document.getElementById(id);
const good = new Set(["CONFIRMED", "SHIPPED", "DELIVERED", "COMPLETED"]);
const bad = new Set(["PAYMENT_FAILED", "CANCELLED", "NEEDS_ATTENTION"]);
const shaky = ["inventory.reserve", "fraudCheck.check", "shipping.domestic.create",
  "shipping.international.create", "billing.charge", "highValue.process"];

async function call(method, path, body) {
  const response = await fetch(path, {
    method,
    headers: body === undefined ? {} : { "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) {
    throw new Error(answer.detail || `The server answered ${response.status}.`);
  }
  return answer;
}

function say(text, isBad) {
  byId("message").textContent = text;
  byId("message").classList.toggle("bad", isBad === true);
}

async function attempt(button, action) {
  button.disabled = true;
  try {
    await action();
  } catch (error) {
    say(error.message, true);
  }
  button.disabled = false;
  await refresh();
}

function element(name, className, text) {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

function row(order) {
  const item = document.createElement("li");
  const tone = good.has(order.orderStatus) ? " good" : bad.has(order.orderStatus) ? " bad" : "";
  item.append(
    element("span", "id", `#${order.id}`),
    element("span", "what", `${order.customerId}, ${Number(order.totalAmount).toFixed(2)} USD, ${order.shippingType}`),
    element("span", `status${tone}`, order.orderStatus));
  const cancel = element("button", "quiet", "Cancel");
  cancel.type = "button";
  cancel.setAttribute("aria-label", `Cancel order ${order.id}`);
  cancel.addEventListener("click", () => attempt(cancel, async () => {
    const answer = await call("DELETE", `/api/orders/${order.id}/cancel`);
    say(`Order ${order.id}: ${answer.message}`);
  }));
  item.append(cancel);
  return item;
}

let shown = "";

async function refresh() {
  try {
    const { orders } = await call("GET", "/api/orders?limit=30");
    const { totals } = await call("GET", "/api/simulators/ledger?limit=0");
    const now = totals.active;
    byId("totals").textContent =
      `Now in force: ${now.reserved} reserved, ${now.shipped} shipped, ${now.charged} charged`;
    // Unchanged rows stay: replacing them would take the focus from a button under the reader's hand.
    const next = JSON.stringify(orders);
    if (next !== shown) {
      shown = next;
      const held = document.activeElement && document.activeElement.getAttribute("aria-label");
      byId("list").replaceChildren(...orders.map(row));
      byId("none").hidden = orders.length > 0;
      if (held) {
        const again = [...byId("list").querySelectorAll("button")]
          .find((button) => button.getAttribute("aria-label") === held);
        again?.focus();
      }
    }
  } catch (error) {
    byId("totals").textContent = error.message;
  }
}

function showRates(rates) {
  byId("billing").setAttribute("aria-pressed", String(rates["billing.charge"] === 1));
  byId("shaky").setAttribute("aria-pressed", String(rates["inventory.reserve"] > 0));
}

async function placeOrder(button) {
  const amount = (Math.floor(Math.random() * 40000) + 1000) / 100;
  const order = await call("POST", "/api/orders", {
    customerId: button.dataset.customer,
    totalAmount: amount.toFixed(2),
    shippingType: button.dataset.order,
  });
  say(button.dataset.customer === "declined-card"
    ? `Order ${order.id} is placed; its payment will be refused and the rest undone.`
    : `Order ${order.id} is placed.`);
}

for (const button of document.querySelectorAll("[data-order]")) {
  button.addEventListener("click", () => attempt(button, () => placeOrder(button)));
}

byId("billing").addEventListener("click", (event) => attempt(event.currentTarget, async () => {
  const rate = byId("billing").getAttribute("aria-pressed") === "true" ? 0 : 1;
  showRates(await call("PUT", "/api/simulators/failure-rates",
    { "billing.charge": rate, "highValue.process": rate }));
  say(rate ? "Every charge fails from now on." : "Charges work again.");
}));

byId("shaky").addEventListener("click", (event) => attempt(event.currentTarget, async () => {
  const rate = byId("shaky").getAttribute("aria-pressed") === "true" ? 0 : 0.3;
  showRates(await call("PUT", "/api/simulators/failure-rates",
    Object.fromEntries(shaky.map((action) => [action, rate]))));
  say(rate ? "Three calls in ten fail from now on." : "All services work again.");
}));

for (const place of document.querySelectorAll("[data-origin]")) {
  place.textContent = location.origin;
}

async function watch() {
  await refresh();
  setTimeout(watch, document.hidden ? 5000 : 1000);
}

call("GET", "/api/simulators/failure-rates").then(showRates, (error) => say(error.message, true));
watch();
