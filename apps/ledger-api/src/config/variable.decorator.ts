import 'reflect-metadata';
import { Transform } from 'class-transformer';

/** What `.env.example` says about one environment variable. */
export interface VariableText {
  readonly name: string;
  readonly text: string;
}

const VARIABLES = Symbol('environment variables');

/** Declares a property as an environment variable of the same name and says in one sentence what it sets. */
export function Variable(text: string): PropertyDecorator {
  return (target, property) => {
    const known = ownVariables(target.constructor);
    Reflect.defineMetadata(VARIABLES, [...known, { name: String(property), text }], target.constructor);
  };
}

/** The declared variables of a class in the order in which they stand there, then those of the class that it extends. */
export function variablesOf(type: object): readonly VariableText[] {
  const base = Object.getPrototypeOf(type) as object | null;
  return base === null ? [] : [...ownVariables(type), ...variablesOf(base)];
}

function ownVariables(type: object): readonly VariableText[] {
  return (Reflect.getOwnMetadata(VARIABLES, type) as VariableText[] | undefined) ?? [];
}

/** Reads decimal digits as a number; everything else stays text, for the validator to refuse (`Number` takes '0x10', ' 7 ' and '1e3'). */
export function DecimalDigits(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value,
  );
}
