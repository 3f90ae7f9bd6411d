import { shortened } from '#pages-kit';
import type { Place } from './place.ts';

const PLACES: Readonly<Record<Exclude<Place['page'], 'asset' | 'block' | 'transaction'>, string>> = {
  overview: 'Overview',
  assets: 'Assets',
  create: 'New asset',
  update: 'Update',
  transfer: 'Transfer',
  blocks: 'Blocks',
  transactions: 'Transactions',
  search: 'Search',
  unknown: 'Not found',
};

/** What a tab and a history are called by. */
export function titleOf(place: Place): string {
  switch (place.page) {
    case 'asset':
      return place.id;
    case 'update':
    case 'transfer':
      return `${PLACES[place.page]} ${place.id}`;
    case 'block':
      return `Block ${place.number}`;
    case 'transaction':
      return `Transaction ${shortened(place.id)}`;
    default:
      return PLACES[place.page];
  }
}
