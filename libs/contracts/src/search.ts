import type { PartialAnswer } from './partial.js';

/** `GET /v1/search`: at most 20 things that a person names. */
export interface SearchResults extends PartialAnswer {
  items: SearchResult[];
}

export interface SearchResult {
  kind: 'invocation' | 'refusal' | 'tool' | 'agent' | 'session' | 'queue';
  id: string;
  /** For people. */
  label: string;
}
