import { createServer } from 'node:net';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { failure } from '../../testing/failure';
import { addressText, isOwnHost, listen, parseAddress } from './address';

const tcp = (host: string, port: number) => ({ kind: 'tcp', host, port });

describe('the address of a judge', () => {
  it.each([
    ['4711', tcp('127.0.0.1', 4711)],
    [':4711', tcp('127.0.0.1', 4711)],
    ['localhost:0', tcp('localhost', 0)],
    ['0.0.0.0:80', tcp('0.0.0.0', 80)],
    ['[::1]:80', tcp('::1', 80)],
    ['http://127.0.0.1:4711', tcp('127.0.0.1', 4711)],
    ['http://127.0.0.1:4711/', tcp('127.0.0.1', 4711)],
    ['./judge.sock', { kind: 'socket', path: './judge.sock' }],
    ['unix:///run/judge.sock', { kind: 'socket', path: '/run/judge.sock' }],
  ])('%s', (text, address) => expect(parseAddress(text)).toEqual(address));

  it.each([
    'judge.sock',
    'localhost',
    'host:65536',
    '::1:80',
    'a b:80',
    'user@host:80',
    'http://x/y',
    '',
    `./${'x'.repeat(107)}`,
  ])('%j is refused', (text) =>
    expect(() => parseAddress(text)).toThrow(expect.objectContaining({ code: 'ADDRESS_REFUSED' }) as Error),
  );

  it.each([
    ['localhost', true],
    ['127.0.0.1:4711', true],
    ['[::1]:4711', true],
    ['192.168.7.7:80', true],
    [hostname(), true],
    ['LOCALHOST:1', true],
    ['evil.example', false],
    ['evil.example:4711', false],
    ['localhost.evil.example', false],
    ['127.0.0.1.evil.example:80', false],
    ['', false],
    [undefined, false],
  ])('the Host %j is %s', (header, own) => {
    expect(isOwnHost(header, { kind: 'tcp', host: '127.0.0.1', port: 1 })).toBe(own);
    expect(isOwnHost('judge.lan:1', { kind: 'tcp', host: 'judge.lan', port: 1 })).toBe(true);
  });
});

describe('the socket of a judge', () => {
  let folder = '';
  const path = (): string => join(folder, 'judge.sock');
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'kernloop-socket-'))));
  afterEach(() => rmSync(folder, { recursive: true }));
  const address = () => ({ kind: 'socket', path: path() }) as const;

  it('can be used by its owner alone, and is gone at the end', async () => {
    const server = createServer();
    expect(await listen(server, address())).toEqual(address());
    expect(statSync(path()).mode & 0o777).toBe(0o600);
    const second = await failure(listen(createServer(), address()));
    expect([second.code, statSync(path()).isSocket()]).toEqual(['JUDGE_RUNNING', true]);
    await new Promise((resolve) => server.close(resolve));
    expect(statSync(path(), { throwIfNoEntry: false })).toBeUndefined();
  });

  it('of a killed judge is replaced', async () => {
    const text = `require('net').createServer().listen(${JSON.stringify(path())}, () => console.log('up'))`;
    const killed = spawn(process.execPath, ['-e', text], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(killed.stdout, 'data');
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    expect(statSync(path()).isSocket()).toBe(true);
    const server = createServer();
    await listen(server, address());
    await new Promise((resolve) => server.close(resolve));
  });

  it('never replaces a file', async () => {
    writeFileSync(path(), 'mine');
    const error = await failure(listen(createServer(), address()));
    expect([error.code, error.what, readFileSync(path(), 'utf8')]).toEqual([
      'ADDRESS_REFUSED',
      expect.stringContaining('is no socket'),
      'mine',
    ]);
  });

  it('gets the port that the system chose', async () => {
    const server = createServer();
    const bound = await listen(server, { kind: 'tcp', host: '127.0.0.1', port: 0 });
    expect(addressText(bound)).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
    expect(await failure(listen(createServer(), bound))).toMatchObject({ code: 'JUDGE_RUNNING' });
    await new Promise((resolve) => server.close(resolve));
  });
});
