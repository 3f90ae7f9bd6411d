export { BuiltPage } from './page-files.js';
