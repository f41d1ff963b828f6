-- digits(number): a whole number as a text. Redis itself formats a long number in twice the time
-- (bench/lua.mjs).
local function digits(number) return string.format('%d', number) end
