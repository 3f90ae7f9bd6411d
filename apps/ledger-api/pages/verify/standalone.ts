// The verification of receipts as one file, for machines without the ledger: npm run build writes verify-receipt.html.
import { mount } from 'svelte';
import '#pages-kit/components';
import Standalone from './Standalone.svelte';

mount(Standalone, { target: document.body });
