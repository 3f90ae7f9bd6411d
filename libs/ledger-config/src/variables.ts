import { plainToInstance, Transform } from 'class-transformer';
import { IsIn, IsInt, Max, Min, ValidateBy, validateSync, ValidateIf } from 'class-validator';

/** The environment has invalid variables: one line for each, with its name. */
export class InvalidEnvironmentError extends Error {
  readonly code = 'LEDGER_API.INVALID_ENVIRONMENT';

  constructor(readonly lines: readonly string[]) {
    super(lines.join('\n'));
  }
}

const VARIABLES = new WeakMap<object, Map<string, string>>();

/**
 * Declares a property as the environment variable of the same name, and describes it in one sentence. It is validated if it
 * is set; without a default it is optional.
 */
export function Variable(text: string): PropertyDecorator {
  return (target, property) => {
    VARIABLES.set(target.constructor, new Map([...variablesOf(target.constructor), [String(property), text]]));
    ValidateIf((_, value) => value !== undefined)(target, property);
  };
}

/** Returns the declared variables of a class with their descriptions, in their order. */
export function variablesOf(type: object): ReadonlyMap<string, string> {
  return VARIABLES.get(type) ?? new Map();
}

/**
 * A whole number in decimal digits. Any other text stays text, which the validator then refuses: `Number` accepts '0x10',
 * ' 7 ' and '1e3'.
 */
export function WholeNumber(from: number, to: number, text: string): PropertyDecorator {
  const message = { message: `use a whole number from ${from} to ${to}` };
  const digits = ({ value }: { value: unknown }): unknown =>
    typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return combined(Variable(text), Transform(digits), IsInt(message), Min(from, message), Max(to, message));
}

/** One of some words. */
export function OneOf(words: readonly string[], text: string): PropertyDecorator {
  return combined(Variable(text), IsIn(words, { message: `use ${words.join(' or ')}` }));
}

/**
 * A list with commas between its items.
 * @param use - what to write instead of an invalid item
 */
export function ListOf(item: RegExp | ((text: string) => boolean), use: string, text: string): PropertyDecorator {
  const isValid = typeof item === 'function' ? item : (value: string): boolean => item.test(value);
  return combined(
    Variable(`${text} Several with commas.`),
    Transform(({ value }: { value: string }) => value.split(',')),
    ValidateBy(
      { name: 'listOf', validator: { validate: (items: readonly string[]) => items.every(isValid) } },
      { message: `${use}, several with commas and no blanks between them` },
    ),
  );
}

/** The names of variables whose values are in no message, because they may contain a password. */
const SECRETS = new Set<string>();

/**
 * A URL. Its value is in no message.
 * @param errorIn - returns the error in a URL, or undefined
 */
export function UrlOf(errorIn: (url: string) => string | undefined, text: string): PropertyDecorator {
  const validator = { validate: (url: string) => errorIn(url) === undefined };
  const message = ({ value }: { readonly value: string }): string => errorIn(value) ?? '';
  const addSecret: PropertyDecorator = (_, property) => SECRETS.add(String(property));
  return combined(Variable(text), addSecret, ValidateBy({ name: 'urlOf', validator }, { message }));
}

function combined(...decorators: readonly PropertyDecorator[]): PropertyDecorator {
  return (target, property) => {
    for (const decorate of decorators) decorate(target, property);
  };
}

/** Returns the line for an invalid variable. */
export function lineFor(name: string, value = '', text: string): string {
  const state = SECRETS.has(name) ? 'is invalid' : `= ${JSON.stringify(value)}`;
  return `${name} ${value === '' ? 'is not set' : state}: ${text}.`;
}

/**
 * Converts and validates variables by the rules of their class. An empty variable counts as not set.
 * @returns the values or their defaults, and one line for each invalid variable
 */
export function checkVariables<T extends object>(
  type: new () => T,
  environment: NodeJS.ProcessEnv,
  names: readonly string[] = [...variablesOf(type).keys()],
): { readonly values: T; readonly lines: readonly string[] } {
  const set = names.map((name) => [name, environment[name]] as const).filter(([, value]) => (value ?? '') !== '');
  const values = plainToInstance(type, Object.fromEntries(set), { exposeUnsetFields: false });
  const lines = validateSync(values, { stopAtFirstError: true }).map(({ property, constraints }) =>
    lineFor(property, environment[property], Object.values(constraints ?? {}).join()),
  );
  return { values, lines };
}

/** Returns some variables of a class. @throws {@link InvalidEnvironmentError} with one line for each invalid one */
export function readVariables<T extends object, K extends keyof T & string>(
  type: new () => T,
  environment: NodeJS.ProcessEnv,
  names: readonly K[],
): Pick<T, K> {
  const { values, lines } = checkVariables(type, environment, names);
  if (lines.length > 0) throw new InvalidEnvironmentError(lines);
  return values;
}

/** Returns the part of `.env.example` for a class: each variable with its description and default, commented out if it has none. */
export function envExampleOf(type: new () => object): string {
  const defaults = new Map<string, string | number | readonly string[]>(Object.entries(new type()));
  const entries = [...variablesOf(type)].map(([name, text]) => {
    const value = (defaults.get(name) ?? '').toString();
    return `# ${text}\n${value === '' ? `#${name}=` : `${name}=${value}`}\n`;
  });
  return entries.join('\n');
}
