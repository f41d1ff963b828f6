// Watches a library. For each state it prints a line with the result of the node dice:roll and the problems.
import { checkWorkflow } from '@errand/engine';
import { watchRegistry } from '@errand/registry';
import { join } from 'node:path';

async function main(): Promise<void> {
  const watched = await watchRegistry({
    folders: [process.argv[2]!],
    coreDir: join(__dirname, '../../../plugins/core'),
    checkWorkflow,
    onReload: () => tell(),
    onNotice: (message) => console.log(JSON.stringify({ notice: message })),
  });
  const tell = () => {
    const node = watched.registry.nodeTypes.get('dice:roll');
    const problems = watched.registry.problems().map(({ message }) => message);
    console.log(JSON.stringify({ gives: node?.run({}, {} as never) ?? null, problems }));
  };
  tell();
  process.stdin.resume().on('end', () => void watched.close());
}

void main();
