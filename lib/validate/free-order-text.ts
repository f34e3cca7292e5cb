import { formatCount } from '../support/report';
import { nameOf } from './regions';
import type { DispatchReport } from './report-json';

type FreeOrder = DispatchReport['free_order'][number];

export const bytesInFreeOrder = (orders: readonly FreeOrder[]): number =>
  orders.flatMap(({ arrays }) => arrays).reduce((sum, { bytes }) => sum + bytes, 0);

/** Text for the result line: what passes in any order, how it is grouped, and what is not judged. */
export function summaryOfFreeOrder(orders: readonly FreeOrder[]): string[] {
  if (orders.length === 0) return [];
  const unjudged = orders.length > 1 ? [`NOT judged: how ${orders.map(groupName).join(' and ')} belong together`] : [];
  return [
    `${formatCount(bytesInFreeOrder(orders))} bytes in free order: ${orders.map(describe).join(', ')}`,
    ...unjudged,
  ];
}

const groupName = ({ arrays }: FreeOrder): string => arrays.map(nameOf).join(' with ');

/** Text for rows, cells or buckets: " in each of 60 parts". */
function inSpans(arrays: FreeOrder['arrays']): string {
  const spans = Math.max(...arrays.map(({ spans: own = 0 }) => own));
  return spans > 0 ? ` in each of ${formatCount(spans)} parts` : '';
}

/** Text such as "r1 and r2 as records of 4 + 4 bytes", "r3 as records of 8 bytes", "r4 as places in r3". */
function describe({ arrays }: FreeOrder): string {
  const joint = arrays.filter(({ together }) => together);
  const others = arrays.filter(({ together }) => !together);
  const parts = others.map(
    (array) =>
      `${nameOf(array)} as ${array.indexes === undefined ? `records of ${formatCount(array.record_bytes)} bytes${inSpans([array])}` : `places in ${array.indexes}`}`,
  );
  if (joint.length === 0) return parts.join(', ');
  const lengths = joint.map(({ record_bytes: bytes }) => formatCount(bytes)).join(' + ');
  return [`${joint.map(nameOf).join(' and ')} together as records of ${lengths} bytes${inSpans(joint)}`, ...parts].join(
    ', ',
  );
}
