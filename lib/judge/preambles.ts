import { mkdirSync } from 'node:fs';
import { reproducerPaths } from '../reproducer/layout';
import { asKernloopError } from '../support/error';
import type { CompileRequest } from '../toolchain/compile-request';
import { makePreamble, type Preamble } from '../toolchain/preamble';
import type { CompileDeps } from '../toolchain/run-compiler';
import type { Candidate } from './candidate-json';
import type { Snapshot } from '../candidate/snapshot';

/** Candidates with the same compiler options before their headers are parsed for all further ones. */
const worthIt = 3;
/** Sets of options; a preamble has 10 to 20 MB. */
const most = 8;

interface Known {
  asked: number;
  /** Undefined: not made. Null: it cannot be made, or is made now. */
  preamble: Preamble | null | undefined;
}

/** Parsed headers that candidates of a subject share. A candidate reads them, and can change none. */
export class Preambles {
  private readonly known = new Map<string, Known>();

  constructor(
    private readonly snapshot: Pick<Snapshot, 'candidate'>,
    private readonly parse = makePreamble,
  ) {}

  /**
   * For a candidate that changes nothing that comes before these headers; undefined for any other one. `confine`: makes the
   * dependencies with which a compiler runs in a folder.
   */
  async of(
    { files }: Pick<Candidate, 'files'>,
    request: CompileRequest,
    confine: (folder: string) => CompileDeps,
  ): Promise<Preamble | undefined> {
    const { recipe } = request;
    const variant = recipe.variant.file;
    // A file beside the variant may be found in place of a header.
    if (Object.keys(files).some((name) => name !== variant)) return undefined;
    const preamble = await this.for(request, confine);
    return preamble && (files[variant]?.startsWith(preamble.prefix) ?? true) ? preamble : undefined;
  }

  private async for(
    request: CompileRequest,
    confine: (folder: string) => CompileDeps,
  ): Promise<Preamble | null | undefined> {
    const key = JSON.stringify(request.recipe.arguments);
    const known = this.known.get(key) ?? { asked: 0, preamble: undefined };
    if (!this.known.has(key) && this.known.size === most) return undefined;
    this.known.set(key, known);
    known.asked += 1;
    if (known.preamble !== undefined || known.asked < worthIt) return known.preamble;
    known.preamble = null;
    try {
      known.preamble = await this.make(request, confine);
    } catch (error) {
      // Candidates are judged without it as well.
      if (asKernloopError(error).code !== 'INTERRUPTED') return null;
      // The candidate for which it was made was cancelled: another one may try.
      Object.assign(known, { asked: 0, preamble: undefined });
      throw error;
    }
    return known.preamble;
  }

  private make(request: CompileRequest, confine: (folder: string) => CompileDeps): Promise<Preamble | null> {
    const root = this.snapshot.candidate({});
    const paths = reproducerPaths(root);
    mkdirSync(paths.build, { recursive: true });
    const output = `${paths.build}/preamble.hsaco`;
    return this.parse({ ...request, reproducer: root, output, scratch: paths.build }, confine(root));
  }
}
