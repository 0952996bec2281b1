/** What a worker thread receives when it starts to run a model of a package. */

/** `Options` are those of the package's family. */
export type EngineData<Options = object> = {
  /** Paths by role. */
  files: Record<string, string | undefined>;
  options: Options;
  /** Path of Silero's graph where it is installed, for recognizers that look for speech themselves. */
  silero: string | null;
  /** The package of another family that this one reads; absent where it reads none. */
  companion?: CompanionData;
  placement: Placement;
};

export type CompanionData<Options = object> = Pick<EngineData<Options>, "files" | "options">;

/** Processor threads of one session, and the devices to try before the processor. */
export type Placement = {
  threads: number;
  devices: readonly ("cuda" | "webgpu" | "coreml")[];
  /** Weights beside the graph stay in the file and are shared by all threads; matrix products are a fifth slower. */
  shared: boolean;
};
