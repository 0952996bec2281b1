/** Promise: the Dockerfile and the compose files fit the server: variables, port, user, drain time, commands. */
import { describe, expect, test } from "bun:test";
import { USER_ID } from "../../deploy/container/image-files.ts";
import { wholeProgram } from "../../src/cli/program.ts";
import { assignments, configOf, instructions, read, stopSeconds, unknownVariables, yaml } from "./files.ts";

type Service = {
  image?: string;
  command?: string[];
  depends_on?: Record<string, { condition: string }>;
  build?: { args?: Record<string, string> };
  ports?: string[];
  environment?: Record<string, string>;
  secrets?: string[];
  user?: string;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  stop_grace_period?: string;
  healthcheck?: { test: string[] };
};
type Compose = {
  services: Record<string, Service> & { loquat: Service };
  secrets?: Record<string, { file: string }>;
};

const ALL = instructions(read("Dockerfile"));
const valuesOf = (name: string) => ALL.filter(([each]) => each === name).map(([, value]) => value);
/** The stage that is the image. */
const LAST = ALL.slice(ALL.findLastIndex(([name]) => name === "FROM"));
const lastOf = (name: string) => LAST.find(([each]) => each === name)?.[1] ?? "";
const STAGES = valuesOf("FROM").flatMap((value) => /^\S+ AS (\S+)$/.exec(value)?.[1] ?? []);
const ARGS = Object.fromEntries(valuesOf("ARG").map((value) => value.split("=") as [string, string]));

const commands = (await wholeProgram()).commands.map((command) => command.name());

test("a variable that the server does not read is found", () => {
  expect(unknownVariables({ PORT: "1", LOQUAT_SECRET_FILE: "x", LOQUAT_PORT: "1" })).toEqual(["LOQUAT_PORT"]);
  expect(assignments("A=1 B=x=y")).toEqual({ A: "1", B: "x=y" });
});

describe("Dockerfile", () => {
  test("sets variables that the server reads, to values that it takes", () => {
    const all = Object.assign({}, ...valuesOf("ENV").map(assignments)) as Record<string, string>;
    const { LOQUAT_NO_SYSTEM_PACKAGES, HOME, ...server } = all;
    expect(unknownVariables(server)).toEqual([]);
    const { http, data } = configOf(server);
    expect(lastOf("EXPOSE")).toBe(String(http.port));
    expect(http.host).toBe("0.0.0.0");
    const volume = lastOf("VOLUME");
    expect(HOME).toBe(volume);
    expect(data.folder).toStartWith(`${volume}/`);
    expect(server.LOQUAT_WEIGHTS).toStartWith(`${volume}/`);
  });

  test("runs as its own user, who owns the volume", () => {
    expect(lastOf("USER")).toBe(`${USER_ID}:${USER_ID}`);
    expect(lastOf("COPY")).toContain(`--chown=${USER_ID}:${USER_ID}`);
  });

  test("starts the server, and asks it by a command that exists", () => {
    expect(JSON.parse(lastOf("ENTRYPOINT"))).toEqual(["/usr/local/bin/loquat"]);
    const asked = JSON.parse(/CMD (\[.*)$/.exec(lastOf("HEALTHCHECK"))![1]!) as string[];
    expect(asked[0]).toBe("/usr/local/bin/loquat");
    expect(commands).toContain(asked[1]!);
    expect(commands).toContain(JSON.parse(lastOf("CMD"))[0]);
  });

  test("copies from stages that exist, and builds variants that exist", () => {
    const sources = [...valuesOf("COPY"), ...valuesOf("RUN")].flatMap(
      (value) => /(?:--from|,from)=([\w-]+)/.exec(value)?.[1] ?? [],
    );
    expect(sources.length).toBeGreaterThan(3);
    expect(sources.filter((name) => !STAGES.includes(name))).toEqual([]);
    expect(STAGES).toContain(ARGS.VARIANT!);
    expect(STAGES).toContain(ARGS.PARTS!);
  });
});

const FILES = [
  "compose.yaml",
  "deploy/compose/postgres.yaml",
  "deploy/compose/cuda.yaml",
  "examples/ollama.yaml",
];

describe.each(FILES)("%s", (file) => {
  const { services, secrets = {} } = yaml<Compose>(file);
  const { environment = {}, build } = services.loquat;

  test("sets variables that the server reads, to values that it takes", () => {
    expect(unknownVariables(environment)).toEqual([]);
    expect(configOf(environment)).toBeDefined();
  });

  test("names secrets that it defines, and a variant that exists", () => {
    for (const { secrets: used = [], environment: settings = {} } of Object.values(services)) {
      expect(used.filter((name) => !(name in secrets))).toEqual([]);
      const files = Object.entries(settings).filter(([name]) => name.endsWith("_FILE"));
      for (const [, path] of files) expect(used).toContain(path.replace("/run/secrets/", ""));
    }
    expect(STAGES).toContain(build?.args?.VARIANT ?? ARGS.VARIANT!);
  });
});

test("compose.yaml runs the server without rights, and lets it drain", () => {
  const { environment = {}, ...service } = yaml<Compose>("compose.yaml").services.loquat;
  expect(service).toMatchObject({
    user: `${USER_ID}:${USER_ID}`,
    read_only: true,
    cap_drop: ["ALL"],
    security_opt: ["no-new-privileges:true"],
  });
  expect(Number.parseInt(service.stop_grace_period!, 10)).toBeGreaterThan(stopSeconds(environment));
  expect(service.ports).toEqual([`127.0.0.1:8080:${lastOf("EXPOSE")}`]);
  expect(commands).toContain(service.healthcheck!.test[2]!);
});

test("examples/ollama.yaml starts Loquat once Ollama has the model that conversations ask", () => {
  const { services } = yaml<Compose>("examples/ollama.yaml");
  const { loquat, ollama, "ollama-model": pull } = services;
  expect(ollama!.healthcheck!.test).toEqual(["CMD", "ollama", "list"]);
  expect(pull!.image).toBe(ollama!.image!);
  expect(pull!.depends_on).toEqual({ ollama: { condition: "service_healthy" } });
  expect(loquat.depends_on).toEqual({ "ollama-model": { condition: "service_completed_successfully" } });
  const { url, model, api } = configOf(loquat.environment!).languageModel!;
  expect(services).toHaveProperty(new URL(url).hostname);
  expect(pull!.environment!.OLLAMA_HOST).toBe(loquat.environment!.LOQUAT_LLM_URL!);
  expect(pull!.command).toEqual(["pull", model!]);
  expect(JSON.parse(read(`models/upstreams/presets/${api}.json`))).toHaveProperty("chat");
});

describe("compose.cluster.yaml", () => {
  const { services, secrets = {} } = yaml<Omit<Compose, "services"> & { services: Record<string, Service> }>(
    "compose.cluster.yaml",
  );
  const nodes = Object.entries(services).filter(([name]) => name.startsWith("node-"));
  const servers = [...nodes, ["engines", services.engines!] as const];
  const balancer = read("deploy/compose/haproxy.cfg");

  test("sets variables that the server reads, to values that it takes, and lets it drain", () => {
    expect(nodes).toHaveLength(3);
    const secret = { LOQUAT_ENGINE_SECRET: "as long as a secret must be at the least" };
    for (const [name, { environment = {}, stop_grace_period, ...service }] of servers) {
      expect(unknownVariables(environment)).toEqual([]);
      expect(configOf({ ...environment, ...secret }).node).toBe(name);
      expect(Number.parseInt(stop_grace_period!, 10)).toBeGreaterThan(
        stopSeconds({ ...environment, ...secret }),
      );
      expect(service).toMatchObject({ user: `${USER_ID}:${USER_ID}`, read_only: true, cap_drop: ["ALL"] });
      expect(commands).toContain(service.healthcheck!.test[2]!);
    }
  });

  test("names secrets that it defines", () => {
    for (const { secrets: used = [], environment: settings = {} } of Object.values(services)) {
      expect(used.filter((name) => !(name in secrets))).toEqual([]);
      const files = Object.entries(settings).filter(([name]) => name.endsWith("_FILE"));
      for (const [, path] of files) expect(used).toContain(path.replace("/run/secrets/", ""));
    }
  });

  test("the balancer and the engine node know every node at its port", () => {
    const port = lastOf("EXPOSE");
    const known = [...balancer.matchAll(/^ {2}server (\S+) (\S+)$/gm)].map(([, name, at]) => [name, at]);
    expect(known).toEqual(nodes.map(([name]) => [name, `${name}:${port}`]));
    expect(services.engines!.environment!.LOQUAT_JOIN!.split(",")).toEqual(
      nodes.map(([name]) => `ws://${name}:${port}`),
    );
    expect(services.balancer!.ports).toEqual([`127.0.0.1:8080:${/bind :(\d+)/.exec(balancer)![1]}`]);
  });

  test("the balancer sees within the lame duck's time that a node ends", () => {
    const askedMs = Number(/inter (\d+)ms/.exec(balancer)![1]);
    expect(balancer).toContain("option httpchk GET /readyz");
    for (const [, { environment = {} }] of nodes)
      expect(Number(environment.LOQUAT_LAME_DUCK_SECONDS) * 1000).toBeGreaterThan(2 * askedMs);
  });
});
