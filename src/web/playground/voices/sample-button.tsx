/** Plays the sample of a voice, or stops it. */
import { controlsTexts } from "../../language/en/controls.ts";
import { Icon } from "../../ui/icon.tsx";
import type { Voice } from "../access/catalogue.ts";

type SampleButtonProps<V> = {
  voice: V;
  samples: { active: { id: string; isLoading: boolean } | null; toggle(voice: V, sentence?: string): void };
  /** Spoken in place of the one that introduces voices. */
  sentence?: string;
};

export function SampleButton<V extends Pick<Voice, "id" | "name">>({
  voice,
  samples,
  sentence,
}: SampleButtonProps<V>) {
  const active = samples.active?.id === voice.id ? samples.active : null;
  return (
    <button
      type="button"
      className="round small"
      aria-label={controlsTexts()(active ? "stopSample" : "playSample", { voice: voice.name })}
      aria-busy={active?.isLoading}
      onClick={() => samples.toggle(voice, sentence)}
    >
      <Icon name={active ? "stop" : "play"} />
    </button>
  );
}
