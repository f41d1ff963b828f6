-- appendMessages(session, stream, ids, kept, args, first, count): appends messages to a conversation, each under the next number of its
-- session. A message whose id is known is skipped. The oldest messages above `kept` are removed; their ids are known for longer, so that a
-- repeated step does not append them again. Each message has three arguments: id, size in characters, JSON.
-- Returns the number of new messages.
local KEPT_IDS = 1000
local function appendMessages(session, stream, ids, kept, args, first, count)
  local added = 0
  for n = first, first + 3 * count - 1, 3 do
    if not redis.call('ZSCORE', ids, args[n]) then
      local number = redis.call('HINCRBY', session, 'messages', 1)
      redis.call('XADD', stream, 'MAXLEN', '=', kept, string.format('%d-0', number), 's', args[n + 1], 'm', args[n + 2])
      redis.call('ZADD', ids, number, args[n])
      added = added + 1
    end
  end
  if added > 0 then
    redis.call('ZREMRANGEBYRANK', ids, 0, -(kept + KEPT_IDS + 1))
    local life = redis.call('TTL', session)
    redis.call('EXPIRE', stream, life)
    redis.call('EXPIRE', ids, life)
  end
  return added
end
