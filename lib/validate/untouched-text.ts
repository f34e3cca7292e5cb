import { formatCount } from '../support/report';
import type { DispatchReport } from './report-json';

type Reads = Pick<DispatchReport, 'untouched_reads'>;

/** "4 bytes at r0 at offset 400,000 (0x4000…; argument partials) that the captured code neither reads nor writes". */
function untouchedBytes(reads: NonNullable<Reads['untouched_reads']>): string {
  const [first] = reads;
  const bytes = reads.reduce((sum, one) => sum + one.bytes, 0);
  const more = reads.length > 1 ? ` and in ${reads.length - 1} more` : '';
  const names = first?.arguments?.length ? `; argument ${first.arguments.join(' or ')}` : '';
  const place = `${first?.region ?? '?'} at offset ${formatCount(first?.offset ?? 0)} (${first?.address ?? '?'}${names})`;
  return `${formatCount(bytes)} bytes at ${place}${more} that the captured code neither reads nor writes`;
}

/** Reason why the variant failed or stopped. */
export function untouchedReadWords({ untouched_reads: reads = [] }: Reads): string | null {
  if (reads.length === 0) return null;
  return `the result depends on ${untouchedBytes(reads)}: the app did not write them before this launch, or wrote 0, and memory is not zero by contract; --may-read-untouched is for an app that always writes 0 there`;
}

/** Text before everything else: such a pass holds only if the app keeps the captured values there. */
export function allowedReadWords(reports: readonly (Reads & Pick<DispatchReport, 'verdict'>)[]): string[] {
  const reads = reports.flatMap(({ verdict, untouched_reads: all = [] }) => (verdict === 'pass' ? all : []));
  if (reads.length === 0) return [];
  return [
    `NOT judged with other values in ${untouchedBytes(reads)}, on which the result depends (--may-read-untouched)`,
  ];
}
