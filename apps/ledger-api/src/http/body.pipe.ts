import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { idFault, valueFault } from '#contract-kit';
import { isJsonObject } from '#json';
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

/** The rules of the fields of DTO classes, by their names. */
const RULES = new WeakMap<object, Map<string, TextRule>>();

/** Makes a property a required field of a body that follows a rule. */
export function Follows(rule: TextRule): PropertyDecorator {
  return ({ constructor }, property) => {
    const rules = RULES.get(constructor) ?? new Map<string, TextRule>();
    RULES.set(constructor, rules.set(String(property), rule));
  };
}

/** Makes a property an optional field of a body that follows a rule. */
export function MayFollow(rule: TextRule): PropertyDecorator {
  return Follows((value) => (value === undefined ? undefined : rule(value)));
}

type BodyClass = new () => object;

/**
 * Turns a parsed body into an instance of its DTO class, or refuses it and lists the invalid fields.
 *
 * Nest's own ValidationPipe does not fit: class-transformer overflows the stack on deep nesting, and class-validator's
 * whitelist accepts names of `Object.prototype` such as `constructor`. The rules are the contract's own, and uploads apply them to
 * thousands of lines a second. The pipe is used by `@Body` and not globally, where it would run for the id of each read too.
 */
@Injectable()
export class BodyPipe implements PipeTransform<unknown> {
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
    if (!isJsonObject(body)) {
      throw invalidRequest(`${what} must be a JSON object.`);
    }
    const rules: ReadonlyMap<string, TextRule> = RULES.get(type) ?? new Map<string, TextRule>();
    const request = new type();
    const fields = request as Record<string, unknown>;
    const unknown: string[] = [];
    for (const [name, value] of Object.entries(body)) {
      if (rules.has(name)) fields[name] = value;
      else unknown.push(`unknown field ${JSON.stringify(name.slice(0, SHOWN_NAME))}${hint(name, rules)}`);
    }
    const faults = [...rules].flatMap(([name, rule]) => {
      const fault = rule(fields[name]);
      if (fault === undefined) return [];
      // Of a part of the value, whose JSON pointer the fault begins with.
      return [fault.startsWith('/') ? `/${name}${fault}` : `${name} ${fault}`];
    });
    const errors = [...faults, ...unknown];
    if (errors.length > 0) throw invalidRequest(`${what} is refused: ${listed(errors)}.`);
    return request;
  }
}

/** Answers name the identifier `ID`, requests `id`: callers that send back an answer learn the name. */
function hint(name: string, known: ReadonlyMap<string, unknown>): string {
  const meant = [...known.keys()].find((field) => field.toLowerCase() === name.toLowerCase());
  return meant === undefined ? '' : ` (did you mean ${JSON.stringify(meant)}?)`;
}

/** Joins the first errors in a body. */
export function listed(errors: readonly string[]): string {
  const more = errors.length - SHOWN_ERRORS;
  return errors.slice(0, SHOWN_ERRORS).join('; ') + (more > 0 ? `; and ${more} more` : '');
}
