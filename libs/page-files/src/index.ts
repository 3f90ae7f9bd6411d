export { BuiltPage, varyBy } from './page-files.js';
