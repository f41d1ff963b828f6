import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import type { RealSandbox } from '../../../test/escapes/real-sandbox.js';

/** Builds a wheel: a zip file with three files of metadata. */
const MAKE_WHEEL = `
import base64, hashlib, io, json, sys, zipfile
wanted = json.load(sys.stdin)
name, version = wanted["name"], wanted["version"]
info = f"{name}-{version}.dist-info"
files = {
    **wanted["files"],
    f"{info}/METADATA": "Metadata-Version: 2.1\\nName: %s\\nVersion: %s\\n%s" % (name, version, "".join(f"Requires-Dist: {r}\\n" for r in wanted["requires"])),
    f"{info}/WHEEL": "Wheel-Version: 1.0\\nGenerator: errand\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
}
record = "".join(f"{p},sha256={base64.urlsafe_b64encode(hashlib.sha256(t.encode()).digest()).rstrip(b'=').decode()},{len(t)}\\n" for p, t in files.items())
files[f"{info}/RECORD"] = record + f"{info}/RECORD,,\\n"
out = io.BytesIO()
with zipfile.ZipFile(out, "w") as wheel:
    for path, text in files.items():
        wheel.writestr(path, text)
print(json.dumps(base64.b64encode(out.getvalue()).decode()))
`;

/** A package index for Python and npm on loopback, with only the packages of the test. */
export class PackageIndex {
  /** The paths of all requests. */
  readonly asked: string[] = [];
  private readonly files = new Map<string, Buffer>();
  private readonly pages = new Map<string, () => string>();
  private readonly server: Server;

  private constructor() {
    this.server = createServer(({ url = '' }, response) => {
      const path = decodeURIComponent(url);
      this.asked.push(path);
      const page = this.pages.get(path)?.() ?? this.files.get(path);
      const isJson = typeof page === 'string' && page.startsWith('{');
      response
        .writeHead(page ? 200 : 404, { 'content-type': isJson ? 'application/json' : 'text/html' })
        .end(page ?? 'no');
    });
  }

  static async open(): Promise<PackageIndex> {
    const index = new PackageIndex();
    await once(index.server.listen(0, '127.0.0.1'), 'listening');
    return index;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  /** @param files the files by path; @param requires as in METADATA */
  async addWheel(
    real: RealSandbox,
    name: string,
    files: Record<string, string>,
    requires: string[] = [],
  ): Promise<void> {
    const { result } = await real.attempt('python', MAKE_WHEEL, { input: { name, version: '1.0.0', files, requires } });
    const file = `${name}-1.0.0-py3-none-any.whl`;
    if (typeof result !== 'string') throw new TypeError(`could not build a wheel of ${name}`);
    this.files.set(`/wheels/${file}`, Buffer.from(result, 'base64'));
    this.pages.set(`/simple/${name}/`, () => `<!DOCTYPE html><a href="/wheels/${file}">${file}</a>`);
  }

  /** Adds a source archive. Its build would run setup.py. */
  async addSourceArchive(name: string, setup: string): Promise<void> {
    const file = `${name}-1.0.0.tar.gz`;
    const metadata = `Metadata-Version: 2.1\nName: ${name}\nVersion: 1.0.0\n`;
    this.files.set(
      `/wheels/${file}`,
      await archive({ [`${name}-1.0.0/setup.py`]: setup, [`${name}-1.0.0/PKG-INFO`]: metadata }),
    );
    this.pages.set(`/simple/${name}/`, () => `<!DOCTYPE html><a href="/wheels/${file}">${file}</a>`);
  }

  async addNpmPackage(name: string, manifest: object, files: Record<string, string>): Promise<void> {
    const whole = { name, version: '1.0.0', main: 'index.js', ...manifest };
    const tarball = await archive({
      'package/package.json': JSON.stringify(whole),
      ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`package/${path}`, text])),
    });
    const path = `/${name}/-/${name}-1.0.0.tgz`;
    const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
    this.files.set(path, tarball);
    this.pages.set(`/${name}`, () =>
      JSON.stringify({
        name,
        'dist-tags': { latest: '1.0.0' },
        versions: { '1.0.0': { ...whole, dist: { tarball: `${this.url}${path}`, integrity } } },
      }),
    );
  }
}

async function archive(files: Record<string, string>): Promise<Buffer> {
  const tar = pack();
  for (const [name, text] of Object.entries(files)) tar.entry({ name }, text);
  tar.finalize();
  return gzipSync(await buffer(tar));
}
