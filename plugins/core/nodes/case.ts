import { defineComputation } from './define-node.js';
import { oneOf } from './one-of.js';

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
