import { isMap, parseDocument } from 'yaml';

/** Values for keys of a YAML document; an object names keys below, anything else is the value. */
export interface YamlValues {
  readonly [key: string]: YamlValues | string | number | boolean | readonly object[] | readonly string[];
}

/** The text with those keys set, everything else and all comments as they were. */
export function setYaml(text: string, values: YamlValues): string {
  const document = parseDocument(text);
  const set = (path: readonly string[], below: YamlValues): void => {
    for (const [key, value] of Object.entries(below)) {
      const at = [...path, key];
      if (typeof value !== 'object' || Array.isArray(value)) {
        document.setIn(at, value);
      } else {
        // A key without a value holds null, which nothing can be set below.
        if (!isMap(document.getIn(at))) document.setIn(at, document.createNode({}));
        set(at, value as YamlValues);
      }
    }
  };
  set([], values);
  return document.toString();
}
