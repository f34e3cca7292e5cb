import { closeSync, openSync, readSync, writeSync } from 'node:fs';

const most = 2 ** 32 - 1;

/** Writes one u32 per unit from its counter, saturated at 2^32 - 1. Returns how many records fit and how many not. */
export function tallyUnits(
  from: string,
  to: string,
  units: number,
  counterBytes: 4 | 8,
  room: number,
): { kept: number; dropped: number } {
  const [input, output] = [openSync(from, 'r'), openSync(to, 'w')];
  let [kept, dropped] = [0, 0];
  try {
    const perPiece = 1 << 18;
    const buffer = Buffer.alloc(Math.min(units, perPiece) * counterBytes);
    for (let done = 0; done < units; done += perPiece) {
      const count = Math.min(units - done, perPiece);
      const piece = buffer.subarray(0, count * counterBytes);
      if (readSync(input, piece, 0, piece.length, done * counterBytes) !== piece.length)
        throw new Error(`${from} ends before its ${units} units`);
      const counts = Buffer.alloc(count * 4);
      for (let unit = 0; unit < count; ++unit) {
        const wanted = counterBytes === 4 ? piece.readUInt32LE(unit * 4) : Number(piece.readBigUInt64LE(unit * 8));
        counts.writeUInt32LE(Math.min(wanted, most), unit * 4);
        kept += Math.min(wanted, room);
        dropped += Math.max(0, wanted - room);
      }
      writeSync(output, counts);
    }
  } finally {
    closeSync(input);
    closeSync(output);
  }
  return { kept, dropped };
}
