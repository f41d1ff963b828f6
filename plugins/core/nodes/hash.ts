import { createHash, type BinaryToTextEncoding } from 'node:crypto';
import { defineComputation } from './define-node.js';
import { oneOf } from './one-of.js';

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
