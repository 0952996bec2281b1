/** The functions of the untyped package that are used. */
declare module "@echogarden/espeak-ng-emscripten" {
  type SpeechEvent = { type: string; text_position: number; audio_position: number; id?: string | number };
  type Options = { getPreloadedPackage(): ArrayBuffer; print(): void; printErr(): void };
  export type Espeak = {
    /** 0: the voice exists. */
    set_voice(name: string): number;
    set_rate(wordsPerMinute: number): void;
    set_pitch(percent: number): void;
    get_samplerate(): number;
    /** Each chunk is an array of its own, with the events in it. */
    synthesize(text: string, onAudio: (audio: Int16Array | null, events: SpeechEvent[]) => number): void;
    /** Returns the address of the text in the module's memory. */
    text_to_phonemes(text: string, ipa: number): { ptr: number };
  };
  export default function open(
    options: Options,
  ): Promise<{ eSpeakNGWorker: new () => Espeak; HEAPU8: Uint8Array }>;
}
