/** Graphs in ONNX Runtime's own format, as some packages publish theirs: written by the runtime. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InferenceSession } from "onnxruntime-node";

export async function inRuntimeFormat(onnx: Uint8Array): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), "loquat-ort-"));
  try {
    const optimizedModelFilePath = join(folder, "graph.ort");
    const session = await InferenceSession.create(onnx, {
      optimizedModelFilePath,
      graphOptimizationLevel: "basic", // more depends on this machine
      logSeverityLevel: 3,
      extra: { session: { save_model_format: "ORT" } },
    });
    await session.release();
    return readFileSync(optimizedModelFilePath);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
