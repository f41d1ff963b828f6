import { Buffer } from 'node:buffer';
import { defineComputation } from './define-node.js';
import { oneOf } from './one-of.js';

const MODES = { encode, decode };

export const base64 = defineComputation({
  type: 'core:base64',
  displayName: 'Base64',
  description: 'Encodes a text (as UTF-8) to base64, or decodes base64 (either alphabet) back to text.',
  inputs: {
    text: { dataFlowType: 'STRING', required: true, description: 'The text to encode, or the base64 to decode' },
    mode: {
      dataFlowType: 'STRING',
      description: 'encode or decode',
      matchCategories: ['ComboOption'],
      config: { default: 'encode', suggestions: Object.keys(MODES) },
    },
    urlSafe: {
      dataFlowType: 'BOOLEAN',
      description: 'Whether to encode with - and _ and without padding',
      config: { default: false },
    },
  },
  outputs: { text: { dataFlowType: 'STRING', description: 'The encoded or decoded text' } },
  compute: ({ text, mode, urlSafe }) => ({ text: oneOf(MODES, 'mode', mode)(text, urlSafe) }),
});

function encode(text: string, urlSafe: boolean): string {
  return Buffer.from(text, 'utf8').toString(urlSafe ? 'base64url' : 'base64');
}

/** Node drops characters that it cannot decode. This node refuses such a text. */
function decode(text: string): string {
  const packed = text.replaceAll(/\s/g, '').replaceAll('-', '+').replaceAll('_', '/');
  const digits = packed.endsWith('=') ? packed.replace(/={1,2}$/, '') : packed;
  if (!/^[A-Za-z0-9+/]*$/.test(digits) || digits.length % 4 === 1) throw new Error('the text is not base64');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(digits, 'base64'));
  } catch {
    throw new Error('the decoded bytes are not UTF-8 text');
  }
}
