import { isObject, type JsonSchema, type ToolInterface } from '@errand/contracts';
import MiniSearch from 'minisearch';
import { wordsOfQuery, wordsOfText } from './search-words.js';

/** The searched fields of a tool, and the weight of a word in each. */
const WEIGHTS = { name: 8, tags: 4, displayName: 4, namespace: 3, description: 2, parameters: 1 };

/** Words that are ignored in queries and texts. */
const STOP_WORDS = new Set(
  `a an and are as at be by can do for from has have how i in into is it its me my of on or please some that the their this to
   use using want what which with you your`.split(/\s+/),
);

/** The number of characters of a query that count. */
const MAX_QUERY = 512;

/** The number of characters of each field of a tool that count. Chinese, Japanese and Korean cost several µs a character. */
const MAX_TEXT = 20_000;

/** Tools below this fraction of the best score are left out. */
const WORTH_SHOWING = 0.1;

interface Entry extends Record<keyof typeof WEIGHTS, string> {
  id: string;
}

/** Finds tools by words, best first. The index never changes. */
export class ToolSearch {
  private readonly index = new MiniSearch<Entry>({
    fields: Object.keys(WEIGHTS),
    tokenize: wordsOfText,
    processTerm: stemOf,
    searchOptions: {
      tokenize: wordsOfQuery,
      boost: WEIGHTS,
      prefix: (term) => term.length > 1,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      weights: { prefix: 0.5, fuzzy: 0.25 },
    },
  });

  constructor(tools: Iterable<ToolInterface>) {
    this.index.addAll([...tools].map(entryOf));
  }

  /**
   * The ids of the matching tools, best first. Exact words rank above prefixes and misspellings, names above
   * descriptions, and rare words above frequent ones. Equal ranks are sorted by id.
   */
  find(query: string): string[] {
    const found = this.index.search(query.slice(0, MAX_QUERY));
    const best = found[0]?.score ?? 0;
    return found
      .filter(({ score }) => score >= best * WORTH_SHOWING)
      .toSorted((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
      .map(({ id }) => String(id));
  }
}

function entryOf({ toolId, displayName, description, tags, aliases = [], parameters }: ToolInterface): Entry {
  const [namespace = '', ...name] = toolId.split(':');
  return {
    id: toolId,
    name: [...name, toolId, ...aliases].join(' '),
    namespace,
    displayName,
    description: description.slice(0, MAX_TEXT),
    tags: tags.join(' '),
    parameters: describeParameters(parameters).join(' ').slice(0, MAX_TEXT),
  };
}

/** The names, descriptions and enum values of all parameters, including nested ones. */
function describeParameters({ properties, items }: JsonSchema): string[] {
  const nested = isObject(items) ? describeParameters(items) : [];
  if (!isObject(properties)) return nested;
  const named = Object.entries(properties).flatMap(([name, schema]) => {
    if (!isObject(schema)) return [name];
    const choices = Array.isArray(schema.enum) ? schema.enum : [];
    const texts = [schema.title, schema.description, ...choices].filter((text) => typeof text === 'string');
    return [name, ...texts, ...describeParameters(schema)];
  });
  return [...named, ...nested];
}

/**
 * The compared form of a word: lower case without the endings of English plurals and verbs; null for an ignored word.
 */
function stemOf(word: string): string | null {
  const lower = word.toLowerCase();
  if (STOP_WORDS.has(lower)) return null;
  if (lower.length < 5) return lower.length > 3 ? lower.replace(/([^s])s$/, '$1') : lower;
  return lower
    .replace(/ies$/, 'y')
    .replace(/(?:ing|ed|es|er)$/, '')
    .replace(/([^s])s$/, '$1')
    .replace(/e$/, '');
}
