import { parse, View } from 'vega';
import { compile, type Config, type TopLevelSpec } from 'vega-lite';

/** Renders a Vega-Lite plot as SVG text, without a browser or a canvas. */
export async function renderSvg(spec: TopLevelSpec): Promise<string> {
  return new View(parse(compile({ ...spec, background: 'white' }).spec), { renderer: 'none' }).toSVG();
}

const ink = 'var(--ink)';
const line = 'var(--line)';

/** Colours by name: the page defines their values, separately for dark mode. */
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

/** Renders a plot in the colours of a page (lib/page). */
export async function renderForPage(spec: TopLevelSpec): Promise<string> {
  const { spec: compiled } = compile(spec, { config: pageConfig });
  const svg = await new View(parse(compiled), { renderer: 'none' }).toSVG();
  // The plot is one picture with one description.
  return svg.replaceAll(/ (?:role|aria-roledescription|aria-hidden)="[^"]*"/g, '');
}
