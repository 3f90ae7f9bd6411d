export { isDeeper, isExactNumber, withExactNumbers, type ExactNumber } from './exact-numbers.js';
export { isJsonObject, type JsonObject } from './json-object.js';
export { namesTwice } from './repeated-names.js';
