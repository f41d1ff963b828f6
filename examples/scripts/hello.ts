/** For core:execute-bun-script: its `inputData` comes as JSON on stdin. */
const data: { name?: string } = await Bun.stdin.json();
console.error('got', JSON.stringify(data));
console.log(JSON.stringify({ greeting: `Hello, ${data.name ?? 'world'}!` }));
