/** A job as the OpenAPI document describes it. */
import Type from "typebox";
import { JOB_KINDS, JOB_STATUSES } from "../../job-statuses.ts";
import { nullable, number, oneOf, text, unixTime, whole } from "./described.ts";

export const JobRecord = Type.Object({
  id: text("Its id."),
  object: Type.Literal("audio.job"),
  kind: oneOf(JOB_KINDS, "What it does."),
  status: oneOf(JOB_STATUSES, "expired: it was completed, and its result is deleted."),
  progress: whole("Percent of the recording that are recognized, or of the text that are spoken."),
  model: text("The id of the model."),
  response_format: text("Of the result; of a transcript, unless its reader asks for another."),
  metadata: Type.Record(Type.String(), Type.String(), { description: "As it was sent." }),
  created_at: unixTime("When it was made"),
  started_at: nullable(unixTime("When a node began with it")),
  completed_at: nullable(unixTime("When it ended")),
  expires_at: nullable(unixTime("When the result is deleted")),
  input: Type.Object({
    file_id: nullable(text("The file that it reads.")),
    url: nullable(text("The address that it reads.")),
    bytes: nullable(whole("Of the recording.")),
    duration_seconds: nullable(number("Of the recording, once it was decoded.")),
    characters: nullable(whole("Of the text that is spoken.")),
  }),
  title: nullable(text("Of speech, as it was sent.")),
  author: nullable(text("Of speech, as it was sent.")),
  chapters: nullable(
    Type.Array(
      Type.Object({
        title: text("Its title; empty where it has none."),
        characters: whole("Of its text."),
        start: nullable(number("Where it begins in the whole, in seconds. Null until it may be downloaded.")),
        end: nullable(number("Where it ends.")),
      }),
      { description: "Of speech." },
    ),
  ),
  output: nullable(
    Type.Object(
      { seconds: number("How long the speech is."), bytes: whole("Of its file.") },
      {
        description: "Of speech, once all of it is made.",
      },
    ),
  ),
  position: nullable(whole("Its place among your organization's jobs that wait, from 1.")),
  error: nullable(
    Type.Object({
      code: text("One of the codes of the API."),
      message: text("Why it failed."),
    }),
  ),
  usage: nullable(
    Type.Union([
      Type.Object({ type: Type.Literal("duration"), seconds: number("What was billed.") }),
      Type.Object({ type: Type.Literal("characters"), characters: whole("What was billed.") }),
    ]),
  ),
  cost_micros: whole("What it cost, in millionths of a dollar."),
  request_id: text("The request that made it."),
});
