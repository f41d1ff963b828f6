/** See `code-cache.cjs`. */
export const FLAGS: readonly string[];
