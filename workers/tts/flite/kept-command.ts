/**
 * A program whose instance is kept between runs: everything that a run may have written is put back before the next one,
 * so a run is the same as in a new instance, without the milliseconds that reading its 17 MB of voices takes.
 *
 *   no instance ──run: load──> kept ──run: reset──> kept ──idle, grown, many runs, abnormal end──> no instance
 *
 * WebAssembly does not protect the constant part of the memory. It is compared with its checksum every few runs and where one fails;
 * where it has changed, the run is repeated in a new instance.
 */
import { type Command, type CommandResult, openCommand } from "./wasi.ts";
import type { WasmImage } from "./wasm-image.ts";

type Options = {
  idleMs: number;
  /** The constant part is checked every so many runs of an instance; 17 MB take 2 ms. */
  checkedEvery: number;
  /** Runs of an instance at most. */
  runsMax: number;
  /** An instance with more memory is not kept. */
  memoryMaxBytes: number;
  /** Called with what is wrong where the constant part has changed. */
  warn: (problem: string) => void;
};

const DEFAULTS: Options = {
  idleMs: 10_000,
  checkedEvery: 64,
  runsMax: 1024,
  memoryMaxBytes: 40 * 1024 * 1024, // 220 characters, spoken slowly, need 32
  warn: (problem) => process.emitWarning(problem),
};

type Instance = { command: Command; runs: number };

export class KeptCommand {
  readonly #image: WasmImage;
  readonly #options: Options;
  #kept: Instance | null = null;
  #checksum: bigint | null = null;
  #timer: Timer | null = null;

  constructor(image: WasmImage, options: Partial<Options> = {}) {
    this.#image = image;
    this.#options = { ...DEFAULTS, ...options };
  }

  /** Whether an instance is in memory. */
  get isKept(): boolean {
    return this.#kept !== null;
  }

  run(args: string[]): CommandResult {
    const instance = this.#kept ?? this.#load();
    this.#kept = null; // a run that fails leaves none
    const result = this.#runIn(instance, args);
    if (result === null) return this.run(args);
    if (result.returned && !this.#isWorn(instance)) this.#keep(instance);
    return result;
  }

  /** Null where it is to be repeated in a new instance. */
  #runIn(instance: Instance, args: string[]): CommandResult | null {
    this.#image.reset(instance.command.memory());
    const isNew = instance.runs++ === 0;
    try {
      const result = instance.command.run(args);
      if (instance.runs % this.#options.checkedEvery > 0 || !this.#hasChanged(instance)) return result;
    } catch (error) {
      if (isNew || !this.#hasChanged(instance)) throw error;
    }
    this.#options.warn(
      "A program has written into its constant data; the run is repeated in a new instance.",
    );
    return null;
  }

  #load(): Instance {
    const command = openCommand(this.#image.module);
    this.#image.load(command.memory());
    this.#checksum ??= this.#checksumOf(command);
    return { command, runs: 0 };
  }

  #checksumOf({ memory }: Command): bigint {
    const { start, end } = this.#image.constant;
    return Bun.hash.xxHash64(memory().subarray(start, end));
  }

  #hasChanged({ command }: Instance): boolean {
    return this.#checksumOf(command) !== this.#checksum;
  }

  #isWorn({ command, runs }: Instance): boolean {
    return runs >= this.#options.runsMax || command.memory().length > this.#options.memoryMaxBytes;
  }

  #keep(instance: Instance): void {
    this.#kept = instance;
    if (this.#timer) this.#timer.refresh();
    else this.#timer = setTimeout(() => this.#drop(), this.#options.idleMs).unref();
  }

  #drop(): void {
    this.#timer = null;
    this.#kept = null;
    Bun.gc(true); // otherwise the memory is held until the thread next allocates much
  }
}
