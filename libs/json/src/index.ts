export { isJsonObject, type JsonObject } from './json-object.js';
export { namesTwice } from './repeated-names.js';
