/** What the page reads of a conversation's events. */

/** When the server reached each stage of an answer, in milliseconds since the turn ended; null: it did not. */
export type Latency = {
  transcript_ms: number | null;
  first_token_ms: number | null;
  first_clause_ms: number | null;
  first_sound_ms: number | null;
};

type Item = {
  id: string;
  type: string;
  role?: string;
  content?: { type: string; text?: string }[];
  call_id?: string;
  output?: string;
};

export type TalkResponse = {
  id: string;
  status: string;
  status_details?: { reason?: string; error?: { message: string; code: string } } | null;
  latency?: Partial<Latency> | null;
};

export type TalkEvent = {
  type: string;
  item_id?: string;
  response_id?: string;
  delta?: string;
  transcript?: string;
  item?: Item;
  response?: TalkResponse;
  call_id?: string;
  name?: string;
  arguments?: string;
  error?: { message: string; code: string | null };
};
