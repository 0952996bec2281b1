/**
 * Speaks the text of a job, piece by piece: each is durable before the next one begins, so that another node goes on behind it.
 *
 *   chapter -> what is left will cost (402) -> │ piece ──engine──> samples ──checkpoint │ … -> encoded -> charged -> │ next
 *   all chapters -> one file
 */
import type { Principal } from "../accounts/principal.ts";
import type { JobRow, JobRows } from "../db/queries/job-rows.ts";
import type { Claim } from "../engine/runner.ts";
import { Refusal } from "../errors.ts";
import type { Files } from "../files/files.ts";
import { costOf } from "../ledger/booking/burn-down.ts";
import { type Pronunciations, readText } from "../metered/speech.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { pauseLength } from "../speech/synthesize.ts";
import { render, type Synthesizer } from "../speech/synthesizer.ts";
import { captionsOf } from "../speech/words/captions.ts";
import type { Spendable } from "../usage/admission.ts";
import { styleOf } from "../voices/encode-voice.ts";
import type { Voices } from "../voices/voices.ts";
import { type Chapter, chaptersOf, charactersLeft, piecesIn, placesOf } from "./job-chapters.ts";
import type { JobParts, SpeechJobRequest } from "./job-parts.ts";
import { encodeStored, type Storing, store } from "./job-sound.ts";
import { Superseded } from "./superseded.ts";
import { type TextPiece, textPieces } from "./text-pieces.ts";

export type SpeakingDeps = Storing & {
  rows: JobRows;
  parts: JobParts;
  files: Pick<Files, "content">;
  synthesizer: Synthesizer;
  voices: Voices;
  pronunciations: Pronunciations;
  metrics: Metrics;
  spendable: (principal: Principal) => Promise<Spendable[]>;
};

/** `pay`: charges the chapter that is encoded. */
type Running = { principal: Principal; signal: AbortSignal; pay: (job: JobRow) => Promise<JobRow> };

type Voice = SpeechJobRequest["voice"];
type Speaking = { principal: Principal; claim: Claim; voice: Voice };

/** Returns its row as it is now. */
export async function speakJob(deps: SpeakingDeps, job: JobRow, running: Running): Promise<JobRow> {
  const { principal, signal, pay } = running;
  const { voice: asked, ownVoiceId, texts } = await deps.parts.speech(job.id);
  const claim: Claim = { urgency: "background", organization: job.organizationId, request: job.id, signal };
  const voice = { ...asked, ...(await ownStyle(deps, { ownVoiceId, engine: asked.engine, claim })) };
  const speaking = { principal, claim, voice };
  let row = job;
  for (const [index, text] of texts.entries()) {
    if (chaptersOf(row)[index]!.isPaid) continue;
    await reserve(deps, row, principal);
    row = await speakChapter(deps, row, { ...speaking, index, text });
    row = await encodeChapter(deps, row, { ...speaking, index });
    row = await pay(row);
  }
  return joined(deps, row, speaking);
}

type OwnVoice = { ownVoiceId: string | null; engine: string; claim: Claim };

async function ownStyle(
  { voices, synthesizer: { registry } }: SpeakingDeps,
  { ownVoiceId, engine, claim }: OwnVoice,
) {
  if (ownVoiceId === null) return {};
  const ownVoice = await voices.find(claim.organization, ownVoiceId);
  if (ownVoice === null)
    throw new Refusal("invalid_voice", "The voice was deleted after the job was made.", { param: "voice" });
  return { style: await styleOf(voices, ownVoice, { registry, engine, claim }) };
}

/** What all jobs of an organization will yet cost must be there before each chapter. */
async function reserve({ rows, spendable }: SpeakingDeps, job: JobRow, principal: Principal): Promise<void> {
  const left = await spendable(principal);
  if (left.length === 0) return;
  const costMicros = costOf(charactersLeft(chaptersOf(job)), job.priceMicros);
  const exceeded = await rows.reserve(job, costMicros, left);
  if (exceeded !== null) throw exceeded.refusal();
}

async function speakChapter(
  deps: SpeakingDeps,
  job: JobRow,
  { index, text, ...speaking }: Speaking & { index: number; text: string },
): Promise<JobRow> {
  const chapters = chaptersOf(job);
  const chapter = chapters[index]!;
  const { from, to } = piecesIn(chapters, index);
  let row = job;
  let number = from;
  for (const piece of textPieces(text)) {
    if (number >= row.donePieces)
      row = await speakPiece(deps, row, {
        ...speaking,
        chapters,
        chapter,
        number,
        piece,
        isLast: number + 1 === to,
      });
    number++;
  }
  if (chapter.samples === 0)
    throw new Refusal(
      "unpronounceable_input",
      `Chapter ${index + 1} has nothing that the voice can pronounce.`,
      {
        param: "input",
      },
    );
  return row;
}

type OnePiece = Speaking & {
  chapters: Chapter[];
  chapter: Chapter;
  number: number;
  piece: TextPiece;
  isLast: boolean;
};

async function speakPiece(
  deps: SpeakingDeps,
  row: JobRow,
  { chapters, chapter, number, piece, isLast, ...speaking }: OnePiece,
): Promise<JobRow> {
  const { rows, parts, metrics, pronunciations } = deps;
  const { id, organizationId: organization } = row;
  const read = await readText(pronunciations, { text: piece.text, organization, field: "input" });
  const clip = await clipOf(deps, { ...speaking, text: piece.text, script: read.script });
  const pauseMs = isLast || clip === null ? 0 : piece.pauseMs;
  const pause = new Uint8Array(2 * pauseLength(pauseMs, speaking.voice.speed));
  await store(
    deps,
    { owner: speaking.principal, ownerId: id, position: number },
    {
      async write(to) {
        for await (const bytes of clip?.chunks ?? []) await to.write(bytes);
        await to.write(pause);
      },
      async commit(part) {
        const captions = clip?.isTimed ? captionsOf(read.script.visible, clip.words()) : null;
        const sealed =
          captions && (await parts.encryptCaptions(id, number, { start: chapter.samples, captions }));
        chapter.characters += read.characters;
        chapter.samples += part.bytes / 2;
        return rows.spoken(id, { piece: number, chapters: JSON.stringify(chapters), part, sealed });
      },
    },
  );
  metrics.add("loquat_job_audio_seconds_total", clip?.audioSeconds() ?? 0);
  return { ...row, donePieces: number + 1, chapters: JSON.stringify(chapters) };
}

type Text = Pick<Speaking, "claim" | "voice"> & {
  text: string;
  script: Awaited<ReturnType<typeof readText>>["script"];
};

/** Null: the voice can pronounce none of it. Of a long text, such a piece is silent. */
async function clipOf({ synthesizer }: SpeakingDeps, { claim, voice, text, script }: Text) {
  try {
    const request = { ...voice, text, script, claim };
    return await render(synthesizer, request, {
      format: "pcm",
      lengthFirst: false,
      wordTimes: "where known",
    });
  } catch (cause) {
    if (cause instanceof Refusal && cause.code === "unpronounceable_input") return null;
    throw cause;
  }
}

async function encodeChapter(
  deps: SpeakingDeps,
  job: JobRow,
  { index, principal, claim }: Speaking & { index: number },
): Promise<JobRow> {
  const { rows } = deps;
  const { id, donePieces } = job;
  const chapters = chaptersOf(job);
  const sound = [{ ...piecesIn(chapters, index), samples: chapters[index]!.samples, gap: 0 }];
  await encodeStored(deps, job, {
    ...{ sound, claim, owner: principal, position: index + 1 },
    commit: (part) => {
      chapters[index]!.bytes = part.bytes;
      return rows.encoded(id, { donePieces, chapters: JSON.stringify(chapters), part });
    },
  });
  return { ...job, isRecognized: true, chapters: JSON.stringify(chapters) };
}

/** The only chapter is the whole. */
async function joined(
  deps: SpeakingDeps,
  job: JobRow,
  { principal, claim }: Pick<Speaking, "principal" | "claim">,
): Promise<JobRow> {
  const { rows } = deps;
  const chapters = chaptersOf(job);
  const places = placesOf(chapters);
  const samples = places.at(-1)!.end;
  if (chapters.length === 1) {
    const { bytes } = chapters[0]!;
    if (!(await rows.joined(job.id, { samples, bytes, part: null }))) throw new Superseded();
    return { ...job, isRecognized: true, samples, bytes };
  }
  const sound = chapters.map((chapter, index) => ({
    ...{ ...piecesIn(chapters, index), samples: chapter.samples },
    gap: places[index]!.start - (places[index - 1]?.end ?? 0),
  }));
  const bytes = await encodeStored(deps, job, {
    ...{ sound, claim, owner: principal, position: 0 },
    commit: (part) => rows.joined(job.id, { samples, bytes: part.bytes, part }),
  });
  return { ...job, isRecognized: true, samples, bytes };
}
