export { TestLog } from './test-log.js';
