import type { LibraryProblem } from '@errand/contracts';

export type { LibraryProblem };

/** Receives the problems of a library while it is loaded. */
export type ReportProblem = (problem: LibraryProblem) => void;
