export { IndexDirectory, indexed } from './index-on-stand-in.js';
