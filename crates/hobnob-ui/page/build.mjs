// Builds the page into `dist/`: the same input gives the same bytes on every machine.
// Whoever changes the page runs this; `dist/` is in the repository, so nobody else needs Node.

import { build } from "esbuild";
import { copyFile, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";
import path from "node:path";

const MAX_GZIP_BYTES = 150_000;
const root = path.dirname(fileURLToPath(import.meta.url));
const dist = path.join(root, "dist");

export const options = {
  absWorkingDir: root,
  entryPoints: { app: "src/main.tsx" },
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  metafile: true,
};

/** The licence texts of every package whose code is in the bundle. */
async function licences(metafile) {
  const packages = new Set();
  for (const input of Object.keys(metafile.inputs)) {
    const found = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (found) packages.add(found[1]);
  }
  const texts = [];
  for (const name of [...packages].sort()) {
    const folder = path.join(root, "node_modules", name);
    const { version, license } = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file) throw new Error(`${name} has no licence file; name its licence in build.mjs`);
    const text = (await readFile(path.join(folder, file), "utf8")).replaceAll("\r\n", "\n").trim();
    texts.push(`${name} ${version} (${license})\n\n${text}\n`);
  }
  return texts.join("\n" + "-".repeat(72) + "\n\n");
}

async function main() {
  await rm(dist, { recursive: true, force: true });
  await mkdir(dist);
  const banner = { js: "/*! Contains Preact and its signals, and uPlot (MIT): their licences are at /ui/licenses.txt. */" };
  const { metafile } = await build({ ...options, banner, outdir: "dist" });
  for (const file of await readdir(path.join(root, "public"))) {
    await copyFile(path.join(root, "public", file), path.join(dist, file));
  }
  await writeFile(path.join(dist, "licenses.txt"), await licences(metafile));
  let total = 0;
  for (const file of ["index.html", "app.js", "app.css", "icon.svg"]) {
    const bytes = await readFile(path.join(dist, file));
    const packed = gzipSync(bytes, { level: 9 }).length;
    total += packed;
    console.log(`${file.padEnd(12)} ${String(bytes.length).padStart(7)} bytes, ${String(packed).padStart(6)} gzip`);
  }
  console.log(`total ${total} bytes gzip, at most ${MAX_GZIP_BYTES}`);
  if (total > MAX_GZIP_BYTES) throw new Error("the page is larger than it may be");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
