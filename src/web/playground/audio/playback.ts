/**
 * What plays: one track at a time, first as its samples arrive, then as a file that keeps its pitch at any speed.
 *
 *   stream ──────> complete ──┬── ends ─────────────────> file, at the start
 *   (PCM player)              └── is sought or sped up ──> file, at that position
 *   play ────────────────────────────────────────────────> file
 */
import type { Outline } from "./decode.ts";
import { openPcmPlayer, type PcmPlayer } from "./pcm-player.ts";

type Track = {
  id: string;
  /** From `openPeakMeter`; grows while the track is being received. */
  peaks: readonly number[];
  durationSeconds: number;
  /** Null while the track is being received. */
  file: Blob | null;
};

export type PlaybackState = {
  track: Track | null;
  isPlaying: boolean;
  positionSeconds: number;
  rate: number;
};

const END_SECONDS = 0.01; // the audio clock moves in blocks

/** Its methods can be passed as event handlers. */
export class Playback {
  readonly #audio = new Audio();
  readonly #listeners = new Set<() => void>();
  readonly #ends = new Set<() => void>();
  #live: PcmPlayer | null = null;
  #frame = 0;
  #state: PlaybackState = { track: null, isPlaying: false, positionSeconds: 0, rate: 1 };

  constructor() {
    this.#audio.onended = () => {
      this.#change({ isPlaying: false, positionSeconds: 0 });
      this.#over();
    };
    // earlier than an outline, and for files that play but cannot be decoded for one
    this.#audio.onloadedmetadata = () => {
      const { duration } = this.#audio;
      const { track } = this.#state;
      if (track?.durationSeconds === 0 && Number.isFinite(duration))
        this.#change({ track: { ...track, durationSeconds: duration } });
    };
  }

  readonly state = (): PlaybackState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Opens a track that is about to be received; call it in the handler of a click. */
  stream(id: string): void {
    this.#close();
    this.#open(null);
    this.#live = openPcmPlayer();
    const track = { id, peaks: [], durationSeconds: 0, file: null };
    this.#change({ track, isPlaying: true, positionSeconds: 0, rate: 1 });
  }

  readonly push = (samples: Float32Array<ArrayBuffer>, received: Outline): void => {
    if (!this.#live || !this.#state.track) return;
    this.#live.push(samples);
    this.#change({ track: { ...this.#state.track, ...received } });
  };

  /** All of the streamed track was received. */
  complete(track: Track): void {
    if (this.#state.track?.id !== track.id) return;
    this.#open(track.file);
    this.#change({ track });
  }

  /** Loads a whole track. */
  load(track: Track, { autoplay }: { autoplay: boolean }): void {
    this.#close();
    this.#open(track.file);
    this.#change({ track, positionSeconds: 0, isPlaying: autoplay });
    if (autoplay) this.#start();
  }

  /** The outline of a track that was loaded without one. */
  outline(id: string, outline: Outline): void {
    const { track } = this.#state;
    if (track?.id === id) this.#change({ track: { ...track, ...outline } });
  }

  readonly toggle = (): void => {
    if (!this.#state.track) return;
    const isPlaying = !this.#state.isPlaying;
    if (this.#live) isPlaying ? this.#live.resume() : this.#live.pause();
    else if (isPlaying) this.#start();
    else this.#audio.pause();
    this.#change({ isPlaying });
  };

  readonly seek = (seconds: number): void => {
    const { track, isPlaying } = this.#state;
    if (!track) return;
    const end = track.durationSeconds || Number.POSITIVE_INFINITY; // unknown yet
    const at = Math.max(0, Math.min(end, seconds));
    if (track.file) this.#toFile(at, isPlaying);
    else {
      this.#live?.seek(at);
      this.#change({ positionSeconds: at });
    }
  };

  readonly playFrom = (seconds: number): void => {
    this.seek(seconds);
    if (!this.#state.isPlaying) this.toggle();
  };

  setRate(rate: number): void {
    this.#change({ rate });
    this.#audio.playbackRate = rate;
    if (this.#live && this.#state.track?.file) this.#toFile(this.#live.position(), this.#state.isPlaying);
  }

  /** Stops playing; the track stays loaded if it was received. */
  readonly stop = (): void => {
    this.#close();
    this.#audio.currentTime = 0;
    const { track } = this.#state;
    this.#change({ isPlaying: false, positionSeconds: 0, track: track?.file ? track : null });
  };

  #change(changes: Partial<PlaybackState>): void {
    this.#state = { ...this.#state, ...changes };
    for (const listener of this.#listeners) listener();
    if (this.#state.isPlaying && this.#frame === 0) this.#frame = requestAnimationFrame(this.#tick);
  }

  readonly #tick = (): void => {
    this.#frame = 0;
    const { track, isPlaying } = this.#state;
    if (!isPlaying || !track) return;
    const positionSeconds = this.#live ? this.#live.position() : this.#audio.currentTime;
    const isOver = track.file !== null && positionSeconds >= track.durationSeconds - END_SECONDS;
    if (this.#live && isOver) {
      this.#toFile(0, false);
      this.#over();
    } else this.#change({ positionSeconds });
  };

  /** When what plays next has played to its end, or is aborted. */
  ended(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#ends.add(resolve);
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  #over(): void {
    for (const resolve of this.#ends) resolve();
    this.#ends.clear();
  }

  /** Continues from the received file instead of the stream. */
  #toFile(seconds: number, plays: boolean): void {
    this.#live?.close();
    this.#live = null;
    this.#audio.currentTime = seconds;
    if (plays) this.#start();
    else this.#audio.pause();
    this.#change({ positionSeconds: seconds, isPlaying: plays });
  }

  /** A browser may refuse to play; a later load aborts an earlier one, and plays itself. */
  #start(): void {
    this.#audio.playbackRate = this.#state.rate;
    this.#audio.play().catch(({ name }: Error) => {
      if (name !== "AbortError") this.#change({ isPlaying: false });
    });
  }

  #close(): void {
    this.#live?.close();
    this.#live = null;
    this.#audio.pause();
  }

  #open(file: Blob | null): void {
    if (this.#audio.src) URL.revokeObjectURL(this.#audio.src);
    if (file) this.#audio.src = URL.createObjectURL(file);
    else this.#audio.removeAttribute("src");
  }
}
