/**
 * Routes of the jobs of an organization, which requests in the background have made. A result is read by POST: the result of a job
 * that keeps nothing is deleted by it, which no link of another page may do.
 */
import Type from "typebox";
import { JOB_KINDS, JOB_STATUSES } from "../../../job-statuses.ts";
import { Environment, Flag, listOf, nullable, oneOf, Text, Whole } from "./records.ts";
import type { Routes } from "./route.ts";

const Status = Type.Enum([...JOB_STATUSES]);

const Job = Type.Object({
  id: Text,
  object: Type.Literal("audio.job"),
  kind: oneOf(...JOB_KINDS),
  status: Status,
  /** Per cent of the recording that are recognized, or of the text that are spoken. */
  progress: Whole,
  model: Text,
  response_format: Text,
  metadata: Type.Record(Text, Text),
  created_at: Whole,
  started_at: nullable(Whole),
  completed_at: nullable(Whole),
  /** When the result is deleted. */
  expires_at: nullable(Whole),
  input: Type.Object({
    file_id: nullable(Text),
    url: nullable(Text),
    bytes: nullable(Whole),
    duration_seconds: nullable(Type.Number()),
    /** Of the text that is spoken. */
    characters: nullable(Whole),
  }),
  /** Of speech, here and below. */
  title: nullable(Text),
  author: nullable(Text),
  chapters: nullable(
    Type.Array(
      Type.Object({
        title: Text,
        characters: Whole,
        /** Null until it may be downloaded. */
        start: nullable(Type.Number()),
        end: nullable(Type.Number()),
      }),
    ),
  ),
  output: nullable(Type.Object({ seconds: Type.Number(), bytes: Whole })),
  /** Its place among those of the organization that wait, from 1. */
  position: nullable(Whole),
  error: nullable(Type.Object({ code: Text, message: Text })),
  usage: nullable(
    Type.Union([
      Type.Object({ type: Type.Literal("duration"), seconds: Type.Number() }),
      Type.Object({ type: Type.Literal("characters"), characters: Whole }),
    ]),
  ),
  cost_micros: Whole,
  request_id: Text,
  project_id: Text,
  key_id: Text,
  environment: Environment,
  /** Of the recording, those that are recognized. */
  done_seconds: Type.Number(),
  /** Its result is deleted once it was read. */
  read_once: Flag,
});

/** As the public API writes it as verbose_json. */
const Transcript = Type.Object({
  task: oneOf("transcribe", "translate"),
  language: Text,
  languages: Type.Array(Type.Object({ code: Text })),
  duration: Type.Number(),
  text: Text,
  segments: Type.Optional(
    Type.Array(
      Type.Object({
        /** Where speakers are told apart. */
        speaker: Type.Optional(Text),
        id: Whole,
        seek: Whole,
        start: Type.Number(),
        end: Type.Number(),
        text: Text,
        tokens: Type.Array(Whole),
        temperature: Type.Number(),
        avg_logprob: Type.Number(),
        compression_ratio: Type.Number(),
        no_speech_prob: Type.Number(),
      }),
    ),
  ),
  /** Absent where the engine does not tell when each was spoken. */
  words: Type.Optional(Type.Array(Type.Object({ word: Text, start: Type.Number(), end: Type.Number() }))),
  /** What of the recording is missing. */
  warnings: Type.Optional(Type.Array(Text)),
  usage: Type.Object({ type: Text, seconds: Type.Number() }),
});

export const jobRoutes = {
  "GET /api/organizations/:organization/jobs": {
    summary: "List the jobs of an organization, the newest first",
    needs: "member",
    query: Type.Object({
      status: Type.Optional(Status),
      project_id: Type.Optional(Text),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
      cursor: Type.Optional(Text),
    }),
    reply: listOf(Job),
  },
  "GET /api/organizations/:organization/jobs/:job": {
    summary: "Retrieve a job",
    needs: "member",
    reply: Job,
  },
  "POST /api/organizations/:organization/jobs/:job/transcript": {
    summary: "Read the result of a job; where nothing is kept, it is deleted afterwards",
    needs: "member",
    reply: Transcript,
  },
  "POST /api/organizations/:organization/jobs/:job/speech": {
    summary: "Download what a job has spoken; where nothing is kept, it is deleted after the whole was read",
    needs: "member",
    body: Type.Object({
      /** From 1; the whole unless given. */
      chapter: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
      /** Subtitles in place of the sound. */
      format: Type.Optional(Type.Enum(["vtt", "srt"])),
    }),
    download: "speech",
  },
  "POST /api/organizations/:organization/jobs/:job/cancel": {
    summary: "Cancel a job, which then costs nothing; one that has ended stays as it is",
    needs: "member",
    reply: Job,
  },
  "DELETE /api/organizations/:organization/jobs/:job": {
    summary: "Cancel a job and delete its recording and its result",
    needs: "member",
    confirms: true,
  },
} as const satisfies Routes;
