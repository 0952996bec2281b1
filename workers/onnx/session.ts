/**
 * The only file that uses ONNX Runtime: opens a graph and checks its inputs and outputs against the signature of its
 * family. A wrong export is refused when it is opened, and not by a shape error during a call.
 */

import type { InferenceSession } from "onnxruntime-node";
import type { Placement } from "../../src/engine/protocol/engine-data.ts";
import { setNativeEnvironment } from "../../src/natives/libc.ts";

type Type = "float32" | "int64" | "int32" | "bool";

/** A tensor's type and its dimensions; null: any. */
type Port = { type: Type; shape: (number | null)[] | null };

/**
 * A name may be one of several, "ids|tokens", as exports differ; `nameOf` tells which it is. `more`: inputs and outputs
 * whose names vary between exports, in their order.
 */
export type Signature = {
  inputs: Record<string, Port>;
  outputs: Record<string, Port>;
  more?: { inputs: Port[]; outputs: Port[] };
  /** Runs seldom have the shapes of an earlier one: the runtime keeps no memory for the next, which would only grow. */
  isVaried?: boolean;
};

type Runtime = typeof import("onnxruntime-node");

const ONE_THREAD: Placement = { threads: 1, devices: [], shared: false };

/** What the runtime calls a session, a tensor, and the outputs of a run by their names. */
export type { InferenceSession, Tensor } from "onnxruntime-node";
export type Outputs = InferenceSession.OnnxValueMapType;

export type Graph = { session: InferenceSession; Tensor: Runtime["Tensor"] };

/** A file's path, or its bytes. */
export async function openGraph(
  graph: string | Uint8Array,
  signature: Signature,
  placement: Placement = ONE_THREAD,
): Promise<Graph> {
  const { InferenceSession, Tensor } = await loadRuntime();
  const session = await createSession(InferenceSession, graph, {
    ...placement,
    isVaried: signature.isVaried === true,
  });
  const differences = differencesOf(session, signature);
  if (differences.length > 0) throw new Error(`this is another model: ${differences.join("; ")}`);
  return { session, Tensor };
}

async function createSession(
  { create }: Runtime["InferenceSession"],
  graph: string | Uint8Array,
  { threads, devices, shared, isVaried }: Placement & { isVaried: boolean },
): Promise<InferenceSession> {
  const options = {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    ...(isVaried ? { enableCpuMemArena: false, enableMemPattern: false } : {}),
    logSeverityLevel: 3, // its warnings are not errors, and standard error is for the log
    extra: {
      session: {
        x64quantprecision: "1", // else sums of 8-bit products overflow on processors without VNNI
        intra_op: { allow_spinning: "0" }, // a tenth slower, at half the processor time
        ...(shared ? { disable_prepacking: "1" } : {}),
      },
    },
  } as const;
  for (const device of devices) {
    if (failedDevices.has(device)) continue;
    try {
      return await create(graph as string, { ...options, executionProviders: [device, "cpu"] });
    } catch (error) {
      failedDevices.add(device);
      process.emitWarning(`${device} cannot be used, the next device is: ${reasonOf(error)}`);
    }
  }
  return openPlainly((level) => create(graph as string, { ...options, ...level }));
}

/** Devices that failed in this thread; each is warned of once. */
const failedDevices = new Set<string>();

/** Without the position in the runtime's source that precedes it. */
function reasonOf(error: unknown): string {
  const { message } = error as Error;
  return (/Failed to .*/.exec(message)?.[0] ?? message.split("\n")[0]!).slice(0, 200);
}

function differencesOf({ inputMetadata, outputMetadata }: InferenceSession, signature: Signature): string[] {
  const { inputs, outputs, more } = signature;
  return [
    ...compare("input", inputMetadata, { named: inputs, rest: more?.inputs ?? [] }),
    ...compare("output", outputMetadata, { named: outputs, rest: more?.outputs ?? [] }),
  ];
}

type Actual = InferenceSession["inputMetadata"];
type Expected = { named: Record<string, Port>; rest: Port[] };

function compare(kind: "input" | "output", actual: Actual, { named, rest }: Expected): string[] {
  const others = actual.filter(({ name }) => !Object.keys(named).some((names) => isOneOf(names, name)));
  const pairs = [
    ...Object.entries(named).map(([names, port]) => {
      const found = actual.find(({ name }) => isOneOf(names, name));
      return { name: found?.name ?? names.replaceAll("|", " or "), port, found };
    }),
    ...rest.map((port, index) => ({
      name: others[index]?.name ?? `number ${index + 1}`,
      port,
      found: others[index],
    })),
  ];
  const wrong = pairs.flatMap(({ name, port, found }) => {
    if (found === undefined) return [`it has no ${kind} ${name}`];
    const is = found.isTensor ? `${found.type} ${shapeText(found.shape)}` : "no tensor";
    return found.isTensor && found.type === port.type && fits(found.shape, port.shape)
      ? []
      : [`${kind} ${name} is ${is}, not ${port.type} ${shapeText(port.shape)}`];
  });
  if (kind === "output") return wrong; // additional outputs are ignored
  return [...wrong, ...others.slice(rest.length).map(({ name }) => `it needs an input ${name}`)];
}

const isOneOf = (names: string, name: string) => names.split("|").includes(name);

/** Which of several names a graph uses. */
export function nameOf(available: readonly string[], names: string): string {
  return available.find((name) => isOneOf(names, name))!;
}

/** A dimension that either side leaves open fits. */
function fits(actual: readonly (number | string)[], expected: Port["shape"]): boolean {
  if (expected === null) return true;
  return (
    actual.length === expected.length &&
    expected.every(
      (size, index) => size === null || typeof actual[index] === "string" || actual[index] === size,
    )
  );
}

const shapeText = (shape: readonly (number | string | null)[] | null): string =>
  shape === null ? "" : `[${shape.map((size) => (typeof size === "number" ? size : "?")).join(", ")}]`;

/** Its telemetry reads the environment of the process, which at run time only native code can change. */
async function loadRuntime(): Promise<Runtime> {
  setNativeEnvironment("ORT_DISABLE_TELEMETRY", "1");
  return await import("onnxruntime-node");
}

/**
 * Opens a graph without most optimizations where it does not open with them.
 *
 * Some quantized graphs open only without the optimizations that rewrite them (onnxruntime issue 28306): a graph that
 * fails is tried once more with the basic ones. The first reason is the one to report. @internal
 */
export async function openPlainly<T>(
  open: (level: { graphOptimizationLevel?: "basic" }) => Promise<T>,
): Promise<T> {
  try {
    return await open({});
  } catch (reason) {
    return await open({ graphOptimizationLevel: "basic" }).catch(() => {
      throw reason;
    });
  }
}
