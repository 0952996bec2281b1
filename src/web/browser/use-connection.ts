/** The state of the connection, for components. */
import { useSyncExternalStore } from "react";
import { type Connection, connectionNow, onConnection } from "./connection.ts";

export const useConnection = (): Connection => useSyncExternalStore(onConnection, connectionNow);
