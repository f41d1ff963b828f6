import { resolve } from 'node:path';
import { runProcess } from '@errand/platform';
import { removeRunningStack, recordRunningStack, refuseSecondStack } from './running-stack.js';
import { startStack } from './start-in-process.js';
import { libraryFolders } from './tools/offline-registry.js';

// `./errand up` and `./errand demo` start this process. It ends when its parent dies.
process.on('disconnect', () => process.exit(1));

runProcess(async () => {
  const dataDir = process.env['ERRAND_DATA_DIR'] || '.errand';
  await refuseSecondStack(dataDir);
  const stack = await startStack(process.env);
  recordRunningStack(
    dataDir,
    stack.url,
    libraryFolders().map((folder) => resolve(folder)),
  );
  process.send?.({ ready: stack.url });
  process.stdout.write(`ready ${stack.url}\n`);
  return {
    ...stack,
    close: async () => {
      await stack.close();
      removeRunningStack(dataDir);
    },
  };
});
