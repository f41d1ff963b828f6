// Watches a library. For each state it prints a line with the result of the node dice:roll and the problems. It runs the built code: `npm run build`.
const path = require('node:path');

const DIST = path.join(__dirname, '../../../dist');
const { checkWorkflow } = require(path.join(DIST, 'libs/engine/src/index.js'));
const { watchRegistry } = require(path.join(DIST, 'libs/registry/src/index.js'));

async function main() {
  const watched = await watchRegistry({
    folders: [process.argv[2]],
    coreDir: path.join(DIST, 'plugins/core'),
    checkWorkflow,
    onReload: () => tell(),
    onNotice: (message) => console.log(JSON.stringify({ notice: message })),
  });
  const tell = () => {
    const node = watched.registry.nodeTypes.get('dice:roll');
    const problems = watched.registry.problems().map(({ message }) => message);
    console.log(JSON.stringify({ gives: node?.run({}, {}) ?? null, problems }));
  };
  tell();
  process.stdin.resume().on('end', () => void watched.close());
}

void main();
