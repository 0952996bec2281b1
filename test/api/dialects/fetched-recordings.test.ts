/** Promise: a recording is read from an address that a client names as it is from its body, and is charged the same. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Harness, openHarness } from "../../harness.ts";
import { form } from "../v1/form.ts";
import { HEARD, hears, sentence, unlessRecognition } from "./recorded.ts";

let harness: Harness;
let files: ReturnType<typeof Bun.serve>;
let file: Uint8Array<ArrayBuffer>;

beforeAll(async () => {
  harness = await openHarness({ environment: { LOQUAT_OUTBOUND_NETWORKS: "127.0.0.0/8" } });
  file = await sentence(harness);
  files = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch({ url }) {
      const { pathname } = new URL(url);
      if (pathname === "/a.wav") return new Response(file);
      if (pathname === "/page") return new Response("<html></html>");
      if (pathname === "/large") return new Response(new Uint8Array(26 * 1024 * 1024));
      return new Response(null, { status: 404 });
    },
  });
});
afterAll(async () => {
  files?.stop(true);
  await harness?.[Symbol.asyncDispose]();
});

const addressOf = (path: string) => `http://127.0.0.1:${files.port}${path}`;

const listen = (url: string) =>
  fetch(`${harness.url}/v1/listen`, {
    method: "POST",
    headers: { authorization: `Token ${harness.key}`, "content-type": "application/json" },
    body: JSON.stringify({ url }),
  });

function scribe(url: string) {
  const { headers, ...init } = form([
    ["model_id", "scribe_v1"],
    ["source_url", url],
  ]);
  return fetch(`${harness.url}/v1/speech-to-text`, {
    ...init,
    headers: { ...headers, "xi-api-key": harness.key },
  });
}

describe.skipIf(!hears)(`a recording at an address${unlessRecognition}`, () => {
  test("is heard as Deepgram's and ElevenLabs' clients ask for it", async () => {
    const listened = await listen(addressOf("/a.wav"));
    expect(await listened.text()).toMatch(HEARD);
    const scribed = await scribe(addressOf("/a.wav"));
    expect(await scribed.text()).toMatch(HEARD);
  });
});

test.each([
  ["/none", "url_unreachable"],
  ["/page", "invalid_audio"],
  ["/large", "file_too_large"],
])("what is at %s is refused and charged nothing", async (path, code) => {
  const { balanceMicros } = await harness.parts.ledger.credit(harness.organizationId);
  expect(await (await listen(addressOf(path))).json()).toMatchObject({ code });
  expect(await (await scribe(addressOf(path))).json()).toMatchObject({ detail: { code } });
  expect((await harness.parts.ledger.credit(harness.organizationId)).balanceMicros).toBe(balanceMicros);
});
