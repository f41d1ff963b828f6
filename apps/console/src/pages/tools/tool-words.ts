import type { Effects, ToolKind } from '@errand/contracts';

/** The words of each kind of tool, and where it runs. */
export const KINDS: Readonly<Record<ToolKind, { word: string; runs: string }>> = {
  node: { word: 'Node', runs: 'It runs inside a worker.' },
  workflow: { word: 'Workflow', runs: 'Its nodes run inside a worker.' },
  service: { word: 'Service', runs: 'It runs inside a worker.' },
  script: { word: 'Script', runs: 'It runs in a container of a script-runner.' },
  external: { word: 'External', runs: 'A person or another program answers it.' },
  agent: { word: 'Agent', runs: 'Each call is a turn of the agent.' },
  mcp: { word: 'MCP', runs: 'Another server runs it.' },
};

/** What a second run of a tool does. */
export const EFFECTS: Readonly<Record<Effects, string>> = {
  none: 'A second run changes nothing outside.',
  idempotent: 'A second run does no harm.',
  once: 'A second run would do harm: it never runs again when the outcome is unknown.',
};
