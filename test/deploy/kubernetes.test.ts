/** Promise: the manifests of Kubernetes fit each other and the server: ports, probes, variables, metric, drain time. */
import { expect, test } from "bun:test";
import { USER_ID } from "../../deploy/container/image-files.ts";
import { DEFINITIONS } from "../../src/metrics/definitions.ts";
import { configOf, read, stopSeconds, unknownVariables, yaml } from "./files.ts";

type Probe = { httpGet: { path: string; port: string } };
type Labels = Record<string, string>;
type Container = {
  ports: { name: string; containerPort: number }[];
  env: { name: string; value: string }[];
  startupProbe: Probe;
  readinessProbe: Probe;
  livenessProbe: Probe;
  securityContext: object;
  volumeMounts: { name: string; mountPath: string }[];
};
type Pod = {
  terminationGracePeriodSeconds: number;
  securityContext: object;
  containers: [Container];
  volumes: { name: string }[];
};
type Deployment = {
  metadata: { name: string };
  spec: {
    selector: { matchLabels: Labels };
    template: { metadata: { labels: Labels; annotations: Labels }; spec: Pod };
  };
};

const FOLDER = "deploy/kubernetes";
const { metadata, spec } = yaml<Deployment>(`${FOLDER}/deployment.yaml`);
const { metadata: podMetadata, spec: pod } = spec.template;
const [container] = pod.containers;
const variables = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));

test("the pod sets variables that the server reads, to values that it takes", () => {
  expect(unknownVariables(variables)).toEqual([]);
  const { http, metrics } = configOf(variables);
  const ports = Object.fromEntries(container.ports.map(({ name, containerPort }) => [name, containerPort]));
  expect(ports).toEqual({ http: http.port, metrics: metrics.port! });
  expect(podMetadata.annotations["prometheus.io/port"]).toBe(String(metrics.port));
});

test("files of secrets are below a volume of the pod", () => {
  const names = pod.volumes.map(({ name }) => name);
  expect(container.volumeMounts.filter(({ name }) => !names.includes(name))).toEqual([]);
  const { mountPath } = container.volumeMounts.find(({ name }) => name === "secrets")!;
  const files = Object.entries(variables).filter(([name]) => name.endsWith("_FILE"));
  expect(files.map(([name]) => name)).toEqual(["DATABASE_URL_FILE", "REDIS_URL_FILE", "LOQUAT_SECRET_FILE"]);
  for (const [, path] of files) expect(path).toStartWith(`${mountPath}/`);
});

test("probes ask for paths of the server, on the port of its requests", () => {
  const { paths } = JSON.parse(read("openapi.json")) as { paths: object };
  const { startupProbe, readinessProbe, livenessProbe } = container;
  for (const { httpGet } of [startupProbe, readinessProbe, livenessProbe]) {
    expect(Object.keys(paths)).toContain(httpGet.path);
    expect(httpGet.port).toBe("http");
  }
  expect(readinessProbe.httpGet.path).toBe("/readyz");
  expect(livenessProbe.httpGet.path).toBe("/healthz");
});

test("a pod that ends has time to drain", () => {
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(stopSeconds(variables));
  const { drainMs, lameDuckMs } = configOf(variables).shutdown;
  expect(lameDuckMs!).toBeLessThan(drainMs);
});

test("the pod has no rights, and writes to its volumes only", () => {
  expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: USER_ID, fsGroup: USER_ID });
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  });
  expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toContain("/var/lib/loquat");
});

test("service, disruption budget and autoscaler are about this deployment", () => {
  const { labels } = podMetadata;
  const service = yaml<{ spec: { selector: Labels; ports: { targetPort: string }[] } }>(
    `${FOLDER}/service.yaml`,
  );
  const budget = yaml<{ spec: { selector: object } }>(`${FOLDER}/disruption-budget.yaml`);
  const scaler = yaml<{ spec: { scaleTargetRef: object } }>(`${FOLDER}/autoscaler.yaml`);
  expect(spec.selector.matchLabels).toEqual(labels);
  expect(service.spec.selector).toEqual(labels);
  expect(service.spec.ports.map(({ targetPort }) => targetPort)).toEqual(["http"]);
  expect(budget.spec.selector).toEqual({ matchLabels: labels });
  expect(scaler.spec.scaleTargetRef).toMatchObject({ kind: "Deployment", name: metadata.name });
});

test("the autoscaler's metric is made from one that the server has", () => {
  type Scaler = { spec: { metrics: { pods: { metric: { name: string } } }[] } };
  type Adapter = { rules: { custom: { seriesQuery: string; name: { as: string }; metricsQuery: string }[] } };
  const scaled = yaml<Scaler>(`${FOLDER}/autoscaler.yaml`).spec.metrics.map(({ pods }) => pods.metric.name);
  const rules = yaml<Adapter>(`${FOLDER}/prometheus-adapter.yaml`).rules.custom;
  expect(rules.map(({ name }) => name.as)).toEqual(scaled);
  const histograms = DEFINITIONS.filter(([, { type }]) => type === "histogram").map(
    ([name]) => `${name}_bucket`,
  );
  for (const { seriesQuery, metricsQuery } of rules) {
    expect(histograms as string[]).toContain(seriesQuery.split("{")[0]!);
    expect(metricsQuery).toContain("histogram_quantile(0.95");
  }
});

test("engine nodes set variables that the server reads, are found by their names, and have time to drain", () => {
  type Engines = Deployment & { spec: { serviceName: string; replicas: number } };
  type Headless = { metadata: { name: string }; spec: { clusterIP: string; selector: Labels } };
  const text = read(`${FOLDER}/engines.yaml`);
  const [service, set] = Bun.YAML.parse(text) as [Headless, Engines];
  const { template, serviceName, replicas, selector } = set.spec;
  const [engine] = template.spec.containers;
  const settings = Object.fromEntries(engine.env.map(({ name, value }) => [name, value]));
  const secret = { LOQUAT_ENGINE_SECRET: "as long as a secret must be at the least" };
  expect(unknownVariables(settings)).toEqual([]);
  const config = configOf({ ...settings, ...secret });
  expect(engine.ports.map(({ containerPort }) => containerPort)).toEqual([
    config.http.port,
    config.metrics.port!,
  ]);
  expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(
    stopSeconds({ ...settings, ...secret }),
  );
  expect(service).toMatchObject({ metadata: { name: serviceName }, spec: { clusterIP: "None" } });
  expect(service.spec.selector).toEqual(template.metadata.labels);
  expect(selector.matchLabels).toEqual(template.metadata.labels);
  const addresses = Array.from(
    { length: replicas },
    (_none, at) => `ws://${set.metadata.name}-${at}.${serviceName}:${config.http.port}`,
  );
  expect(text).toContain(`LOQUAT_ENGINES=${addresses.join(",")}`);
  expect(engine.securityContext).toEqual(container.securityContext);
});
