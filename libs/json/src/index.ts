export { namesTwice } from './repeated-names.js';
