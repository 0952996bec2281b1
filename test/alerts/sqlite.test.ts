/** Promise: spend alerts in the embedded database keep their contract. */
import { balanceAlertContract } from "../contract/alerts/balance.ts";
import { alertContract } from "../contract/alerts/going-off.ts";
import { sqliteNodes } from "../contract/alerts/nodes.ts";
import { recipientContract } from "../contract/alerts/recipients.ts";
import { toldAlertContract } from "../contract/alerts/telling.ts";

alertContract("sqlite", sqliteNodes);
toldAlertContract("sqlite", sqliteNodes);
balanceAlertContract("sqlite", sqliteNodes);
recipientContract("sqlite", sqliteNodes);
