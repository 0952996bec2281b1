/** The voices that were spoken with last, decrypted: those that fit into a number of bytes. */
import type { VoiceStyle } from "../engine/protocol/voice-encoding.ts";

const BYTES_MAX = 64 * 1024 * 1024;

export type StyleCache = {
  get(key: string): VoiceStyle | null;
  put(key: string, style: VoiceStyle): void;
  /** Whatever begins so. */
  forget(prefix: string): void;
};

export function openStyleCache(bytesMax = BYTES_MAX): StyleCache {
  const kept = new Map<string, VoiceStyle>();
  let bytes = 0;
  const drop = (key: string) => {
    bytes -= kept.get(key)?.data.byteLength ?? 0;
    kept.delete(key);
  };
  return {
    get(key) {
      const style = kept.get(key);
      if (style === undefined) return null;
      kept.delete(key); // last again
      kept.set(key, style);
      return style;
    },
    forget(prefix) {
      for (const key of [...kept.keys()]) if (key.startsWith(prefix)) drop(key);
    },
    put(key, style) {
      drop(key);
      kept.set(key, style);
      bytes += style.data.byteLength;
      while (bytes > bytesMax) drop(kept.keys().next().value!);
    },
  };
}
