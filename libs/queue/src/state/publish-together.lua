-- publishTogether(messages): publishes several notifications as one message, with a line for each. Each process receives every message.
local function publishTogether(messages)
  if #messages > 0 then redis.call('PUBLISH', '${notifications}', table.concat(messages, '\n')) end
end
