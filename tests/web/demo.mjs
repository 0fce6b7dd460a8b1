// A demo of our own: a free port, a folder that goes away at the end, and its database by psql.
import { execFile, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const binary = process.env.SAGABOX_BINARY ?? "sagabox";

export class Demo {
  static async start() {
    const demo = new Demo();
    demo.folder = fs.mkdtempSync(path.join(os.tmpdir(), "sagabox-web-"));
    // PostgreSQL does not run as root; the program then takes another user, who must get in.
    fs.chmodSync(demo.folder, 0o755);
    demo.process = spawn(binary, ["demo", "--port", "0", "--data", path.join(demo.folder, "data")], { stdio: ["ignore", "pipe", "pipe"] });
    demo.output = "";
    demo.ended = new Promise((resolve) => demo.process.on("exit", resolve));
    const started = new Promise((resolve, reject) => {
      const look = (bytes) => {
        demo.output += bytes;
        const address = /http:\/\/localhost:(\d+)/.exec(demo.output);
        const database = /psql '([^']+)'/.exec(demo.output);
        if (address !== null && database !== null) {
          demo.origin = `http://127.0.0.1:${address[1]}`;
          demo.database = database[1];
          resolve();
        }
      };
      demo.process.stdout.on("data", look);
      demo.process.stderr.on("data", look);
      demo.process.on("exit", (code) => reject(new Error(`the demo ended with ${code}:\n${demo.output}`)));
      setTimeout(() => reject(new Error(`the demo did not start in 60 s:\n${demo.output}`)), 60_000).unref();
    });
    try {
      await started;
    } catch (error) {
      await demo.stop();
      throw error;
    }
    return demo;
  }

  async stop() {
    this.process.kill("SIGINT");
    const late = setTimeout(() => this.process.kill("SIGKILL"), 15_000);
    await this.ended;
    clearTimeout(late);
    fs.rmSync(this.folder, { recursive: true, force: true });
  }

  /// Rows as arrays of texts.
  async sql(text) {
    const { stdout } = await run(findPsql(), ["-X", "-q", "-A", "-t", "-F", "\u001f", "-v", "ON_ERROR_STOP=1", "-d", this.database, "-c", text]);
    return stdout.split("\n").filter((line) => line !== "").map((line) => line.split("\u001f"));
  }

  async value(text) {
    return (await this.sql(text))[0]?.[0];
  }

  async ask(method, address, body) {
    const response = await fetch(this.origin + address, {
      method,
      ...(body === undefined ? {} : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) {
      throw new Error(`${method} ${address}: ${response.status} ${text}`);
    }
    return text === "" ? null : JSON.parse(text);
  }

  order(customerId = "ada", shippingType = "domestic") {
    return this.ask("POST", "/api/orders", { customerId, shippingType, totalAmount: "100.10" });
  }

  /// The event of an order.
  async eventOf(order, type = "OrderCreated") {
    return Number(await this.value(`select max(id) from outbox_events where aggregate_id = '${order}' and event_type = '${type}'`));
  }

  /// Waits until nothing is under way any more.
  settled() {
    return until("all events and letters have ended", async () =>
      (await this.value("select (select count(*) from outbox_events where active) + (select count(*) from dead_letter_events where active)")) === "0");
  }
}

function findPsql() {
  const folders = [process.env.SAGABOX_PG_BIN, ...(process.env.PATH ?? "").split(":")].filter((folder) => folder);
  if (fs.existsSync("/usr/lib/postgresql")) {
    folders.push(...fs.readdirSync("/usr/lib/postgresql").map((release) => `/usr/lib/postgresql/${release}/bin`));
  }
  const found = folders.map((folder) => path.join(folder, "psql")).find((file) => fs.existsSync(file));
  if (found === undefined) {
    throw new Error("there is no psql; scripts/install-deps brings it");
  }
  return found;
}

/// Waits for what comes, and no longer than it takes.
export async function until(what, holds, limit = 15_000) {
  const end = Date.now() + limit;
  for (;;) {
    if (await holds()) {
      return;
    }
    if (Date.now() > end) {
      throw new Error(`waited ${limit} ms in vain: ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}
