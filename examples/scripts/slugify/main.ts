/** text:slugify. Arguments come as JSON on stdin, the result goes as one JSON value to stdout, everything on stderr is the log. */
const { title }: { title: string } = await Bun.stdin.json();

const slug = title
  .normalize('NFKD')
  .replace(/\p{M}/gu, '')
  .toLowerCase()
  .replace(/[^\p{L}\p{N}]+/gu, '-')
  .replace(/^-|-$/g, '');

console.error(`'${title}' becomes '${slug}'`);
if (slug === '') throw new Error('The title has no letter and no digit to make a slug of');
console.log(JSON.stringify({ slug }));
