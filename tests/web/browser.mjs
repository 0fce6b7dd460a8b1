// Chromium by playwright-core, and what every page of the console is held to, whatever it shows.
import assert from "node:assert/strict";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(path.join(process.env.SAGABOX_CONSOLE_BUILD ?? ".", "package.json"));

export function findChromium() {
  if (process.env.SAGABOX_CHROMIUM !== undefined) {
    return fs.existsSync(process.env.SAGABOX_CHROMIUM) ? process.env.SAGABOX_CHROMIUM : undefined;
  }
  const folders = (process.env.PATH ?? "").split(":");
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    const found = folders.map((folder) => path.join(folder, name)).find((file) => fs.existsSync(file));
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

export async function launch() {
  const { chromium } = require("playwright-core");
  return chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox", "--disable-dev-shm-usage", "--force-color-profile=srgb"] });
}

/// A page that notes what must never happen: a script of somebody else's that runs, a refusal by the page's own policy, an
/// error, a request to another host. What is tried with the host `blocked` is refused by the browser, which says so.
export async function openPage(browser, origin, options = {}, blocked = undefined) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, baseURL: origin, ...options });
  const faults = [];
  await context.addInitScript(() => {
    window.alert = () => {
      window.ranHostileScript = true;
    };
  });
  const page = await context.newPage();
  page.setDefaultTimeout(8000);
  page.on("pageerror", (error) => faults.push(`error: ${error.stack ?? error}`));
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("console", (message) => {
    // A request that was refused or failed is logged by the browser itself; pages must show it, and tests look there.
    const refusal = blocked !== undefined && /^Blocked script execution|^Refused to execute the redirect|violates the following Content Security Policy/.test(message.text());
    if (message.type() === "error" && !refusal && !message.text().startsWith("Failed to load resource")) {
      faults.push(`console: ${message.text()}`);
    }
  });
  page.on("request", (request) => {
    if (!(blocked !== undefined && request.url().startsWith(blocked)) && !request.url().startsWith(origin) && !request.url().startsWith("data:") && request.url() !== "about:srcdoc") {
      faults.push(`request to another host: ${request.url()}`);
    }
  });
  return {
    page,
    /// Holds what was shown since the last check to what every page is held to.
    async check() {
      const ran = await page.evaluate(() => window.ranHostileScript === true);
      assert.deepEqual(faults, []);
      assert.equal(ran, false, "a hostile script ran");
    },
    async close() {
      try {
        await this.check();
      } finally {
        await context.close();
      }
    },
  };
}

/// axe's findings that stop somebody from using the page; by all its rules, or by some.
export async function seriousFaults(page, rules = undefined) {
  const axe = require.resolve("axe-core/axe.min.js");
  // By the debugger, past the page's policy, which rightly forbids it.
  await page.evaluate(fs.readFileSync(axe, "utf8"));
  const { violations } = await page.evaluate(
    (only) => window.axe.run(document, { resultTypes: ["violations"], ...(only === undefined ? {} : { runOnly: only }) }), rules);
  return violations
    .filter((violation) => violation.impact === "serious" || violation.impact === "critical")
    .map((violation) => `${violation.id}: ${violation.nodes.map((node) => `${node.target.join(" ")} (${node.failureSummary?.split("\n").at(-1)?.trim()})`).slice(0, 5).join("; ")}`);
}
