/** Graphs in ONNX Runtime's own format, as some packages publish theirs: written by the runtime. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InferenceSession } from "onnxruntime-node";

/** `level`: what the runtime may change; more than "basic" depends on this machine, and is what packages publish. */
export async function inRuntimeFormat(
  onnx: Uint8Array,
  level: "basic" | "all" = "basic",
): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), "loquat-ort-"));
  try {
    const optimizedModelFilePath = join(folder, "graph.ort");
    const session = await InferenceSession.create(onnx, {
      optimizedModelFilePath,
      graphOptimizationLevel: level,
      logSeverityLevel: 3,
      extra: { session: { save_model_format: "ORT" } },
    });
    await session.release();
    return readFileSync(optimizedModelFilePath);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
