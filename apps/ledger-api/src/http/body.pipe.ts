import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { getMetadataStorage, registerDecorator, validateSync, type ValidationError } from 'class-validator';
import { idFault, valueFault } from '#contract-kit';
import { invalidRequest } from './errors.js';

/** Longest part of an unknown field name that an answer repeats, in characters. */
const SHOWN_NAME = 64;
/** Errors that an answer lists: a body may have thousands of unknown fields. */
const SHOWN_ERRORS = 10;

/** Returns the error in the value of a field, or undefined. */
type TextRule = (value: unknown) => string | undefined;

/** The contract's own rule for a field of an asset. */
export const fieldRule: TextRule = (value) => (typeof value === 'string' ? valueFault(value) : kindError(value));

/** The contract's own rule for an asset id. */
export const assetIdRule: TextRule = (value) => (typeof value === 'string' ? idFault(value) : kindError(value));

function kindError(value: unknown): string {
  if (value === undefined) return 'is missing';
  if (value === null) return 'must be a string, not null';
  if (Array.isArray(value)) return 'must be a string, not an array';
  return `must be a string, not ${typeof value === 'object' ? 'an object' : `a ${typeof value}`}`;
}

/** Validates a property by a rule, whose text becomes the validation message. */
export function Follows(rule: TextRule): PropertyDecorator {
  return (target, property) => {
    registerDecorator({
      name: rule.name,
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate: (value: unknown) => rule(value) === undefined,
        defaultMessage: (context) => rule(context?.value) ?? '',
      },
    });
  };
}

type BodyClass = new () => object;

/**
 * Turns a parsed body into an instance of its DTO class with class-validator, or refuses it and lists the invalid fields.
 *
 * Nest's own ValidationPipe does not fit: class-transformer overflows the stack on deep nesting, and class-validator's
 * whitelist accepts names of `Object.prototype` such as `constructor`. Both see only known fields here. The pipe is used by
 * `@Body` and not globally, where it would run for the id of each read too.
 */
@Injectable()
export class BodyPipe implements PipeTransform<unknown> {
  readonly #fields = new Map<unknown, ReadonlySet<string>>();

  /** @throws `API.INVALID_REQUEST` */
  transform(body: unknown, { metatype }: ArgumentMetadata): object {
    if (body === undefined) throw invalidRequest('A JSON body is required.');
    return this.read(body, metatype as BodyClass);
  }

  /**
   * Does the same for a value from elsewhere.
   * @param what - the name of the value, for the error
   */
  read<T extends object>(body: unknown, type: new () => T, what = 'The body'): T {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw invalidRequest(`${what} must be a JSON object.`);
    }
    const known = this.#fields.get(type) ?? fieldsOf(type);
    this.#fields.set(type, known);
    const request = new type();
    const fields = request as Record<string, unknown>;
    const unknown: string[] = [];
    for (const [name, value] of Object.entries<unknown>(body as Record<string, unknown>)) {
      if (known.has(name)) fields[name] = value;
      else unknown.push(`unknown field ${JSON.stringify(name.slice(0, SHOWN_NAME))}${hint(name, known)}`);
    }
    const errors = [...validateSync(request, { forbidUnknownValues: false }).map(describe), ...unknown];
    if (errors.length > 0) throw invalidRequest(`${what} is refused: ${listed(errors)}.`);
    return request;
  }
}

function fieldsOf(type: BodyClass): ReadonlySet<string> {
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', true, false);
  return new Set(rules.map(({ propertyName }) => propertyName));
}

/** Answers name the identifier `ID`, requests `id`: callers that send back an answer learn the name. */
function hint(name: string, known: ReadonlySet<string>): string {
  const meant = [...known].find((field) => field.toLowerCase() === name.toLowerCase());
  return meant === undefined ? '' : ` (did you mean ${JSON.stringify(meant)}?)`;
}

function describe({ property, constraints }: ValidationError): string {
  return `${property} ${Object.values(constraints ?? {}).join(', ')}`;
}

function listed(errors: readonly string[]): string {
  const more = errors.length - SHOWN_ERRORS;
  return errors.slice(0, SHOWN_ERRORS).join('; ') + (more > 0 ? `; and ${more} more` : '');
}
