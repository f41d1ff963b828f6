/** For core:execute-bun-script: its `inputData` comes as JSON on stdin. */
const data = (await Bun.stdin.json()) as { name?: string };
console.error('got', JSON.stringify(data));
console.log(JSON.stringify({ greeting: `Hello, ${data.name ?? 'world'}!` }));
