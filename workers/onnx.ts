/**
 * The door to ONNX Runtime: a graph, opened once, after its inputs and outputs were found to be what its family's
 * signature says. A wrong export is refused by name when it is opened, not by a shape error in the middle of a call.
 */
import { dlopen, FFIType, ptr } from "bun:ffi";
import type { InferenceSession } from "onnxruntime-node";

/** A tensor's type and its dimensions; null: any. */
type Port = { type: "float32" | "int64" | "int32" | "bool"; shape: (number | null)[] };

export type Signature = { inputs: Record<string, Port>; outputs: Record<string, Port> };

type Runtime = typeof import("onnxruntime-node");

/** A file's path, or its bytes. Threads are one: pools of workers use the cores. */
export async function openGraph(
  graph: string | Uint8Array,
  signature: Signature,
): Promise<{ session: InferenceSession; Tensor: Runtime["Tensor"] }> {
  const { InferenceSession, Tensor } = await loadRuntime();
  const session = await InferenceSession.create(graph as string, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    logSeverityLevel: 3, // what it warns of is no error, and standard error is the log's
  });
  const differences = differencesOf(session, signature);
  if (differences.length > 0) throw new Error(`this is another model: ${differences.join("; ")}`);
  return { session, Tensor };
}

function differencesOf({ inputMetadata, outputMetadata }: InferenceSession, { inputs, outputs }: Signature) {
  return [...compare("input", inputMetadata, inputs), ...compare("output", outputMetadata, outputs)];
}

type Found = InferenceSession["inputMetadata"];

function compare(kind: "input" | "output", found: Found, wanted: Record<string, Port>): string[] {
  const missing = Object.entries(wanted).flatMap(([name, port]) => {
    const own = found.find((each) => each.name === name);
    if (own === undefined) return [`it has no ${kind} ${name}`];
    const is = own.isTensor ? `${own.type} ${shown(own.shape)}` : "no tensor";
    return own.isTensor && own.type === port.type && fits(own.shape, port.shape)
      ? []
      : [`${kind} ${name} is ${is}, not ${port.type} ${shown(port.shape)}`];
  });
  if (kind === "output") return missing; // more of them do no harm
  const unknown = found.filter(({ name }) => !(name in wanted));
  return [...missing, ...unknown.map(({ name }) => `it wants an input ${name}`)];
}

/** Where either side leaves a dimension open, it fits. */
function fits(own: readonly (number | string)[], wanted: Port["shape"]): boolean {
  return (
    own.length === wanted.length &&
    wanted.every((size, at) => size === null || typeof own[at] === "string" || own[at] === size)
  );
}

const shown = (shape: readonly (number | string | null)[]): string =>
  `[${shape.map((size) => (typeof size === "number" ? size : "?")).join(", ")}]`;

/** Its telemetry reads the process's own environment, which only native code can change once it runs. */
async function loadRuntime(): Promise<Runtime> {
  const { symbols } = dlopen(process.platform === "darwin" ? "libSystem.dylib" : "libc.so.6", {
    setenv: { args: [FFIType.ptr, FFIType.ptr, FFIType.i32], returns: FFIType.i32 },
  });
  symbols.setenv(ptr(Buffer.from("ORT_DISABLE_TELEMETRY\0")), ptr(Buffer.from("1\0")), 1);
  return await import("onnxruntime-node");
}
