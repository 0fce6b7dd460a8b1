// Skipped, and shown as skipped, where the packages of this folder are not installed.
import { existsSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
if (!existsSync(`${here}/node_modules/js-yaml`)) {
  console.log("skipped: scripts/install-deps --tests installs what this test reads with");
  process.exit(77);
}
const { status } = spawnSync(process.execPath, ["--test", `${here}/alerts_test.mjs`], { stdio: "inherit" });
process.exit(status ?? 1);
