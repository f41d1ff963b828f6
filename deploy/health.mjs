// What the images' health checks run: exit code 0 if the address answers with 2xx, else 1 and the reason.
const [url] = process.argv.slice(2);
const response = await fetch(url, { signal: AbortSignal.timeout(4_000) });
console.log(response.status, await response.text());
process.exit(response.ok ? 0 : 1);
