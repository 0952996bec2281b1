/** The functions of the untyped package that are used. */
declare module "ogv/dist/ogv-decoder-audio-vorbis-wasm.js" {
  type Native = {
    /** Null until the headers are read. */
    audioFormat: { channels: number; rate: number } | null;
    /** What the last packet gave: samples of each channel. */
    audioBuffer: Float32Array[] | null;
    init(done: () => void): void;
    processHeader(packet: Uint8Array, done: (isValid: boolean) => void): void;
    processAudio(packet: Uint8Array, done: (isValid: boolean) => void): void;
    close(): void;
  };
  export default function open(options: {
    wasmBinary: Uint8Array;
    printErr(text: string): void;
  }): Promise<Native>;
}
