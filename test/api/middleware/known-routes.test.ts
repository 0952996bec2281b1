/** Promise: what the router offers is found for any path, in little time. */
import { expect, test } from "bun:test";
import { allowedMethods, type KnownRoute, likelyPath } from "../../../src/api/middleware/known-routes.ts";

const ROUTES: KnownRoute[] = [
  { method: "GET", path: "/" },
  { method: "GET", path: "/v1/models" },
  { method: "GET", path: "/v1/models/:model" },
  { method: "POST", path: "/v1/audio/speech" },
  { method: "POST", path: "/v1/audio/transcriptions" },
  { method: "GET", path: "/api/keys/:id" },
  { method: "PATCH", path: "/api/keys/:id" },
  { method: "GET", path: "/orgs/*" },
];

test.each([
  ["/", "GET, HEAD, OPTIONS"],
  ["/v1/models/", "GET, HEAD, OPTIONS"],
  ["/v1/models/x", "GET, HEAD, OPTIONS"],
  ["/v1/models/x/y", null],
  ["/api/keys/1", "GET, PATCH, HEAD, OPTIONS"],
  ["/orgs/a/b", "GET, HEAD, OPTIONS"],
  ["/v1/audio", null],
  ["/nowhere", null],
])("%s takes %p", (path, methods) => {
  expect(allowedMethods(ROUTES, path)).toBe(methods);
});

test.each([
  ["/audio/speech", "/v1/audio/speech"],
  ["/v1/v1/audio/speech", "/v1/audio/speech"],
  ["/v1/audio/speech/audio/speech", "/v1/audio/speech"],
  ["/api/openai/v1/models", "/v1/models"],
  ["/v1/audio/transcription", "/v1/audio/transcriptions"],
  ["/models/svc-tts1", "/v1/models/svc-tts1"],
  ["/v1/chat/completions", null],
  ["/v1", null],
  ["/", null],
  ["/a/b/c/d/e/f/g/h/i/j/models", null],
])("%s may mean %p", (path, intended) => {
  expect(likelyPath(ROUTES, path)).toBe(intended);
});
