export { withoutServiceVariables } from './service-variables.js';
