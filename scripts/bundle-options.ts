/** How sources are bundled for Bun, for the checkout and for the processes of tests. */
export const BUNDLE_OPTIONS = {
  target: "bun" as const,
  /** They find their native part, or start their worker, beside their own files. */
  external: [
    "@echogarden/*",
    "@evan/opus",
    "@napi-rs/*",
    "better-sqlite3",
    "node-av",
    "onnxruntime-node",
    "piscina",
    "sentencex",
  ],
  env: "disable" as const,
  define: { "process.env.NODE_ENV": "process.env.NODE_ENV" }, // else that of this process
};
