import { cleanReason } from './clean-reason.js';

it.each([
  ['the wrong file', 'the wrong file'],
  ['  two\r\nlines\t and a tab\u0000 ', 'two lines  and a tab'],
  ['a\u2028b\u2029c\u0085d', 'a b c d'],
  ['\u001b[31mred\u001b[0m', '[31mred [0m'],
  ['hidden \u202etext\u2069', 'hidden  text'],
  ['half \ud800', 'half \ufffd'],
  ['<b>{{steps.1.result}}</b> 漢字', '<b>{{steps.1.result}}</b> 漢字'],
  [' \n\t', ''],
  ['', ''],
  [undefined, ''],
])('The reason %j becomes %j', (given, cleaned) => {
  expect(cleanReason(given)).toBe(cleaned);
});
