import { itemOf, pointerTo, type Faults, type FormValue } from './document-form.ts';
import type { FormField } from './schema-form.ts';

/** Returns the pointers of the fields of a form with their items. */
function pointersOf(field: FormField, value: FormValue, pointer = ''): readonly string[] {
  if (typeof value === 'string') return [pointer];
  const inner = value.flatMap((each, index) => {
    const part = field.kind === 'object' ? field.members[index] : undefined;
    return part === undefined
      ? pointersOf(itemOf(field), each, `${pointer}/${index}`)
      : pointersOf(part.field, each, pointerTo(pointer, part.name));
  });
  return [pointer, ...inner];
}

/** The name of the whole document in a fault. */
const WHOLE = 'it';
/** Of the document of a record, or of the arguments of a function. */
const REFUSAL = /^The (?:document|body) is refused: (.*)\.$/s;
const MISSING = /^must have required property '(.*)'$/s;

/** The API's errors in a form. */
export interface RefusedForm {
  readonly faults: Faults;
  /** What belongs to no field; empty if there is nothing. */
  readonly form: string;
}

/** Assigns the faults in a message of the API to the fields that show their pointers. */
export function faultsIn(message: string, field: FormField, value: FormValue): RefusedForm {
  const list = REFUSAL.exec(message)?.[1];
  if (list === undefined) return { faults: new Map(), form: message };
  // The deepest field first: the text of a fault begins with its pointer and a space.
  const pointers = [...pointersOf(field, value)].sort((a, b) => b.length - a.length);
  const faults = new Map<string, string>();
  const others: string[] = [];
  for (const text of list.split('; ')) {
    const fault = faultOf(text, pointers);
    if (fault === undefined) others.push(text);
    // The whole document has a field only as JSON text.
    else if (fault.pointer === '' && field.kind === 'object') others.push(`the document ${fault.rule}`);
    else faults.set(fault.pointer, [faults.get(fault.pointer), sentence(fault.rule)].join(' ').trim());
  }
  return { faults, form: others.length === 0 ? '' : sentence(others.join('; ')) };
}

/** Returns the field and the rule of a fault; undefined if it is that of no field. */
function faultOf(text: string, pointers: readonly string[]): { pointer: string; rule: string } | undefined {
  const pointer = pointers.find((each) => text.startsWith(`${each || WHOLE} `));
  if (pointer === undefined) return undefined;
  const rule = text.slice((pointer || WHOLE).length + 1);
  const missing = MISSING.exec(rule)?.[1];
  const target = missing === undefined ? '' : pointerTo(pointer, missing);
  return pointers.includes(target) && target !== '' ? { pointer: target, rule: 'is missing' } : { pointer, rule };
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
