/**
 * A decision about limits as a script of Redis: the arithmetic of `bucket.ts`.
 *
 *   KEYS   the set of slots, then a hash for each bucket: points, at, and each loan by its holder ("points until")
 *   ARGV   now, lease of a slot, slot, its maximum, then for each bucket: cost, points a minute, and an exchange
 *          then for each cap of slots: whose it is, and its maximum
 *   answer what refused: the index of a bucket, "slot", or "slot " and whose cap it is; slots held, then for each bucket: points, retry, reset, and what was lent where it was exchanged
 *
 * Times and points are passed as text, because Redis truncates Lua numbers.
 */
import { EPSILON, KEPT_PART, LOAN_MS } from "./bucket.ts";

export const DECIDE = `
local now, leaseMs, slotId, slotMax = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
local slots = KEYS[1]
local answer, takes = { "", "0" }, {}
local function exact(points) return string.format("%.9f", points) end
local function timeFor(missing, perMinute)
  if missing <= 0 then return 0 end
  return math.ceil(missing * 60000 / math.max(perMinute, 1e-300))
end
local function refilled(key, perMinute)
  local stored, loans, ended = redis.call("HGETALL", key), {}, {}
  if #stored == 0 then return { key = key, points = perMinute, at = now, loans = loans, ended = ended } end
  local points, at, lent, from = 0, now, 0, 0
  for i = 1, #stored, 2 do
    local name, value = stored[i], stored[i + 1]
    if name == "points" then points = tonumber(value)
    elseif name == "at" then at = tonumber(value)
    else
      local loan, untilMs = string.match(value, "^(%S+) (%S+)$")
      loan, untilMs = tonumber(loan), tonumber(untilMs)
      if untilMs <= now or untilMs > now + 60000 then
        ended[#ended + 1] = name
        if untilMs <= now then from = math.max(from, untilMs) end
      else
        loans[name] = loan
        lent = lent + loan
      end
    end
  end
  if now > at then
    points = points + (now - math.max(at, from)) * perMinute / 60000
    at = now
  elseif at - now > 60000 then at = now end
  points = math.min(points, math.max(0, perMinute - lent))
  return { key = key, points = points, at = at, loans = loans, ended = ended }
end
local function keep(bucket)
  redis.call("HSET", bucket.key, "points", exact(bucket.points), "at", string.format("%d", bucket.at))
  if #bucket.ended > 0 then redis.call("HDEL", bucket.key, unpack(bucket.ended)) end
  if bucket.loan then redis.call("HSET", bucket.key, bucket.holder, bucket.loan) end
  redis.call("PEXPIRE", bucket.key, 300000)
end
local function tell(bucket, perMinute, retryMs, lent)
  answer[#answer + 1] = exact(bucket.points)
  answer[#answer + 1] = tostring(retryMs)
  answer[#answer + 1] = tostring(timeFor(perMinute - bucket.points, perMinute))
  answer[#answer + 1] = lent
end
local function refusal(code)
  answer[1] = code
  for i = 1, #takes do answer[2 + i * 4] = "" end
  return answer
end
for i = 2, #KEYS do
  local given = (i - 2) * 5 + 4
  local cost, perMinute, holder = tonumber(ARGV[given + 1]), tonumber(ARGV[given + 2]), ARGV[given + 3]
  local bucket, lent = refilled(KEYS[i], perMinute), ""
  if holder ~= "" then
    bucket.points = bucket.points + math.min(tonumber(ARGV[given + 4]), bucket.loans[holder] or 0)
    bucket.ended[#bucket.ended + 1] = holder
    lent = "0"
  end
  if bucket.points + ${EPSILON} < cost then
    keep(bucket)
    tell(bucket, perMinute, timeFor(cost - bucket.points, perMinute), lent)
    return refusal(tostring(i - 2))
  end
  bucket.points = math.max(0, bucket.points - cost)
  if holder ~= "" then
    local loan = math.min(tonumber(ARGV[given + 5]), bucket.points - perMinute * ${KEPT_PART})
    if loan > ${EPSILON} then
      bucket.points = bucket.points - loan
      lent = exact(loan)
      bucket.holder, bucket.loan = holder, lent .. " " .. string.format("%d", now + ${LOAN_MS})
    end
  end
  tell(bucket, perMinute, 0, lent)
  takes[#takes + 1] = bucket
end
if slotId ~= "" then
  redis.call("ZREMRANGEBYSCORE", slots, "-inf", now)
  for _, id in ipairs(redis.call("ZRANGEBYSCORE", slots, "(" .. (now + leaseMs), "+inf")) do
    redis.call("ZADD", slots, now + leaseMs, id)
  end
  for i = 4 + (#KEYS - 1) * 5 + 1, #ARGV, 2 do
    local theirs = 0
    for _, id in ipairs(redis.call("ZRANGE", slots, 0, -1)) do
      if string.find(id .. " ", " " .. ARGV[i] .. " ", 1, true) then theirs = theirs + 1 end
    end
    if theirs >= tonumber(ARGV[i + 1]) then return refusal("slot " .. ARGV[i]) end
  end
  local held = redis.call("ZCARD", slots)
  if held >= slotMax then return refusal("slot") end
  redis.call("ZADD", slots, now + leaseMs, slotId)
  redis.call("PEXPIRE", slots, leaseMs * 4)
  answer[2] = tostring(held + 1)
end
for _, bucket in ipairs(takes) do keep(bucket) end
return answer
`;
