/** The protocols for calls in a text that a request may name. */
export const PROTOCOLS = ['auto', 'action', 'tam', 'tam2', 'vcp'] as const;
