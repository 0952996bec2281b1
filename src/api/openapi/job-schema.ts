/** A job as the OpenAPI document describes it. */
import Type from "typebox";
import { JOB_STATUSES } from "../../job-statuses.ts";
import { nullable, number, oneOf, text, unixTime, whole } from "./described.ts";

export const JobRecord = Type.Object({
  id: text("Its id."),
  object: Type.Literal("audio.job"),
  kind: oneOf(["transcription", "translation"], "What it does."),
  status: oneOf(JOB_STATUSES, "expired: it was completed, and its result is deleted."),
  progress: whole("Percent of the recording that are recognized."),
  model: text("The id of the model."),
  response_format: text("Of the result, unless its reader asks for another."),
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
  }),
  position: nullable(whole("Its place among your organization's jobs that wait, from 1.")),
  error: nullable(
    Type.Object({
      code: text("One of the codes of the API."),
      message: text("Why it failed."),
    }),
  ),
  usage: nullable(Type.Object({ type: Type.Literal("duration"), seconds: number("What was billed.") })),
  cost_micros: whole("What it cost, in millionths of a dollar."),
  request_id: text("The request that made it."),
});
