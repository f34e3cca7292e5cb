import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cuttable } from './cuttable';

/**
 * Debian's nginx with WebDAV's PUT, set up as in docs/remote.md, in a folder of the test, behind a network that can be
 * cut.
 */
export class Nginx {
  private child: ChildProcess | undefined;

  private constructor(
    readonly folder: string,
    readonly network: Cuttable,
  ) {}

  static async start(): Promise<Nginx> {
    const folder = mkdtempSync(join(tmpdir(), 'kernloop-nginx-'));
    for (const name of ['data', 'body', 'logs']) mkdirSync(join(folder, name), { recursive: true });
    const nginx = new Nginx(folder, await Cuttable.start(join(folder, 'socket')));
    await nginx.start();
    return nginx;
  }

  get url(): string {
    return this.network.url;
  }

  async start(): Promise<void> {
    const { folder } = this;
    const config = join(folder, 'nginx.conf');
    writeFileSync(
      config,
      `daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/logs/error.log;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/body/p;
  fastcgi_temp_path ${folder}/body/f;
  uwsgi_temp_path ${folder}/body/u;
  scgi_temp_path ${folder}/body/s;
  client_max_body_size 64m;
  server {
    listen unix:${folder}/socket;
    location /cas/ {
      root ${folder}/data;
      dav_methods PUT;
      create_full_put_path on;
    }
  }
}
`,
    );
    // A killed server could not remove its socket.
    rmSync(join(folder, 'socket'), { force: true });
    const child = spawn('/usr/sbin/nginx', ['-p', folder, '-c', config, '-e', `${folder}/logs/error.log`], {
      stdio: 'ignore',
      detached: true,
    });
    this.child = child;
    for (let tries = 0; tries < 2400; tries += 1) {
      if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}; see ${folder}/logs`);
      if (await answers(this.url)) return;
      await sleep(25);
    }
    throw new Error('nginx did not come up');
  }

  /** File in which it keeps content with that digest. */
  file(digest: string): string {
    return join(this.folder, 'data', 'cas', digest);
  }

  /** SIGKILL ends it and its workers in the middle of their work. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    process.kill(signal === 'SIGKILL' ? -child.pid : child.pid, signal);
    await ended;
  }

  async remove(): Promise<void> {
    await this.stop();
    await this.network.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/cas/none`).then(
    ({ status }) => status === 404,
    () => false,
  );
