// `npm run docs:build`: README, docs/ and the pages beside them as a site, offline, into .kernloop/site. Links between the Markdown files are those of a forge.
import { defineConfig } from 'vitepress';

const page = (text, name) => ({ text, link: `/docs/${name}` });
const group = (text, ...items) => ({ text, collapsed: false, items });

const sidebar = [
  group(
    'Start',
    page('Getting started', 'getting-started'),
    page('Make a kernel faster', 'tutorial'),
    page('Your own app', 'adopt'),
    page('Install and support', 'install'),
    page('Concepts and glossary', 'concepts'),
    page('Troubleshooting', 'troubleshooting'),
  ),
  group(
    'The loop',
    page('Profile', 'profile'),
    page('Capture', 'capture'),
    page('Extract', 'extract'),
    page('Source of a kernel', 'generate'),
    page('Watch a build', 'watch-build'),
    page('Recompile', 'recompile'),
    page('Replay', 'replay'),
    page('Validate', 'validate'),
    page('My right edit fails', 'right-edit-fails'),
    page('A verdict at every save', 'watch'),
    page('Report', 'report'),
  ),
  group(
    'Look inside, go faster',
    page('Tune', 'tune'),
    page('Judge candidates', 'judge'),
    page('Known cheats', 'known-cheats'),
    page('PGO', 'pgo'),
    page('Events inside kernels', 'tracing'),
    page('Probes and traces', 'trace'),
  ),
  group(
    'Teams and machines',
    page('Nx, CI, shared cache', 'nx'),
    page('Reports of judge in CI', 'judge-reports'),
    page('Tasks of other benchmarks', 'export-task'),
    page('Share captures safely', 'sharing'),
    page('A server for captures', 'remote'),
    page('Slurm', 'slurm'),
    page('When one machine is not enough', 'many-machines'),
    page('Store, pack, unpack', 'store'),
  ),
  group(
    'For',
    page('CUDA', 'cuda'),
    page('Triton', 'triton'),
    page('llama.cpp on AMD', 'llama-cpp'),
    page('The software GPU', 'softgpu'),
    page('Python', 'python'),
    page('Scripts', 'api'),
    page('Agents: MCP', 'mcp'),
    page('Users of Kerncap', 'kerncap'),
  ),
  group(
    'Reference',
    page('Options', 'reference/options'),
    page('Project files', 'reference/files'),
    page('Generators', 'reference/generators'),
    page('Errors', 'reference/errors'),
    page('How validate judges', 'reference/how-validate-judges'),
    page('Exit codes', 'reference/exit-codes'),
    page('Archive format', 'archive-format'),
    page('The judge’s HTTP service', 'reference/judge'),
    page('Probe files and traces', 'reference/trace-formats'),
    page('Fields, clocks and costs of events', 'reference/tracing'),
    page('PGO: stages, variants, limits', 'reference/pgo'),
    page('The software GPU: counters, faults, checker', 'reference/softgpu'),
    page('Instructions of the software GPU', 'reference/softgpu-isa'),
  ),
];

export default defineConfig({
  title: 'Kernloop',
  description: 'One GPU kernel out of a running program: edit it, check it, time it.',
  srcDir: '..',
  outDir: '../.kernloop/site',
  cacheDir: '../.kernloop/site-cache',
  // Files that are no documentation, or belong to one folder of the source.
  srcExclude: [
    'bench',
    'dist*',
    'e2e',
    'examples',
    'executors',
    'generators',
    'kernels',
    'lib',
    'native',
    'probes',
    'python',
    'skills',
    '.github',
    '.kernloop',
  ].map((folder) => `${folder}/**`),
  rewrites: { 'README.md': 'index.md' },
  // Files of the repository that are no pages.
  ignoreDeadLinks: [
    /\.proto$/,
    /LICENSE$/,
    /^(\.\.?\/)+(bench|native|examples|lib|e2e|probes|python|skills|schemas|tools|\.github|lint|generators)(\/|$)/,
  ],
  markdown: {
    // `<name>` in a sentence is a word to replace, as a forge shows it, and no element of Vue.
    config: (md) => {
      md.renderer.rules.html_inline = (tokens, index) => {
        const { content } = tokens[index];
        return /^<\/?(picture|source|img|br|sub|sup|kbd)\b/.test(content) ? content : md.utils.escapeHtml(content);
      };
    },
  },
  lastUpdated: false,
  themeConfig: {
    search: { provider: 'local' },
    sidebar,
    outline: [2, 3],
    nav: [
      page('Tutorial', 'tutorial'),
      page('Options', 'reference/options'),
      // typedoc writes it beside these pages.
      { text: 'API', link: '/api/index.html', target: '_self' },
      { text: 'Changelog', link: '/CHANGELOG' },
    ],
  },
});
