/** The first columns of a table of own voices or of consents. */
import { ownVoicesTexts } from "../language/en/own-voices.ts";
import { Name } from "../ui/name.tsx";
import type { Column } from "../ui/table.tsx";

export function nameAndId(): Column<{ id: string; name: string }>[] {
  const t = ownVoicesTexts();
  return [
    {
      name: t("name"),
      of: ({ name }) => (
        <strong>
          <Name of={name} />
        </strong>
      ),
    },
    { name: t("id"), of: ({ id }) => <code>{id}</code> },
  ];
}
