import { style } from '../page/style';
import { renderForPage } from './svg';

/** Luminance by WCAG 2. */
function luminance(colour: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = colour.map((part) =>
    part / 255 <= 0.03928 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: readonly number[], other: readonly number[]): number {
  const [light = 0, dark = 0] = [one, other].map(luminance).sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

const plot = (title: string) => ({
  data: { values: [0, 5, 10].map((block) => ({ block })) },
  mark: 'rect' as const,
  width: 400,
  encoding: {
    x: { field: 'block', type: 'ordinal' as const, title },
    color: { field: 'block', type: 'quantitative' as const },
  },
});

describe('renderForPage', () => {
  it.each([
    ['rule', {}],
    ['text', { text: { field: 'what' } }],
    ['point', {}],
  ] as const)('leaves no %s black on a dark page', async (mark, more) => {
    const spec = {
      ...{ data: { values: [{ score: 1, what: 'captured code' }] }, mark, width: 100 },
      encoding: { y: { field: 'score', type: 'quantitative' as const }, ...more },
    };
    const colour = /(?:fill|stroke)="(?!none|transparent|var)([^"]*)"/g;
    const { wide, narrow } = await renderForPage(spec);
    for (const svg of [wide, narrow]) expect([...svg.matchAll(colour)].map(([, name]) => name)).toEqual([]);
  });

  it('gives every value a colour that stands out from a light and from a dark page', async () => {
    const { wide } = await renderForPage(plot('block'));
    const marks = /role-mark marks[^]*?<\/g>/.exec(wide)?.[0] ?? '';
    const colours = [...marks.matchAll(/fill="rgb\(([\d, ]+)\)"/g)].map(([, parts = '']) =>
      parts.split(',').map(Number),
    );
    expect(new Set(colours.map(String)).size).toBe(3);
    const grounds = [...style.matchAll(/--bg:#(\w+)/g)].map(([, hex = '']) =>
      [0, 1, 2].map((at) =>
        parseInt(hex.length === 3 ? `${hex[at] ?? ''}${hex[at] ?? ''}` : hex.slice(2 * at, 2 * at + 2), 16),
      ),
    );
    expect(new Set(grounds.map(String))).toEqual(new Set(['255,255,255', '13,17,23']));
    for (const ground of grounds) for (const colour of colours) expect(contrast(ground, colour)).toBeGreaterThan(2.7);
  });

  it('has the whole title of an axis on a phone, in lines', async () => {
    const title = 'wave order in wave-instructions, which is not a time';
    const { narrow } = await renderForPage(plot(title));
    const lines = [...(/role-axis-title[^]*?<\/g>/.exec(narrow)?.[0] ?? '').matchAll(/<tspan[^>]*>([^<]*)</g)];
    expect([lines.length > 1, lines.map(([, line]) => line).join(' ')]).toEqual([true, title]);
  });
});
