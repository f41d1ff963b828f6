const NO_RESOURCES = 'Errand offers tools only, no resources';
const NO_PROMPTS = 'Errand offers tools only, no prompts';
const NO_SAMPLING = 'Errand asks the user of a client, and never its model';
const NO_ROOTS = 'Errand does not ask for the folders of a client';
const NO_SESSIONS = 'without sessions there is no request from the server to a client of an earlier revision';

/** The scenarios that are not run, each with the reason. */
export const LEFT_OUT_SCENARIOS: Readonly<Record<string, string>> = {
  'completion-complete': 'completion belongs to prompts and resource templates, which Errand does not offer',
  'logging-set-level': 'Errand sends no log messages over MCP; GET /v1/invocations/:id/logs has the log of a call',
  'tools-call-with-logging': 'Errand sends no log messages over MCP',
  'tools-call-sampling': NO_SAMPLING,
  'tools-call-elicitation': NO_SESSIONS,
  'elicitation-sep1034-defaults': NO_SESSIONS,
  'elicitation-sep1330-enums': NO_SESSIONS,
  'server-session-lifecycle': 'there are no sessions',
  'server-sse-polling': 'a stream cannot be resumed without a session; a long call is a task',
  'resources-list': NO_RESOURCES,
  'resources-read-text': NO_RESOURCES,
  'resources-read-binary': NO_RESOURCES,
  'resources-templates-read': NO_RESOURCES,
  'resources-subscribe': NO_RESOURCES,
  'resources-unsubscribe': NO_RESOURCES,
  'sep-2164-resource-not-found': NO_RESOURCES,
  'sep-2640-skills-directory': 'Errand does not offer the extension of skills',
  'sep-2640-skills-enumeration': 'Errand does not offer the extension of skills',
  'sep-2640-skills-manifest': 'Errand does not offer the extension of skills',
  'prompts-list': NO_PROMPTS,
  'prompts-get-simple': NO_PROMPTS,
  'prompts-get-with-args': NO_PROMPTS,
  'prompts-get-embedded-resource': NO_PROMPTS,
  'prompts-get-with-image': NO_PROMPTS,
  'tasks-status-notifications': 'the suite has no checks for it yet',
  'input-required-result-basic-sampling': NO_SAMPLING,
  'input-required-result-basic-list-roots': NO_ROOTS,
  'input-required-result-multiple-input-requests': NO_SAMPLING,
  'input-required-result-non-tool-request': NO_PROMPTS,
  'input-required-result-capability-check': NO_SAMPLING,
};

/** Single checks of the scenarios that are run, each with the reason why it does not count. */
export const LEFT_OUT_CHECKS: Readonly<Record<string, string>> = {
  'sep-2575-server-rejects-undeclared-capability': `it asks for a tool that needs sampling; ${NO_SAMPLING}`,
  'sep-2549-prompts-list-caching-hints': NO_PROMPTS,
  'sep-2549-resources-list-caching-hints': NO_RESOURCES,
  'sep-2549-resources-templates-list-caching-hints': NO_RESOURCES,
  'server-sse-multiple-streams-session': 'there are no sessions',
};
