export { rootsOf } from './roots-of.js';
