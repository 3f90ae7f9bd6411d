import { registerDecorator } from 'class-validator';
import { idFault, valueFault } from '#asset-contract';

/** Says what is wrong with a field's value, or nothing. */
export type TextRule = (value: unknown) => string | undefined;

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

/** The rules that the properties of a class follow. */
export function rulesOf(type: new () => object): ReadonlyMap<string, TextRule> {
  return RULES.get(type) ?? new Map<string, TextRule>();
}

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
