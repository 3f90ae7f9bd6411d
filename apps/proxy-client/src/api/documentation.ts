import { applyDecorators } from '@nestjs/common';
import { ApiBearerAuth, ApiForbiddenResponse, ApiProperty, ApiUnauthorizedResponse } from '@nestjs/swagger';

/** The documentation of a plain-text response. */
export const TEXT = { 'text/plain': { schema: { type: 'string' } } };

/** Documents a property that counts something. */
export const Count = (description: string, example: number): PropertyDecorator =>
  ApiProperty({ type: 'integer', minimum: 0, description, example });

/** Documents a property that is a time. */
export const Time = (description?: string): PropertyDecorator =>
  ApiProperty({ ...TIME, ...(description && { description }) });

/** Documents a text that may be null. */
export const TextOrNull = (description?: string, example?: string | null): PropertyDecorator =>
  ApiProperty({
    type: 'string',
    nullable: true,
    ...(description && { description }),
    ...(example !== undefined && { example }),
  });

/** The schema of a time. */
export const TIME = { type: 'string', format: 'date-time', example: '2026-01-31T08:30:00.000Z' } as const;

/** Documents the refusals of the Host check. */
export const ApiHostCheck = (): MethodDecorator & ClassDecorator =>
  ApiForbiddenResponse({
    description: 'The Host header is neither an IP address nor localhost nor one of listen.allowedHosts.',
    content: TEXT,
  });

/** Documents the refusals of the Host check and of the token check. */
export const ApiAccessChecks = (): MethodDecorator & ClassDecorator =>
  applyDecorators(
    ApiBearerAuth(),
    ApiHostCheck(),
    ApiUnauthorizedResponse({
      description: 'The admin token is required. The log names the file that contains it, or it is admin.token.',
      content: TEXT,
    }),
  );
