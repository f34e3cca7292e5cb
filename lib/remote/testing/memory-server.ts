import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A minimal server that keeps content by name in memory and checks nothing. */
export interface MemoryServer {
  readonly url: string;
  readonly objects: Map<string, Buffer>;
  close(): Promise<void>;
}

export async function memoryServer(): Promise<MemoryServer> {
  const objects = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const { method, url = '' } = request;
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      if (method === 'PUT') objects.set(url, Buffer.concat(pieces));
      const object = objects.get(url);
      response.writeHead(object === undefined ? 404 : method === 'PUT' ? 201 : 200);
      response.end(method === 'GET' ? object : undefined);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
