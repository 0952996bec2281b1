/** The functions of the untyped package that are used. */
declare module "@echogarden/fvad-wasm" {
  type Native = {
    HEAP16: Int16Array;
    _malloc(sizeBytes: number): number;
    _fvad_new(): number;
    _fvad_free(instance: number): void;
    _fvad_set_mode(instance: number, mode: number): number;
    _fvad_set_sample_rate(instance: number, rate: number): number;
    _fvad_process(instance: number, frame: number, length: number): number;
  };
  export default function create(options: { wasmBinary: Uint8Array }): Promise<Native>;
}
