import { followPlugin as follow } from '../test/follow-plugin.js';

const NODE = 'plugins/dice/nodes/index.js';
const code = (value: string, before = '') =>
  `${before}
   exports.nodes = [{ type: 'dice:roll', description: 'd', inputs: {}, outputs: {}, run: () => (${value}) }];`;

test('an edit of the code is live, also of what the entry requires', async () => {
  const { write, says, end } = follow({ [NODE]: code('{ a: 1 }') });
  await says({ gives: { a: 1 }, problems: [] });
  write(NODE, code("{ a: require('./value') }"));
  write('plugins/dice/nodes/value.js', 'module.exports = 2');
  await says({ gives: { a: 2 }, problems: [] });
  write('plugins/dice/nodes/value.js', 'module.exports = 3');
  await says({ gives: { a: 3 }, problems: [] });
  await end();
});

test.each([
  ['throws', "throw new Error('no dice')", /no dice/],
  ['is no code', 'exports.nodes = [', /Unexpected end of input/],
  ['ends the process', 'process.exit(3)', /calls process.exit when it is loaded/],
  ['gives rubbish', 'exports.nodes = [{ type: 1 }]', /number 1 has no 'type'/],
  ['gives nothing', 'module.exports = null', /must export/],
  ['has slots that are none', code('1').replace('inputs: {}', 'inputs: { a: 5 }'), /'inputs.a' must be an object/],
])('code that %s takes only its plugin down, and after an edit the old code stays', async (_what, broken, message) => {
  const said = [expect.stringMatching(message)];
  const fresh = follow({ [NODE]: broken });
  await fresh.says({ gives: null, problems: said });
  await fresh.end();
  const { write, says, end } = follow({ [NODE]: code('{ a: 1 }') });
  await says({ gives: { a: 1 }, problems: [] });
  write(NODE, broken);
  await says({ gives: { a: 1 }, problems: said });
  write(NODE, code('{ a: 2 }'));
  await says({ gives: { a: 2 }, problems: [] });
  await end();
});

test('of an ES module the first version stays, and that is said', async () => {
  const files = {
    'plugins/dice/package.json': '{"type": "module"}',
    [NODE]: code('{ a: 1 }').replace('exports.', 'export const '),
  };
  const { write, says, end } = follow(files);
  await says({ gives: { a: 1 }, problems: [] });
  write(NODE, code('{ a: 2 }').replace('exports.', 'export const '));
  await says({ gives: { a: 1 }, problems: [expect.stringMatching(/restart Errand/)] });
  await end();
});

test('what is thrown is placed in the file that throws', async () => {
  const { says, end } = follow({
    [NODE]: "require('./deep')",
    'plugins/dice/nodes/deep.js': "\n\nthrow new Error('no dice');",
  });
  await says({ gives: null, problems: [expect.stringMatching(/no dice \(nodes\/deep\.js:3\)/)] });
  await end();
});

test.each([
  ['in a timer', "setTimeout(() => { throw new Error('too late') }, 1)"],
  ['in a promise that nobody waits for', "void (async () => { throw new Error('too late') })()"],
])('code that throws %s, once it is loaded, neither ends the process nor loses its plugin', async (_where, late) => {
  const { says, end } = follow({ [NODE]: code('{ a: 1 }', late) });
  await says({ gives: { a: 1 }, problems: [expect.stringMatching(/uncaught: too late \(nodes\/index\.js:1\)/)] });
  await end();
});

test('what fails even when it is looked at is a fault like any', async () => {
  const { says, end } = follow({ [NODE]: 'throw { get message() { throw 1 } }' });
  await says({ gives: null, problems: [expect.stringMatching(/cannot be shown/)] });
  await end();
});
