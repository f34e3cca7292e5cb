import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';

const folder = join(__dirname, '..', '..', 'schemas');

/** What is wrong with a value by one of the schemas that the package ships, read by a validator that is not ours; empty if nothing is. */
export function schemaErrors(name: string, value: unknown): string[] {
  const ajv = new Ajv({ allErrors: true, schemaId: '$id' });
  const schema = JSON.parse(readFileSync(join(folder, `${name}.schema.json`), 'utf8')) as object;
  if (ajv.validate(schema, value)) return [];
  return (ajv.errors ?? []).map(({ dataPath, message, params }) => `${dataPath} ${message} ${JSON.stringify(params)}`);
}

/** What a verb printed with --json, once the published schema of the verb has been found to hold for it. */
export function checkedOutput(verb: string, stdout: string): Record<string, unknown> {
  const document = JSON.parse(stdout) as Record<string, unknown>;
  const errors = schemaErrors(`output/${verb}`, document);
  if (errors.length > 0) throw new Error(`kernloop ${verb} --json printed ${stdout}\n${errors.join('\n')}`);
  return document;
}
