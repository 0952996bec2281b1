/** Aliases: names of other services that unmetered organizations may use, and the models and voices that serve them. */
import { useState } from "react";
import { useRead, useWrite } from "../api/queries.ts";
import { count } from "../format/numbers.ts";
import { Button } from "../ui/button.tsx";
import { Check } from "../ui/form/form.tsx";
import { Badge, Card } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { type Column, Table } from "../ui/table.tsx";
import type { Alias } from "./alias.ts";
import { AliasDialog } from "./alias-dialog.tsx";
import { OperatorsOnly } from "./operators-only.tsx";

export function AliasList() {
  return (
    <OperatorsOnly title="Names">
      <p>
        Applications ask for models and voices by the names of other services. Unmetered organizations may use
        the names below; prepaid organizations use those of the catalogue only.
      </p>
      <AllAliases />
    </OperatorsOnly>
  );
}

/** `null`: a new one. */
type Editing = { alias: Alias | null };

function AllAliases() {
  const query = useRead("GET /api/operator/aliases", {});
  const [editing, setEditing] = useState<Editing | null>(null);
  const [isAll, setAll] = useState(false);
  return (
    <QueryBoundary of={query}>
      {(reply) => {
        const unused = reply.data.filter((alias) => !isListed(alias));
        const rows = isAll ? reply.data : reply.data.filter(isListed);
        const shared = { onEdit: (alias: Alias) => setEditing({ alias }) };
        return (
          <>
            <Card
              title="Models"
              actions={
                <Button kind="primary" onClick={() => setEditing({ alias: null })}>
                  Add a name
                </Button>
              }
            >
              <AliasTable {...shared} caption="Names of models" rows={rows.filter(isModel)} />
            </Card>
            <Card title="Voices">
              <AliasTable {...shared} caption="Names of voices" rows={rows.filter((row) => !isModel(row))} />
              {unused.length > 0 && (
                <Check
                  label={`Show ${count(unused.length)} names whose voices are not installed`}
                  checked={isAll}
                  onChange={(event) => setAll(event.target.checked)}
                />
              )}
            </Card>
            {editing && (
              <AliasDialog alias={editing.alias} choices={reply.choices} onClose={() => setEditing(null)} />
            )}
          </>
        );
      }}
    </QueryBoundary>
  );
}

const isModel = ({ kind }: Alias): boolean => kind !== "voice";
/** Shipped aliases of models and voices that are not installed have no effect. */
const isListed = ({ in_force, source }: Alias): boolean => in_force || source !== "shipped";

type AliasTableProps = { caption: string; rows: Alias[]; onEdit: (alias: Alias) => void };

function AliasTable({ caption, rows, onEdit }: AliasTableProps) {
  return (
    <Table
      caption={caption}
      columns={[
        ...COLUMNS,
        { name: "Actions", isActions: true, of: (row) => <AliasActions alias={row} onEdit={onEdit} /> },
      ]}
      rows={rows}
      keyOf={({ kind, name }) => `${kind} ${name}`}
      empty="No names."
    />
  );
}

const COLUMNS: Column<Alias>[] = [
  {
    name: "Name",
    of: ({ name, kind }) => (
      <>
        {name === "" ? <em>empty</em> : <code>{name}</code>}
        {kind === "session" && <small className="second-line">in transcription sessions</small>}
      </>
    ),
  },
  { name: "Stands for", of: (alias) => <Targets alias={alias} /> },
  { name: "Format", of: ({ response_format }) => response_format ?? "" },
];

function Targets({ alias: { targets, in_force, source } }: { alias: Alias }) {
  if (targets.length === 0) return <Badge tone="warn">Switched off</Badge>;
  return (
    <>
      <code>{targets.join(", ")}</code> {source !== "shipped" && <Badge>Edited</Badge>}{" "}
      {!in_force && <Badge tone="warn">Not installed</Badge>}
    </>
  );
}

function AliasActions({ alias, onEdit }: { alias: Alias; onEdit: (alias: Alias) => void }) {
  const remove = useWrite("POST /api/operator/aliases/remove");
  const reset = useWrite("POST /api/operator/aliases/reset");
  const { kind, name, source } = alias;
  const [verb, write] =
    source === "changed"
      ? (["Reset", reset] as const)
      : ([source === "own" ? "Remove" : "Switch off", remove] as const);
  const label = name || "the empty name";
  return (
    <div className="changes">
      <Button kind="quiet" aria-label={`Edit ${label}`} onClick={() => onEdit(alias)}>
        Edit
      </Button>
      <Button
        kind="quiet"
        busy={write.isPending}
        aria-label={`${verb} ${label}`}
        onClick={() => write.mutate({ body: { kind, name } })}
      >
        {verb}
      </Button>
    </div>
  );
}
