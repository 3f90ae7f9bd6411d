// What is generated from the declarations of proxy-client's settings: the library's types, the JSON schema of the configuration file, and the
// rows of the tables in the documentation.
import { configFileShape } from '../apps/proxy-client/src/config/proxy-client-config.js';
import type { JsonSchema } from '../apps/proxy-client/src/config/setting.js';
import { VARIABLE } from '../apps/proxy-client/src/config/value-reader.js';

/** The keys that only the program has: they are not types of the library. */
const OF_PROGRAM: readonly string[] = [
  'ProxyConfig.admin',
  'ProxyConfig.log',
  'ListenOptions.systemd',
  'ListenerOptions.systemd',
];
/** The defaults that differ in the library. */
const OF_LIBRARY: Readonly<Record<string, string>> = { 'ListenOptions.port': 'any free one' };
const MAX_COMMENT = 110;

/** Returns the TypeScript declarations of the configuration, which import nothing. */
export function configTypes(): string {
  const declarations = new Map<string, string>();
  typeOf(configFileShape.json, declarations);
  const head = '// The types of the configuration, one for each group of keys. Written by `npm run proxy-config`.\n';
  return [head, ...declarations.values()].join('\n');
}

/** Returns the type of values of a schema; a schema with a title is declared under it. */
function typeOf(json: JsonSchema, declarations: Map<string, string>): string {
  const { title, $comment = '' } = json;
  if (title === undefined) return formOf(json, declarations);
  if (!declarations.has(title)) {
    // Reserves its place before the types that it uses.
    declarations.set(title, '');
    const form = formOf(json, declarations);
    const declared = json.properties === undefined ? `type ${title} = ${form};` : `interface ${title} ${form}`;
    declarations.set(title, `${commentOf($comment, '')}export ${declared}\n`);
  }
  return title;
}

function formOf(json: JsonSchema, declarations: Map<string, string>): string {
  const { anyOf, enum: words, type, items = {}, additionalProperties } = json;
  // Text is literal in the library.
  const forms = anyOf?.filter((each) => each !== VARIABLE).map((each) => typeOf(each, declarations));
  if (forms !== undefined) return unionOf(forms);
  if (words !== undefined) return unionOf(words.map(literal));
  if (type === 'integer') return 'number';
  if (type === 'array') return `readonly ${inList(typeOf(items, declarations))}[]`;
  if (json.properties !== undefined) return groupOf(json, declarations);
  if (additionalProperties) return `Readonly<Record<string, ${typeOf(additionalProperties, declarations)}>>`;
  return type ?? 'never';
}

function inList(form: string): string {
  return form.includes('|') ? `(${form})` : form;
}

/** Returns a union without the members that others contain. */
function unionOf(forms: readonly string[]): string {
  const others = forms.filter((form) => form !== 'true' && !(form.startsWith("'") && forms.includes('string')));
  return [...new Set(others.map((form) => (form === 'false' && forms.includes('true') ? 'boolean' : form)))].join(
    ' | ',
  );
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

function groupOf(
  { title = '', properties = {}, required = [] }: JsonSchema,
  declarations: Map<string, string>,
): string {
  const lines = Object.entries(properties)
    .filter(([name]) => !OF_PROGRAM.includes(`${title}.${name}`))
    .map(([name, json]) => {
      const type = typeOf(json, declarations);
      const declared = required.includes(name) ? `${name}: ${type}` : `${name}?: ${type} | undefined`;
      const written = OF_LIBRARY[`${title}.${name}`] ?? writtenDefault(json);
      const meaning = [json.description, written && `Default: ${written}.`].filter(Boolean).join(' ');
      return `${commentOf(meaning, '  ')}  readonly ${declared};\n`;
    });
  return `{\n${lines.join('')}}`;
}

/** Returns the default of a key as code; undefined if it has none, or an empty list. */
function writtenDefault({ default: written }: JsonSchema): string | undefined {
  return written === undefined || Array.isArray(written) ? undefined : `\`${String(written)}\``;
}

/** Returns a comment, on one line if it fits. */
function commentOf(text: string, indent: string): string {
  if (text === '') return '';
  if (text.length <= MAX_COMMENT) return `${indent}/** ${text} */\n`;
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line.length + word.length < MAX_COMMENT) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(` ${word}`);
  }
  return `${indent}/**\n${lines.map((line) => `${indent} *${line}\n`).join('')}${indent} */\n`;
}

/** Returns the JSON schema of the configuration file, for editors. */
export function configSchema(): string {
  const $schema = 'http://json-schema.org/draft-07/schema#';
  const schema = { $schema, title: 'The configuration file of proxy-client', ...withoutNames(configFileShape.json) };
  return `${JSON.stringify(schema, null, 1)}\n`;
}

/** Returns a schema without the names of types, which mean nothing in a file. */
function withoutNames(json: JsonSchema): object {
  const isName = (key: string): boolean => key === 'title' || key === '$comment';
  return JSON.parse(JSON.stringify(json, (key, value: unknown) => (isName(key) ? undefined : value))) as object;
}

/** Types whose keys are not listed below a key: they are listed at another one. */
const LISTED_ELSEWHERE = ['ListenerOptions', 'FileReference'];

/** Returns rows with the name, default and meaning of keys of the configuration file, and of the keys below them. */
export function keyRows(names: readonly string[]): string[][] {
  const { properties = {} } = configFileShape.json;
  const listed = new Set(LISTED_ELSEWHERE);
  return names.flatMap((name) => rowsOf(name, properties[name] ?? {}, listed));
}

function rowsOf(path: string, json: JsonSchema, listed: Set<string>): string[][] {
  const cells = [`\`${path}\``, writtenDefault(json) ?? '', (json.description ?? '').replaceAll('*', '\\*')];
  return [cells, ...rowsBelow(path, json, listed)];
}

function rowsBelow(path: string, json: JsonSchema, listed: Set<string>): string[][] {
  const { title, anyOf = [], items, properties = {}, additionalProperties } = json;
  if (title !== undefined && listed.has(title)) return [];
  if (title !== undefined) listed.add(title);
  return [
    ...anyOf.flatMap((each) => rowsBelow(path, each, listed)),
    ...(items === undefined ? [] : rowsBelow(`${path}[]`, items, listed)),
    ...(additionalProperties ? rowsBelow(`${path}.NAME`, additionalProperties, listed) : []),
    ...Object.entries(properties).flatMap(([name, each]) => rowsOf(`${path}.${name}`, each, listed)),
  ];
}
