/** Promise: settings have defaults, and an error names the invalid variable. */
import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { ConfigError, type Row, readConfig, summaryOf, VARIABLES } from "../../src/config/config.ts";

test("an empty environment listens on loopback only", () => {
  const { http, data, shutdown, log, engine } = readConfig({});
  expect({ http, data, shutdown, log }).toEqual({
    shutdown: { drainMs: 30_000, lameDuckMs: null },
    http: {
      host: "127.0.0.1",
      port: 8080,
      url: null,
      proxies: [],
      publicCatalogue: false,
      dialects: ["elevenlabs", "deepgram", "jambonz", "mcp"],
      reusePort: false,
      tls: null,
    },
    data: { folder: "./data", url: null, limitsUrl: null, writer: "thread" },
    log: { level: "info", format: null, requests: "all", audit: false },
  });
  expect(engine.threads).toBeGreaterThanOrEqual(1);
});

test("variables override the defaults", () => {
  const { http, data, shutdown, models, log, engine } = readConfig({
    HOST: "::",
    PORT: "0",
    LOQUAT_URL: "https://speech.example.com/",
    LOQUAT_DIALECTS: "Deepgram",
    LOQUAT_PROXIES: "10.0.0.1, 10.1.0.0/16, FD00::/8",
    LOQUAT_PUBLIC_CATALOGUE: "1",
    LOQUAT_DATA: "d",
    DATABASE_URL: "postgres://db/loquat",
    REDIS_URL: "redis://cache",
    LOQUAT_MODELS: "m",
    LOQUAT_WEIGHTS: "w",
    LOQUAT_MIRROR: "https://mirror/",
    LOQUAT_THREADS: "3",
    LOQUAT_DEVICE: "cpu",
    LD_LIBRARY_PATH: "/usr/local/cuda/lib64",
    LOQUAT_UNLOAD_MINUTES: "0",
    LOQUAT_TLS_CERT: "c.pem",
    LOQUAT_TLS_KEY: "k.pem",
    LOG_LEVEL: "warn",
    LOG_FORMAT: "text",
    LOG_REQUESTS: "slow",
    LOQUAT_REUSE_PORT: "1",
    LOQUAT_DRAIN_SECONDS: "60",
    LOQUAT_LAME_DUCK_SECONDS: "5",
  });
  expect({ http, data, shutdown, models, log, engine }).toEqual({
    shutdown: { drainMs: 60_000, lameDuckMs: 5000 },
    http: {
      host: "::",
      port: 0,
      url: "https://speech.example.com",
      proxies: ["10.0.0.1", "10.1.0.0/16", "fd00::/8"],
      publicCatalogue: true,
      dialects: ["deepgram"],
      reusePort: true,
      tls: { cert: "c.pem", key: "k.pem" },
    },
    data: { folder: "d", url: "postgres://db/loquat", limitsUrl: "redis://cache", writer: "thread" },
    models: { folder: "m", weights: "w", mirror: "https://mirror/", pull: [], acceptedLicenses: [] },
    log: { level: "warn", format: "text", requests: "slow", audit: false },
    engine: { threads: 3, device: "cpu", libraryPath: "/usr/local/cuda/lib64", idleMs: null, memoryMb: 512 },
  });
});

test("organizations of operators are unmetered unless payments or LOQUAT_PLAN make them prepaid", () => {
  const stripe = { STRIPE_SECRET_KEY: "sk", STRIPE_WEBHOOK_SECRET: "whsec" };
  expect(readConfig({}).plan).toBe("unmetered");
  expect(readConfig(stripe).plan).toBe("prepaid");
  expect(readConfig({ LOQUAT_PLAN: "prepaid" }).plan).toBe("prepaid");
  expect(readConfig({ ...stripe, LOQUAT_PLAN: "unmetered" }).plan).toBe("unmetered");
});

test("Wyoming needs a port and the id of a key", () => {
  const both = { LOQUAT_WYOMING_PORT: "10300", LOQUAT_WYOMING_KEY: "key_0mh3k2q9x1" };
  expect(readConfig({}).wyoming).toBeNull();
  expect(readConfig(both).wyoming).toEqual({ port: 10_300, keyId: "key_0mh3k2q9x1" });
  expect(() => readConfig({ LOQUAT_WYOMING_PORT: "10300" })).toThrow("must be set together");
  const secret = `sk_live_${"a".repeat(40)}`;
  const read = () => readConfig({ ...both, LOQUAT_WYOMING_KEY: secret });
  expect(read).toThrow("LOQUAT_WYOMING_KEY must be the id of a key");
  expect(read).not.toThrow(secret);
  expect(() => readConfig({ ...both, LOQUAT_WYOMING_PORT: "ten" })).toThrow("LOQUAT_WYOMING_PORT must be");
});

test.each([
  ["LOQUAT_PLAN", "free"],
  ["LOQUAT_PUBLIC_CATALOGUE", "yes"],
  ["PORT", "http"],
  ["PORT", "65536"],
  ["PORT", "-1"],
  ["PORT", "80.5"],
  ["PORT", "1e3"],
  ["PORT", ""],
  ["PORT", " 80"],
  ["HOST", ""],
  ["HOST", "  "],
  ["LOQUAT_DATA", ""],
  ["LOQUAT_MODELS", ""],
  ["DATABASE_URL", "mysql://db"],
  ["DATABASE_URL", "postgres://"],
  ["REDIS_URL", "cache:6379"],
  ["REDIS_URL", "redis+sentinel://cache:26379"],
  ["LOQUAT_THREADS", "0"],
  ["LOQUAT_THREADS", "many"],
  ["LOQUAT_SECRET", "secret"],
  ["LOQUAT_SECRET", "x".repeat(31)],
  ["LOQUAT_SECRET", `x${" ".repeat(40)}`],
  ["LOQUAT_PROXIES", "999.1.1.1"],
  ["LOQUAT_PROXIES", "10.0.0.1, proxy.example.com"],
  ["LOQUAT_PROXIES", "10.0.0.0/33"],
  ["LOQUAT_PROXIES", "10.0.0.0/"],
  ["LOQUAT_PROXIES", "fd00::/129"],
  ["LOG_LEVEL", "loud"],
  ["LOG_LEVEL", ""],
  ["LOG_FORMAT", "xml"],
  ["LOQUAT_TLS_CERT", "certificate.pem"],
  ["LOQUAT_TLS_KEY", "key.pem"],
])("%s=%j is rejected by name", (name, value) => {
  const read = () => readConfig({ [name]: value });
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(name);
});

test.each(Object.entries<Row>(VARIABLES))(
  "%s is refused by name outside its range and choices",
  (name, row) => {
    const read = (value: string) => () => readConfig({ [name]: value });
    if ("range" in row) {
      const [min, max] = row.range;
      expect(read(`${max + 1}`)).toThrow(`${name} must be a whole number from ${min} to ${max}`);
      if (row.fallback !== undefined) expect(Number(row.fallback)).toBeWithin(min, max + 1);
    } else if ("choices" in row) {
      expect(read("another")).toThrow(`${name} must be one of ${row.choices.join(", ")}`);
      if (row.fallback !== undefined) expect(row.choices).toContain(row.fallback);
    } else if ("schemes" in row) {
      const value = "file:///etc/passwd";
      // A payment's address counts only with its secrets.
      const read = () =>
        readConfig({ STRIPE_SECRET_KEY: "sk", STRIPE_WEBHOOK_SECRET: "whsec", [name]: value });
      expect(read).toThrow(`${name} must be a URL that starts with ${row.schemes[0]}//`);
    } else expect(row.values).not.toBe("");
  },
);

test("the summary of a variable is the first sentence of its meaning, without Markdown", () => {
  const meaning = "Where [models](models.md) of `v1.2` lie. See [more](more.md).";
  expect(summaryOf({ values: "text", meaning, fallback: "./here" })).toBe(
    "Where models of v1.2 lie (default: ./here)",
  );
  expect(summaryOf({ values: "text", meaning })).toBe("Where models of v1.2 lie");
  expect(summaryOf({ choices: ["a", "b"], meaning, fallback: "a" })).toBe(
    "Where models of v1.2 lie (a, b; default: a)",
  );
});

test("a generated secret is accepted", () => {
  const made = randomBytes(32).toString("base64url");
  expect(readConfig({ LOQUAT_SECRET: made }).identity.secret!()).toBe(made);
});

test("the metrics have a port and a strong token only where they are set", () => {
  expect(readConfig({}).metrics).toEqual({ port: null, token: null });
  const token = randomBytes(32).toString("hex");
  const { metrics } = readConfig({ LOQUAT_METRICS_PORT: "0", LOQUAT_METRICS_TOKEN: token });
  expect([metrics.port, metrics.token?.()]).toEqual([0, token]);
  expect(() => readConfig({ LOQUAT_METRICS_TOKEN: "short" })).toThrow("LOQUAT_METRICS_TOKEN");
  expect(() => readConfig({ LOQUAT_METRICS_PORT: "x" })).toThrow("LOQUAT_METRICS_PORT");
});

test("requests to addresses of users go to public networks, those that are named, and by a proxy that is kept secret", () => {
  expect(readConfig({}).outbound).toEqual({ networks: [], proxy: null });
  const { networks, proxy } = readConfig({
    LOQUAT_OUTBOUND_NETWORKS: "192.168.1.0/24",
    LOQUAT_OUTBOUND_PROXY: "http://user:word@proxy.example:3128",
  }).outbound;
  expect([networks, proxy?.()]).toEqual([["192.168.1.0/24"], "http://user:word@proxy.example:3128"]);
  expect(() => readConfig({ LOQUAT_OUTBOUND_PROXY: "socks5://proxy.example" })).toThrow(
    "must be a URL that starts with http://",
  );
});
