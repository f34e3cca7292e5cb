import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A network connection between a client and a server on a local socket that can be cut at any byte. */
export class Cuttable {
  /** Bytes transferred in both directions since `reset`. */
  bytes = 0;
  private readonly open = new Set<Socket>();
  private pending: { at: number; act: () => void } | undefined;
  private isDown = false;

  private constructor(
    private readonly server: Server,
    private readonly socket: string,
  ) {
    server.on('connection', (client) => this.join(client));
  }

  static async start(socket: string): Promise<Cuttable> {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return new Cuttable(server, socket);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Restarts the count, and calls `act` after exactly this many bytes. */
  reset(at = Infinity, act: () => void = () => undefined): void {
    this.bytes = 0;
    this.isDown = false;
    this.pending = { at, act };
  }

  /** Breaks every connection; with `lasting`, also new ones until `reset`. */
  cut(lasting: boolean): void {
    this.isDown = lasting;
    for (const socket of this.open) socket.destroy();
  }

  async stop(): Promise<void> {
    this.cut(true);
    await new Promise((closed) => this.server.close(closed));
  }

  private join(client: Socket): void {
    if (this.isDown) return void client.destroy();
    const server = connect(this.socket);
    for (const [from, into] of [
      [client, server],
      [server, client],
    ] as const) {
      this.open.add(from);
      from.on('data', (data: Buffer) => this.pass(data, from, into));
      from.on('end', () => into.end());
      from.on('error', () => into.destroy());
      from.on('close', () => {
        this.open.delete(from);
        into.destroy();
      });
    }
  }

  private pass(data: Buffer, from: Socket, into: Socket): void {
    const { pending } = this;
    const isNow = pending !== undefined && this.bytes + data.length >= pending.at;
    const passing = isNow ? data.subarray(0, pending.at - this.bytes) : data;
    this.bytes += passing.length;
    if (!into.destroyed && !into.write(passing)) {
      from.pause();
      into.once('drain', () => from.resume());
    }
    if (!isNow) return;
    this.pending = undefined;
    const rest = data.subarray(passing.length);
    pending.act();
    this.bytes += rest.length;
    if (!into.destroyed) into.write(rest);
  }
}
