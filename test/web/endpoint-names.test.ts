/** Promise: the dashboard has a name for each endpoint that requests are recorded with. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ENDPOINTS } from "../../src/web/usage/endpoint-names.ts";

const SOURCES = fileURLToPath(new URL("../../src", import.meta.url));
const RECORDED = /(?:\bendpoint:|\bENDPOINT =)\s*"([^"]*\/[^"]*)"/g;

/** In the files of the server. */
function recorded(): string[] {
  const files = [...new Bun.Glob("{api,wyoming}/**/*.ts").scanSync(SOURCES)];
  const texts = files.map((file) => readFileSync(`${SOURCES}/${file}`, "utf8"));
  return [...new Set(texts.flatMap((text) => [...text.matchAll(RECORDED)].map(([, name]) => name!)))].sort();
}

test("each endpoint has a name, and each name an endpoint", () => {
  expect(ENDPOINTS.map(({ id }) => id).sort()).toEqual(recorded());
});

test("an endpoint over HTTP is named by its address, below the dialect that it is of", () => {
  const others = recorded().filter(
    (name) => !/^(?:\/(?:elevenlabs|deepgram))?\/v\d\/|^\/mcp$|^\/jambonz\//.test(name),
  );
  expect(others).toEqual(["wyoming/synthesize", "wyoming/transcribe"]);
});
