export { distance } from 'fastest-levenshtein';
export { nearest } from './nearest.js';
