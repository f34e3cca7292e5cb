import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Manifest {
  name: string;
  version: string;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

export interface LocalRegistry {
  /**
   * Variables for npm and programs that start it: this registry, a separate cache, and no other settings of the
   * machine.
   */
  env: Record<string, string>;
  stop(): Promise<void>;
}

/**
 * A minimal npm registry on this machine: it serves the packages of a `node_modules` unchanged, including nested ones.
 */
export async function startLocalRegistry(modules: string): Promise<LocalRegistry> {
  const packages = packagesIn(modules);
  const cache = mkdtempSync(join(tmpdir(), 'kernloop-e2e-npm-'));
  const server = createServer((request, response) => {
    const path = decodeURIComponent((request.url ?? '').split('?')[0] ?? '').slice(1);
    const [name = '', version] = path.split('/-/');
    const versions = packages.get(name);
    const origin = `http://${request.headers.host ?? ''}`;
    if (!versions) notFound(response);
    else if (version === undefined) sendPackument(response, origin, name, versions);
    else sendTarball(response, versions.get(version.replace(/\.tgz$/, '')));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    env: {
      npm_config_registry: `http://127.0.0.1:${port}/`,
      npm_config_cache: cache,
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      npm_config_update_notifier: 'false',
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        rmSync(cache, { recursive: true, force: true });
      }),
  };
}

/** Maps name to version to folder. */
function packagesIn(modules: string, found = new Map<string, Map<string, string>>()): Map<string, Map<string, string>> {
  for (const folder of foldersIn(modules)) {
    const { name, version } = manifestOf(folder);
    const versions = found.get(name) ?? new Map<string, string>();
    found.set(name, versions.set(version, versions.get(version) ?? folder));
    packagesIn(join(folder, 'node_modules'), found);
  }
  return found;
}

function foldersIn(modules: string): string[] {
  if (!existsSync(modules)) return [];
  return readdirSync(modules)
    .flatMap((name) =>
      name.startsWith('@')
        ? readdirSync(join(modules, name)).map((scoped) => join(modules, name, scoped))
        : [join(modules, name)],
    )
    .filter((folder) => existsSync(join(folder, 'package.json')));
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** The first version found is the latest: it is the one that the workspace itself uses. */
function sendPackument(response: ServerResponse, origin: string, name: string, versions: Map<string, string>): void {
  const [latest] = versions.keys();
  const entries = [...versions].map(([version, folder]) => [
    version,
    { ...withoutOptionalPeers(manifestOf(folder)), dist: { tarball: `${origin}/${name}/-/${version}.tgz` } },
  ]);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ name, 'dist-tags': { latest }, versions: Object.fromEntries(entries) as object }));
}

/**
 * npm 11 searches endlessly if an optional peer asks for a version that is not here; Kernloop's own peers are part of
 * the test.
 */
function withoutOptionalPeers(manifest: Manifest): Manifest {
  if (manifest.name === 'kernloop') return manifest;
  const { peerDependencies = {}, peerDependenciesMeta = {}, ...rest } = manifest;
  const needed = Object.entries(peerDependencies).filter(([name]) => !peerDependenciesMeta[name]?.optional);
  return { ...rest, peerDependencies: Object.fromEntries(needed) };
}

function sendTarball(response: ServerResponse, folder: string | undefined): void {
  if (folder === undefined) {
    notFound(response);
    return;
  }
  // npm also reads an uncompressed archive.
  const options = ['--exclude=./node_modules', '--warning=no-file-changed', '--transform=s,^\\.,package,'];
  const tar = spawn('tar', ['-c', '-C', `${folder}/`, ...options, '.'], { stdio: ['ignore', 'pipe', 'inherit'] });
  response.setHeader('content-type', 'application/octet-stream');
  tar.stdout.pipe(response);
}

function notFound(response: ServerResponse): void {
  response.statusCode = 404;
  response.setHeader('content-type', 'application/json');
  response.end('{"error":"Not found"}');
}
