import type { OpenAPIObject } from '@nestjs/swagger';
import { CHANNEL_NAME } from '#ledger-config';
import { ERRORS, type ErrorCode } from '../http/error-table.js';
import { sampleAnswer } from '../http/error-answers.js';
import { errorResponse, type ErrorDocument } from '../http/operation.decorator.js';

type PathItem = OpenAPIObject['paths'][string];
type Operation = NonNullable<PathItem['get']>;
interface CodeHeader {
  schema: { enum: string[] };
}

const PREFIX = '/channels/{channel}/';
const JSON_TYPE = 'application/json';
const CODE_HEADER = 'X-Error-Code';
/** Errors that only these operations have, or under another status. */
const CHANNEL_ERRORS: readonly ErrorCode[] = [
  'LEDGER.CHANNEL_UNKNOWN',
  ...(Object.keys(ERRORS) as ErrorCode[]).filter((code) => ERRORS[code].channelStatus !== undefined),
];
const METHODS = ['get', 'post', 'put', 'delete'] as const;

/**
 * Completes the operations on a named channel, which have the handlers and decorators of those on the default channel: their
 * own ids, the parameter, and the error for an unknown channel.
 */
export function completeChannelOperations({ paths }: OpenAPIObject): void {
  for (const [path, item] of Object.entries(paths)) {
    if (!path.startsWith(PREFIX)) continue;
    for (const operation of METHODS.map((method) => item[method])) if (operation !== undefined) complete(operation);
  }
}

function complete(operation: Operation): void {
  operation.operationId = `${operation.operationId ?? ''}OfChannel`;
  operation.summary = `${operation.summary ?? ''} (of a channel)`;
  const parameter = {
    name: 'channel',
    in: 'path' as const,
    required: true,
    description: 'The name of a channel: the default one, or one of LEDGER_CHANNELS.',
    schema: { type: 'string', pattern: CHANNEL_NAME.source },
    example: 'mychannel',
  };
  operation.parameters = [parameter, ...(operation.parameters ?? [])];
  for (const code of CHANNEL_ERRORS) {
    if (code !== 'LEDGER.CHANNEL_UNKNOWN' && !remove(code, operation)) continue;
    const answer = sampleAnswer(code, 'mychannel');
    const added = errorResponse(answer.status, [answer]);
    const known = operation.responses[answer.status] as ErrorDocument | undefined;
    operation.responses[answer.status] = known === undefined ? added : merged(known, added);
  }
}

/** Removes an error under its status on the default channel. Returns false if the operation does not have it. */
function remove(code: ErrorCode, { responses }: Operation): boolean {
  const known = responses[sampleAnswer(code).status] as ErrorDocument | undefined;
  const examples = known?.content[JSON_TYPE].examples ?? {};
  if (known === undefined || !(code in examples)) return false;
  const { schema } = known.headers[CODE_HEADER] as CodeHeader;
  schema.enum = schema.enum.filter((each) => each !== code);
  known.content[JSON_TYPE].examples = Object.fromEntries(Object.entries(examples).filter(([name]) => name !== code));
  return true;
}

/** Returns the description of all errors of two descriptions of one status. */
function merged(one: ErrorDocument, other: ErrorDocument): ErrorDocument {
  const [json, otherJson] = [one.content[JSON_TYPE], other.content[JSON_TYPE]];
  const codes = { ...one.headers[CODE_HEADER] } as CodeHeader;
  const { schema } = other.headers[CODE_HEADER] as CodeHeader;
  codes.schema = { ...codes.schema, enum: [...codes.schema.enum, ...schema.enum] };
  return {
    ...one,
    headers: { ...other.headers, ...one.headers, [CODE_HEADER]: codes },
    content: { [JSON_TYPE]: { ...json, examples: { ...json.examples, ...otherJson.examples } } },
  };
}
