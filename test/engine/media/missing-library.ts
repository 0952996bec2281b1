/** The decoding program where a library that FFmpeg needs is missing. */
import { plugin } from "bun";

plugin({
  name: "a missing library",
  setup(build) {
    build.module("node-av/lib", () => {
      throw new Error("libmvec.so.1: cannot open shared object file");
    });
  },
});
await import("../../../workers/media/decode.ts");
