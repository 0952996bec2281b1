/**
 * Measures one installed package, in its own process: its memory is not that of others, and a fault of its engine
 * ends nothing else. Prints what was measured as JSON, on the last line.
 */
import { readConfig } from "../../src/config/config.ts";
import { type FamilyTask, familyOf } from "../../src/engine/families/families.ts";
import { measurePronunciation, measureTurnDetection, measureVoiceActivity } from "./answers-measured.ts";
import { type Extent, type Measuring, openMeasuring } from "./engines.ts";
import type { Measured } from "./measurement.ts";
import { measureRecognition, measureStreaming } from "./recognition-measured.ts";
import { measureSpeakers } from "./speakers-measured.ts";
import { measureSynthesis } from "./synthesis-measured.ts";

const MEASURE: Record<FamilyTask, (measuring: Measuring) => Promise<Measured[]>> = {
  synthesis: measureSynthesis,
  recognition: measureRecognition,
  "streaming-recognition": measureStreaming,
  "voice-activity": measureVoiceActivity,
  "turn-detection": measureTurnDetection,
  pronunciation: measurePronunciation,
  diarization: measureSpeakers,
  "speaker-embedding": measureSpeakers,
  program: async () => [],
};

const options: { name: string; variant: string | null; extent: Extent } = JSON.parse(process.argv[2]!);
await using measuring = openMeasuring(readConfig(), options);
const { task } = familyOf(measuring.installed.package.family);
process.stdout.write(`\n${JSON.stringify(await MEASURE[task](measuring))}\n`);
