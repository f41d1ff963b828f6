// Parsing: speed against fast-xml-parser and JSON.parse on the same calls, and growth with size. Prints Markdown tables.
//   npx nest build api && node bench/protocol.mjs
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { XMLParser } from 'fast-xml-parser';
import { noteGoal } from './goals/note-goal.mjs';

const dist = (lib) => fileURLToPath(new URL(`../dist/libs/${lib}/src/index.js`, import.meta.url));
if (!existsSync(dist('protocol')) || !existsSync(dist('registry'))) {
  console.error('The build is missing: run `npm run build` first.');
  process.exit(1);
}
const require = createRequire(import.meta.url);
const { parse, writeAction, writeTam } = require(dist('protocol'));
const { toolLookupOf } = require(dist('registry'));

const properties = {
  path: { type: 'string' },
  content: { type: 'string' },
  mode: { type: 'integer' },
  tags: { type: 'array', items: { type: 'string' } },
};
const tools = toolLookupOf([{ toolId: 'write', parameters: { type: 'object', properties } }]);
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

/** The time of one run in ms: the median of rounds that each last 100 ms. */
function millisOf(run, count = 9) {
  const rounds = [];
  for (let round = 0; round < count; round++) {
    const start = performance.now();
    let runs = 0;
    do {
      run();
      runs++;
    } while (performance.now() - start < 100);
    rounds.push((performance.now() - start) / runs);
  }
  return rounds.toSorted((a, b) => a - b)[Math.floor(count / 2)];
}

const megabytes = (text) => Buffer.byteLength(text) / 1e6;
const calls = callsOf(100_000);
const [action, tam, json] = [writeAction(calls), writeTam(calls), JSON.stringify(calls)];
const checked = [action, tam].map((text) => parse(text, { tools }).calls.length);
if (checked.some((count) => count !== calls.length))
  throw new Error(`Parsed ${checked.join(' and ')} of ${calls.length} calls`);

const speeds = [
  ['ACTION: calls, types, validation', action, () => parse(action, { tools })],
  ['ACTION: calls and types, without validation', action, () => parse(action, { tools: trusting })],
  ['TAM: calls, types, validation', tam, () => parse(tam, { tools })],
  ['fast-xml-parser alone, a tree', action, () => library.parse(action)],
  ['JSON.parse alone', json, () => JSON.parse(json)],
].map(([name, text, run]) => ({ name, kilobytes: megabytes(text) * 1_000, millis: millisOf(run) }));
const [ofLibrary, ofJson] = speeds.slice(-2);

/** The time of fast-xml-parser, divided by that of a parse, in five runs of both in turn. */
function runsBesideLibrary(text) {
  return Array.from({ length: 5 }, () => {
    const theirs = millisOf(() => library.parse(action), 3);
    return theirs / millisOf(() => parse(text, { tools }), 3);
  });
}
noteGoal('action', runsBesideLibrary(action));
noteGoal('tam', runsBesideLibrary(tam));

console.log(`The same ${calls.length} calls in each notation. The ratios compare the time for all of them; lower is better.
fast-xml-parser and JSON.parse read no types, look up no tools and validate nothing. The former reads the ACTION text.\n`);
console.log('| | text | time | to fast-xml-parser | to JSON.parse |\n|---|---:|---:|---:|---:|');
for (const { name, kilobytes, millis } of speeds) {
  const ratios = [ofLibrary, ofJson].map((other) => (millis / other.millis).toFixed(2));
  console.log(`| ${name} | ${kilobytes.toFixed(0)} KB | ${millis.toFixed(2)} ms | ${ratios.join(' | ')} |`);
}

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
    return millisOf(() => parse(text, { tools })) / megabytes(text);
  });
  console.log(`| ${name} | ${times.map((time) => (time / times[2]).toFixed(2)).join(' | ')} |`);
}

/** A submission holds at most 1,000 calls, so above that the calls grow, not their number. */
function lengthen(size) {
  const longer = Math.max(1, size / 400_000);
  return (call) => ({ ...call, arguments: { ...call.arguments, content: call.arguments.content.repeat(longer) } });
}
