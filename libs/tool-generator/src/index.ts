export { chooseEntry, type Entry } from './choose-entry.js';
export { makeDraft, type Draft } from './make-draft.js';
export { nameOfScript } from './draft-location.js';
export { readPython } from './read-python.js';
export { readTypeScript } from './read-typescript.js';
export type { ScriptAnalysis } from './script-analysis.js';
