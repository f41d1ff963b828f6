import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Call, ErrorKind } from '@errand/contracts';
import { toolLookupOf, type AdHocTool } from '@errand/registry';
import { parse, type ParseOptions } from './index.js';

/** One example of a rule. `text` is a text or its lines. Omitted expectations are not checked. */
interface Case {
  rule: string;
  text: string | string[];
  protocol?: ParseOptions['protocol'];
  tools?: AdHocTool[];
  /** The short form of the calls: [[toolId, arguments], …]. Without `errors`, the case expects no errors. */
  calls: [toolId: string, args: Call['arguments']][];
  errors?: { kind: ErrorKind; message?: string; path?: string; line?: number; column?: number; suggestion?: string }[];
  /** Parts of all warning messages, in order. */
  warnings?: string[];
  as?: string | null;
  responseText?: string;
  trailingText?: string;
  observation?: string;
}

const folder = join(__dirname, '../cases');
const TOOLS: AdHocTool[] = JSON.parse(readFileSync(join(folder, 'tools.json'), 'utf8'));
const files = readdirSync(folder).filter((file) => file.endsWith('.cases.json'));

describe.each(files)('%s', (file) => {
  const cases: Case[] = JSON.parse(readFileSync(join(folder, file), 'utf8'));

  it.each(cases)('$rule', (one) => {
    const text = Array.isArray(one.text) ? one.text.join('\n') : one.text;
    const tools = toolLookupOf(one.tools ?? TOOLS);
    const result = parse(text, { tools, ...(one.protocol && { protocol: one.protocol }) });
    expect(result.errors).toEqual(
      (one.errors ?? []).map(({ message, ...error }) =>
        expect.objectContaining({
          ...error,
          ...(message !== undefined && { message: expect.stringContaining(message) }),
        }),
      ),
    );
    expect(result.calls).toEqual(one.calls.map(([toolId, args]) => ({ toolId, arguments: args })));
    if (one.warnings)
      expect(result.warnings.map(({ message }) => message)).toEqual(
        one.warnings.map((part) => expect.stringContaining(part)),
      );
    if (one.as !== undefined) expect(result.protocol).toBe(one.as);
    for (const part of ['responseText', 'trailingText', 'observation'] as const) {
      if (one[part] !== undefined) expect(result[part]).toBe(one[part]);
    }
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  });
});
