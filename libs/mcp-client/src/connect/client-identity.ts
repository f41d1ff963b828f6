/** The extension for tasks, in the revision 2026-07-28. */
export const TASKS = 'io.modelcontextprotocol/tasks';

export const CLIENT_NAME = 'errand';

/** Sampling and roots are not offered. */
export const CAPABILITIES = { elicitation: { form: {} }, extensions: { [TASKS]: {} } };
