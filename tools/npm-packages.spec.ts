import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../lib/support/version';

interface Lock {
  readonly packages: Record<string, { readonly resolved?: string; readonly optionalDependencies?: object }>;
}

function answerOf(name: string, ...args: unknown[]): unknown {
  const module = JSON.stringify(join(__dirname, 'npm-packages.mjs'));
  const program = `import(${module}).then((npm) => console.log(JSON.stringify(npm.${name}(...JSON.parse(process.argv[1])))))`;
  return JSON.parse(execFileSync(process.execPath, ['-e', program, JSON.stringify(args)], { encoding: 'utf8' }));
}

const withAddresses = (lock: object, registry: string): Lock => answerOf('withAddresses', lock, registry) as Lock;

const integrity = 'sha512-AAAA';

describe('the lock that packages are installed by', () => {
  it('has the address that a registry has for each name and version', () => {
    const { packages } = withAddresses(
      {
        packages: {
          '': { name: 'kernloop', version: '1.0.0' },
          'node_modules/nx': { version: '24.0.0', integrity },
          'node_modules/@swc/core': { version: '1.2.3', integrity },
          'node_modules/a/node_modules/@types/node': { version: '20.1.0', integrity },
          // npm:string-width@4.2.3 under another name
          'node_modules/string-width-cjs': { name: 'string-width', version: '4.2.3', integrity },
          'node_modules/elsewhere': { version: '1.0.0', resolved: 'https://example.org/x.tgz', integrity },
          'node_modules/here': { resolved: 'packages/here', link: true },
          'packages/here': { version: '0.0.1' },
        },
      },
      'https://registry.example/npm',
    );
    expect(Object.entries(packages).map(([place, { resolved }]) => [place, resolved])).toEqual([
      ['', undefined],
      ['node_modules/nx', 'https://registry.example/npm/nx/-/nx-24.0.0.tgz'],
      ['node_modules/@swc/core', 'https://registry.example/npm/@swc/core/-/core-1.2.3.tgz'],
      ['node_modules/a/node_modules/@types/node', 'https://registry.example/npm/@types/node/-/node-20.1.0.tgz'],
      ['node_modules/string-width-cjs', 'https://registry.example/npm/string-width/-/string-width-4.2.3.tgz'],
      ['node_modules/elsewhere', 'https://example.org/x.tgz'],
      ['node_modules/here', 'packages/here'],
      ['packages/here', undefined],
    ]);
  });

  it('asks for no optional package that it does not have, and keeps all others', () => {
    const { packages } = withAddresses(
      {
        packages: {
          'node_modules/nx': {
            version: '24.0.0',
            integrity,
            optionalDependencies: { '@nx/nx-linux-x64-gnu': '24.0.0', '@nx/nx-darwin-x64': '24.0.0' },
          },
          'node_modules/nx/node_modules/@nx/nx-linux-x64-gnu': { version: '24.0.0', integrity, optional: true },
        },
      },
      'https://registry.example/',
    );
    expect(packages['node_modules/nx']?.optionalDependencies).toEqual({ '@nx/nx-linux-x64-gnu': '24.0.0' });
  });
});

describe('what quickstart installs', () => {
  const root = JSON.parse(readFileSync(join(packageRoot, 'package-lock.json'), 'utf8')) as Required<Lock>;
  const manifest = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as object;

  it.each([
    ['package.json', manifest],
    ['its lock', root.packages[''] ?? {}],
  ])('has all dependencies of %s, and the versions of a few development packages', (_, all) => {
    const few = answerOf('withoutOthers', all) as Record<string, Record<string, string>>;
    expect(Object.keys(few['devDependencies'] ?? {})).toContain('nx');
    expect(Object.keys(few['devDependencies'] ?? {})).not.toContain('jest');
    expect(all).toMatchObject(few);
    expect({ ...all, devDependencies: null }).toEqual({ ...few, devDependencies: null });
  });
});
