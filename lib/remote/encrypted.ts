import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { decryptFile, encryptFile } from '../age/age';
import type { Deps } from '../deps/deps';
import { sha256 } from '../support/files';
import { KernloopError } from '../support/error';
import { objectUrl, type Address } from './address';
import type { Sink, Source } from './content';
import type { HttpStore } from './http-store';
import { folderPrefix } from './transfer';

const digestPattern = /^[0-9a-f]{64}$/;

/**
 * Encrypts each content separately with its own key and stores it under the digest of the encrypted bytes. The same
 * content therefore gets another name every time: a file in the workspace, never the server, remembers what was sent.
 */
export class EncryptedSink implements Sink {
  /** Digest of the stored bytes by digest of the content. */
  private readonly sent: Map<string, string>;

  constructor(
    private readonly remote: HttpStore,
    private readonly recipients: string,
    private readonly ledger: string,
    private readonly deps: Deps,
  ) {
    this.sent = readLedger(ledger);
  }

  /** Other recipients need everything encrypted anew. */
  static open(remote: HttpStore, recipients: string, workspaceRoot: string, deps: Deps): EncryptedSink {
    const readers = sha256(recipientLines(readFileSync(recipients, 'utf8')).join('\n'));
    return new EncryptedSink(remote, recipients, join(workspaceRoot, '.kernloop', 'encrypted', readers), deps);
  }

  async has(digest: string): Promise<boolean> {
    const stored = this.sent.get(digest);
    return stored !== undefined && (await this.remote.has(stored));
  }

  async putFile(digest: string, path: string): Promise<number> {
    const encrypted = `${path}.age`;
    try {
      await encryptFile(path, encrypted, this.recipients, this.deps);
      const content = readFileSync(encrypted);
      const stored = sha256(content);
      await this.remote.put(stored, content);
      mkdirSync(dirname(this.ledger), { recursive: true });
      // One write per line: a line exists or not, and a torn one is no digest.
      appendFileSync(this.ledger, `\n${digest} ${stored}\n`);
      this.sent.set(digest, stored);
      return content.length;
    } finally {
      rmSync(encrypted, { force: true });
    }
  }

  /** Digest under which the server keeps it. */
  storedAs(digest: string): string {
    const stored = this.sent.get(digest);
    if (stored === undefined) throw new Error(`${digest} was not sent`);
    return stored;
  }
}

function readLedger(path: string): Map<string, string> {
  if (!existsSync(path)) return new Map();
  const lines = readFileSync(path, 'utf8').split('\n');
  return new Map(
    lines.flatMap((line): [string, string][] => {
      const [digest = '', stored = '', more] = line.split(' ');
      return more === undefined && digestPattern.test(digest) && digestPattern.test(stored) ? [[digest, stored]] : [];
    }),
  );
}

const recipientLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .sort();

/** Reads content that `EncryptedSink` sent: `objects` maps each digest to the stored one. */
export class EncryptedSource implements Source {
  readonly address: Address;

  constructor(
    private readonly remote: HttpStore,
    private readonly objects: Readonly<Record<string, string>>,
    private readonly deps: Deps,
  ) {
    this.address = remote.address;
  }

  async get(digest: string): Promise<Buffer> {
    const stored = Object.hasOwn(this.objects, digest) ? this.objects[digest] : undefined;
    if (stored === undefined) {
      throw new KernloopError(
        'REMOTE_MISSING',
        `what was pushed to ${this.address.url} does not have ${digest}`,
        'push the capture again from where it is: `kernloop push`',
      );
    }
    const content = await decrypted(await this.remote.get(stored), objectUrl(this.address, stored), this.deps);
    if (sha256(content) === digest) return content;
    throw new KernloopError(
      'REMOTE_CORRUPT',
      `${objectUrl(this.address, stored)} decrypts to other content than ${digest}`,
      'push the capture again from where it is; nothing of it was kept',
    );
  }
}

export async function decrypted(content: Buffer, what: string, deps: Deps): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), folderPrefix));
  try {
    const [from, to] = [join(folder, 'encrypted'), join(folder, 'plain')];
    writeFileSync(from, content);
    await decryptFile(from, to, what, deps);
    return readFileSync(to);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
