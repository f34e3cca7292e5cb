import { createHash } from 'node:crypto';
import { parse, View } from 'vega';
import { compile, type Config, type TopLevelSpec } from 'vega-lite';

/** Longest label of an axis, in pixels: names of kernels and lanes are long. */
const label = { labelLimit: 320 };

/** Renders a Vega-Lite plot as SVG text, without a browser or a canvas. */
export async function renderSvg(spec: TopLevelSpec): Promise<string> {
  return draw({ ...spec, background: 'white' }, { axis: label });
}

const draw = (spec: TopLevelSpec, config: Config): Promise<string> =>
  new View(parse(compile(spec, { config }).spec), { renderer: 'none' }).toSVG();

const ink = 'var(--ink)';
const line = 'var(--line)';

/** Colours of quantities that stand out from a light and from a dark ground: no name has colours between two others. */
const ramp = ['#6a9be8', '#1f5fbf'];

/** Colours by name: the page defines their values, separately for dark mode. */
const pageConfig: Config = {
  aria: false,
  background: 'transparent',
  view: { stroke: null },
  title: { color: ink, subtitleColor: ink },
  axis: { ...label, labelColor: ink, titleColor: ink, gridColor: line, domainColor: line, tickColor: line },
  legend: { labelColor: ink, titleColor: ink },
  header: { labelColor: ink, titleColor: ink },
  mark: { color: 'var(--c1)' },
  rule: { color: ink },
  text: { color: ink },
  range: {
    ramp,
    heatmap: ramp,
    category: Array.from({ length: 8 }, (_, index) => `var(--c${index + 1})`),
  },
};

/** On a phone, names are cut short, and legends lie below the plot. */
const narrowConfig: Config = {
  ...pageConfig,
  axis: { ...pageConfig.axis, labelLimit: 110 },
  axisX: { titleAnchor: 'start', titleLimit: 260 },
  legend: { ...pageConfig.legend, orient: 'bottom', columns: 1, gradientLength: 160, labelLimit: 240 },
};

/** Width of the content of a page on a phone of 360 pixels. */
const phoneWidth = 320;
const leastWidth = 80;

/** A plot for a screen, and the same for a phone: scaled down, its letters would be too small to read. */
export interface Drawn {
  readonly wide: string;
  readonly narrow: string;
}

/** Renders a plot in the colours of a page (lib/page). */
export async function renderForPage(spec: TopLevelSpec): Promise<Drawn> {
  let narrowSpec = narrowed(spec, 0);
  let narrow = await draw(narrowSpec, narrowConfig);
  // Labels of an axis grow or shrink with the plot, so one step may be too short.
  for (let step = 0; step < 3 && widthOf(narrow) > phoneWidth; step += 1) {
    narrowSpec = narrowed(narrowSpec, widthOf(narrow) - phoneWidth);
    narrow = await draw(narrowSpec, narrowConfig);
  }
  return { wide: inPage(await draw(spec, pageConfig)), narrow: inPage(narrow) };
}

/** The plot without its title, which may be wider than a phone, and narrower by some pixels. */
function narrowed(spec: TopLevelSpec, pixels: number): TopLevelSpec {
  const { title: _title, ...whole } = spec;
  const rest = withWrappedTitles(whole) as typeof whole;
  if ('facet' in rest) return { ...rest, columns: 1 };
  if (!('width' in rest) || typeof rest.width !== 'number') return rest;
  return { ...rest, width: Math.max(leastWidth, rest.width - pixels) };
}

/** Letters of a line of an axis title on a phone, which would cut a longer one short. */
const titleLetters = 28;

/** The spec with its axis titles in lines. */
function withWrappedTitles(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withWrappedTitles);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (key === 'data') return [key, inner];
      return [key, key === 'title' && typeof inner === 'string' ? linesOf(inner) : withWrappedTitles(inner)];
    }),
  );
}

function linesOf(title: string): string[] {
  const lines: string[] = [];
  for (const word of title.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < titleLetters) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

const widthOf = (svg: string): number => Number(/<svg [^>]*?width="([\d.]+)"/.exec(svg)?.[1] ?? 0);

/** The plot is one picture with one description, and its identifiers are not those of other plots of the page. */
function inPage(svg: string): string {
  const own = createHash('sha256').update(svg).digest('hex').slice(0, 8);
  return svg
    .replaceAll(/ (?:role|aria-roledescription|aria-hidden)="[^"]*"/g, '')
    .replaceAll(/ id="([^"]*)"/g, ` id="p${own}-$1"`)
    .replaceAll(/url\(#([^)]*)\)/g, `url(#p${own}-$1)`);
}
