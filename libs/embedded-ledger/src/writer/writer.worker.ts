import { serveCalls } from '#threads';
import { WriterService } from './writer-service.js';

serveCalls((emit) => new WriterService(emit));
