// An npm registry of this checkout, without a network: the packages that it makes, by `npm publish`, and its installed
// dependencies in the versions of its lock. npm installs Kernloop from it as from anywhere else, for the archive
// (tools/bundle.mjs) and for end-to-end tests.
//   node tools/packages/registry.mjs TARBALLS      prints its address, and serves until its stdin ends; published packages are written to TARBALLS
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createGzip } from 'node:zlib';
import { root } from '../console.mjs';

const text = (file) => readFileSync(file, 'utf8');
const digest = (algorithm, encoding, bytes) => createHash(algorithm).update(bytes).digest(encoding);

/** Maps name → version → { manifest, and its tarball or source folder }. */
function packagesOf(tarballs) {
  const packages = new Map();
  const add = (manifest, source) => {
    if (!packages.has(manifest.name)) packages.set(manifest.name, new Map());
    packages.get(manifest.name).set(manifest.version, { manifest, ...source });
  };
  const lock = JSON.parse(text(join(root, 'package-lock.json')));
  for (const place of Object.keys(lock.packages)) {
    const folder = join(root, place);
    // Packages of other platforms are only in the lock.
    if (place !== '' && existsSync(join(folder, 'package.json')))
      add(JSON.parse(text(join(folder, 'package.json'))), { folder });
  }
  for (const file of readdirSync(tarballs).filter((name) => name.endsWith('.tgz'))) {
    const tarball = join(tarballs, file);
    const read = spawnSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' });
    add(JSON.parse(read.stdout), { tarball });
  }
  return packages;
}

function document(name, versions, address) {
  const released = [...versions].map(([version, { manifest, tarball }]) => {
    const bytes = tarball ? readFileSync(tarball) : undefined;
    const checks = bytes
      ? { integrity: `sha512-${digest('sha512', 'base64', bytes)}`, shasum: digest('sha1', 'hex', bytes) }
      : {};
    return [version, { ...manifest, dist: { tarball: `${address}/${name}/-/${version}.tgz`, ...checks } }];
  });
  return { name, 'dist-tags': { latest: released.at(-1)[0] }, versions: Object.fromEntries(released) };
}

function sendTarball(response, { tarball, folder }) {
  if (tarball) return void response.end(readFileSync(tarball));
  const args = ['-C', folder, '--exclude=./node_modules', '--transform=s,^[.],package,', '-cf', '-', '.'];
  const tar = spawn('tar', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  tar.stdout.pipe(createGzip({ level: 1 })).pipe(response);
}

/**
 * Accepts the request of `npm publish`: manifest and tarball in one document. Returns an error text if it is invalid.
 */
async function take(request, tarballs, packages) {
  let body = '';
  for await (const part of request.setEncoding('utf8')) body += part;
  const { name, versions, _attachments: files } = JSON.parse(body);
  const [[version, manifest]] = Object.entries(versions);
  const [[file, { data }]] = Object.entries(files);
  const bytes = Buffer.from(data, 'base64');
  if (`sha512-${digest('sha512', 'base64', bytes)}` !== manifest.dist.integrity) return 'the tarball is damaged';
  const known = packages.get(name) ?? new Map();
  if (known.has(version)) return `${name}@${version} was published before`;
  const tarball = join(tarballs, basename(file));
  writeFileSync(tarball, bytes);
  packages.set(name, known.set(version, { manifest, tarball }));
  return undefined;
}

export function startRegistry(tarballs) {
  const packages = packagesOf(tarballs);
  const answer = (response, status, text) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(text));
  const server = createServer((request, response) => {
    if (request.method === 'PUT') {
      void take(request, tarballs, packages).then((error) =>
        answer(response, error ? 409 : 201, error ? { error } : {}),
      );
      return;
    }
    const path = decodeURIComponent(new URL(request.url, 'http://registry').pathname).slice(1);
    const [name, file] = path.split('/-/');
    const versions = packages.get(name);
    const found = file === undefined ? versions : versions?.get(file.replace(/\.tgz$/, ''));
    if (found === undefined) {
      answer(response, 404, { error: 'not found' });
    } else if (file === undefined) {
      const address = `http://${request.headers.host}`;
      answer(response, 200, document(name, versions, address));
    } else {
      sendTarball(response, found);
    }
  });
  return new Promise((ready, failed) => {
    server.on('error', failed);
    server.listen(0, '127.0.0.1', () =>
      ready({ address: `http://127.0.0.1:${server.address().port}`, close: () => server.close() }),
    );
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { address } = await startRegistry(process.argv[2]);
  process.stdout.write(`${address}\n`);
  process.stdin.resume().on('end', () => process.exit());
}
