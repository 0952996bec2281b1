/** Opens a graph without most optimizations where it does not open with them. */

/**
 * Some quantized graphs open only without the optimizations that rewrite them (onnxruntime issue 28306): a graph that
 * fails is tried once more with the basic ones. The first reason is the one to report.
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
