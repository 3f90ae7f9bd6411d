import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import {
  getMetadataStorage,
  registerDecorator,
  validateSync,
  ValidationTypes,
  type ValidationError,
} from 'class-validator';
import { idFault, valueFault } from '#asset-contract';
import { InvalidRequestError } from './api.errors.js';

/** Longest part of a foreign field name that an answer repeats, in characters. */
const SHOWN_NAME = 64;

/** Says what is wrong with a field's value, or nothing. */
type TextRule = (value: unknown) => string | undefined;

/** A field of an asset, by the contract's own rule. */
export const fieldRule: TextRule = (value) => (typeof value === 'string' ? valueFault(value) : kindFault(value));

/** An asset id, by the contract's own rule. */
export const assetIdRule: TextRule = (value) => (typeof value === 'string' ? idFault(value) : kindFault(value));

function kindFault(value: unknown): string {
  if (value === undefined) return 'is missing';
  if (value === null) return 'must be a string, not null';
  if (Array.isArray(value)) return 'must be a string, not an array';
  return `must be a string, not ${typeof value === 'object' ? 'an object' : `a ${typeof value}`}`;
}

/** The rules of each class's properties, by name. */
const RULES = new WeakMap<object, Map<string, TextRule>>();

/** Checks a property by a rule; the fault's text becomes the validation message. */
export function Follows(rule: TextRule): PropertyDecorator {
  return (target, property) => {
    const rules = RULES.get(target.constructor) ?? new Map<string, TextRule>();
    RULES.set(target.constructor, rules.set(String(property), rule));
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
 * Makes a body an instance of its DTO class, or refuses it (see {@link BodyReader}). Given to `@Body` and not to the whole
 * application: there it would run, behind promises, for the id of each read too.
 */
@Injectable()
export class StrictBodyPipe implements PipeTransform<unknown> {
  readonly #readers = new Map<unknown, BodyReader>();

  transform(body: unknown, { metatype }: ArgumentMetadata): object {
    let reader = this.#readers.get(metatype);
    if (reader === undefined) {
      reader = new BodyReader(metatype as BodyClass);
      this.#readers.set(metatype, reader);
    }
    return reader.read(body);
  }
}

/**
 * Turns parsed bodies into instances of one DTO class, or refuses them and names every field that is wrong.
 *
 * The keys and the kind of each value are checked on the raw object first: class-validator's whitelist lets names of
 * `Object.prototype` such as `constructor` pass, and class-transformer overflows the stack on deep nesting. What is left
 * is a flat object of known fields, on which the class's own rules run.
 *
 * A body without a fault is found to be so by the rules alone: class-validator works out anew for each object what is to
 * be checked, which takes as long as the rest of a request. What the rules do not pass, it judges and puts into words.
 */
class BodyReader {
  readonly #type: BodyClass;
  readonly #fields: ReadonlySet<string>;
  readonly #optional: ReadonlySet<string>;
  readonly #rules: readonly (readonly [name: string, rule: TextRule])[];

  constructor(type: BodyClass) {
    this.#type = type;
    const metadata = getMetadataStorage().getTargetValidationMetadatas(type, '', true, false);
    const conditional = metadata.filter((rule) => rule.type === ValidationTypes.CONDITIONAL_VALIDATION);
    this.#fields = new Set(metadata.map(({ propertyName }) => propertyName));
    this.#optional = new Set(conditional.map(({ propertyName }) => propertyName));
    this.#rules = [...(RULES.get(type) ?? [])];
  }

  read(body: unknown): object {
    if (body === undefined) throw new InvalidRequestError('A JSON body is needed.');
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw new InvalidRequestError('The body must be a JSON object.');
    }
    return this.#accepted(body as Readonly<Record<string, unknown>>) ?? this.#judged(body);
  }

  #accepted(body: Readonly<Record<string, unknown>>): object | undefined {
    const request = new this.#type() as Record<string, unknown>;
    let taken = 0;
    for (const [name, rule] of this.#rules) {
      const value = body[name];
      if (value === undefined && this.#optional.has(name)) continue;
      if (rule(value) !== undefined) return undefined;
      request[name] = value;
      taken += 1;
    }
    return Object.keys(body).length === taken ? request : undefined;
  }

  #judged(body: object): object {
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
