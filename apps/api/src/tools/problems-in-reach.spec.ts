import { EVERY_TENANT } from '@errand/queue';
import { problemsInReach } from './problems-in-reach.js';

const FOLDERS = ['/srv/errand/library', '/srv/errand/library/more'];
const at = (file: string, message = 'm') => ({ file, message });

describe('The problems of the library in reach of a request', () => {
  it('The operator gets the paths of the host', () => {
    const problems = [at('/srv/errand/library/tools/a.tool.json')];
    expect(problemsInReach(problems, FOLDERS, { reach: EVERY_TENANT })).toBe(problems);
  });

  it('A tenant gets paths inside the library, in messages too', () => {
    const problems = [
      { ...at('/srv/errand/library/tools/a.tool.json'), line: 3 },
      at(
        '/srv/errand/library/more/agents/b.json',
        "The agent 'b' is defined in /srv/errand/library/agents/b.json already",
      ),
      at('/srv/errand/library', 'The library folder /srv/errand/library cannot be opened'),
      at('/etc/errand/secret.json'),
    ];
    expect(problemsInReach(problems, FOLDERS, { reach: 'acme' })).toEqual([
      { file: 'tools/a.tool.json', message: 'm', line: 3 },
      { file: 'agents/b.json', message: "The agent 'b' is defined in agents/b.json already" },
      { file: 'library', message: 'The library folder library cannot be opened' },
      { file: 'secret.json', message: 'm' },
    ]);
  });
});
