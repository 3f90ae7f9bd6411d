import 'reflect-metadata';
import { applyDecorators } from '@nestjs/common';
import { plainToInstance, Transform } from 'class-transformer';
import { IsInt, IsNotEmpty, Max, Min, validateSync, ValidateIf } from 'class-validator';

/** The environment holds values that cannot work: one line each, naming the variable. */
export class InvalidEnvironmentError extends Error {
  readonly code = 'LEDGER_API.INVALID_ENVIRONMENT';

  constructor(readonly lines: readonly string[]) {
    super(lines.join('\n'));
  }
}

/** What `.env.example` says about one environment variable. */
export interface VariableText {
  readonly name: string;
  readonly text: string;
}

const VARIABLES = Symbol('environment variables');

/** Declares a property as an environment variable of the same name and says in one sentence what it sets. */
export function Variable(text: string): PropertyDecorator {
  return (target, property) => {
    const known = variablesOf(target.constructor);
    Reflect.defineMetadata(VARIABLES, [...known, { name: String(property), text }], target.constructor);
  };
}

/** The declared variables of a class, in the order in which they stand there. */
export function variablesOf(type: object): readonly VariableText[] {
  return (Reflect.getOwnMetadata(VARIABLES, type) as VariableText[] | undefined) ?? [];
}

/**
 * A whole number in decimal digits; everything else stays text, for the validator to refuse (`Number` takes '0x10', ' 7 '
 * and '1e3').
 */
export function WholeNumber(from: number, to: number, what = 'a whole number'): PropertyDecorator {
  const message = { message: `use ${what} from ${from} to ${to}` };
  const digits = ({ value }: { value: unknown }): unknown =>
    typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return applyDecorators(Transform(digits), IsInt(message), Min(from, message), Max(to, message));
}

/** A variable that may be absent, checked when it is there. */
export function Optional(): PropertyDecorator {
  return ValidateIf((_, value) => value !== undefined);
}

/** Two variables of which none or both are set. */
export function TogetherWith(own: string, other: string): PropertyDecorator {
  const message = { message: `${[own, other].sort().join(' and ')} are needed together` };
  const isEitherSet = (it: Readonly<Record<string, unknown>>): boolean => (it[own] ?? it[other]) !== undefined;
  return applyDecorators(ValidateIf(isEitherSet), IsNotEmpty(message));
}

/** What variables hold, or their defaults, and one line for each that is bad. */
export interface CheckedVariables<T> {
  readonly values: T;
  readonly lines: readonly string[];
}

/** Checks some variables of a class by its rules and converts them; an empty one counts as absent, others are not read. */
export function checkVariables<T extends object, K extends keyof T & string>(
  type: new () => T,
  environment: NodeJS.ProcessEnv,
  names: readonly K[],
): CheckedVariables<Pick<T, K>> {
  const set = names.map((name) => [name, environment[name]] as const).filter(([, value]) => (value ?? '') !== '');
  const values = plainToInstance(type, Object.fromEntries(set), { exposeUnsetFields: false });
  const lines = validateSync(values, { stopAtFirstError: true })
    .filter(({ property }) => names.some((name) => name === property))
    .map(({ property, constraints }) => {
      const value = environment[property];
      const shown = value === undefined ? 'is not set' : `= ${JSON.stringify(value)}`;
      return `${property} ${shown}: ${Object.values(constraints ?? {})[0] ?? 'is not valid'}.`;
    });
  return { values, lines };
}

/** The part of `.env.example` for a class: each variable with its sentence and its default, commented out where there is none. */
export function envExampleOf(type: new () => object): string {
  const defaults = new Map<string, string | number>(Object.entries(new type()));
  const entries = variablesOf(type).map(({ name, text }) => {
    const value = defaults.get(name);
    return `# ${text}\n${value === undefined ? `#${name}=` : `${name}=${value}`}\n`;
  });
  return entries.join('\n');
}

/** The same for whoever needs some variables only. @throws {@link InvalidEnvironmentError} with one line for each bad one */
export function readVariables<T extends object, K extends keyof T & string>(
  type: new () => T,
  environment: NodeJS.ProcessEnv,
  names: readonly K[],
): Pick<T, K> {
  const { values, lines } = checkVariables(type, environment, names);
  if (lines.length > 0) throw new InvalidEnvironmentError(lines);
  return values;
}
