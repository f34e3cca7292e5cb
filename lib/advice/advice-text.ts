import { formatCount } from '../support/format';
import type { Advice, Explanation, Place } from './advice-json';

/** Number of places shown of an advice; --json has all. */
const shownPlaces = 5;

export function explanationLines({ position, advice, not_told: notTold }: Explanation, title: string): string[] {
  return [
    title,
    ...(advice.length === 0 ? ['  nothing that these figures prove'] : advice.flatMap(adviceLines)),
    ...(position ? [`  position: ${positionWords(position)}`] : []),
    ...notTold.map((line) => `  not told: ${line}`),
  ];
}

function adviceLines({ rule, says, next, places }: Advice): string[] {
  const shown = places.slice(0, shownPlaces);
  return [
    `  ${rule}: ${says}`,
    ...shown.map((place) => `    ${placeWords(place)}`),
    ...(places.length > shown.length
      ? [`    … and ${formatCount(places.length - shown.length)} more places (--json)`]
      : []),
    `    try: ${next}`,
  ];
}

/** Text such as "kernel.hip:12: 64 lines … | out[i] = x". */
export function placeWords({ file, line, text, offset, instruction, says }: Place): string {
  const where = file === null ? `${offset ?? '?'} ${instruction ?? ''}`.trim() : `${file}:${line}`;
  return `${where}: ${says}${text ? ` | ${text}` : ''}`;
}

export function positionWords({
  operations,
  bytes,
  operations_per_byte: operationsPerByte,
  instructions_per_transaction: instructionsPerTransaction,
}: NonNullable<Explanation['position']>): string {
  const perTransaction =
    instructionsPerTransaction === null
      ? ''
      : `, ${instructionsPerTransaction.toFixed(1)} vector ALU instructions a transaction of 64 bytes`;
  return `${operationsPerByte.toFixed(2)} vector operations a byte (${formatCount(operations)} by lanes, ${formatCount(bytes)} bytes of global memory)${perTransaction}`;
}
