// The console in a real browser, beside a demo of its own. What a page shows is compared with the database.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { after, before, describe, test } from "node:test";

import { launch, openPage, seriousFaults } from "./browser.mjs";
import { Demo, until } from "./demo.mjs";

let demo;
let browser;

before(async () => {
  [demo, browser] = await Promise.all([Demo.start(), launch()]);
});

after(async () => {
  await browser?.close();
  await demo?.stop();
});

/// Pages that nobody uses just now. To open one takes longer than most tests, so they are lent again.
const idle = [];

/// Runs `body` with a page, and holds the page to what every page is held to. One with `options` is its own.
async function onPage(address, body, options, blocked) {
  const own = options !== undefined;
  const opened = (own ? undefined : idle.pop()) ?? (await openPage(browser, demo.origin, options, blocked));
  await opened.page.goto(address);
  await body(opened.page);
  if (own) {
    await opened.close();
  } else {
    await opened.check();
    idle.push(opened); // a test that failed leaves its page to nobody
  }
}

const saga = (page, event) => page.locator(`[data-event="${event}"]`);

/// What the rail of an event shows of its steps: name, and code.
async function shownSteps(row) {
  const texts = await row.locator(".cell:not(.place):not(.back):not(.letter-cell)").evaluateAll((cells) =>
    cells.map((cell) => [cell.querySelector(".name")?.textContent ?? "", cell.querySelector(".code")?.textContent ?? ""]));
  return texts;
}

/// A letter that waits for a person: the cancel of the parcel is refused.
async function failedLetter() {
  const [[next]] = await demo.sql("select coalesce(max(id), 0) + 1 from orders");
  await demo.ask("PUT", "/api/simulators/script", { service: "shipping.domestic.cancel", aggregateId: next, answers: [{ status: 409, times: 1 }] });
  const { id } = await demo.order("declined-card", "domestic");
  assert.equal(String(id), next);
  await until("its letter needs a person", async () => (await demo.value(`select status from dead_letter_events where aggregate_id = '${id}'`)) === "FAILED");
  return Number(await demo.value(`select id from dead_letter_events where aggregate_id = '${id}'`));
}

describe("An empty console", () => {
  test("says that all is well, and how sagas begin", async () => {
    await onPage("/", async (page) => {
      await page.getByRole("heading", { name: "All is well" }).waitFor();
      await page.getByText("No calls in this time").waitFor();
      await page.getByRole("link", { name: "Sagas", exact: true }).click();
      await page.getByRole("heading", { name: "No sagas yet" }).waitFor();
      await page.getByRole("link", { name: "Dead letters", exact: true }).click();
      await page.getByRole("heading", { name: "No dead letters" }).waitFor();
      await page.getByRole("link", { name: "Mail", exact: true }).click();
      await page.getByRole("heading", { name: "No mail yet" }).waitFor();
    });
  });

  test("knows a page that is none", async () => {
    await onPage("/no-such-page", (page) => page.getByRole("heading", { name: "There is no such page" }).waitFor());
    await onPage("/events/987654", (page) => page.getByRole("heading", { name: "There is no event 987654" }).waitFor());
  });
});

describe("A saga", () => {
  test("is ordered in the shop, and moves on the list to what the database holds", async () => {
    await onPage("/shop", async (page) => {
      await page.getByRole("button", { name: "Order, domestic" }).click();
      const said = await page.locator(".toast").filter({ hasText: "is placed" }).first().innerText();
      const order = /Order (\d+)/.exec(said)[1];
      await page.getByRole("link", { name: "Sagas", exact: true }).click();
      const event = await demo.eventOf(order);
      await saga(page, event).locator(".pill", { hasText: "done" }).waitFor();
      const stored = await demo.sql(`select destination, response_status from aggregate_results where event_id = ${event} and success order by fanout_order, id`);
      const shown = await shownSteps(saga(page, event));
      assert.deepEqual(shown.filter(([name]) => name !== "email"), stored.filter(([name]) => name !== "email"));
      assert.equal(await saga(page, event).locator(".cell.back").count(), 0);
    });
  });

  test("whose card is declined is undone under the steps that it undoes, last first", async () => {
    const { id } = await demo.order("declined-card", "international");
    const event = await demo.eventOf(id);
    await onPage("/sagas", async (page) => {
      const row = saga(page, event);
      await row.locator(".pill", { hasText: "undone" }).waitFor();
      const stored = await demo.sql(`select replace(destination, '.revert', ''), response_status from aggregate_results where event_id = ${event} and destination like '%.revert' order by id`);
      assert.deepEqual(stored.map(([name]) => name), ["shipping", "inventory"], "the engine undoes last first");
      const places = await row.evaluate((element) => {
        const left = (cell) => Math.round(cell.getBoundingClientRect().left);
        const steps = [...element.querySelectorAll(".cell:not(.back):not(.place)")];
        return [...element.querySelectorAll(".cell.back.is-undone")].map((cell) => {
          const above = steps.find((step) => left(step) === left(cell));
          return [above?.querySelector(".name")?.textContent ?? "nothing", cell.querySelector(".code")?.textContent ?? ""];
        });
      });
      assert.deepEqual(places, stored.reverse(), "each undo stands under its step");
      await row.locator(".letter-cell", { hasText: "all undone" }).waitFor();
    });
  });

  test("tells on its own page of every call, the routes, and the letter", async () => {
    const event = Number(await demo.value("select original_event_id from dead_letter_events where status = 'PROCESSED' order by id desc limit 1"));
    await onPage(`/events/${event}`, async (page) => {
      const calls = page.locator(".call");
      await calls.first().waitFor();
      const stored = await demo.sql(`select destination, coalesce(response_status::text, ''), outcome, request_payload::text from aggregate_results where event_id = ${event} order by id`);
      assert.equal(await calls.count(), stored.length);
      for (const [index, [destination, status]] of stored.entries()) {
        const text = await calls.nth(index).innerText();
        assert.ok(text.includes(destination.replace(/(.*)\.revert/, "undo $1")), `${text} is ${destination}`);
        assert.ok(text.includes(status), `${text} has ${status}`);
      }
      await page.getByText("of fraudCheck's answer is").first().waitFor();
      await page.getByText("It was refused in a way that no retry would mend.").waitFor();
      const billing = stored.findIndex(([destination]) => destination === "billing");
      await calls.nth(billing).locator("button").first().click();
      const shown = await calls.nth(billing).locator('[aria-label="request"] .json-body').innerText();
      assert.ok(shown.includes('"amount": 100.10'), `digits stay as they are: ${shown}`);
    });
  });

  test("can be copied as curl, without what is secret", async () => {
    const event = await demo.value("select min(id) from outbox_events where event_type = 'OrderCreated'");
    await onPage(`/events/${event}`, async (page) => {
      await page.locator(".call button").first().click();
      await page.getByRole("button", { name: "Copy as curl" }).click();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      const uuid = await demo.value(`select event_uuid from outbox_events where id = ${event}`);
      assert.match(copied, /^# headers of the configuration and secrets are left out\ncurl -i -X POST 'http/);
      assert.ok(copied.includes(`Idempotency-Key: ${uuid}:inventory'`), copied);
      assert.match(copied, /"totalAmount":\d+\.\d\d,/);
    }, { permissions: ["clipboard-read", "clipboard-write"] });
  });

  test("is cancelled through its page, by the calls that the page said it would make", async () => {
    const { id } = await demo.order("grace", "domestic");
    await demo.settled();
    const event = await demo.eventOf(id);
    await onPage(`/events/${event}`, async (page) => {
      await page.getByRole("button", { name: "Cancel and compensate" }).click();
      const dialog = page.getByRole("dialog");
      const said = await dialog.locator(".undo-list .address:not(.faint)").allInnerTexts();
      assert.ok(said.length >= 3, said.join("; "));
      await dialog.getByRole("button", { name: "Cancel and compensate" }).click();
      await page.locator(".toast").filter({ hasText: `undoes what event ${event} did` }).waitFor();
      await demo.settled();
      const made = await demo.sql(`select http_method || ' ' || endpoint_url from aggregate_results where event_id = ${event} and destination like '%.revert' and success order by id`);
      assert.deepEqual(said, made.map(([call]) => call));
      await page.locator(".rail .cell.back.is-undone").nth(made.length - 1).waitFor();
      await page.getByText("Nothing: no step that took effect is left to undo.").waitFor();
    });
  });

  test("that waits for a retry shows when, and can be tried at once", async () => {
    await demo.ask("PUT", "/api/simulators/script", { service: "inventory.reserve", answers: [{ status: 429, retryAfter: "3000", times: 1 }] });
    const { id } = await demo.order("ada", "domestic");
    const event = await demo.eventOf(id);
    await until("it waits", async () => (await demo.value(`select count(*) from outbox_events where id = ${event} and status = 'PENDING' and next_retry_at > now()`)) === "1");
    await onPage(`/events/${event}`, async (page) => {
      await page.locator(".rail .cell.is-retrying", { hasText: "429" }).waitFor();
      await page.getByText("Next:").waitFor();
      await page.getByRole("button", { name: "Retry now" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Retry now" }).click();
      await page.locator("h1 .pill", { hasText: "done" }).waitFor();
      assert.equal(await demo.value(`select status from outbox_events where id = ${event}`), "PROCESSED");
    });
  });
});

describe("The shop", () => {
  const orderOf = async (page, title) => {
    await page.getByRole("button", { name: `Play: ${title}` }).click();
    const link = page.locator(".scenarios li", { hasText: title }).getByRole("link", { name: /watch order/ });
    return Number(/\d+/.exec(await link.innerText())[0]);
  };
  const statusOf = (order) => demo.value(`select order_status from orders where id = ${order}`);
  const reverts = async (order) => (await demo.sql(`select destination from aggregate_results where aggregate_id = '${order}' and destination like '%.revert' and success order by id`)).map(([name]) => name);

  test("plays five scenarios, each to the end that it tells of", async () => {
    await onPage("/shop", async (page) => {
      const happy = await orderOf(page, "All goes well");
      const declined = await orderOf(page, "The card is declined");
      const flaky = await orderOf(page, "A service stumbles twice");
      const cancelled = await orderOf(page, "A customer changes their mind");
      const stuck = await orderOf(page, "Even the undoing fails");
      await demo.settled();
      assert.equal(await statusOf(happy), "CONFIRMED");
      assert.equal(await statusOf(declined), "PAYMENT_FAILED");
      assert.deepEqual(await reverts(declined), ["shipping.revert", "inventory.revert"]);
      assert.equal(await statusOf(flaky), "CONFIRMED");
      assert.deepEqual(await demo.sql(`select response_status from aggregate_results where aggregate_id = '${flaky}' and destination = 'billing' order by id`), [["503"], ["503"], ["200"]]);
      assert.equal(await statusOf(cancelled), "CANCELLED");
      assert.deepEqual(await reverts(cancelled), ["billing.revert", "shipping.revert", "inventory.revert"]);
      assert.equal(await statusOf(stuck), "NEEDS_ATTENTION");
      const letter = await demo.value(`select id from dead_letter_events where aggregate_id = '${stuck}' and status = 'FAILED'`);
      await demo.ask("POST", `/api/dead-letters/${letter}/retry`);
      await demo.settled();
      assert.deepEqual(await reverts(stuck), ["shipping.revert", "inventory.revert"]);
    });
  });

  test("ships, delivers, cancels and removes orders", async () => {
    const { id } = await demo.order();
    await demo.settled();
    await onPage("/shop", async (page) => {
      const row = page.locator(`[data-order="${id}"]`);
      for (const [button, status] of [["Ship", "shipped"], ["Deliver", "delivered"], ["Cancel", "cancelled"]]) {
        await row.getByRole("button", { name: `${button} order ${id}` }).click();
        await row.locator(".pill", { hasText: status }).waitFor();
        assert.equal(await statusOf(id), status.toUpperCase());
      }
      await row.getByRole("button", { name: `Remove order ${id}` }).click();
      await row.waitFor({ state: "detached" });
      assert.equal(await demo.value(`select deleted from orders where id = ${id}`), "t");
      await demo.settled();
    });
  });

  const setting = (name) => demo.ask("GET", `/api/simulators/${name}`);
  const turn = async (page, knob, action, place) => {
    await page.getByRole("group", { name: "What to change" }).getByRole("button", { name: knob }).click();
    const slider = page.locator(`input[name="${action}"]`);
    assert.equal(await slider.inputValue(), "0");
    await slider.fill(String(place));
    return page.locator(".slider", { has: slider }).locator("output");
  };

  test("has sliders for how often services fail, how late they answer, and how many calls they take", async () => {
    await onPage("/shop", async (page) => {
      await (await turn(page, "Failures", "notifications.send", 5)).getByText("25%").waitFor();
      await (await turn(page, "Failures", "mail.first", 20)).getByText("100%").waitFor();
      await until("the services know how often", async () => {
        const rates = await setting("failure-rates");
        return rates["notifications.send"] === 0.25 && rates["mail.first"] === 1;
      });
      await (await turn(page, "Latency", "inventory.reserve", 3)).getByText("300 ms").waitFor();
      await (await turn(page, "Latency", "mail.smtp", 15)).getByText("1.5 s").waitFor();
      await until("the services know how late", async () => {
        const latencies = await setting("latencies");
        return latencies["inventory.reserve"] === 300 && latencies["mail.smtp"] === 1500;
      });
      await (await turn(page, "Rate limit", "fraudCheck.check", 7)).getByText("1/s").waitFor();
      await until("the service knows how many", async () => (await setting("rate-limits"))["fraudCheck.check"] === 1);

      await until("a call came too early for the limit, and another was as slow as the slider said", async () => {
        await Promise.all([demo.order(), demo.order()]);
        return (await demo.value("select exists (select from aggregate_results where destination = 'fraudCheck' and response_status = 429) and exists (select from aggregate_results where destination = 'inventory' and duration_ms >= 300)")) === "t";
      });
      await until("a letter goes by the second provider, since the first fails", async () =>
        (await demo.value("select exists (select from aggregate_results where destination = 'email' and not success)")) === "t");

      await page.getByRole("button", { name: "All perfect" }).click();
      for (const name of ["failure-rates", "latencies", "rate-limits"]) {
        await until(`all are perfect in their ${name}`, async () => Object.values(await setting(name)).every((value) => value === 0));
      }
      await demo.settled();
    });
  });
});

describe("A destination that is left alone", () => {
  test("is named where a person looks first, until when and why", async () => {
    await demo.sql(`insert into outbox_destinations (name, open_until, failures, last_error)
      values ('billing', now() + interval '1 hour', 5, 'HTTP 503 <img src=x onerror=alert(1)>'), ('idle', null, 0, null)`);
    await onPage("/", async (page) => {
      await page.getByRole("heading", { name: "billing is left alone for now" }).waitFor();
      const card = page.getByRole("region", { name: "Left alone for now" });
      await card.getByText("failed 5 times in a row").waitFor();
      await card.getByText("HTTP 503 <img src=x onerror=alert(1)>").waitFor();
      assert.equal(await card.getByText("idle").count(), 0);
      await demo.sql("delete from outbox_destinations");
      await card.waitFor({ state: "detached" });
    });
  });
});

describe("Dead letters", () => {
  test("are counted where a person looks first, retried, and then undone", async () => {
    const letter = await failedLetter();
    await onPage("/", async (page) => {
      await page.getByRole("heading", { name: "1 dead letter needs a person" }).waitFor();
      await page.getByRole("link", { name: "1 dead letter to look at" }).click();
      const row = page.locator(`[data-letter="${letter}"]`);
      await row.getByText("409").first().waitFor();
      await row.getByRole("button", { name: "Try to undo again" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Try again" }).click();
      await page.getByRole("heading", { name: "Nothing needs a person" }).waitFor();
      await until("it is undone", async () => (await demo.value(`select status from dead_letter_events where id = ${letter}`)) === "PROCESSED");
    });
  });

  test("are resolved with a note that is kept", async () => {
    const letter = await failedLetter();
    await onPage("/dead-letters?status=FAILED", async (page) => {
      const row = page.locator(`[data-letter="${letter}"]`);
      await row.getByRole("button", { name: "Resolve" }).click();
      const resolve = page.getByRole("dialog").getByRole("button", { name: "Resolve" });
      assert.ok(await resolve.isDisabled(), "a note is asked for");
      await page.getByRole("dialog").getByRole("textbox").fill("Parcel stopped by phone, <b>4711</b>");
      await resolve.click();
      await row.waitFor({ state: "detached" });
      assert.deepEqual(await demo.sql(`select status, resolution_note from dead_letter_events where id = ${letter}`), [["RESOLVED", "Parcel stopped by phone, <b>4711</b>"]]);
      await page.getByRole("button", { name: "Resolved", exact: true }).click();
      await row.getByText("Parcel stopped by phone, <b>4711</b>").waitFor();
    });
  });

  test("are tried again together, after a preview of what will happen", async () => {
    const letters = [await failedLetter(), await failedLetter()];
    await onPage("/dead-letters?status=FAILED", async (page) => {
      await page.getByLabel("Choose all 2").check();
      await page.getByRole("button", { name: "Try 2 again" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText("5 a second").waitFor();
      await dialog.locator(".preview li", { hasText: "2 letters" }).waitFor();
      await dialog.getByRole("button", { name: "Try 2 again" }).click();
      await page.locator(".toast").filter({ hasText: "2 letters are tried again." }).waitFor();
      await until("both are undone", async () => (await demo.value(`select count(*) from dead_letter_events where id in (${letters}) and status = 'PROCESSED'`)) === "2");
    });
  });
});

describe("Mail", () => {
  test("is written on its page, sent, and found by its recipient", async () => {
    await onPage("/mail", async (page) => {
      await page.getByRole("button", { name: "Write a letter" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("To several").fill("nobody");
      await dialog.getByLabel("Subject").fill("Hello from the console");
      await dialog.getByLabel("Kind of document").fill("letter");
      await dialog.getByRole("textbox", { name: "Text", exact: true }).fill("Dear reader,\nthis is a test.");
      await dialog.getByRole("button", { name: "Send it" }).click();
      await dialog.getByRole("alert").waitFor();
      await dialog.getByLabel("To several").fill("grace@example.com, alan@example.com");
      await dialog.locator('input[type="file"]').setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("hello") });
      await dialog.getByText("notes.txt, 5 B").waitFor();
      await dialog.getByLabel("Kind of document").fill(await demo.value("select document_types[1] from email_rules where only_row") ?? "letter");
      await dialog.getByRole("button", { name: "Send it" }).click();
      await dialog.waitFor({ state: "detached" });
      const id = await demo.value("select max(id) from email_messages where subject = 'Hello from the console'");
      await page.getByLabel("Recipient or correlation id").fill("ALAN@example.com");
      await until("the others are left out", async () => (await page.locator("[data-mail]").count()) === 1);
      const row = page.locator(`[data-mail="${id}"]`);
      await row.locator(".pill", { hasText: "sent" }).waitFor();
      assert.equal(await demo.value(`select status from email_messages where id = ${id}`), "SUCCESS_SENT");
      await row.getByRole("link").click();
      await page.locator(".preview-text", { hasText: "this is a test." }).waitFor();
      await page.locator(".attachments", { hasText: "notes.txt" }).waitFor();
      await page.locator(".tries li.is-succeeded").waitFor();
    });
  });

  test("of a hostile sender does nothing in its preview", async () => {
    const kind = await demo.value("select document_types[1] from email_rules where only_row");
    let asked = 0;
    const elsewhere = http.createServer((_request, response) => {
      asked += 1;
      response.end();
    });
    await new Promise((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
    const other = `http://127.0.0.1:${elsewhere.address().port}`;
    const hostile = `<p id="shown">harmless</p><script>parent.alert(1)</script><img src="${other}/pixel.png" onerror="top.alert(1)"><link rel="stylesheet" href="${other}/a.css"><iframe src="${other}/"></iframe><meta http-equiv="refresh" content="0;url=${other}/">`;
    const { id } = await demo.ask("POST", "/api/emails", { to: ["ada@example.com"], subject: "<img src=x onerror=alert(1)>\u202egnp", html: hostile, text: "plain", documentType: kind });
    await onPage(`/mail/${id}`, async (page) => {
      await page.getByRole("heading", { name: "<img src=x onerror=alert(1)>" }).waitFor();
      await page.frameLocator(".preview-frame").getByText("harmless").waitFor();
      assert.equal(await page.locator(".preview-frame").getAttribute("sandbox"), "");
      assert.ok((await page.locator("h1").innerText()).includes("\u27e8U+202E\u27e9"));
    }, {}, other);
    elsewhere.close();
    assert.equal(asked, 0, "nothing is loaded from elsewhere");
  });
});

describe("Hostile texts", () => {
  test("in types, aggregates, payloads, answers and errors are text on every page", async () => {
    const markup = "<img src=x onerror=alert(1)></script><script>alert(1)</script>\u202e";
    const quoted = markup.replaceAll("'", "''");
    await demo.sql(`
      insert into outbox_events (aggregate_id, event_type, payloads, status, status_changed_at, moved_to_dlq, last_error)
      values ('agg ${quoted}', 'type ${quoted}', jsonb_build_object('key ${quoted}', 'value ${quoted}', 'long', repeat('x', 5000000)), 'PROCESSED', now(), true, 'error ${quoted}');
      insert into aggregate_results (event_id, aggregate_id, event_type, destination, endpoint_url, http_method, request_payload, response_status, response_payload, duration_ms, success, outcome, error_message)
      select id, aggregate_id, event_type, 'dest ${quoted}', 'http://x/${quoted}', 'POST', jsonb_build_object('q', '${quoted}', 'n', 123456789012345678901234567890, 'm', 100.10), 400, jsonb_build_object('raw', '${quoted}'), 3, false, 'rejected', 'answer ${quoted}'
      from outbox_events where event_type like 'type <img%';
      insert into dead_letter_events (original_event_id, aggregate_id, event_type, payloads, created_at, retry_count, last_error, reason, status, revert_error)
      select id, aggregate_id, event_type, '{}', now(), 0, last_error, 'NON_RETRYABLE_ERROR', 'FAILED', 'revert ${quoted}'
      from outbox_events where event_type like 'type <img%'`);
    const event = await demo.value("select id from outbox_events where event_type like 'type <img%'");
    const shown = "<img src=x onerror=alert(1)></script><script>alert(1)</script>\u27e8U+202E\u27e9";
    await onPage("/sagas", async (page) => {
      await saga(page, event).getByText(`type ${shown}`).waitFor();
      await saga(page, event).getByText(`dest ${shown}`).waitFor();
      await page.getByLabel("Event type").fill(markup);
      await page.getByRole("heading", { name: "No saga matches" }).waitFor();
    });
    await onPage(`/events/${event}`, async (page) => {
      await page.getByRole("heading", { name: `type ${shown}` }).waitFor();
      await page.locator(".call button").first().click();
      const answer = page.locator(".call-detail");
      await answer.getByText(`answer ${shown}`).waitFor();
      const request = await answer.locator('[aria-label="request"] .json-body').innerText();
      assert.ok(request.includes("123456789012345678901234567890"), request);
      assert.ok(request.includes("100.10"), request);
      await page.getByText("and 4,998,000 more characters").waitFor();
      assert.equal(await page.locator("main img, main script").count(), 0);
    });
    await onPage("/dead-letters", async (page) => {
      await page.getByText(`revert ${shown}`).waitFor();
      assert.equal(await page.locator("main img, main script").count(), 0);
    });
    await onPage("/", (page) => page.getByRole("row", { name: "dest" }).getByText(`dest ${shown}`).waitFor());
    await demo.sql(`delete from dead_letter_events where original_event_id = ${event}; delete from aggregate_results where event_id = ${event}; delete from outbox_events where id = ${event}`);
  });
});

describe("Every page", () => {
  const addresses = async () => {
    const undone = await demo.value("select original_event_id from dead_letter_events where status = 'PROCESSED' limit 1");
    const mail = await demo.value("select min(id) from email_messages");
    return { overview: "/", sagas: "/sagas", event: `/events/${undone}`, "dead-letters": "/dead-letters", mail: "/mail", message: `/mail/${mail}`, shop: "/shop" };
  };
  const ready = { overview: ".tiles", sagas: ".saga", event: ".call", "dead-letters": ".letter", mail: ".mail-row", message: ".tries", shop: ".orders li" };

  test("can be used by all, in light and dark colours, and fits a phone", async () => {
    await Promise.all(Object.entries(await addresses()).map(([name, address]) =>
      onPage(address, async (page) => {
        await page.locator(ready[name]).first().waitFor();
        if (name === "event") {
          await page.locator(".call button").first().click();
        }
        assert.deepEqual(await seriousFaults(page), [], name);
        // Dark colours are other colours, and nothing else.
        await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
        assert.deepEqual(await seriousFaults(page, ["color-contrast"]), [], `${name}, dark`);
        await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
        await page.setViewportSize({ width: 390, height: 844 });
        assert.deepEqual(await seriousFaults(page), [], `${name}, on a phone`);
        const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(over <= 0, `${name} is ${over} pixels too wide for a phone`);
      }, { reducedMotion: "reduce" })));
  });

  test("can be used with the keyboard alone", async () => {
    await onPage("/sagas", async (page) => {
      await page.locator(".saga").first().waitFor();
      await page.keyboard.press("Tab");
      assert.equal(await page.evaluate(() => document.activeElement.textContent.trim()), "Skip to the content");
      await page.locator(".saga .title").first().focus();
      const event = await page.locator(".saga").first().getAttribute("data-event");
      await page.keyboard.press("Enter");
      await page.waitForURL(`**/events/${event}`);
      const first = page.locator(".call-line").first();
      await first.focus();
      await page.keyboard.press("Enter");
      await page.locator(".call-detail").waitFor();
      const again = page.getByRole("button", { name: /Cancel and compensate|Run it again/ }).first();
      await again.focus();
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      assert.ok(await again.evaluate((button) => document.activeElement === button), "the focus comes back");
    });
  });

  test("is drawn for the manual", { skip: process.env.SAGABOX_SCREENSHOTS === undefined }, async () => {
    const folder = process.env.SAGABOX_SCREENSHOTS;
    fs.mkdirSync(folder, { recursive: true });
    // Something of each kind, and nothing of what other tests sent.
    await demo.sql("delete from outbox_events where email_id in (select id from email_messages where subject like '<img%'); delete from email_messages where subject like '<img%'");
    for (const [customer, shipping] of [["ada", "domestic"], ["grace", "international"], ["declined-card", "international"], ["edsger", "domestic"]]) {
      await demo.order(customer, shipping);
    }
    await demo.settled();
    await failedLetter();
    await demo.ask("PUT", "/api/simulators/script", { service: "fraudCheck.check", answers: [{ status: 429, retryAfter: "1800", times: 1 }] });
    await demo.order("barbara", "domestic");
    await until("one waits for its retry", async () => (await demo.value("select count(*) from outbox_events where status = 'PENDING' and next_retry_at > now()")) === "1");
    for (const [name, address] of Object.entries({ ...(await addresses()), sagas: "/sagas?type=OrderCreated" })) {
      for (const [width, height, scheme] of [[1440, 900, "light"], [1440, 900, "dark"], [390, 844, "light"], [390, 844, "dark"]]) {
        await onPage(address, async (page) => {
          await page.locator(ready[name]).first().waitFor();
          await page.getByText("live", { exact: true }).waitFor({ state: "attached" });
          if (name === "event" && width > 800) {
            await page.locator(".call", { hasText: "billing" }).first().locator("button").first().click();
          }
          await page.screenshot({ path: path.join(folder, `${name}-${width}-${scheme}.png`), animations: "disabled" });
        }, { viewport: { width, height }, colorScheme: scheme, reducedMotion: "reduce" });
      }
    }
  });
});

describe("Ten thousand sagas", () => {
  test("scroll, stay few in the page, and do not jump when new ones come", async () => {
    await demo.sql(`
      insert into outbox_events (aggregate_id, event_type, payloads, status, status_changed_at)
      select 'many-' || n, 'OrderCreated', '{}', 'PROCESSED', now() from generate_series(1, 10000) n`);
    await onPage("/sagas?type=OrderCreated", async (page) => {
      await page.locator(".saga").first().waitFor();
      const newest = Number(await demo.value("select max(id) from outbox_events"));
      assert.equal(await page.locator(".saga").first().getAttribute("data-event"), String(newest));
      for (let turn = 0; turn < 12; turn += 1) {
        const before = await page.evaluate(() => document.documentElement.scrollHeight);
        await page.evaluate(() => scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" }));
        await page.waitForFunction((height) => document.documentElement.scrollHeight > height, before);
      }
      assert.ok((await page.locator(".saga").count()) < 40, "rows out of sight are not in the page");
      const reading = page.locator(".saga").nth(10);
      const event = await reading.getAttribute("data-event");
      const placeOf = () => saga(page, event).evaluate((row) => Math.round(row.getBoundingClientRect().top));
      const place = await placeOf();
      await demo.order();
      await page.getByRole("button", { name: /new saga/ }).waitFor();
      assert.equal(await placeOf(), place, "what is read stays where it is");
      await page.getByRole("button", { name: /new saga/ }).click();
      await page.locator(`[data-event="${newest + 1}"]`).waitFor();
    });
  });
});

describe("Beyond this machine", () => {
  test("a token is asked for, and a browser that gave it is let in", async () => {
    const port = 20_000 + Math.floor(Math.random() * 20_000);
    const file = path.join(demo.folder, "run.conf");
    fs.writeFileSync(file, `database.url = ${JSON.stringify(demo.database)}\nhttp { address = "0.0.0.0", port = ${port}, auth.token = "a token that nobody guesses" }\noutbox.poolSize = 1\n`);
    const relay = spawn(process.env.SAGABOX_BINARY, ["run", "-c", file], { stdio: "ignore" });
    try {
      const origin = `http://127.0.0.1:${port}`;
      await until("it answers", () => fetch(`${origin}/healthz`).then((answer) => answer.ok, () => false));
      const opened = await openPage(browser, origin);
      await opened.page.goto("/sagas");
      await opened.page.getByLabel("Token").fill("wrong");
      await opened.page.getByRole("button", { name: "Enter" }).click();
      await opened.page.getByRole("alert").waitFor();
      await opened.page.getByLabel("Token").fill("a token that nobody guesses");
      await opened.page.getByRole("button", { name: "Enter" }).click();
      await opened.page.locator(".saga").first().waitFor();
      assert.equal(await opened.page.evaluate(() => document.cookie), "", "no script can read the session");
      assert.equal(await opened.page.getByRole("link", { name: "Shop" }).count(), 0, "a relay alone has no shop");
      await opened.close();
    } finally {
      relay.kill("SIGKILL");
    }
  });
});

describe("When PostgreSQL is away", () => {
  test("pages say so, keep what they have, and say what happens to the work", async () => {
    await onPage("/sagas", async (page) => {
      await page.locator(".saga").first().waitFor();
      const rows = await page.locator(".saga").count();
      // Pages that are open, and one that is opened then.
      const [postmaster] = fs.readFileSync(path.join(await demo.value("show data_directory"), "postmaster.pid"), "utf8").split("\n");
      process.kill(Number(postmaster), "SIGINT");
      await page.getByRole("link", { name: "Overview" }).click();
      await page.getByText("PostgreSQL can\u2019t be reached.").first().waitFor();
      await page.getByText("Nothing is lost meanwhile").first().waitFor();
      assert.ok(rows > 0);
    });
    await onPage("/sagas", (page) => page.getByText("PostgreSQL can\u2019t be reached.").waitFor());
    await onPage("/dead-letters", (page) => page.getByText("PostgreSQL can\u2019t be reached.").waitFor());
  });
});
