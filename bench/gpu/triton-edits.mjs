// Edits by ../gpu-triton.mjs of each kernel of examples/triton-cuda: a wrong one, a right one, and another configuration.

const variant = 'kernel_variant.py';
const helper = 'deps/numerics.py';
const script = 'reproducer.py';

/** CONSTEXPRS and OPTIONS of the script, by name. */
const configured = (values) => (text) =>
  Object.entries(values).reduce((edited, [name, value]) => {
    const setting = new RegExp(`^( +"${name}": )\\d+,$`, 'm');
    if (!setting.test(edited)) throw new Error(`${name} is no setting of ${script}`);
    return edited.replace(setting, `$1${value},`);
  }, text);

export const kernels = {
  softmax: {
    wrong: [helper, (text) => text.replace('tl.exp(', 'tl.exp2(')],
    right: [variant, (text) => text.replace('inside, other', 'inside, cache_modifier=".cg", other')],
    configuration: { num_warps: 8 },
    bounds: { atol: 1e-5, rtol: 1.3e-6 },
    search: ['num_warps=2,4,8'],
  },
  matmul: {
    wrong: [variant, (text) => text.replace('tl.dot(x, y, total)', 'tl.dot(x, y)')],
    right: [
      variant,
      (text) =>
        text
          .replace('total.to(c.dtype.element_ty)', 'total.to(tl.float16)')
          .replace('(begin + inner[None, :] < k)', '(inner[None, :] < k - begin)'),
    ],
    configuration: { BLOCK_M: 64, BLOCK_N: 128, BLOCK_K: 32, num_warps: 4, num_stages: 3 },
    bounds: { atol: 1e-3, rtol: 1e-3 },
    search: ['BLOCK_N=64,128', 'num_warps=4,8'],
  },
  attention: {
    wrong: [
      variant,
      (text) => text.replace('shrink = exponentials(largest, higher)', 'shrink = exponentials(higher, higher)'),
    ],
    right: [
      variant,
      (text) => text.replace('allowed = there[None, :] < length', 'allowed = (length - there[None, :]) > 0'),
    ],
    configuration: { BLOCK_M: 128, BLOCK_N: 32, num_warps: 8 },
    bounds: { atol: 1e-3, rtol: 1e-3 },
    search: ['BLOCK_N=32,64', 'num_warps=4,8'],
  },
  step: {
    wrong: [variant, (text) => text.replace('libdevice.rsqrt(', 'libdevice.sqrt(')],
    right: [variant, (text) => text.replaceAll("eviction_policy='evict_last'", "eviction_policy='evict_first'")],
    configuration: { XBLOCK: 1, num_warps: 4 },
    // TorchInductor has no formula to read: the app gave numbers.
    grid: (text) => text.replace(/return \(\d+, 1, 1\)/, 'return (-(-1024 // meta["XBLOCK"]), 1, 1)'),
    bounds: { atol: 1e-5, rtol: 1.3e-6 },
    search: ['XBLOCK=1,2', 'num_warps=1,4'],
  },
};

export const reconfigured = ({ configuration, grid }) => [
  script,
  (text) => (grid ?? ((same) => same))(configured(configuration)(text)),
];
