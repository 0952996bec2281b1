/** Promise: speech at an engine node ends with the step of its model that is under way, once the client of its API node has left. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { supertonicContents } from "../../testing/packages/families/voices.ts";
import { packageOf, storePackage } from "../../testing/packages/model-store.ts";
import { joined, openTestNode } from "../engine-node.ts";
import { openHarness } from "../harness.ts";
import { until } from "../until.ts";

const ENGINE = "supertonic-3";
const TEXT = Array.from({ length: 40 }, (_, at) => `This is sentence number ${at + 1} of a long text.`).join(
  " ",
);

test.each([false, true])(
  "the engine of a node is free once the client has left (streamed: %p)",
  async (stream) => {
    const weights = mkdtempSync(join(tmpdir(), "loquat-leaving-"));
    const options = { steps: 1e9, pace: 1 }; // none of its texts would ever end
    storePackage(
      weights,
      packageOf(ENGINE, "supertonic", { options, contents: supertonicContents() }),
      supertonicContents(),
    );
    const environment = { LOQUAT_WEIGHTS: weights, LOQUAT_THREADS: "2" };
    {
      await using remote = openTestNode(environment);
      await using api = await openHarness({ environment: { ...environment, ...remote.environment } });
      await joined(api.parts);
      const { registry } = remote.node;
      const load = () => registry.loads().find(({ name }) => name === ENGINE);
      const left = new AbortController();
      const spoken = api.ask("/v1/audio/speech", {
        method: "POST",
        body: JSON.stringify({ model: "svc-tts2", voice: "female-warm", input: TEXT, stream }),
        signal: left.signal,
      });
      spoken.catch(() => {});
      await until(() => (load()?.running ?? 0) > 0);
      left.abort();
      await until(() => load()!.running + load()!.waiting === 0);
      expect(api.parts.registry.started()).not.toContain(ENGINE);
    }
    rmSync(weights, { recursive: true, force: true });
  },
);
