import { applyDecorators } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiForbiddenResponse,
  ApiProperty,
  type ApiPropertyOptions,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';

/** The documentation of a plain-text response. */
export const TEXT = { 'text/plain': { schema: { type: 'string' } } };

/** A property of a response: its documentation, and its type. */
export type Property<T> = ApiPropertyOptions & { readonly typed?: T };

/** Returns the class of a response with documented properties. */
export function response<S extends Readonly<Record<string, object>>>(
  properties: S,
): new () => { readonly [K in keyof S]: S[K] extends Property<infer T> ? T : never } {
  // Swagger reads the documentation of inherited properties too.
  // eslint-disable-next-line @typescript-eslint/no-extraneous-class
  const documented = class {};
  for (const [name, options] of Object.entries(properties)) ApiProperty(options)(documented.prototype, name);
  return documented as ReturnType<typeof response<S>>;
}

/** Returns a function that creates properties with a schema; each has a description and an example. */
export const property =
  <T>(schema: object) =>
  (description?: string, example?: T): Property<T> =>
    ({ ...schema, description, example }) as Property<T>;

const TIME = { type: 'string', format: 'date-time' };
const EXAMPLE_TIME = '2026-01-31T08:30:00.000Z';

export const text = property<string>({ type: 'string' });
export const textOrNull = property<string | null>({ type: 'string', nullable: true });
export const flag = property<boolean>({ type: 'boolean' });
export const count = property<number>({ type: 'integer', minimum: 0 });
export const countOrNull = property<number | null>({ type: 'integer', nullable: true });
export const time = (description?: string): Property<string> => property<string>(TIME)(description, EXAMPLE_TIME);
export const timeOrNull = (description: string): Property<string | null> =>
  property<string | null>({ ...TIME, nullable: true })(description, EXAMPLE_TIME);

/** One of several words. */
export const oneOf = <const T extends string>(words: readonly T[], description?: string): Property<T> =>
  property<T>({ type: 'string', enum: words })(description);

/** A property that may be absent from a request. */
export const optional = <T>(options: Property<T>): Property<T | undefined> =>
  ({ ...options, required: false }) as Property<T | undefined>;

/** A list of other responses. */
export const listOf = <T>(type: new () => T, description?: string): Property<readonly T[]> =>
  property<readonly T[]>({ type: [type] })(description);

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
