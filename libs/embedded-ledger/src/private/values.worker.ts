import { workerData } from 'node:worker_threads';
import { serveCalls } from '#threads';
import { ValueStore, type ValueStoreData } from './value-store.js';

serveCalls((emit) => ValueStore.open(workerData as ValueStoreData, emit));
