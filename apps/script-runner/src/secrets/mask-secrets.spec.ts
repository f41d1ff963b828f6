import { ToolError } from '@errand/contracts';
import * as fc from 'fast-check';
import { maskSecrets } from './mask-secrets.js';

const SECRET = 'pa$$ wörd/+?&"\\x';
const mask = maskSecrets({ KEY: SECRET });
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('maskSecrets', () => {
  it.each([
    ['as it is', SECRET],
    ['in base64', base64(SECRET)],
    ['in base64 for URLs', Buffer.from(SECRET).toString('base64url')],
    ['in hex', Buffer.from(SECRET).toString('hex')],
    ['in a URL', encodeURIComponent(SECRET)],
    ['in a form', new URLSearchParams({ SECRET }).toString().slice('SECRET='.length)],
    ['in JSON', JSON.stringify(SECRET)],
    ['in JSON of nothing but ASCII', JSON.stringify(SECRET).replace('ö', '\\u00f6')],
    ['in JSON inside JSON', JSON.stringify(JSON.stringify(SECRET).slice(1, -1))],
    ['in ASCII JSON inside JSON', JSON.stringify(JSON.stringify(SECRET).slice(1, -1).replace('ö', '\\u00f6'))],
    ['as Python shows it', `'${SECRET.replace('\\', '\\\\')}'`],
  ])('masks a secret %s', (_how, spelled) => {
    const masked = mask.text(`before ${spelled} after`);
    expect(masked).toMatch(/^before ["']?\[secret KEY\]["']? after$/);
  });

  it('masks the beginning of one that was cut off, at the end of each line, in logs and errors', () => {
    for (let length = 4; length < SECRET.length; length++) {
      const cut = SECRET.slice(0, length);
      expect(mask.text(`a ${cut}\nb ${cut} … [line cut]\nc`)).toBe('a [secret KEY]\nb [secret KEY] … [line cut]\nc');
    }
    const error = mask.error(new ToolError('OutputError', 'no', { stdout: `pa$$ pa$$ w` }));
    expect((error as ToolError).details).toEqual({ stdout: 'pa$$ [secret KEY]' });
    expect(mask.json('pa$$ w')).toBe('pa$$ w');
  });

  it('masks it in the base64 of a longer text, wherever it begins', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        const masked = mask.text(base64(`${before}${SECRET}${after}`));
        expect(masked).toContain('[secret KEY]');
        const left = Buffer.from(masked.replace('[secret KEY]', ''), 'base64').toString();
        expect(left).not.toContain(SECRET.slice(3, -3));
      }),
    );
  });

  it('masks the lines of a secret of several, one by one', () => {
    const key = maskSecrets({ PEM: '-----BEGIN-----\nMIIEvQIBADAN\nBgkqhkiG\n' });
    expect(key.text('the second is MIIEvQIBADAN.')).toBe('the second is [secret PEM].');
  });

  it('masks values and keys of JSON, at any depth', () => {
    expect(mask.json({ a: [SECRET, 1, null, true], [SECRET]: { b: `x${SECRET}` } })).toEqual({
      a: ['[secret KEY]', 1, null, true],
      '[secret KEY]': { b: 'x[secret KEY]' },
    });
    expect(mask.json({ ['__proto__']: SECRET })).toEqual(JSON.parse('{"__proto__":"[secret KEY]"}'));
  });

  it('masks the message and the details of an error, and leaves others alone', () => {
    const error = mask.error(new ToolError('ScriptError', `401 for ${SECRET}`, { log: SECRET, exitCode: 1 }));
    expect((error as ToolError).toFailure()).toEqual({
      type: 'ScriptError',
      message: '401 for [secret KEY]',
      details: { log: '[secret KEY]', exitCode: 1 },
    });
    const other = new Error('x');
    expect(mask.error(other)).toBe(other);
  });

  it('does not mask what is too short to be a secret, and masks the longer of two first', () => {
    expect(maskSecrets({ PIN: '1' }).text('11:11')).toBe('11:11');
    expect(maskSecrets({ A: 'abcdef', B: 'abcdefgh' }).text('abcdefgh abcdef')).toBe('[secret B] [secret A]');
  });
});
