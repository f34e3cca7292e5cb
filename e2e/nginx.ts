import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Debian's nginx with WebDAV's PUT, as docs/remote.md sets it up, in a folder of the test's own. */
export class Nginx {
  private constructor(
    readonly folder: string,
    readonly url: string,
    private readonly child: ChildProcess,
  ) {}

  static async start(folder = mkdtempSync(join(tmpdir(), 'kernloop-nginx-')), port?: number): Promise<Nginx> {
    const listening = port ?? (await freePort());
    for (const name of ['data', 'body', 'logs']) mkdirSync(join(folder, name), { recursive: true });
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
    listen 127.0.0.1:${listening};
    location /cas/ {
      root ${folder}/data;
      dav_methods PUT;
      create_full_put_path on;
    }
  }
}
`,
    );
    const child = spawn('/usr/sbin/nginx', ['-p', folder, '-c', config, '-e', `${folder}/logs/error.log`], {
      stdio: 'ignore',
    });
    const url = `http://127.0.0.1:${listening}`;
    for (let tries = 0; tries < 200; tries += 1) {
      if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}; see ${folder}/logs`);
      if (await answers(url)) return new Nginx(folder, url, child);
      await sleep(25);
    }
    throw new Error('nginx did not come up');
  }

  /** Where it keeps what has that digest. */
  file(digest: string): string {
    return join(this.folder, 'data', 'cas', digest);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null) {
      const ended = new Promise((resolve) => this.child.once('exit', resolve));
      this.child.kill('SIGTERM');
      await ended;
    }
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/cas/none`).then(
    ({ status }) => status === 404,
    () => false,
  );

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}
