/** The consents of speakers: recordings that are played, and deleted when a speaker withdraws. */

import { useState } from "react";
import { useRead, useWrite } from "../api/queries.ts";
import type { Reply } from "../api/server.ts";
import { useHasRole, useOrganization } from "../api/session.ts";
import { day } from "../format/times.ts";
import type { useTestKey } from "../playground/access/test-key.tsx";
import { Button } from "../ui/button.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { Name } from "../ui/name.tsx";
import { Card } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { type Column, Table } from "../ui/table.tsx";
import type { ClipPlayer } from "../ui/use-clip-player.ts";

type Consent = Reply<"GET /api/organizations/:organization/voice-consents">["data"][number];
type Access = ReturnType<typeof useTestKey>["access"];

export function Consents({ access, player }: { access: Access; player: ClipPlayer }) {
  const { id: organization } = useOrganization();
  const isAdmin = useHasRole("admin");
  const [removed, setRemoved] = useState<Consent | null>(null);
  const consents = useRead("GET /api/organizations/:organization/voice-consents", { ids: { organization } });
  const play = ({ id }: Consent) =>
    player.toggle(id, async (signal) =>
      (await access.client(`/audio/voice_consents/${id}/recording`, { signal })).blob(),
    );
  const actions: Column<Consent> = {
    name: "Actions",
    isActions: true,
    of: (consent) => (
      <span className="changes">
        <Button
          aria-label={`${player.active?.id === consent.id ? "Stop" : "Play"} the consent of ${consent.name}`}
          onClick={() => play(consent)}
        >
          {player.active?.id === consent.id ? "Stop" : "Play"}
        </Button>
        {isAdmin && (
          <Button
            kind="danger"
            aria-label={`Delete the consent of ${consent.name}`}
            onClick={() => setRemoved(consent)}
          >
            Delete
          </Button>
        )}
      </span>
    ),
  };
  return (
    <Card title="Consents of speakers">
      <QueryBoundary of={consents}>
        {({ data }) => (
          <>
            <p className="hint">
              A recording in which a speaker agrees, kept by the API for any number of voices. A voice keeps a
              copy of the one that it was made with.
            </p>
            <Table
              caption="Consents"
              columns={[...COLUMNS, actions]}
              rows={data}
              keyOf={({ id }) => id}
              empty="No consents yet."
            />
          </>
        )}
      </QueryBoundary>
      {removed && <Remove of={removed} onClose={() => setRemoved(null)} />}
    </Card>
  );
}

const COLUMNS: Column<Consent>[] = [
  {
    name: "Name",
    of: ({ name }) => (
      <strong>
        <Name of={name} />
      </strong>
    ),
  },
  { name: "Id", of: ({ id }) => <code>{id}</code> },
  { name: "Language", of: ({ language }) => language },
  { name: "Made on", of: ({ created_at }) => day(created_at) },
];

function Remove({ of: { id: consent, name }, onClose }: { of: Consent; onClose: () => void }) {
  const { id: organization } = useOrganization();
  const { mutateAsync: remove } = useWrite("DELETE /api/organizations/:organization/voice-consents/:consent");
  return (
    <FormDialog
      kind="danger"
      title={`Delete the consent of ${name}?`}
      submit="Delete"
      onSubmit={async () => void (await remove({ ids: { organization, consent } }))}
      onClose={onClose}
    >
      <p>Voices that were made with it stay, with their copy. Delete them too where the speaker withdraws.</p>
    </FormDialog>
  );
}
