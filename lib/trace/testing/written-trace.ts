import { parseProbeFile } from '../read-probe-file';
import type { WrittenTrace } from '../write-folder';

/** Three blocks of 40 threads, which is no multiple of a warp. */
const blocks = 3;
const threads = 40;
const warps = 2;

const writtenToml = `regs = 3
[probe.all]
level = "warp"
pos = "kernel"
before = "mov.u64 %NR0, %clock64;"
after = "SAVE [ block_sched ] { %NR0, %NR1, %NR2 };"
[map.block_sched]
level = "warp"
type = "array"
size = 16
cap = 1
[map.block_sched.regs]
start = ["u64", "None"]
elapsed = ["u32", "None"]
cuid = ["u32", "None"]
[map.bytes]
level = "thread"
type = "array"
size = 8
cap = 1
[map.bytes.regs]
sync_bytes = ["u32", "None"]
async_bytes = ["u32", "None"]
`;

function scheduled(): Buffer {
  const bytes = Buffer.alloc(blocks * warps * 16);
  for (let unit = 0; unit < blocks * warps; unit++) {
    const block = Math.floor(unit / warps);
    bytes.writeBigUInt64LE(0x8000000000b0n + BigInt(block + (unit % warps)), unit * 16);
    bytes.writeUInt32LE(10 + block, unit * 16 + 8);
    bytes.writeUInt32LE(4 + block, unit * 16 + 12);
  }
  return bytes;
}

function counted(): Buffer {
  const bytes = Buffer.alloc(blocks * threads * 8);
  for (let thread = 0; thread < blocks * threads; thread++) bytes.writeUInt32LE(4 * thread, thread * 8);
  return bytes;
}

/** A folder that Kernloop writes: a test compares its bytes, and Neutrino's own reader has read it. */
export const writtenTrace: WrittenTrace = {
  pid: 4711,
  started: new Date(2026, 10, 22, 9, 30, 15),
  command: 'python app.py',
  probeToml: writtenToml,
  probe: parseProbeFile(writtenToml, 'probe.toml'),
  kernels: [
    {
      name: '_Z5saxpyPff',
      parameters: 2,
      files: { 'original.bin': 'code' },
      launches: [
        {
          grid: [blocks, 1, 1],
          block: [threads, 1, 1],
          sharedBytes: 512,
          seconds: 1.25,
          timeNs: 1_763_800_215_000_000_000n,
          arguments: [0x7f5e00000000n, 0x3f800000n],
          maps: [
            { level: 'warp', unitBytes: 16, content: scheduled() },
            { level: 'thread', unitBytes: 8, content: counted() },
          ],
          milliseconds: { prologue: 1, kernel: 0.5, epilogue: 0.25 },
        },
      ],
    },
  ],
};
