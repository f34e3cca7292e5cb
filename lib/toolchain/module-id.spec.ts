import { capturedModuleId, findModuleIds, replaceModuleIds } from './module-id';

/** Names that nvcc 13.0 wrote; ids are crc32 of /tmp/rx/a/src/k.cu and of _ZN4pipe3runEPf. */
const id = '_dc4cb072_4_k_cu_4e539ff5';
const kernel = `_ZN4pipe36_GLOBAL__N_${id}5scaleIfEEvPT_i`;
const variable = `_ZN34_INTERNAL${id}4pipe36_GLOBAL__N_${id}7counterE`;
const idsOf = (text: string): string[] => findModuleIds(text).map((place) => place.id);

describe('findModuleIds', () => {
  it.each([
    ['a kernel of an anonymous namespace', kernel, [id]],
    ['a variable of one', variable, [id, id]],
    ['relocatable code, with the name in front', `__nv_static_25_${id}_${variable}`, [id, id, id]],
    ['a static kernel of relocatable code', `__nv_static_25_${id}__Z4statPf`, [id]],
    [
      'a first function whose name is no longer than its hash',
      '_ZN34_GLOBAL__N__5b5460ec_4_p_cu__Z1hPf1fEPf',
      ['_5b5460ec_4_p_cu__Z1hPf'],
    ],
    [
      'a unit without one, by process',
      '_ZN42_GLOBAL__N__eb924040_4_n_cu_b5ab86a4_153351fEPf',
      ['_eb924040_4_n_cu_b5ab86a4_15335'],
    ],
    ['a namespace whose name ends in a digit', `_ZN4pip136_GLOBAL__N_${id}1fEv`, [id]],
    [
      'a file name that looks like one',
      '_ZN47_GLOBAL__N__dc4cb072_14_a_4_k_cu_ab_cu_4e539ff51fEv',
      ['_dc4cb072_14_a_4_k_cu_ab_cu_4e539ff5'],
    ],
    ['an anonymous namespace of clang', '_ZN12_GLOBAL__N_15scaleEPf', []],
    ['a name that only resembles one', '_ZN20_GLOBAL__N__dc4cb072_99_k1fEv', []],
    ['what ends too early', '_ZN36_GLOBAL__N__dc4cb072_4_k', []],
  ])('reads %s', (_case, text, expected) => {
    expect(idsOf(text)).toEqual(expected);
  });

  it('reads a namespace right behind an id that ends in a digit', () => {
    const ending = '_dc4cb072_4_k_cu_4e539ff5';
    expect(idsOf(`_ZN34_INTERNAL${ending}36_GLOBAL__N_${ending}7counterE`)).toEqual([ending, ending]);
  });
});

describe('replaceModuleIds', () => {
  const other = '_00000001_10_longer__cu_0badcafe_77';

  it('keeps every length of a mangled name right', () => {
    expect(replaceModuleIds(kernel, other)).toBe(`_ZN4pipe${11 + other.length}_GLOBAL__N_${other}5scaleIfEEvPT_i`);
    expect(replaceModuleIds(`__nv_static_25_${id}_${variable}`, other)).toBe(
      `__nv_static_${other.length}_${other}__ZN${9 + other.length}_INTERNAL${other}4pipe${11 + other.length}_GLOBAL__N_${other}7counterE`,
    );
  });

  it('undoes itself, in a text of many names', () => {
    const ptx = `.global .u32 ${variable};\n.entry ${kernel}(\n\t.param .u64 ${kernel}_param_0)\n{ mov.u64 %rd1, ${variable}; }\n`;
    const replaced = replaceModuleIds(ptx, other);
    expect(replaced).not.toContain('dc4cb072');
    expect(replaceModuleIds(replaced, id)).toBe(ptx);
  });

  it('leaves everything else as it is', () => {
    const text = '.entry _Z3extPf( .param .u64 _Z3extPf_param_0 ) // 36_GLOBAL__N_';
    expect(replaceModuleIds(text, other)).toBe(text);
  });
});

describe('capturedModuleId', () => {
  const ofOther = '_377b0b71_4_k_cu_4e539ff5';
  const other = `_ZN34_INTERNAL${ofOther}36_GLOBAL__N_${ofOther}1nE`;

  it.each([
    ['the id of the kernel', kernel, [other], 'k.cu', id],
    ['that of its variables', '_Z3extPf', [variable, 'plain'], 'k.cu', id],
    ['none where nothing has one', '_Z3extPf', ['plain'], 'k.cu', null],
    ['none of a file of another name', kernel, [], 'other.cu', null],
    ['none where two units fit', '_Z3extPf', [variable, other], 'k.cu', null],
  ])('takes %s', (_case, symbol, variables, unit, expected) => {
    expect(capturedModuleId(symbol, variables, unit)).toBe(expected);
  });
});
