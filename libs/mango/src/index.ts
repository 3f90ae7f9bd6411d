export { Find, type DocumentSource, type Entry } from './find.js';
export { InvalidIndex, parseIndex, type MangoIndex } from './index-definition.js';
export { MangoError } from './mango-error.js';
export { parseDocument, reservedField } from './document.js';
