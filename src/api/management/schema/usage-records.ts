/** The records of what was used, field for field: requests, and sums of them. Money is micros of a US dollar, times are Unix seconds. */
import Type from "typebox";
import { Environment, Flag, nullable, Plan, Text, Unit, Whole } from "./records.ts";

export const RequestRecord = Type.Object({
  id: Text,
  object: Type.Literal("request_log"),
  created_at: Whole,
  duration_ms: Whole,
  first_audio_ms: nullable(Whole),
  /** Of a live session: what half of its utterances waited at most, from their end to their final text. */
  final_text_ms: nullable(Whole),
  endpoint: Text,
  method: Text,
  status: Whole,
  error_type: nullable(Text),
  error_code: nullable(Text),
  error_message: nullable(Text),
  organization_id: Text,
  project_id: Text,
  key_id: Text,
  environment: Environment,
  model: nullable(Text),
  voice: nullable(Text),
  /** A code such as de: what was spoken, or in which a text was read; null: not known. */
  language: nullable(Text),
  stream: Flag,
  response_format: nullable(Text),
  characters: nullable(Whole),
  audio_seconds: nullable(Type.Number()),
  /** Of a conversation: how often it answered, and what its language model read and wrote. */
  responses: nullable(Whole),
  input_tokens: nullable(Whole),
  output_tokens: nullable(Whole),
  /** What the request was admitted under; null if nothing was priced. The cost of an unmetered one was not deducted. */
  plan: nullable(Plan),
  /** Of the only unit; 0 and null if there are several, as in conversations. */
  billed_quantity: Type.Number(),
  billed_unit: nullable(Unit),
  /** Micros of a million units. */
  unit_price_micros: nullable(Whole),
  /** What was priced, by model, unit and price. */
  charges: Type.Array(
    Type.Object({
      model: Text,
      unit: Unit,
      quantity: Type.Number(),
      unit_price_micros: Whole,
      cost_micros: Whole,
    }),
  ),
  cost_micros: Whole,
  /** The grants that paid, and the uncovered amount. */
  paid_by: Type.Array(Type.Object({ grant_id: Text, amount_micros: Whole })),
  overdraft_micros: Whole,
  ip: nullable(Text),
  user_agent: nullable(Text),
  /** Whom the client named as its user. */
  end_user: nullable(Text),
  /** What the client called it. */
  label: nullable(Text),
  /** The request that was charged for the same work, which a client sent again; null if this one was. */
  replay_of: nullable(Text),
});

const Sums = {
  requests: Whole,
  errors: Whole,
  characters: Whole,
  audio_seconds: Type.Number(),
  tokens: Whole,
  cost_micros: Whole,
};
export const UsageTotals = Type.Object(Sums);
export const UsageBucket = Type.Object({
  start: Whole,
  end: Whole,
  groups: Type.Record(Text, Text),
  ...Sums,
});
