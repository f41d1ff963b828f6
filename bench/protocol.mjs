// Parsing: speed against fast-xml-parser and JSON.parse on the same calls, and growth with size. Prints Markdown tables.
//   npm run build && node bench/protocol.mjs
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { XMLParser } from 'fast-xml-parser';
import { noteGoal } from './goals/note-goal.mjs';
import { compared, quantile, ratioCells, table } from './measure.mjs';

const dist = (lib) => fileURLToPath(new URL(`../dist/libs/${lib}/src/index.js`, import.meta.url));
if (!existsSync(dist('protocol')) || !existsSync(dist('registry'))) {
  console.error('The build is missing: run `npm run build` first.');
  process.exit(1);
}
const require = createRequire(import.meta.url);
const { checkCalls, parse, writeAction, writeTam } = require(dist('protocol'));
const { toolLookupOf } = require(dist('registry'));

const properties = {
  path: { type: 'string' },
  content: { type: 'string' },
  mode: { type: 'integer' },
  tags: { type: 'array', items: { type: 'string' } },
};
const bookOf = (declared) => toolLookupOf([{ toolId: 'write', parameters: { type: 'object', properties: declared } }]);
const tools = bookOf(properties);
const withDefault = bookOf({ ...properties, dry: { type: 'boolean', default: false } });
const trusting = { ...tools, validate: (_tool, args) => ({ arguments: args, problems: [] }) };
const library = new XMLParser({
  preserveOrder: true,
  parseTagValue: false,
  cdataPropName: '#cdata',
  htmlEntities: true,
});

/** Calls whose ACTION block has about `bytes` bytes: short values, and source code in CDATA. */
function callsOf(bytes) {
  const code = 'if (a < b && c > 0) {\n  return items.map((item) => item.name);\n}\n'.repeat(5);
  const one = { toolId: 'write', arguments: { path: 'src/a.js', content: code, mode: 420, tags: ['new', 'code'] } };
  return Array.from({ length: Math.max(1, Math.round(bytes / writeAction([one]).length)) }, () => one);
}

/** The processor time of one run in ms, over at least 100 ms. */
function millisOf(run) {
  const start = process.cpuUsage();
  let runs = 0;
  let used = 0;
  while (used < 100) {
    run();
    runs++;
    const { user, system } = process.cpuUsage(start);
    used = (user + system) / 1_000;
  }
  return used / runs;
}

const megabytes = (text) => Buffer.byteLength(text) / 1e6;
const calls = callsOf(100_000);
const [action, tam, json] = [writeAction(calls), writeTam(calls), JSON.stringify(calls)];
const checked = [action, tam].map((text) => parse(text, { tools }).calls.length);
if (checked.some((count) => count !== calls.length))
  throw new Error(`Parsed ${checked.join(' and ')} of ${calls.length} calls`);

const ROUNDS = 11;
/** The first rounds run code that is not optimized yet. */
const WARM_UP = 2;
const sides = [
  ['ACTION: calls, types, validation', action, () => parse(action, { tools })],
  ['ACTION: calls and types, without validation', action, () => parse(action, { tools: trusting })],
  ['TAM: calls, types, validation', tam, () => parse(tam, { tools })],
  ['JSON: validation of parsed calls', json, () => checkCalls(tools, calls)],
  ['JSON: validation, with a default to fill in', json, () => checkCalls(withDefault, calls)],
  ['fast-xml-parser alone, a tree', action, () => library.parse(action)],
  ['JSON.parse alone', json, () => JSON.parse(json)],
].map(([name, text, run]) => ({ name, kilobytes: megabytes(text) * 1_000, run, rounds: [] }));
// All sides run in turn, so that other load affects each of them.
for (let round = 0; round < WARM_UP + ROUNDS; round++) {
  for (const { run, rounds } of sides) {
    const millis = millisOf(run);
    if (round >= WARM_UP) rounds.push(millis);
  }
}
const [ofLibrary, ofJson] = sides.slice(-2);
/** How often a side runs in the time of another: higher is better. */
const speedOver = (side, other) => ratioCells(compared({ ours: other.rounds, theirs: side.rounds }));

console.log(`The same ${calls.length} calls in each notation, in ${ROUNDS} rounds in turn. The time is processor time, the median of the rounds.
The ratios are the time of the other side to the time of this one, with the lowest and the highest ratio of a round; higher is better.
fast-xml-parser and JSON.parse read no types, look up no tools and validate nothing. The former reads the ACTION text.\n`);
for (const [goal, side] of [
  ['action', sides[0]],
  ['tam', sides[2]],
])
  noteGoal(goal, compared({ ours: ofLibrary.rounds, theirs: side.rounds }).ratios);
const head = ['', 'text', 'time', 'fast-xml-parser / it', 'range', 'JSON.parse / it', 'range'];
const rows = sides.map((side) => [
  side.name,
  `${side.kilobytes.toFixed(0)} KB`,
  `${quantile(side.rounds).toFixed(2)} ms`,
  ...speedOver(side, ofLibrary),
  ...speedOver(side, ofJson),
]);
console.log(table(head, rows));

console.log('\nTime per byte, relative to the time per byte at 100 KB (1.00 is linear growth):\n');
console.log('| | 1 KB | 10 KB | 100 KB | 300 KB | 1 MB |\n|---|---:|---:|---:|---:|---:|');
const sizes = [1_000, 10_000, 100_000, 300_000, 1_000_000];
const prose = 'Some prose, with a < sign, an & sign and a name: here. ';
const write = (size) => ({ toolId: 'write', arguments: { content: prose.repeat(size / prose.length) } });
const growing = [
  { name: 'ACTION, one call', make: (size) => writeAction([write(size)]) },
  { name: 'ACTION, up to 1,000 calls', make: (size) => writeAction(callsOf(size).slice(0, 1_000).map(lengthen(size))) },
  { name: 'TAM, one call', make: (size) => writeTam([write(size)]) },
  { name: 'prose alone', make: (size) => prose.repeat(size / prose.length) },
];
for (const { name, make } of growing) {
  const times = sizes.map((size) => {
    const text = make(size);
    const rounds = Array.from({ length: 5 }, () => millisOf(() => parse(text, { tools })));
    return quantile(rounds) / megabytes(text);
  });
  console.log(`| ${name} | ${times.map((time) => (time / times[2]).toFixed(2)).join(' | ')} |`);
}

/** A submission holds at most 1,000 calls, so above that the calls grow, not their number. */
function lengthen(size) {
  const longer = Math.max(1, size / 400_000);
  return (call) => ({ ...call, arguments: { ...call.arguments, content: call.arguments.content.repeat(longer) } });
}
