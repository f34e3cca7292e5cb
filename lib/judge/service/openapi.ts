import { z } from 'zod';
import { version } from '../../support/version';
import {
  candidateSchema,
  eventSchema,
  idSchema,
  kernelsSchema,
  limits,
  refusalSchema,
  sealedSchema,
  serviceStatusSchema,
  statusSchema,
  submittedSchema,
} from './wire';

const answers = {
  SealedJudgement: sealedSchema,
  Status: statusSchema,
  Refusal: refusalSchema,
  Submitted: submittedSchema,
  Event: eventSchema,
  Kernels: kernelsSchema,
  ServiceStatus: serviceStatusSchema,
};
const schemas = { Candidate: jsonOf(candidateSchema, 'input'), ...named(answers) };

type Name = 'Candidate' | keyof typeof answers;

/** The service as an OpenAPI 3.1 document, whose schemas are JSON Schema 2020-12. */
export function openApiDocument() {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Kernloop judge',
      version,
      description: 'Judges candidates for GPU kernels against captures. A sender sees its own candidates only.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The address that `kernloop judge --serve` prints.' }],
    security: [{ token: [] }],
    paths: {
      '/v1/candidates': {
        post: {
          operationId: 'submit',
          summary: 'Submit a candidate, or a list of them. Each is accepted or refused separately.',
          description:
            'A candidate that is sent alone is refused by the HTTP status. The same candidate under the same id is accepted once, so a request can be repeated.',
          requestBody: {
            required: true,
            description: `At most ${limits.candidatesAtOnce} candidates, and ${limits.bodyBytes} bytes.`,
            content: {
              'application/json': {
                schema: {
                  anyOf: [
                    ref('Candidate'),
                    { type: 'array', items: ref('Candidate'), minItems: 1, maxItems: limits.candidatesAtOnce },
                  ],
                },
              },
              'application/x-ndjson': { schema: { type: 'string', description: 'A candidate on each line.' } },
            },
          },
          responses: responses(
            { 200: ['One state or refusal for each candidate.', 'Submitted'] },
            [400, 409, 413, 429],
          ),
        },
      },
      '/v1/candidates/{id}': {
        parameters: [idParameter()],
        get: {
          operationId: 'candidate',
          summary: 'The state of a candidate.',
          responses: responses({ 200: ['Its state.', 'Status'] }, [404]),
        },
        delete: {
          operationId: 'cancel',
          summary: 'End the work on a candidate. Its verdict is "cancelled", unless it has one.',
          responses: responses({ 200: ['Its state.', 'Status'] }, [404]),
        },
      },
      '/v1/candidates/{id}/verdict': {
        parameters: [idParameter()],
        get: {
          operationId: 'verdict',
          summary: 'The signed verdict on a candidate.',
          parameters: [
            query('waitSeconds', 'How long to wait for it.', {
              ...{ type: 'integer', minimum: 0, maximum: limits.waitSeconds, default: 0 },
            }),
          ],
          responses: responses(
            { 200: ['The verdict.', 'SealedJudgement'], 202: ['There is none yet: ask again.', 'Status'] },
            [400, 404, 429],
          ),
        },
      },
      '/v1/events': {
        get: {
          operationId: 'events',
          summary: 'Phases and verdicts as they come, one Event a line.',
          parameters: [
            query(
              'ids',
              `At most ${limits.candidatesAtOnce} ids with commas between them: begins with the state of each, and ends when all are done. Left out: all candidates of the sender, from now on.`,
              { type: 'string' },
            ),
          ],
          responses: {
            200: {
              description: `Lines of JSON, each an Event. After ${limits.aliveSeconds} s without one, a line {"event":"alive"}.`,
              content: { 'application/x-ndjson': { schema: ref('Event') } },
            },
            ...responses({}, [400, 404, 429]),
          },
        },
      },
      '/v1/kernels': {
        get: {
          operationId: 'kernels',
          summary: 'Kernels that are judged here.',
          responses: responses({ 200: ['Names, and files that a candidate may replace.', 'Kernels'] }),
        },
      },
      '/v1/status': {
        get: {
          operationId: 'status',
          summary: 'The state of the judge.',
          responses: responses({ 200: ['Its version, key and load.', 'ServiceStatus'] }),
        },
      },
      '/v1/openapi.json': {
        get: {
          operationId: 'openapi',
          summary: 'This document.',
          responses: {
            200: { description: 'OpenAPI 3.1.', content: { 'application/json': { schema: { type: 'object' } } } },
            ...responses({}),
          },
        },
      },
    },
    components: {
      schemas,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'Not wanted on a Unix socket without --tokens.' },
      },
    },
  };
}

function jsonOf(schema: z.ZodType, io: 'input' | 'output' = 'output'): object {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io });
  return json;
}

/** Schemas that refer to each other by name. */
function named<Names extends string>(given: Readonly<Record<Names, z.ZodType>>): Record<Names, object> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries<z.ZodType>(given)) registry.add(schema, { id });
  const made = z.toJSONSchema(registry, { uri: (id) => `#/components/schemas/${id}` }).schemas;
  const plain = Object.entries(made).map(([id, { $schema: _schema, $id: _id, ...json }]) => [id, json]);
  return Object.fromEntries(plain) as Record<Names, object>;
}

const ref = (name: Name): object => ({ $ref: `#/components/schemas/${name}` });

const idParameter = (): object => ({ name: 'id', in: 'path', required: true, schema: jsonOf(idSchema) });

const query = (name: string, description: string, schema: object): object => ({
  name,
  in: 'query',
  description,
  schema,
});

const refusals: Readonly<Record<number, string>> = {
  400: 'The request or the candidate is refused.',
  401: 'The token is missing or unknown.',
  403: 'The request is of a web page, or names another machine.',
  404: 'The sender has no candidate of that id.',
  409: 'Another candidate has the id.',
  413: 'The body is too large.',
  429: 'As many candidates or requests of the sender wait as may: send it again later.',
  503: 'The judge ends: send it to the next one.',
};

/** Answers by HTTP status. Every request can be refused with 401, 403 and 503. */
function responses(own: Readonly<Record<number, readonly [string, Name]>>, others: readonly number[] = []): object {
  const answers = Object.entries(own).map(([status, [description, name]]) => [
    status,
    { description, content: { 'application/json': { schema: ref(name) } } },
  ]);
  const refused = [401, 403, 503, ...others].map((status) => [
    status,
    { description: refusals[status] ?? '', content: { 'application/json': { schema: ref('Refusal') } } },
  ]);
  return Object.fromEntries([...answers, ...refused]) as object;
}
