/** Promise: reports of usage know of every endpoint that is metered whether it is speech, a transcription or neither. */
import { expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { ENDPOINTS_OF } from "../src/usage-kinds.ts";

/** What makes voices and consents: neither text that was spoken nor a recording that was transcribed. */
const NEITHER = ["/v1/audio/voices", "/v1/audio/voice_consents", "/elevenlabs/v1/voices/add"];
/** Names of earlier versions, which no code records any more. */
const FORMER = /^(?:elevenlabs|deepgram)\//;
const NAMED = /\b(?:endpoint: |ENDPOINT = )"([^"]*\/[^"]*)"/g;

test("every endpoint that code names is of one kind", async () => {
  const folder = fileURLToPath(new URL("../src", import.meta.url));
  const named = new Set<string>();
  for (const area of ["api", "wyoming"])
    for await (const file of new Bun.Glob(`${area}/**/*.ts`).scan(folder))
      for (const [, endpoint] of (await Bun.file(`${folder}/${file}`).text()).matchAll(NAMED))
        named.add(endpoint!);
  const known = [...Object.values(ENDPOINTS_OF).flat(), ...NEITHER].filter((name) => !FORMER.test(name));
  expect([...named].sort()).toEqual(known.toSorted());
});
