import { followPlugin as follow } from '../../test/follow-plugin.js';

const NODE = 'plugins/dice/nodes/index.js';
const code = (value: string, before = '') =>
  `${before}
   exports.nodes = [{ type: 'dice:roll', description: 'd', inputs: {}, outputs: {}, run: () => (${value}) }];`;

test('An edit of plugin code is live, also in the files that it requires', async () => {
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
  ['is not code', 'exports.nodes = [', /Unexpected end of input/],
  ['ends the process', 'process.exit(3)', /calls process.exit when it is loaded/],
  ['exports garbage', 'exports.nodes = [{ type: 1 }]', /number 1 has no 'type'/],
  ['exports nothing', 'module.exports = null', /must export/],
  ['has invalid slots', code('1').replace('inputs: {}', 'inputs: { a: 5 }'), /'inputs.a' must be an object/],
])('Plugin code that %s fails alone, and after an edit the old code stays', async (_what, broken, message) => {
  const said = [expect.stringMatching(message)];
  const { write, says, end } = follow({ [NODE]: broken });
  await says({ gives: null, problems: said });
  write(NODE, code('{ a: 1 }'));
  await says({ gives: { a: 1 }, problems: [] });
  write(NODE, broken);
  await says({ gives: { a: 1 }, problems: said });
  write(NODE, code('{ a: 2 }'));
  await says({ gives: { a: 2 }, problems: [] });
  await end();
});

test('The first version of an ES module stays, and a problem asks for a restart', async () => {
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

test('An error in plugin code is reported with the file that throws', async () => {
  const { says, end } = follow({
    [NODE]: "require('./deep')",
    'plugins/dice/nodes/deep.js': "\n\nthrow new Error('no dice');",
  });
  await says({ gives: null, problems: [expect.stringMatching(/no dice \(nodes\/deep\.js:3\)/)] });
  await end();
});

test.each([
  ['in a timer', "setTimeout(() => { throw new Error('too late') }, 1)"],
  ['in an unhandled promise', "void (async () => { throw new Error('too late') })()"],
])('Loaded plugin code that throws %s neither ends the process nor disables its plugin', async (_where, late) => {
  const { says, end } = follow({ [NODE]: code('{ a: 1 }', late) });
  await says({
    gives: { a: 1 },
    problems: [expect.stringMatching(/uncaught error after it was loaded: too late \(nodes\/index\.js:1\)/)],
  });
  await end();
});

test('A thrown value that cannot be read is reported like any error', async () => {
  const { says, end } = follow({ [NODE]: 'throw { get message() { throw 1 } }' });
  await says({ gives: null, problems: [expect.stringMatching(/cannot be shown/)] });
  await end();
});
