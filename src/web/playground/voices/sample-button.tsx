/** Plays the sample of a voice, or stops it. */
import { Icon } from "../../ui/icon.tsx";
import type { Voice } from "../access/catalogue.ts";
import type { VoiceSamples } from "./use-voice-samples.ts";

export function SampleButton({ voice, samples }: { voice: Voice; samples: VoiceSamples }) {
  const active = samples.active?.id === voice.id ? samples.active : null;
  return (
    <button
      type="button"
      className="round small"
      aria-label={`${active ? "Stop the" : "Play a"} sample of ${voice.name}`}
      aria-busy={active?.isLoading}
      onClick={() => samples.toggle(voice)}
    >
      <Icon name={active ? "stop" : "play"} />
    </button>
  );
}
