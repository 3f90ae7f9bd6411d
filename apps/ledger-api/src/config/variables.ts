import { plainToInstance, Transform } from 'class-transformer';
import { IsInt, IsNotEmpty, Max, Min, validateSync, ValidateIf } from 'class-validator';

/** The environment has invalid variables: one line for each, with its name. */
export class InvalidEnvironmentError extends Error {
  readonly code = 'LEDGER_API.INVALID_ENVIRONMENT';

  constructor(readonly lines: readonly string[]) {
    super(lines.join('\n'));
  }
}

/** An environment variable and its description in `.env.example`. */
export interface VariableText {
  readonly name: string;
  readonly text: string;
}

const VARIABLES = new WeakMap<object, VariableText[]>();

/** Declares a property as the environment variable of the same name, and describes it in one sentence. */
export function Variable(text: string): PropertyDecorator {
  return (target, property) => {
    VARIABLES.set(target.constructor, [...variablesOf(target.constructor), { name: String(property), text }]);
  };
}

/** Returns the declared variables of a class, in their order. */
export function variablesOf(type: object): readonly VariableText[] {
  return VARIABLES.get(type) ?? [];
}

/**
 * A whole number in decimal digits. Any other text stays text, which the validator then refuses: `Number` accepts '0x10',
 * ' 7 ' and '1e3'.
 */
export function WholeNumber(from: number, to: number, what = 'a whole number'): PropertyDecorator {
  const message = { message: `use ${what} from ${from} to ${to}` };
  const digits = ({ value }: { value: unknown }): unknown =>
    typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return combined(Transform(digits), IsInt(message), Min(from, message), Max(to, message));
}

/** An optional variable, validated if it is set. */
export function Optional(): PropertyDecorator {
  return ValidateIf((_, value) => value !== undefined);
}

/** Two variables that must be set together or not at all. */
export function TogetherWith(own: string, other: string): PropertyDecorator {
  const message = { message: `${[own, other].sort().join(' and ')} are needed together` };
  const isEitherSet = (values: Readonly<Record<string, unknown>>): boolean =>
    (values[own] ?? values[other]) !== undefined;
  return combined(ValidateIf(isEitherSet), IsNotEmpty(message));
}

function combined(...decorators: readonly PropertyDecorator[]): PropertyDecorator {
  return (target, property) => {
    for (const decorate of decorators) decorate(target, property);
  };
}

/** The values of variables, or their defaults, and one line for each invalid variable. */
export interface CheckedVariables<T> {
  readonly values: T;
  readonly lines: readonly string[];
}

/** Validates and converts variables by the rules of their class. An empty variable counts as not set. */
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
  const defaults = new Map<string, string | number>(Object.entries(new type()));
  const entries = variablesOf(type).map(({ name, text }) => {
    const value = defaults.get(name);
    return `# ${text}\n${value === undefined ? `#${name}=` : `${name}=${value}`}\n`;
  });
  return entries.join('\n');
}
