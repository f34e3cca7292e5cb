import type { Deps } from '../deps/deps';
import { rewrittenCode, type RewrittenCode } from '../recompile/rewritten-code';
import type { ReplaySession } from '../replay/session';
import { geometryOf } from './geometry';
import { rewritePtx, type RewrittenPtx } from './ptx/rewrite';
import type { ProbeSet } from './probe-set';

/** A kernel with probes inserted. */
export type ProbedCode = Omit<RewrittenCode<RewrittenPtx>, 'rewritten'> & RewrittenPtx;

export async function probedCode(session: ReplaySession, { file }: ProbeSet, deps: Deps): Promise<ProbedCode> {
  const { rewritten, ...code } = await rewrittenCode(
    session,
    {
      rewrite: (ptx, kernel, blockThreads) => rewritePtx(ptx, kernel, file, blockThreads),
      threads: geometryOf(session).block.reduce((product, extent) => product * extent, 1),
    },
    deps,
  );
  return { ...rewritten, ...code };
}
