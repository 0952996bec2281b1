/** What `loquat doctor` finds missing on a server whose first organization is prepaid: one that sells. */
import { readConfig } from "../../config/config.ts";
import { type SellingNeed, sellingNeeds } from "../../config/selling-needs.ts";
import { hasDatabase, openStorage } from "../../server/storage.ts";
import { note, printFinding, printLine } from "../base/output.ts";

/** Empty where nothing is sold. */
export async function examineSelling(): Promise<SellingNeed[]> {
  const config = readConfig();
  if (!hasDatabase(config)) return [];
  try {
    await using storage = await openStorage(config);
    const { accounts } = storage;
    const first = await accounts.firstOrganization();
    const organization = first === null ? null : await accounts.organization(first);
    if (organization?.plan !== "prepaid") return [];
    return sellingNeeds(config, await accounts.signUpPolicy(config.identity.signUp));
  } catch (error) {
    note(`What is needed to sell is left out: ${(error as Error).message}`);
    return [];
  }
}

export function printSelling(needs: SellingNeed[]): void {
  if (needs.length === 0) return;
  printLine("\n  Ready to sell:");
  for (const { name, isMet, remedy } of needs)
    printFinding(isMet ? `  ready    ${name}` : `  missing  ${name}\n           ${remedy}`);
}
