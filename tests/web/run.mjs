// Runs the browser tests as one program: exit 0 passed, 1 failed, 77 where there is no browser to run them in.
// SAGABOX_SCREENSHOTS=FOLDER writes the pictures of docs/console.md there.
import { spawn } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { findChromium } from "./browser.mjs";

if (findChromium() === undefined) {
  console.log("skipped: no chromium is installed (scripts/install-deps --dev), or SAGABOX_CHROMIUM names none");
  process.exit(77);
}
const here = path.dirname(fileURLToPath(import.meta.url));
const tests = spawn(process.execPath, ["--test", "--test-reporter=spec", path.join(here, "console_test.mjs")], { stdio: "inherit" });
tests.on("exit", (code) => process.exit(code === 0 ? 0 : 1));
