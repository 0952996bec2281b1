/** Metrics and spans of the responses of a conversation. No text of it is in either. */
import type { Metrics } from "../../../metrics/metrics.ts";
import type { DialoguePorts } from "../../../realtime/dialogue/dialogue-runner.ts";
import type { Outcome } from "../../../realtime/dialogue-effects.ts";
import type { Stage, Stages } from "../../../realtime/stages.ts";
import type { TimedSpan, Trace } from "../../../tracing/tracing.ts";

/** `model`: the language model. */
type Measured = { metrics: Metrics; trace: Trace | null; model: string };

export const measuring = ({ metrics, trace, model }: Measured): Pick<DialoguePorts, "over" | "counted"> => ({
  over(outcome) {
    const { status, reason, stages, tokens } = outcome;
    metrics.count("loquat_conversation_responses_total", { status, reason });
    metrics.add("loquat_llm_tokens_total", tokens?.input ?? 0, { direction: "in" });
    metrics.add("loquat_llm_tokens_total", tokens?.output ?? 0, { direction: "out" });
    for (const [stage, ms] of durationsOf(stages))
      metrics.record("loquat_conversation_stage_seconds", ms / 1000, { stage });
    trace?.record(spanOf(outcome, model));
  },
  counted({ what, outcome }) {
    if (what === "guess") metrics.count("loquat_conversation_guesses_total", { outcome });
    else metrics.count("loquat_conversation_interruptions_total", { outcome });
  },
});

/** Each stage since the one before; and from the end of what a caller said to the first sound. */
function durationsOf(stages: Stages): [stage: string, ms: number][] {
  const between = (stage: string, from: number | null, to: Stage): [string, number][] => {
    const until = stages.at(to);
    return from === null || until === null ? [] : [[stage, Math.max(0, until - from)]];
  };
  const { sinceMs } = stages;
  return [
    ...between("transcript", sinceMs, "transcript"),
    ...between("first_token", stages.at("asked"), "firstToken"),
    ...between("first_clause", stages.at("firstToken"), "firstClause"),
    ...between("first_audio", stages.at("firstClause"), "firstSound"),
    ...between("voice_to_voice", stages.isSpoken ? sinceMs : null, "firstSound"),
  ];
}

function spanOf({ status, reason, stages, tokens }: Outcome, model: string): TimedSpan {
  const overMs = stages.at("over") ?? stages.sinceMs;
  const step = (name: TimedSpan["name"], fromMs: number | null, untilMs: number | null): TimedSpan[] =>
    fromMs === null || untilMs === null ? [] : [{ name, fromMs, untilMs }];
  return {
    name: "response",
    fromMs: stages.sinceMs,
    untilMs: overMs,
    failure: status === "failed" ? reason : null,
    attributes: {
      "loquat.response.status": status,
      ...(reason && { "loquat.response.reason": reason }),
      "gen_ai.request.model": model,
      ...(tokens && {
        "gen_ai.usage.input_tokens": tokens.input,
        "gen_ai.usage.output_tokens": tokens.output,
      }),
    },
    within: [
      ...step("transcribe", stages.sinceMs, stages.at("transcript")),
      ...step("chat", stages.at("asked"), stages.at("written") ?? overMs),
      ...step("synthesize", stages.at("firstClause"), overMs),
    ],
  };
}
