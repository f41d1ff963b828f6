/** `GET /v1/search`: at most 20 things that a person names. */
export interface SearchResults {
  items: SearchResult[];
  /** Set if a shard does not answer: its invocations are missing. */
  partial?: true;
}

export interface SearchResult {
  kind: 'invocation' | 'refusal' | 'tool' | 'agent' | 'session' | 'queue';
  id: string;
  /** For people. */
  label: string;
}
