/**
 * Our engines against others on the same graphs, machine and threads: the whole pipeline, from samples to text and from
 * text to samples, for one caller and for eight at once.
 *
 * The graphs are small, so the comparison covers what surrounds them: features, search, batching, boundaries between
 * threads. Each round runs both in turn; figures are the median ratios of the rounds, ours faster above one.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  env,
  StyleTextToSpeech2Model,
  Tensor,
  WhisperForConditionalGeneration,
} from "@huggingface/transformers";
import { KokoroTTS } from "kokoro-js";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import { recognize } from "../../src/transcription/recognize.ts";
import { sherpa } from "../../test/oracles/sherpa.ts";
import { MELS, nemoContents, nemoOptions } from "../../testing/packages/families/nemo.ts";
import { PARAKEET } from "../../testing/packages/families/nemo-sizes.ts";
import { kokoroContents } from "../../testing/packages/families/voices.ts";
import { manyLetters, WHISPER_MELS, whisperContents } from "../../testing/packages/families/whisper.ts";
import { type Contents, openTestStore } from "../../testing/packages/model-store.ts";
import { openRandom } from "../../testing/packages/random.ts";
import { openWhisperFeatures } from "../../workers/features/whisper.ts";
import { transpose } from "../../workers/onnx/tensors.ts";
import { kokoroIds } from "../../workers/tts/kokoro/phonemes.ts";
import { median, type Row } from "../harness/row.ts";
import { openRuntimeTimer } from "./whisper-runtime.ts";

const SECONDS = 10;
const ROUNDS = 7;
const EIGHT = 8;
const THREADS = 2;
/** Where the runtime's own time leaves no room for a target, this share of what it leaves is the target. */
const OF_CEILING = 0.9;

type Runner = () => Promise<unknown> | unknown;
/** `one` does the work of one caller; `eight` that of eight, as each side does it best. */
type Side = { one: Runner; eight: Runner };
/** `runtime`: the seconds of one caller's work that are spent in the runtime that both sides share. */
type Sides = { ours: Side; theirs: Side; runtime?: () => Promise<number> };

export async function benchOracles(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "loquat-bench-"));
  await using store = openTestStore({ LOQUAT_THREADS: String(THREADS) });
  try {
    return [
      ...(await nemoRows(store)),
      ...(await compare("Whisper / transformers.js", await whisperSides(store, folder), 1.5)),
      ...(await compare(
        "Kokoro of a graph that costs nothing / kokoro-js",
        await kokoroSides(store, folder),
        null,
      )),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

type Store = ReturnType<typeof openTestStore>;

function nemoRows(store: Store): Promise<Row[]> {
  if (sherpa) return compare("Parakeet's layout (TDT) / sherpa-onnx", nemoSides(store), 1);
  process.stdout.write("  sherpa-onnx cannot be loaded here: those figures are left out\n");
  return Promise.resolve([]);
}

async function compare(name: string, sides: Sides, least: number | null): Promise<Row[]> {
  const { ours, theirs, runtime } = sides;
  const ratios = { one: [] as number[], eight: [] as number[], ceiling: [] as number[] };
  for (const kind of ["one", "eight"] as const) {
    await ours[kind]();
    await theirs[kind]();
    for (let round = 0; round < ROUNDS; round++) {
      const ourSeconds = await secondsOf(ours[kind]);
      const theirSeconds = await secondsOf(theirs[kind]);
      ratios[kind].push(theirSeconds / ourSeconds);
      if (kind === "one" && runtime) ratios.ceiling.push(theirSeconds / (await runtime()));
    }
  }
  const ceiling = runtime ? median(ratios.ceiling) : Number.POSITIVE_INFINITY;
  const row = (what: string, values: number[], target: number | null): Row => ({
    name: `${name}, ${what}`,
    value: median(values),
    unit: "x",
    ...(target === null ? {} : { target: `at least ${Number(target.toFixed(2))}` }),
  });
  return [
    row("1 caller", ratios.one, least === null ? null : Math.min(least, OF_CEILING * ceiling)),
    ...(runtime ? [row("1 caller, the runtime's own time alone", ratios.ceiling, null)] : []),
    row("8 callers", ratios.eight, least === null ? null : 2),
  ];
}

async function secondsOf(run: Runner): Promise<number> {
  const begun = performance.now();
  await run();
  return (performance.now() - begun) / 1000;
}

function noise(seed: number): Float32Array {
  const random = openRandom(seed);
  return Float32Array.from(
    { length: SECONDS * ASR_SAMPLE_RATE },
    (_, index) => (random() - 0.5) * Math.sin(index / 4000),
  );
}

function put(folder: string, contents: Contents): (role: string) => string {
  for (const { path, bytes } of Object.values(contents)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
  return (role) => join(folder, contents[role]!.path);
}

/** Eight callers at once, each with their own recording. */
function recognitionSide(store: Store, name: string): Side {
  const samples = noise(1);
  const one = () => {
    const spans = [{ start: 0, end: samples.length }];
    const recording = { samples: samples.slice(), spans, language: "en", prompt: "", claim: soleClaim() };
    return Array.fromAsync(recognize(store.registry.engine(name), { ...recording, wordTimes: false }));
  };
  return { one, eight: () => Promise.all(Array.from({ length: EIGHT }, one)) };
}

function nemoSides(store: Store) {
  const contents = nemoContents.split({ durations: 5, sizes: PARAKEET, deep: true });
  store.add("tdt", "nemo", { options: nemoOptions("tdt", 5), contents });
  const file = store.filesOf("tdt");
  const recognizer = new sherpa!.OfflineRecognizer({
    featConfig: { sampleRate: ASR_SAMPLE_RATE, featureDim: MELS },
    modelConfig: {
      transducer: { encoder: file("encoder"), decoder: file("decoder"), joiner: file("joiner") },
      modelType: "nemo_transducer",
      tokens: file("vocabulary"),
      numThreads: THREADS,
      debug: 0,
    },
  });
  const samples = noise(1);
  const one = () => {
    const stream = recognizer.createStream();
    stream.acceptWaveform({ sampleRate: ASR_SAMPLE_RATE, samples });
    recognizer.decode(stream);
    return recognizer.getResult(stream);
  };
  return { ours: recognitionSide(store, "tdt"), theirs: inTurn(one) };
}

/** Its one way to eight callers. */
const inTurn = (one: Runner): Side => ({
  one,
  async eight() {
    for (let caller = 0; caller < EIGHT; caller++) await one();
  },
});

async function whisperSides(store: Store, folder: string): Promise<Sides> {
  const contents = whisperContents({ letters: manyLetters(), fluent: true });
  store.add("whisper", "whisper", { contents });
  const path = put(join(folder, "whisper"), contents);
  env.allowRemoteModels = false;
  env.localModelPath = folder;
  const session_options = { intraOpNumThreads: THREADS };
  const model = await WhisperForConditionalGeneration.from_pretrained("whisper", {
    dtype: "fp32",
    device: "cpu",
    session_options,
  } as never);
  const features = openWhisperFeatures(WHISPER_MELS);
  const samples = noise(1);
  const one = async () => {
    const { rows } = features(samples);
    const values = transpose(rows, { rows: 3000, columns: WHISPER_MELS });
    await model.generate({
      inputs: new Tensor("float32", values, [1, WHISPER_MELS, 3000]),
      language: "en",
      task: "transcribe",
      return_timestamps: true,
      max_new_tokens: 224,
    } as never);
  };
  const runtime = await openRuntimeTimer({ contents, path, samples, threads: THREADS });
  return { ours: recognitionSide(store, "whisper"), theirs: inTurn(one), runtime };
}

const PHONEMES = "ðə kwˈɪk bɹˈWn fˈɑks ʤˈʌmps ˌOvəɹ ðə lˈAzi dˈɔɡ, ænd ðˈɛn ɪt ɹˈʌnz əwˈA fɹʌm ˈɔl ʌv ˌʌs.";

async function kokoroSides(store: Store, folder: string) {
  const contents = kokoroContents();
  store.add("kokoro-82m", "kokoro", { contents });
  put(join(folder, "kokoro"), contents);
  writeFileSync(
    join(folder, "kokoro", "config.json"),
    JSON.stringify({ model_type: "style_text_to_speech_2" }),
  );
  const session_options = { intraOpNumThreads: THREADS };
  const model = await StyleTextToSpeech2Model.from_pretrained("kokoro", {
    dtype: "fp32",
    device: "cpu",
    session_options,
  } as never);
  const kokoro = new KokoroTTS(model as never, null as never);
  const task = {
    text: "",
    language: "en-US",
    speaker: "af_heart",
    speed: 1,
    kind: "synthesis" as const,
    instructions: "",
    phonemes: PHONEMES,
  };
  const ourRun = () => store.registry.engine("kokoro-82m").run(task, soleClaim());
  const ids = BigInt64Array.from([0, ...kokoroIds(PHONEMES), 0], BigInt);
  const one = () =>
    kokoro.generate_from_ids(new Tensor("int64", ids, [1, ids.length]) as never, {
      voice: "af_heart",
      speed: 1,
    });
  return {
    ours: { one: ourRun, eight: () => Promise.all(Array.from({ length: EIGHT }, ourRun)) },
    theirs: inTurn(one),
  };
}
