/** The threads and processes that convert audio: encoders of clips, decoders of uploads, voice activity detection. */
import type { Config } from "../config/config.ts";
import type { WorkerEnded } from "../engine/back-off.ts";
import { decodeProgram } from "../engine/media/decode-program.ts";
import { type Decoder, openDecoder, type WavWork } from "../engine/media/media-decoder.ts";
import { openProcessPool } from "../engine/process-pool.ts";
import { lazily } from "../engine/runner.ts";
import { openThreadPool } from "../engine/threads/thread-pool.ts";
import type { ModelStore } from "../models/store/model-store.ts";
import { hasProgram } from "../natives/programs.ts";
import { openVadStreams, type VadStreams } from "../realtime/vad-streams.ts";
import { worker } from "../resources.ts";
import { type ClipWork, type Encoders, openEncoders } from "../speech/encoders.ts";
import { sileroOf } from "./engines/engine-specs.ts";

/** The longest recording that is transcribed. */
const AUDIO_LIMIT_SECONDS = 600;

type AudioWorkers = AsyncDisposable & { encoders: Encoders; vadStreams: VadStreams; decoder: Decoder };

type AudioDeps = { store: ModelStore; ended: WorkerEnded | undefined };

export function openAudioWorkers(config: Config, { store, ended }: AudioDeps): AudioWorkers {
  const size = config.engine.threads;
  const stack = new AsyncDisposableStack();
  const openEncoderThread = () => openThreadPool<ClipWork>(worker("media/encode"), { size: 1, ended });
  const childrenMax = Math.max(3, size);
  const openProcess = () => openProcessPool<ClipWork>(worker("media/encode-aac"), { size: 1, ended });
  const count = Math.ceil(size / 4);
  const encoders = stack.use(openEncoders({ openThread: openEncoderThread, openProcess, count }));
  const openVadThread = () =>
    openThreadPool(worker("vad/vad"), {
      size: 1,
      ended,
      data: { model: sileroOf(config, store) },
    });
  const vadStreams = stack.use(openVadStreams(openVadThread, count));
  const wavReader = stack.use(lazily(() => openThreadPool<WavWork>(worker("media/wav"), { size: 1, ended })));
  const decoder = openDecoder({
    maxSeconds: AUDIO_LIMIT_SECONDS,
    timeoutMs: 60_000,
    childrenMax,
    wavReader,
    get program() {
      return decodeProgram(hasProgram("ffmpeg")); // asked for each upload: it may be pulled while the server runs
    },
    ended,
  });
  return { encoders, vadStreams, decoder, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}
