import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Limits } from '@errand/contracts';
import { describeWithDocker, RealSandbox, type Attempt } from './real-sandbox.js';

const FOLDER = join(__dirname, 'attacks');
const LANGUAGES = { '.py': 'python', '.js': 'bun' } as const;

/**
 * Every file in `attacks/` is one attack. Its head says what it attacks, what defends, and what is expected: a JSON value that
 * it prints (`[]`: nothing was achieved), or an error type with the limit that it names. A new attack is a new file.
 */
interface Attack {
  file: string;
  language: 'python' | 'bun';
  limits: Limits;
  expected: Partial<Attempt>;
}

function readSource(file: string): string {
  return readFileSync(join(FOLDER, file), 'utf8');
}

function readAttack(file: string): Attack {
  const text = readSource(file);
  const field = (name: string) => new RegExp(`^${name}: (.+)$`, 'm').exec(text)?.[1];
  const expect = field('Expect');
  if (!expect || !field('Attack')) throw new Error(`${file} does not say what it attacks and what is expected`);
  const extension = extname(file);
  if (extension !== '.py' && extension !== '.js') throw new Error(`${file} is neither Python nor JavaScript`);
  const limits: Limits = JSON.parse(field('Limits') ?? '{}');
  return { file, language: LANGUAGES[extension], limits, expected: readExpectation(expect) };
}

function readExpectation(text: string): Partial<Attempt> {
  if (text.startsWith('[')) return { result: JSON.parse(text) };
  const [type, limit] = text.split(' ');
  return { error: expect.objectContaining({ type, ...(limit && { details: expect.objectContaining({ limit }) }) }) };
}

const attacks = readdirSync(FOLDER)
  .filter((file) => !file.startsWith('attempts.'))
  .map(readAttack);

describeWithDocker('escapes', () => {
  const real = new RealSandbox();
  beforeAll(() => real.require());
  afterAll(() => real.sandbox.close());

  it.each(attacks)('$file', async ({ file, language, limits, expected }) => {
    const beside = `attempts${extname(file)}`;
    const files = { [file]: readSource(file), [beside]: readSource(beside) };
    const attempt = await real.attempt(language, files, { limits: { timeoutMs: 20_000, ...limits } });
    expect(attempt).toMatchObject(expected);
    await real.sandbox.idle();
    expect(await real.left()).toEqual([]);
  });

  it('leave the engine fit for the next run', async () => {
    expect(await real.attempt('python', 'print("well")'.replace('"well"', '\'"well"\''))).toMatchObject({
      result: 'well',
    });
  });
});
