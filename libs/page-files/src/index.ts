export { PageFiles, type PageAnswer } from './page-files.js';
export { preferredCoding, type Coding } from './preferred-coding.js';
