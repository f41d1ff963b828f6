import { ToolError } from '@errand/contracts';
import * as fc from 'fast-check';
import { maskSecrets } from './mask-secrets.js';

const SECRET = 'pa$$ wörd/+?&"\\x';
const mask = maskSecrets({ KEY: SECRET });
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('maskSecrets', () => {
  it.each([
    ['as plain text', SECRET],
    ['in base64', base64(SECRET)],
    ['in base64 for URLs', Buffer.from(SECRET).toString('base64url')],
    ['in hex', Buffer.from(SECRET).toString('hex')],
    ['in a URL', encodeURIComponent(SECRET)],
    ['in a form', new URLSearchParams({ SECRET }).toString().slice('SECRET='.length)],
    ['in JSON', JSON.stringify(SECRET)],
    ['in ASCII JSON', JSON.stringify(SECRET).replace('ö', '\\u00f6')],
    ['in JSON inside JSON', JSON.stringify(JSON.stringify(SECRET).slice(1, -1))],
    ['in ASCII JSON inside JSON', JSON.stringify(JSON.stringify(SECRET).slice(1, -1).replace('ö', '\\u00f6'))],
    ['as a Python string', `'${SECRET.replace('\\', '\\\\')}'`],
  ])('A secret %s is masked', (_how, spelled) => {
    const masked = mask.text(`before ${spelled} after`);
    expect(masked).toMatch(/^before ["']?\[secret KEY\]["']? after$/);
  });

  it('The beginning of a secret is masked at the end of each line in logs and errors', () => {
    for (let length = 4; length < SECRET.length; length++) {
      const cut = SECRET.slice(0, length);
      expect(mask.text(`a ${cut}\nb ${cut} … [line cut]\nc`)).toBe('a [secret KEY]\nb [secret KEY] … [line cut]\nc');
    }
    const error = mask.error(new ToolError('OutputError', 'no', { stdout: `pa$$ pa$$ w` }));
    expect((error as ToolError).details).toEqual({ stdout: 'pa$$ [secret KEY]' });
    expect(mask.json('pa$$ w')).toBe('pa$$ w');
  });

  it('A secret inside the base64 of a longer text is masked at every position', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        const masked = mask.text(base64(`${before}${SECRET}${after}`));
        expect(masked).toContain('[secret KEY]');
        const left = Buffer.from(masked.replace('[secret KEY]', ''), 'base64').toString();
        expect(left).not.toContain(SECRET.slice(3, -3));
      }),
    );
  });

  it('Each line of a secret with several lines is masked', () => {
    const key = maskSecrets({ PEM: '-----BEGIN-----\nMIIEvQIBADAN\nBgkqhkiG\n' });
    expect(key.text('the second is MIIEvQIBADAN.')).toBe('the second is [secret PEM].');
  });

  it('Values and keys of JSON are masked at any depth', () => {
    expect(mask.json({ a: [SECRET, 1, null, true], [SECRET]: { b: `x${SECRET}` } })).toEqual({
      a: ['[secret KEY]', 1, null, true],
      '[secret KEY]': { b: 'x[secret KEY]' },
    });
    expect(mask.json({ ['__proto__']: SECRET })).toEqual(JSON.parse('{"__proto__":"[secret KEY]"}'));
  });

  it('The message and details of a ToolError are masked, and other errors stay unchanged', () => {
    const error = mask.error(new ToolError('ScriptError', `401 for ${SECRET}`, { log: SECRET, exitCode: 1 }));
    expect((error as ToolError).toFailure()).toEqual({
      type: 'ScriptError',
      message: '401 for [secret KEY]',
      details: { log: '[secret KEY]', exitCode: 1 },
    });
    const other = new Error('x');
    expect(mask.error(other)).toBe(other);
  });

  it('A value that is too short is not masked, and the longer of two secrets is masked first', () => {
    expect(maskSecrets({ PIN: '1' }).text('11:11')).toBe('11:11');
    expect(maskSecrets({ A: 'abcdef', B: 'abcdefgh' }).text('abcdefgh abcdef')).toBe('[secret B] [secret A]');
  });
});
