-- countInRing(prefix): the number of jobs in all lanes of a queue.
local function countInRing(prefix)
  local put, left = unpack(redis.call('MGET', prefix .. 'fair:put', prefix .. 'fair:left'))
  return math.max(0, (tonumber(put) or 0) - (tonumber(left) or 0))
end
