/** The error codes of conversations, as clients of OpenAI's API compare them, and those of language models; by HTTP status. */

export const CONVERSATION_CODES = {
  response_cancel_not_active: { status: 400 },
  conversation_already_has_active_response: { status: 409 },
  item_create_invalid_previous_item_id: { status: 404 },
  item_retrieve_invalid_item_id: { status: 404 },
  item_delete_invalid_item_id: { status: 404 },
  item_truncate_invalid_item_id: { status: 404 },
  item_not_audio: { status: 400 },
  context_length_exceeded: { status: 400 },
  llm_unavailable: { status: 502 },
  llm_timeout: { status: 502 },
  llm_busy: { status: 503 },
  llm_misconfigured: { status: 502 },
} as const;
