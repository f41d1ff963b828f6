import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { eventually } from '../test/eventually.js';
import { writeLibrary } from '../test/write-library.js';

const TEST = join(__dirname, '../test');
const NODE = 'plugins/dice/nodes/index.js';
const code = (value: string, before = '') =>
  `${before}
   exports.nodes = [{ type: 'dice:roll', description: 'd', inputs: {}, outputs: {}, run: () => (${value}) }];`;

interface State {
  gives?: unknown;
  problems?: string[];
  notice?: string;
}

/** The library in a process of its own, for the modules of Node as they are: Jest has others. */
function follow(files: Record<string, string>, program: string[] = [process.execPath]) {
  const folder = writeLibrary({
    'plugins/dice/plugin.yaml': 'name: dice\nversion: 1.0.0\nnodes: {entry: nodes/index}',
    ...files,
  });
  const [command, ...args] = [...program, '-r', join(TEST, 'run-typescript.cjs'), join(TEST, 'tell-plugin.ts'), folder];
  const child: ChildProcess = spawn(command!, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const states: State[] = [];
  createInterface({ input: child.stdout! }).on('line', (line) => states.push(JSON.parse(line)));
  return {
    write: (path: string, content: string) => writeFileSync(join(folder, path), content),
    says: (expected: State) => eventually(() => expect(states.at(-1)).toMatchObject(expected)),
    told: states,
    /** A watch that is closed lets its process end by itself. */
    async end() {
      child.stdin!.end();
      const [exitCode] = await once(child, 'close');
      expect(exitCode).toBe(0);
    },
  };
}

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
  ['hangs', 'for (;;);', /does not end loading within 2 s/],
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
