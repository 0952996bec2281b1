/** The consents of speakers: recordings that are played, and deleted when a speaker withdraws. */

import { useState } from "react";
import { useRead, useWrite } from "../api/queries.ts";
import type { Reply } from "../api/server.ts";
import { useHasRole, useOrganization } from "../api/session.ts";
import { day } from "../format/times.ts";
import { ownVoicesTexts } from "../language/en/own-voices.ts";
import type { useTestKey } from "../playground/access/test-key.tsx";
import { Button } from "../ui/button.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { Card } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { type Column, Table } from "../ui/table.tsx";
import type { ClipPlayer } from "../ui/use-clip-player.ts";
import { nameAndId } from "./name-and-id.tsx";

type Consent = Reply<"GET /api/organizations/:organization/voice-consents">["data"][number];
type Access = ReturnType<typeof useTestKey>["access"];

export function Consents({ access, player }: { access: Access; player: ClipPlayer }) {
  const t = ownVoicesTexts();
  const { id: organization } = useOrganization();
  const isAdmin = useHasRole("admin");
  const [removed, setRemoved] = useState<Consent | null>(null);
  const consents = useRead("GET /api/organizations/:organization/voice-consents", { ids: { organization } });
  const play = ({ id }: Consent) =>
    player.toggle(id, async (signal) =>
      (await access.client(`/audio/voice_consents/${id}/recording`, { signal })).blob(),
    );
  const actions: Column<Consent> = {
    name: t("actions"),
    isActions: true,
    of: (consent) => (
      <span className="changes">
        <Button
          aria-label={t(player.active?.id === consent.id ? "stopConsent" : "playConsent", {
            name: consent.name,
          })}
          onClick={() => play(consent)}
        >
          {t(player.active?.id === consent.id ? "stop" : "play")}
        </Button>
        {isAdmin && (
          <Button
            kind="danger"
            aria-label={t("deleteConsent", { name: consent.name })}
            onClick={() => setRemoved(consent)}
          >
            {t("delete")}
          </Button>
        )}
      </span>
    ),
  };
  return (
    <Card title={t("consents")}>
      <QueryBoundary of={consents}>
        {({ data }) => (
          <>
            <p className="hint">{t("consentsText")}</p>
            <Table
              caption={t("consentList")}
              columns={[...columns(), actions]}
              rows={data}
              keyOf={({ id }) => id}
              empty={t("noConsents")}
            />
          </>
        )}
      </QueryBoundary>
      {removed && <Remove of={removed} onClose={() => setRemoved(null)} />}
    </Card>
  );
}

function columns(): Column<Consent>[] {
  const t = ownVoicesTexts();
  return [
    ...nameAndId(),
    { name: t("language"), of: ({ language }) => language },
    { name: t("madeOn"), of: ({ created_at }) => day(created_at) },
  ];
}

function Remove({ of: { id: consent, name }, onClose }: { of: Consent; onClose: () => void }) {
  const t = ownVoicesTexts();
  const { id: organization } = useOrganization();
  const { mutateAsync: remove } = useWrite("DELETE /api/organizations/:organization/voice-consents/:consent");
  return (
    <FormDialog
      kind="danger"
      title={t("deleteConsentTitle", { name })}
      submit={t("delete")}
      onSubmit={async () => void (await remove({ ids: { organization, consent } }))}
      onClose={onClose}
    >
      <p>{t("deleteConsentText")}</p>
    </FormDialog>
  );
}
