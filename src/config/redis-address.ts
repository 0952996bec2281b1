/**
 * The address of Redis: of a server, or of the sentinels that know which server is the primary.
 *
 *   redis[s]://[user:password@]host[:port][/database]
 *   redis[s]+sentinel://[user:password@]host[:port],host[:port],…/name[/database][?sentinel_password=password]
 */
export type RedisAddress = { url: string } | RedisSentinels;

/** `name`: of the primary. User and password are those of the servers; `isEncrypted`: TLS to servers and sentinels. */
type RedisSentinels = {
  sentinels: { host: string; port: number }[];
  name: string;
  database: number;
  username: string | null;
  password: string | null;
  sentinelPassword: string | null;
  isEncrypted: boolean;
};

const SENTINEL_PORT = 26_379;
const SENTINELS =
  /^(rediss?)\+sentinel:\/\/(?:([^@/]*)@)?([^@/?]+)\/([^/?]+)(?:\/(\d{1,3}))?(?:\?sentinel_password=([^&]+))?$/;
const HOST = /^(\[[\da-f:.]+\]|[^:[\]\s]+)(?::(\d{1,5}))?$/i;

/** Null where it is no such address. */
export function redisAddress(text: string): RedisAddress | null {
  if (/^rediss?:\/\/./.test(text)) return URL.canParse(text) ? { url: text } : null;
  const parts = SENTINELS.exec(text);
  if (parts === null) return null;
  const [, scheme, user = "", hosts = "", name = "", database = "0", sentinelPassword] = parts;
  const sentinels = hosts.split(",").flatMap((each) => sentinelAt(each) ?? []);
  if (sentinels.length !== hosts.split(",").length) return null;
  const [username, password] = credentials(user);
  try {
    return {
      sentinels,
      name: decodeURIComponent(name),
      database: Number(database),
      username: username && decodeURIComponent(username),
      password: password && decodeURIComponent(password),
      sentinelPassword: sentinelPassword === undefined ? null : decodeURIComponent(sentinelPassword),
      isEncrypted: scheme === "rediss",
    };
  } catch {
    return null;
  }
}

function sentinelAt(text: string): { host: string; port: number } | null {
  const parts = HOST.exec(text.trim());
  if (parts === null) return null;
  const [, host = "", port = String(SENTINEL_PORT)] = parts;
  if (Number(port) < 1 || Number(port) > 65_535) return null;
  return { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
}

/** "user:password", ":password" or "user". */
function credentials(user: string): [username: string | null, password: string | null] {
  const colon = user.indexOf(":");
  const [name, password] = colon < 0 ? [user, ""] : [user.slice(0, colon), user.slice(colon + 1)];
  return [name || null, password || null];
}
