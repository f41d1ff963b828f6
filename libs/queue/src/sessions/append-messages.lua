-- appendMessages(session, messages, ids, kept, args, first, count): appends messages to a conversation, each under the next number of its
-- session. A message whose id is known is skipped. The oldest messages above `kept` are removed; their ids are known for longer, so that a
-- repeated step does not append them again. Each message has three arguments: id, size in characters, JSON. It is stored as one text: its
-- number, its size and its JSON, separated by blanks.
-- Returns the number of new messages.
local KEPT_IDS = 1000
local function appendMessages(session, messages, ids, kept, args, first, count)
  local added = 0
  for n = first, first + 3 * count - 1, 3 do
    if not redis.call('ZSCORE', ids, args[n]) then
      local number = redis.call('HINCRBY', session, 'messages', 1)
      redis.call('RPUSH', messages, string.format('%d ', number) .. args[n + 1] .. ' ' .. args[n + 2])
      redis.call('ZADD', ids, number, args[n])
      added = added + 1
    end
  end
  if added > 0 then
    redis.call('LTRIM', messages, -kept, -1)
    redis.call('ZREMRANGEBYRANK', ids, 0, -(kept + KEPT_IDS + 1))
    local life = redis.call('TTL', session)
    for _, key in ipairs({ messages, ids }) do
      if redis.call('TTL', key) < life * 0.99 then redis.call('EXPIRE', key, life) end
    end
  end
  return added
end
