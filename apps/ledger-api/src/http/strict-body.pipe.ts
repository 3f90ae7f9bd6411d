import type { PipeTransform } from '@nestjs/common';
import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';
import { InvalidRequestError } from './api.errors.js';

/** Longest part of a foreign field name that an answer repeats, in characters. */
const SHOWN_NAME = 64;

/**
 * Turns a parsed body into an instance of its DTO class, or refuses it and names every field that is wrong.
 *
 * The keys and the kind of each value are checked on the raw object first: class-validator's whitelist lets names of
 * `Object.prototype` such as `constructor` pass, and class-transformer overflows the stack on deep nesting. What is left
 * is a flat object of known fields, on which the class's own rules run.
 */
export class StrictBodyPipe<T extends object> implements PipeTransform<unknown, T> {
  readonly #type: new () => T;
  readonly #fields: ReadonlySet<string>;

  constructor(type: new () => T) {
    this.#type = type;
    const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', true, false);
    this.#fields = new Set(rules.map(({ propertyName }) => propertyName));
  }

  transform(body: unknown): T {
    if (body === undefined) throw new InvalidRequestError('A JSON body is needed.');
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw new InvalidRequestError('The body must be a JSON object.');
    }
    const request = new this.#type();
    const faults: string[] = [];
    for (const [name, value] of Object.entries(body)) {
      if (this.#fields.has(name)) Object.assign(request, { [name]: value as unknown });
      else faults.push(`unknown field ${JSON.stringify(name.slice(0, SHOWN_NAME))}`);
    }
    faults.unshift(...validateSync(request, { forbidUnknownValues: false }).map(describe));
    if (faults.length > 0) throw new InvalidRequestError(`The body is refused: ${listed(faults)}.`);
    return request;
  }
}

function describe({ property, constraints }: ValidationError): string {
  return `${property} ${Object.values(constraints ?? {}).join(', ')}`;
}

/** At most ten, since a body may hold thousands of unknown names. */
function listed(faults: readonly string[]): string {
  const more = faults.length - 10;
  return faults.slice(0, 10).join('; ') + (more > 0 ? `; and ${more} more` : '');
}
