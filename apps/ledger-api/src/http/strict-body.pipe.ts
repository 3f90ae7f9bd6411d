import type { PipeTransform } from '@nestjs/common';
import { getMetadataStorage, validateSync, ValidationTypes, type ValidationError } from 'class-validator';
import { rulesOf, type TextRule } from '../dto/text-rules.js';
import { InvalidRequestError } from './api.errors.js';

/** Longest part of a foreign field name that an answer repeats, in characters. */
const SHOWN_NAME = 64;

/**
 * Turns a parsed body into an instance of its DTO class, or refuses it and names every field that is wrong.
 *
 * The keys and the kind of each value are checked on the raw object first: class-validator's whitelist lets names of
 * `Object.prototype` such as `constructor` pass, and class-transformer overflows the stack on deep nesting. What is left
 * is a flat object of known fields, on which the class's own rules run.
 *
 * A body without a fault is found to be so by the rules alone: class-validator works out anew for each object what is to
 * be checked, which takes as long as the rest of a request. What the rules do not pass, it judges and puts into words.
 */
export class StrictBodyPipe<T extends object> implements PipeTransform<unknown, T> {
  readonly #type: new () => T;
  readonly #fields: ReadonlySet<string>;
  readonly #optional: ReadonlySet<string>;
  readonly #rules: readonly (readonly [name: string, rule: TextRule])[];

  constructor(type: new () => T) {
    this.#type = type;
    const metadata = getMetadataStorage().getTargetValidationMetadatas(type, '', true, false);
    const conditional = metadata.filter((rule) => rule.type === ValidationTypes.CONDITIONAL_VALIDATION);
    this.#fields = new Set(metadata.map(({ propertyName }) => propertyName));
    this.#optional = new Set(conditional.map(({ propertyName }) => propertyName));
    this.#rules = [...rulesOf(type)];
  }

  transform(body: unknown): T {
    if (body === undefined) throw new InvalidRequestError('A JSON body is needed.');
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw new InvalidRequestError('The body must be a JSON object.');
    }
    return this.#accepted(body as Readonly<Record<string, unknown>>) ?? this.#judged(body);
  }

  /** The instance for a body that follows the rules and holds nothing else; undefined for any other. */
  #accepted(body: Readonly<Record<string, unknown>>): T | undefined {
    const request = new this.#type() as Record<string, unknown>;
    let taken = 0;
    for (const [name, rule] of this.#rules) {
      const value = body[name];
      if (value === undefined && this.#optional.has(name)) continue;
      if (rule(value) !== undefined) return undefined;
      request[name] = value;
      taken += 1;
    }
    return Object.keys(body).length === taken ? (request as T) : undefined;
  }

  #judged(body: object): T {
    const request = new this.#type();
    const faults: string[] = [];
    for (const [name, value] of Object.entries(body)) {
      if (this.#fields.has(name)) Object.assign(request, { [name]: value as unknown });
      else faults.push(`unknown field ${JSON.stringify(name.slice(0, SHOWN_NAME))}${this.#hint(name)}`);
    }
    faults.unshift(...validateSync(request, { forbidUnknownValues: false }).map(describe));
    if (faults.length > 0) throw new InvalidRequestError(`The body is refused: ${listed(faults)}.`);
    return request;
  }

  /** Answers name the identifier `ID`, requests `id`: whoever sends back what was read is told. */
  #hint(name: string): string {
    const meant = [...this.#fields].find((field) => field.toLowerCase() === name.toLowerCase());
    return meant === undefined ? '' : ` (it is called ${JSON.stringify(meant)} here)`;
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
