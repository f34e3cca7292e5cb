import { parse, View } from 'vega';
import { compile, type Config, type TopLevelSpec } from 'vega-lite';

/** A plot of Vega-Lite as SVG text; no browser and no canvas is needed. */
export async function renderSvg(spec: TopLevelSpec): Promise<string> {
  return new View(parse(compile({ ...spec, background: 'white' }).spec), { renderer: 'none' }).toSVG();
}

const ink = 'var(--ink)';
const line = 'var(--line)';

/** Colours by name: what they are, the page says, and says anew for a dark one. */
const pageConfig: Config = {
  aria: false,
  background: 'transparent',
  view: { stroke: null },
  title: { color: ink },
  axis: { labelColor: ink, titleColor: ink, gridColor: line, domainColor: line, tickColor: line },
  legend: { labelColor: ink, titleColor: ink },
  header: { labelColor: ink, titleColor: ink },
  mark: { color: 'var(--c1)' },
  rule: { color: ink },
  range: { category: Array.from({ length: 8 }, (_, index) => `var(--c${index + 1})`) },
};

/** The same for a page (lib/page), in whose colours it is. */
export async function renderForPage(spec: TopLevelSpec): Promise<string> {
  const { spec: compiled } = compile(spec, { config: pageConfig });
  const svg = await new View(parse(compiled), { renderer: 'none' }).toSVG();
  // It is one picture, and described as that.
  return svg.replaceAll(/ (?:role|aria-roledescription|aria-hidden)="[^"]*"/g, '');
}
