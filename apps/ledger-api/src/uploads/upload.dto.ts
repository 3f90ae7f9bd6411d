import { applyDecorators, Post } from '@nestjs/common';
import { RouteConfig, RouteConstraints } from '@nestjs/platform-fastify';
import {
  ApiExcludeEndpoint,
  ApiExtension,
  ApiExtraModels,
  ApiProperty,
  ApiPropertyOptional,
  getSchemaPath,
} from '@nestjs/swagger';
import { Needs } from '../access/access.decorators.js';
import { EXAMPLE_TRANSACTION_ID } from '../http/error-table.js';
import { ApiError } from '../http/errors.js';
import { NDJSON } from '../http/json-body.js';
import { OTHER_BODIES, type OperationPart, Success } from '../http/operation.decorator.js';

/** The body of an upload arrives more slowly than the limits. */
export const UPLOAD_TOO_SLOW = new ApiError(
  'API.REQUEST_TIMEOUT',
  'The next lines did not arrive in time: one line within 30 s, and 64 bytes a second over a minute.',
);

/** The answer to one line of an upload. */
export class LineAnswer {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    example: 7,
    description: 'The number of the line. Absent in a last answer, which states why the rest of the body was not read.',
  })
  line?: number;

  @ApiPropertyOptional({ example: 'asset7', description: 'The id, if the line could be read.' })
  id?: string;

  @ApiProperty({
    type: 'integer',
    example: 201,
    description: '201: created and durable. Otherwise the status with which a single create is answered.',
  })
  status!: number;

  @ApiPropertyOptional({ example: EXAMPLE_TRANSACTION_ID, description: 'The transaction that created it.' })
  transactionId?: string;

  @ApiPropertyOptional({ enum: [true], description: 'An earlier upload with the same Idempotency-Key created it.' })
  replayed?: true;

  @ApiPropertyOptional({ example: 'LEDGER.ASSET_EXISTS', description: 'The code of the error.' })
  code?: string;

  @ApiPropertyOptional({ example: 'The asset asset7 already exists.' })
  message?: string;
}

/** A refused line of an upload. */
export class RefusedLine {
  @ApiProperty({ type: 'integer', minimum: 1, example: 7 })
  line!: number;

  @ApiPropertyOptional({ example: 'asset7', description: 'The id, if the line could be read.' })
  id?: string;

  @ApiProperty({ example: 'LEDGER.ASSET_EXISTS' })
  code!: string;

  @ApiProperty({ example: 'The asset asset7 already exists.' })
  message!: string;
}

/** Refused lines that a report lists. */
export const MAX_LISTED_REFUSALS = 1000;

/** The report on an upload. */
export class UploadReport {
  @ApiProperty({ type: 'integer', minimum: 0, example: 500 })
  lines!: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 499, description: 'Lines that were created.' })
  created!: number;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    example: 0,
    description: 'Those of the created ones that an earlier upload with the same Idempotency-Key had created.',
  })
  replayed!: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 1 })
  refused!: number;

  @ApiProperty({ type: [RefusedLine], description: `The first ${MAX_LISTED_REFUSALS} refused lines.` })
  refusals!: RefusedLine[];
}

/** An operation that also creates what the lines of a body contain. @param line - the JSON schema of a line */
export function uploadOf(line: object): OperationPart {
  return {
    parameters: [
      ApiExtraModels(LineAnswer),
      ApiExtension(OTHER_BODIES, { [NDJSON]: { schema: line } }),
      Success({ status: 200, data: UploadReport }, {}, { [NDJSON]: { schema: { $ref: getSchemaPath(LineAnswer) } } }),
    ],
    errors: [UPLOAD_TOO_SLOW],
  };
}

/** A route that creates many things by one request, one on each line; the API's document describes it by {@link uploadOf}. */
export function UploadRoute(): MethodDecorator {
  return applyDecorators(
    Post(),
    RouteConstraints({ bodyType: NDJSON }),
    RouteConfig({ readsLines: true, isStream: true }),
    Needs('writer'),
    ApiExcludeEndpoint(),
  );
}
