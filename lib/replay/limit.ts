const limitMultiple = 10;
const limitFloor = 1_000_000;

export function instructionLimit(waveInstructions: number, multiple = limitMultiple): number {
  return Math.max(limitFloor, Math.ceil(waveInstructions * multiple));
}
