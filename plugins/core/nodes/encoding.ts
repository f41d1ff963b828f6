import { Buffer } from 'node:buffer';
import { defineComputation, defineNode } from './define-node.js';
import { oneOf } from './one-of.js';
import { createHash, type BinaryToTextEncoding, randomUUID } from 'node:crypto';

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

const ALGORITHMS = { sha256: 'sha256', sha512: 'sha512', sha1: 'sha1', md5: 'md5' };
const ENCODINGS: Record<string, BinaryToTextEncoding> = { hex: 'hex', base64: 'base64', base64url: 'base64url' };

export const hash = defineComputation({
  type: 'core:hash',
  displayName: 'Hash',
  description:
    'Returns the digest of a text (as UTF-8) by sha256, sha512, sha1 or md5. sha1 and md5 are for checksums only, not for security.',
  inputs: {
    text: { dataFlowType: 'STRING', required: true, description: 'The text' },
    algorithm: {
      dataFlowType: 'STRING',
      description: 'sha256, sha512, sha1 or md5',
      matchCategories: ['ComboOption'],
      config: { default: 'sha256', suggestions: Object.keys(ALGORITHMS) },
    },
    encoding: {
      dataFlowType: 'STRING',
      description: 'The notation of the digest: hex, base64 or base64url',
      matchCategories: ['ComboOption'],
      config: { default: 'hex', suggestions: Object.keys(ENCODINGS) },
    },
  },
  outputs: { hash: { dataFlowType: 'STRING', description: 'The digest' } },
  compute({ text, algorithm, encoding }) {
    const digest = createHash(oneOf(ALGORITHMS, 'algorithm', algorithm)).update(text, 'utf8');
    return { hash: digest.digest(oneOf(ENCODINGS, 'encoding', encoding)) };
  },
});

export const uuid = defineNode({
  type: 'core:uuid',
  displayName: 'UUID',
  effects: 'none',
  description: 'Makes a new random UUID (version 4), for use as a unique name.',
  inputs: {},
  outputs: { uuid: { dataFlowType: 'STRING', description: 'The UUID, in lower case' } },
  run: () => ({ uuid: randomUUID() }),
});
