/**
 * Plays 16-bit PCM while it is being received, and any part of it again.
 *
 *   position 0 ── played ──┬── scheduled ──┬── not received yet
 *                          now             end
 *
 * `origin` is the audio clock's time at which position 0 would have started.
 */
import { TTS_SAMPLE_RATE } from "../../../audio/rates.ts";

const START_DELAY_SECONDS = 0.05;

export type PcmPlayer = {
  /** Schedules samples to start where the last ones end. */
  push(samples: Float32Array<ArrayBuffer>): void;
  /** In seconds; never beyond what was received. */
  position(): number;
  seek(seconds: number): void;
  pause(): void;
  resume(): void;
  close(): void;
};

type Piece = { at: number; buffer: AudioBuffer };

/** Opened by a click, because browsers start audio only then. */
export function openPcmPlayer(): PcmPlayer {
  const context = new AudioContext();
  const pieces: Piece[] = [];
  const sources = new Set<AudioBufferSourceNode>();
  let end = 0;
  let origin = context.currentTime + START_DELAY_SECONDS;
  const position = () => Math.max(0, Math.min(end, context.currentTime - origin));
  function schedule({ at, buffer }: Piece) {
    const start = origin + at;
    const skipped = Math.max(0, context.currentTime - start);
    if (skipped >= buffer.duration) return;
    const source = new AudioBufferSourceNode(context, { buffer });
    source.connect(context.destination);
    source.onended = () => sources.delete(source);
    source.start(start + skipped, skipped);
    sources.add(source);
  }
  return {
    push(samples) {
      if (samples.length === 0 || context.state === "closed") return;
      const buffer = context.createBuffer(1, samples.length, TTS_SAMPLE_RATE);
      buffer.copyToChannel(samples, 0);
      const piece = { at: end, buffer };
      // playback waited for these samples: they start now
      if (context.currentTime > origin + end) origin = context.currentTime + START_DELAY_SECONDS - end;
      pieces.push(piece);
      end += buffer.duration;
      schedule(piece);
    },
    position,
    seek(seconds) {
      for (const source of sources) source.stop();
      sources.clear();
      origin = context.currentTime - Math.max(0, Math.min(end, seconds));
      for (const piece of pieces) schedule(piece);
    },
    pause: () => void context.suspend(),
    resume: () => void context.resume(),
    close() {
      if (context.state !== "closed") void context.close();
    },
  };
}
