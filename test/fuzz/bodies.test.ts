/** Promise: no JSON body makes a route fail or blocks the server. */
import { expect, test } from "bun:test";
import { ROUTES as AUTH } from "../../src/identity/routes/offered-routes.ts";
import { forgetAttempts } from "../api/management/people.ts";
import { openFixture } from "../api/management/server-fixture.ts";
import { bodyOf, filled, openTenancy, ROUTES } from "../api/management/tenancy.ts";
import { openHarness } from "../harness.ts";
import { promptly } from "./promptly.ts";
import { FUZZ_TIMEOUT_MS, fuzz } from "./random.ts";
import { oddValue, sent, vary } from "./values.ts";

const SESSION = {
  type: "transcription",
  include: ["item.input_audio_transcription.logprobs"],
  audio: {
    input: {
      format: { type: "audio/pcm", rate: 24_000 },
      transcription: { model: "svc-stt1", language: "en", prompt: "p", keywords: ["k"], delay: "low" },
      noise_reduction: { type: "near_field" },
      turn_detection: { type: "server_vad", threshold: 0.5, silence_duration_ms: 200 },
    },
  },
};

const PUBLIC: [path: string, body: object][] = [
  ["/v1/audio/speech", { model: "svc-tts1", voice: "male-classic", input: "Hi.", response_format: "pcm" }],
  [
    "/v1/audio/speech",
    { model: "svc-tts2", voice: { id: "x" }, input: "Hi.", stream_format: "sse", speed: 1 },
  ],
  ["/v1/realtime/client_secrets", { expires_after: { anchor: "created_at", seconds: 60 }, session: SESSION }],
  [
    "/v1/realtime/sessions",
    {
      model: "svc-stt1",
      voice: "alloy",
      client_secret: { expires_at: { anchor: "created_at", seconds: 60 } },
    },
  ],
  ["/v1/realtime/transcription_sessions", { input_audio_format: "pcm16", turn_detection: null }],
];

test(
  "no JSON body makes a route of the public API fail",
  async () => {
    await using harness = await openHarness();
    const cases = await fuzz(async (chance) => {
      const [path, base] = chance.pick(PUBLIC);
      const body = sent(vary(base, chance), chance);
      const response = await promptly(() => harness.ask(path, { method: "POST", body }));
      expect([200, 400, 404, 422, 429, 502]).toContain(response.status);
      if (chance.once(100)) harness.clock.pass(3_600_000); // secrets end
    });
    expect(cases).toBeGreaterThan(0);
    const failures = harness.logged.filter(({ level }) => level === "error");
    expect(failures.filter(({ code }) => code !== "inference_unavailable")).toEqual([]);
  },
  FUZZ_TIMEOUT_MS,
);

/** Of what the samples hold nothing else is started: no download, no end of the session itself. */
const HARMLESS = { package: "no-such-package" };
const NEVER = ["sign-out"];

test(
  "no JSON body makes a route of the dashboard fail, for an operator who owns an organization",
  async () => {
    await using fixture = await openFixture();
    const { users, ids } = await openTenancy(fixture, "Fuzz");
    const operator = await fixture.operator("Fuzz-operator");
    const dashboard = ROUTES.filter(([, { body }]) => body).map(([name, route]) => ({
      route: filled(name, { ...ids, ...HARMLESS }),
      sample: bodyOf(name, route) as object,
      person: route.needs === "operator" ? operator : users.owner,
    }));
    const auth = Object.entries(AUTH)
      .filter(([path, { method }]) => method === "POST" && !NEVER.includes(path))
      .map(([path, { fields }]) => ({
        route: `POST /api/auth/${path}`,
        sample: Object.fromEntries(Object.keys(fields).map((field) => [field, ids[field] ?? "a@b.example"])),
        person: users.owner,
      }));
    const seen = new Set<number>();
    const cases = await fuzz(async (chance, number) => {
      const { route, sample, person } = chance.pick([...dashboard, ...auth]);
      const [method, path] = route.split(" ") as [string, string];
      const body = sent(vary(chance.once(20) ? oddValue(chance) : sample, chance), chance);
      const headers = {
        origin: fixture.url,
        cookie: person.cookie,
        "x-csrf-token": person.csrf,
        "content-type": "application/json",
      };
      const ask = () => fetch(fixture.url + path, { method, headers, body, redirect: "manual" });
      seen.add((await promptly(ask)).status);
      if (number % 50 === 0) await forgetAttempts(fixture);
    });
    expect(cases).toBeGreaterThan(0);
    expect([...seen].filter((status) => status >= 500)).toEqual([]);
    expect((await users.owner.ask("GET /api/session")).status).toBe(200);
    expect(fixture.logged.filter(({ level }) => level === "error")).toEqual([]);
  },
  FUZZ_TIMEOUT_MS,
);
