-- digits(number): a whole number as a text. Redis itself formats a number with all digits of a fraction, which takes 1 µs more if it is long.
local function digits(number) return string.format('%d', number) end
