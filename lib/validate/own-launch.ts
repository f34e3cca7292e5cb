import type { ReplaySession } from '../replay/session';
import type { DispatchReport } from './report-json';

type Launch = DispatchReport['launch'];

/** Launch of the judged code if kernel.json or the variant's source sets another one than the app's. */
export function ownLaunchOf({ capture: { geometry }, request }: Pick<ReplaySession, 'capture' | 'request'>): Launch {
  if (request.ownLaunch !== true) return null;
  const numbers = (extent: string | undefined): number[] | undefined => extent?.split(',').map(Number);
  return {
    grid: numbers(request.grid) ?? geometry.grid_blocks,
    block: numbers(request.block) ?? geometry.block_threads,
    captured_grid: geometry.grid_blocks,
    captured_block: geometry.block_threads,
    dynamic_shared: request.dynamicShared ?? null,
    arguments: [...(request.args ?? [])],
  };
}

/** Text before everything else: such a pass holds only if the app uses this launch too. */
export function launchWords(reports: readonly Pick<DispatchReport, 'launch'>[]): string[] {
  const said = [...new Set(reports.flatMap(({ launch }) => (launch === null ? [] : describe(launch))))];
  const [first] = said;
  if (first === undefined) return [];
  return [`NOT the app's launch: ${first}${said.length > 1 ? `, and ${said.length - 1} more` : ''}`];
}

function describe({ grid, block, dynamic_shared: shared, ...launch }: NonNullable<Launch>): string {
  const [blocks, capturedBlocks] = [extentText(grid), extentText(launch.captured_grid)];
  const [threads, capturedThreads] = [extentText(block), extentText(launch.captured_block)];
  return [
    ...(blocks === capturedBlocks ? [] : [`${blocks} blocks instead of ${capturedBlocks}`]),
    ...(threads === capturedThreads ? [] : [`blocks of ${threads} threads instead of ${capturedThreads}`]),
    ...(shared === null ? [] : [`${shared} bytes of dynamic shared memory`]),
    ...launch.arguments.map(argumentText),
  ].join(', ');
}

/** Text such as "8×1×1". */
export const extentText = (extent: readonly (number | string)[]): string => extent.join('×');

/** Text such as "argument 0 = 7" for INDEX:TYPE=VALUE. */
export const argumentText = (text: string): string => `argument ${text.replace(/:.*=/, ' = ')}`;
