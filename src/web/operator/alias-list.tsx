/** Aliases: names of other services that unmetered organizations may use, and the models and voices that serve them. */

import { useState } from "react";
import { useRead, useWrite } from "../api/queries.ts";
import { count } from "../format/numbers.ts";
import { wordsIn } from "../format/search-words.ts";
import { Button } from "../ui/button.tsx";
import { Check, Field } from "../ui/form/form.tsx";
import { Badge, Card } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { type Column, Table } from "../ui/table.tsx";
import type { Alias } from "./alias.ts";
import { AliasDialog } from "./alias-dialog.tsx";
import { OperatorsOnly } from "./operators-only.tsx";

export function AliasList() {
  return (
    <OperatorsOnly title="Aliases">
      <p>
        Applications ask for models and voices by the names of other services. Unmetered organizations may use
        the aliases below; prepaid organizations use the names of the catalogue only.
      </p>
      <AllAliases />
    </OperatorsOnly>
  );
}

/** `alias` null: a new one of this kind. */
type Editing = { alias: Alias | null; kind: Alias["kind"] };

function AllAliases() {
  const query = useRead("GET /api/operator/aliases", {});
  const [editing, setEditing] = useState<Editing | null>(null);
  const [search, setSearch] = useState("");
  return (
    <>
      <section className="filters" aria-label="Filters">
        <Field
          type="search"
          label="Find"
          placeholder="Alias, model or voice"
          value={search}
          autoComplete="off"
          onChange={(event) => setSearch(event.target.value)}
        />
      </section>
      <QueryBoundary of={query}>
        {({ data, choices }) => (
          <>
            <AliasCards aliases={data} search={search} onEdit={setEditing} />
            {editing && <AliasDialog {...editing} choices={choices} onClose={() => setEditing(null)} />}
          </>
        )}
      </QueryBoundary>
    </>
  );
}

type AliasCardsProps = { aliases: Alias[]; search: string; onEdit: (editing: Editing) => void };

/** Aliases of models and of voices. A search finds those without effect, too. */
function AliasCards({ aliases, search, onEdit }: AliasCardsProps) {
  const [isAll, setAll] = useState(false);
  const isSearching = search.trim() !== "";
  const unused = aliases.filter((alias) => !isListed(alias)).length;
  const shown = aliases.filter((alias) => (isAll || isSearching || isListed(alias)) && isLike(alias, search));
  const card = (kind: "model" | "voice") => (
    <Card
      title={kind === "model" ? "Models" : "Voices"}
      actions={
        <Button kind="primary" onClick={() => onEdit({ alias: null, kind })}>
          Add a {kind} alias
        </Button>
      }
    >
      <Table
        caption={`Aliases of ${kind}s`}
        columns={[...COLUMNS, actionsOf((alias) => onEdit({ alias, kind: alias.kind }))]}
        rows={ownFirst(shown.filter((alias) => isVoice(alias) === (kind === "voice")))}
        keyOf={(alias) => `${alias.kind} ${alias.name}`}
        empty={isSearching ? "No alias matches." : "No aliases."}
      />
      {kind === "voice" && unused > 0 && !isSearching && (
        <Check
          label={`Show ${count(unused)} aliases whose models or voices are not installed`}
          checked={isAll}
          onChange={(event) => setAll(event.target.checked)}
        />
      )}
    </Card>
  );
  return (
    <>
      {card("model")}
      {card("voice")}
    </>
  );
}

const isVoice = ({ kind }: Alias): boolean => kind === "voice";
/** Shipped aliases of models and voices that are not installed have no effect. */
const isListed = ({ in_force, source }: Alias): boolean => in_force || source !== "shipped";

/** Every word is in the alias or in what it stands for. */
function isLike({ name, targets }: Alias, search: string): boolean {
  const text = [name, ...targets].join(" ").toLowerCase();
  return wordsIn(search).every((word) => text.includes(word));
}

/** What the operator added or changed is above what is shipped. */
const ownFirst = (aliases: Alias[]): Alias[] =>
  aliases.toSorted((one, other) => Number(one.source === "shipped") - Number(other.source === "shipped"));

const actionsOf = (onEdit: (alias: Alias) => void): Column<Alias> => ({
  name: "Actions",
  isActions: true,
  of: (alias) => <AliasActions alias={alias} onEdit={onEdit} />,
});

/** Requests that name no model have an alias as well: the empty one. */
const nameOf = ({ name }: Alias): string => name || "No model named";

const COLUMNS: Column<Alias>[] = [
  {
    name: "Alias",
    of: (alias) => (
      <>
        {alias.name === "" ? nameOf(alias) : <code>{alias.name}</code>}
        {alias.kind === "session" && <small className="second-line">in transcription sessions</small>}
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
  const label = nameOf(alias);
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
