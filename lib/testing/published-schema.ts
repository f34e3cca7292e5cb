import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';

const folder = join(__dirname, '..', '..', 'schemas');

/** Errors of a value under a schema that the package ships, from an independent validator; empty if it is valid. */
export function schemaErrors(name: string, value: unknown): string[] {
  const ajv = new Ajv({ allErrors: true, schemaId: '$id' });
  const schema = JSON.parse(readFileSync(join(folder, `${name}.schema.json`), 'utf8')) as object;
  if (ajv.validate(schema, value)) return [];
  return (ajv.errors ?? []).map(({ dataPath, message, params }) => `${dataPath} ${message} ${JSON.stringify(params)}`);
}

/** Output of a verb with --json, checked against the published schema of the verb. */
export function checkedOutput(verb: string, stdout: string): Record<string, unknown> {
  const document = JSON.parse(stdout) as Record<string, unknown>;
  const errors = schemaErrors(`output/${verb}`, document);
  if (errors.length > 0) throw new Error(`kernloop ${verb} --json printed ${stdout}\n${errors.join('\n')}`);
  return document;
}
