/** An upstream: its servers and how they are, its models with a sample each, and what can be done with it. */
import { Badge, Card, Notice } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { ModelSample } from "./model-sample.tsx";
import { ServerTable } from "./server-table.tsx";
import type { Upstream } from "./upstream.ts";
import { UpstreamActions } from "./upstream-actions.tsx";

type Model = Upstream["models"][number];

export function UpstreamCard({ item }: { item: Upstream }) {
  return (
    <Card title={item.name}>
      <p className="hint">
        {item.title} {item.leaves_host && <Badge tone="warn">Another company</Badge>}{" "}
        {item.follows && <Badge>Asked every ten minutes</Badge>}{" "}
        {item.source === "folder" && <Badge>File of LOQUAT_MODELS</Badge>}
      </p>
      {item.models.filter(ends).map((model) => (
        <Notice key={model.id} tone="warn">
          <p>{endingOf(model)}</p>
        </Notice>
      ))}
      <ServerTable item={item} />
      <Table
        caption={`Models of ${item.name}`}
        columns={MODELS}
        rows={item.models}
        keyOf={({ id }) => id}
        empty="No models."
      />
      <UpstreamActions item={item} />
    </Card>
  );
}

const ends = ({ shutdown_date }: Model) => shutdown_date !== null;

function endingOf({ id, names, shutdown_date, upstream_model }: Model): string {
  const leading =
    names.length === 0 ? "" : ` These names lead to it: ${names.map((each) => each || '""').join(", ")}.`;
  return `${id} ends on ${shutdown_date}: its server has no ${upstream_model} from that day on.${leading}`;
}

const KINDS: Record<Model["type"], string> = {
  tts: "Speech",
  stt: "Transcription",
  llm: "Language model",
};

const MODELS: Column<Model>[] = [
  { name: "Model", of: ({ id }) => <code className="id">{id}</code> },
  { name: "Its name there", of: ({ upstream_model }) => upstream_model },
  { name: "Kind", phone: "side", of: ({ type }) => KINDS[type] },
  { name: "Sample", isActions: true, of: (model) => <ModelSample model={model} /> },
];
