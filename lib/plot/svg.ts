import { parse, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';

/** A plot of Vega-Lite as SVG text; no browser and no canvas is needed. */
export async function renderSvg(spec: TopLevelSpec): Promise<string> {
  return new View(parse(compile({ ...spec, background: 'white' }).spec), { renderer: 'none' }).toSVG();
}
