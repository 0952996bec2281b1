/** An upstream that listens to live speech at a stand-in server, as tests of its turns need it. */
import { afterEach } from "bun:test";
import { readConfig } from "../../src/config/config.ts";
import type { Word } from "../../src/engine/protocol/recognition.ts";
import type { Refusal } from "../../src/errors.ts";
import { presetWith, readPresets } from "../../src/upstreams/definition.ts";
import type { LiveTurn, TurnOptions } from "../../src/upstreams/live/live-turn.ts";
import { openUpstream, type Upstream } from "../../src/upstreams/upstream.ts";
import { type Moment, openListeningServer, type Turn } from "./listening-server.ts";

const presets = readPresets(readConfig({}).models.folder);

export const QUICK = { first_byte_ms: 1000, between_bytes_ms: 500, whole_ms: 5000 };

/** All of them are closed after each test. */
export function withListeners() {
  const open: Disposable[] = [];
  const upstreams: Upstream[] = [];
  afterEach(async () => {
    for (const upstream of upstreams.splice(0)) await upstream[Symbol.asyncDispose]();
    for (const each of open.splice(0)) each[Symbol.dispose]();
  });
  return {
    serve(handle: (turn: Turn, moment: Moment) => void) {
      const server = openListeningServer(handle);
      open.push(server);
      return server;
    },
    async upstreamOf(url: string, { preset = "loquat", flags = {} } = {}) {
      const upstream = openUpstream({
        preset: presetWith(presets, preset, { health: null, timeouts: QUICK, ...flags }),
        urls: [url],
        credential: () => "secret",
      });
      upstreams.push(upstream);
      await upstream.ready;
      return upstream;
    },
  };
}

export function listen(upstream: Upstream, asked: Partial<TurnOptions> = {}) {
  const words: Word[] = [];
  const { promise: settled, resolve } = Promise.withResolvers<"completed" | Refusal>();
  const turn: LiveTurn = upstream.listen("theirs", {
    ...{ language: null, prompt: "", progressed() {}, settled: resolve, ...asked },
    words: (more) => words.push(...more),
  });
  return { turn, words, settled };
}

export const second = () => Float32Array.from({ length: 16_000 }, (_, at) => 0.3 * Math.sin(at / 9));
export const confirming = (turn: Turn, moment: Moment) => {
  if (moment === "updated") turn.send("session.updated");
};

export const onceSent = (say: (turn: Turn) => void) => (turn: Turn, moment: Moment) => {
  confirming(turn, moment);
  if (moment === "committed") say(turn);
};
