-- keepAtLeast(key, seconds): extends the life of a key that expires earlier or never.
local function keepAtLeast(key, seconds)
  if redis.call('TTL', key) < seconds then redis.call('EXPIRE', key, seconds) end
end

-- agentsOfSession(session): the agents that have had a turn in the session.
local function agentsOfSession(session)
  local agents = {}
  for _, field in ipairs(redis.call('HKEYS', session)) do
    if string.sub(field, 1, 6) == 'turns:' then agents[#agents + 1] = string.sub(field, 7) end
  end
  return agents
end

-- touchSession(session, name, agent, now, seconds, prefixes): creates the session if it does not exist, and keeps all its keys for `seconds`
-- from now on. Their lives may differ by 1 %, so that most calls cost the same for each number of agents. `agent` has acted in the session;
-- it is '' for a change by nobody.
local function touchSession(session, name, agent, now, seconds, prefixes)
  local createdAt, turns = unpack(redis.call('HMGET', session, 'createdAt', 'turns:' .. agent))
  if createdAt then redis.call('HSET', session, 'updatedAt', now)
  else redis.call('HSET', session, 'session', name, 'createdAt', now, 'updatedAt', now) end
  if agent ~= '' and not turns then redis.call('HSET', session, 'turns:' .. agent, 0) end
  if redis.call('TTL', session) >= seconds * 0.99 then return end
  keepAtLeast(session, seconds)
  for _, other in ipairs(agentsOfSession(session)) do
    for _, prefix in ipairs(prefixes) do keepAtLeast(prefix .. other, seconds) end
  end
end
