import { faultsOfSchema } from '../schema/compile-schema.js';
import { schemaOfShape } from './check-file.js';

describe('The schemas of the files of a library', () => {
  it.each(['tool', 'plugin', 'workflow', 'agent_profile', 'mcp'] as const)('The schema of %s has no faults', (kind) => {
    expect(faultsOfSchema(schemaOfShape(kind))).toEqual([]);
  });
});
