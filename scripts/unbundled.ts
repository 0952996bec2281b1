/** Packages that no bundle contains: they find their native part, or start their worker, beside their own files. */
export const UNBUNDLED = [
  "@echogarden/*",
  "@evan/opus",
  "@napi-rs/*",
  "better-sqlite3",
  "node-av",
  "onnxruntime-node",
  "piscina",
  "sentencex",
];
