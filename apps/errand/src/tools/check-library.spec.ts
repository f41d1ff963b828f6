import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeFiles } from '../../../../test/support/write-files.js';
import { checkLibrary, renderProblem } from './check-library.js';

describe('The check of an mcp.json', () => {
  const folder = mkdtempSync(join(tmpdir(), 'errand-check-'));
  const entry = { uri: 'https://far.example' };
  beforeAll(() => writeFiles(folder, { 'mcp.json': JSON.stringify({ mcpServers: { far: entry } }, null, 2) }));
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(['', 'mcp.json'])(
    'A library with nothing but servers is checked by its folder or by the file %j',
    async (path) => {
      const { problems } = await checkLibrary(join(folder, path));
      expect(problems.map(renderProblem)).toContainEqual(
        expect.stringMatching(/mcp\.json:4:7: mcpServers\.far\.uri: Unknown field .*, did you mean 'url'\?$/),
      );
    },
  );
});
