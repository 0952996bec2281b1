/** `npm run docs`: writes what the documentation takes from the code. `test/docs` compares both. */
import { readFileSync, writeFileSync } from "node:fs";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import { withClients } from "./clients-table.ts";
import { withCommands } from "./commands.ts";
import { withDrawings } from "./drawing.ts";
import { withErrors } from "./error-table.ts";
import { withFormats } from "./format-table.ts";
import { withLogEvents } from "./log-events.ts";
import { withMetrics } from "./metrics-table.ts";
import { withPackageTables } from "./models.ts";
import { generateOpenApi } from "./openapi.ts";
import { withRules } from "./rules.ts";
import { withVariables } from "./variables-table.ts";
import { withWebhookEvents } from "./webhook-events.ts";

const fileOf = (path: string) => new URL(`../../${path}`, import.meta.url);

const page = fileOf("docs/architecture.md");
writeFileSync(page, withDrawings(readFileSync(page, "utf8")));
const rules = fileOf("docs/text.md");
writeFileSync(rules, withRules(readFileSync(rules, "utf8")));
writeFileSync(fileOf("openapi.json"), await generateOpenApi());

const configuration = fileOf("docs/configuration.md");
writeFileSync(configuration, withVariables(readFileSync(configuration, "utf8")));

const commands = fileOf("docs/command-line.md");
writeFileSync(commands, await withCommands(readFileSync(commands, "utf8")));

const clients = fileOf("docs/tested-clients.md");
writeFileSync(clients, withClients(readFileSync(clients, "utf8")));

const models = fileOf("docs/models.md");
writeFileSync(models, withPackageTables(readFileSync(models, "utf8")));

const monitoring = fileOf("docs/monitoring.md");
writeFileSync(monitoring, withMetrics(withLogEvents(readFileSync(monitoring, "utf8"))));

const webhooks = fileOf("docs/webhooks.md");
writeFileSync(webhooks, withWebhookEvents(readFileSync(webhooks, "utf8")));

const requests = fileOf("docs/requests.md");
writeFileSync(requests, withErrors(readFileSync(requests, "utf8")));
if (installedFamilies().has("decode"))
  writeFileSync(requests, await withFormats(readFileSync(requests, "utf8")));
