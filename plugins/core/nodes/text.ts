import { defineComputation } from './define-node.js';
import { oneOf } from './one-of.js';
import { asText } from './as-text.js';
import { joinText } from './bounded-text.js';
import { ToolError } from '@errand/contracts';

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

const STYLES = {
  upper: (text: string) => text.toUpperCase(),
  lower: (text: string) => text.toLowerCase(),
  capitalize: capital,
  title: (text: string) => text.replace(/\p{L}[\p{L}\p{M}\p{N}'’]*/gu, (word) => capital(word.toLowerCase())),
  camel: (text: string) =>
    wordsOf(text)
      .map((word, index) => (index === 0 ? word : capital(word)))
      .join(''),
  snake: (text: string) => wordsOf(text).join('_'),
  kebab: (text: string) => wordsOf(text).join('-'),
};

export const changeCase = defineComputation({
  type: 'core:case',
  displayName: 'Case',
  description: 'Changes the letter case of a text: upper, lower, capitalize, title, camel, snake or kebab.',
  inputs: {
    text: { dataFlowType: 'STRING', required: true, description: 'The text' },
    style: {
      dataFlowType: 'STRING',
      required: true,
      description: 'upper, lower, capitalize (first letter), title (each word), camel, snake or kebab',
      matchCategories: ['ComboOption'],
      config: { suggestions: Object.keys(STYLES) },
    },
  },
  outputs: { text: { dataFlowType: 'STRING', description: 'The text in that case' } },
  compute: ({ text, style }) => ({ text: oneOf(STYLES, 'style', style)(text) }),
});

/** The words in lower case. An upper-case letter after a lower-case one begins a word; other characters than letters and digits end it. */
function wordsOf(text: string): string[] {
  const parted = text.replaceAll(/(\p{Ll}|\p{N})(?=\p{Lu})/gu, '$1 ');
  return parted.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}

export const join = defineComputation({
  type: 'core:join',
  displayName: 'Join',
  description:
    'Joins parts to one text, in their order, with a separator between them. A list adds its items. A part that is not a text is written as JSON.',
  inputs: {
    parts: {
      dataFlowType: 'WILDCARD',
      multi: true,
      required: true,
      description: 'The parts, in order, or lists of them',
    },
    separator: { dataFlowType: 'STRING', description: 'The text between two parts', config: { default: '' } },
  },
  outputs: { text: { dataFlowType: 'STRING', description: 'The joined text' } },
  compute: ({ parts, separator }) => ({ text: joinText(parts.flat().map(asText), separator) }),
});

export const split = defineComputation({
  type: 'core:split',
  displayName: 'Split',
  description: 'Splits a text at each separator into a list of texts. An empty separator splits into characters.',
  inputs: {
    text: { dataFlowType: 'STRING', required: true, description: 'The text to split' },
    separator: { dataFlowType: 'STRING', description: 'The text at which to split', config: { default: ',' } },
    trim: {
      dataFlowType: 'BOOLEAN',
      description: 'Whether to cut blanks off the ends of each part',
      config: { default: false },
    },
  },
  outputs: { parts: { dataFlowType: 'ARRAY', description: 'The parts, in order' } },
  compute({ text, separator, trim }) {
    const parts = separator === '' ? Array.from(text) : text.split(separator);
    return { parts: trim ? parts.map((part) => part.trim()) : parts };
  },
});

export const replace = defineComputation({
  type: 'core:replace',
  displayName: 'Replace',
  description: 'Replaces every occurrence of an exact text in another text. For patterns use core:regex.',
  inputs: {
    text: { dataFlowType: 'STRING', required: true, description: 'The text to search' },
    search: { dataFlowType: 'STRING', required: true, description: 'The exact text to replace' },
    replacement: { dataFlowType: 'STRING', description: 'The new text', config: { default: '' } },
  },
  outputs: { text: { dataFlowType: 'STRING', description: 'The text with the replacements' } },
  compute({ text, search, replacement }) {
    if (search === '') throw new ToolError('ParameterValidationError', "'search' must not be empty");
    return { text: joinText(text.split(search), replacement) };
  },
});
