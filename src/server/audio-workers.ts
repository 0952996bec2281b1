/** The threads and processes that convert audio: encoders of clips, decoders of uploads, voice activity detection. */
import type { Config } from "../config.ts";
import { type Decoder, openDecoder } from "../engine/media-decoder.ts";
import { lazily } from "../engine/runner.ts";
import { openThreadPool } from "../engine/thread-pool.ts";
import type { ModelStore } from "../models/store/model-store.ts";
import { openVadStreams, type VadStreams } from "../realtime/vad-streams.ts";
import { type Encoders, openEncoders } from "../speech/encoders.ts";
import { sileroOf, worker } from "./engine-specs.ts";

/** The longest recording that is transcribed. */
const AUDIO_LIMIT_SECONDS = 600;

type AudioWorkers = AsyncDisposable & { encoders: Encoders; vadStreams: VadStreams; decoder: Decoder };

/** `installed`: whether uploads other than WAV can be decoded here. */
export function openAudioWorkers(
  config: Config,
  { store, installed }: { store: ModelStore; installed: boolean },
): AudioWorkers {
  const size = config.engine.threads;
  const stack = new AsyncDisposableStack();
  const openEncoderThread = () => openThreadPool(worker("media/encode"), { size: 1, queueMax: 1024 });
  const encoders = stack.use(openEncoders(openEncoderThread, Math.ceil(size / 4)));
  const openVadThread = () =>
    openThreadPool(worker("vad/vad"), { size: 1, queueMax: 1, data: { model: sileroOf(config, store) } });
  const vadStreams = stack.use(openVadStreams(openVadThread, Math.ceil(size / 4)));
  const wavReader = stack.use(lazily(() => openThreadPool(worker("media/wav"), { size: 1, queueMax: 64 })));
  const decoder = openDecoder({
    maxSeconds: AUDIO_LIMIT_SECONDS,
    timeoutMs: 60_000,
    childrenMax: Math.max(3, size),
    wavReader,
    script: worker("media/decode"),
    installed,
  });
  return { encoders, vadStreams, decoder, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}
