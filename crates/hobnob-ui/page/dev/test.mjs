// Bundles every `src/**/*.test.ts(x)` and runs it with Node's own test runner.

import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { readdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import path from "node:path";

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "..");
const out = path.join(root, ".test", String(process.pid));
const files = (await readdir(path.join(root, "src"), { recursive: true }))
  .filter((file) => /\.test\.tsx?$/.test(file))
  .sort();
await rm(out, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: files.map((file) => path.join("src", file)),
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  jsx: "automatic",
  jsxImportSource: "preact",
  outdir: path.join(".test", String(process.pid)),
  outbase: "src",
  outExtension: { ".js": ".mjs" },
  loader: { ".css": "empty" },
});
const built = files.map((file) => path.join(out, file.replace(/\.tsx?$/, ".mjs")));
const { status } = spawnSync(process.execPath, ["--test", ...built], { stdio: "inherit" });
await rm(out, { recursive: true, force: true });
process.exit(status ?? 1);
