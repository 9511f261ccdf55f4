import type { ReactNode } from 'react'
import { wholeNumber } from '../../language/number.ts'
import { phrase } from '../../language/phrase.ts'

/** The words of this folder, in English. */
export const texts = {
  filterByValue: 'Filter by value',
  noValuesToFilter: 'No values to filter by',
  valuesOf: (fieldWords: string) => `values of ${fieldWords}`,
  viewAll: (words: ReactNode) => phrase`View all ${words}`,
  filterBy: (words: string) => `Filter by ${words}`,
  excludeLabelWords: (label: string, words: string) => `Exclude ${label}: ${words}`,
  excludeWords: (words: string) => `Exclude ${words}`,

  filtersInForce: 'Filters in force',
  words: (search: string) => `Words: ${search}`,
  isBelow: 'is below',
  isAtLeast: 'is at least',
  isNot: 'is not',
  is: 'is',
  removeTheFilter: (words: string) => `Remove the filter: ${words}`,

  noGrouping: 'No grouping',
  by: (toLowerCase: string) => `By ${toLowerCase}`,
  groupTheRequests: 'Group the requests',

  groupedRequests: 'Grouped requests',
  totalRequests: (total: number) => `${wholeNumber(total)} requests`,
  theMostFrequentValues: (valuesMax: number) => `; the ${valuesMax} most frequent values`,
  requestsBy: (fieldWords: string) => `Requests by ${fieldWords}`,
  noRequests: 'No requests',
  noRequestsBody: 'No requests in this window match the filters.',
  requests: 'Requests',
  share: 'Share',
  exclude: 'Exclude',
  excludeFieldWordsField: (fieldWords: string, field: string) => `Exclude ${fieldWords}: ${field}`,

  noRequestsYetNew: 'No requests yet. New ones appear here as they arrive.',
  leftOutBecause: (missed: number) => `, ${wholeNumber(missed)} left out because this window was too slow`,
  newestKept: (requests: number, missed: string) => `newest ${wholeNumber(requests)} kept${missed}`,
  goOn: 'Go on',
  pause: 'Pause',

  traffic: 'Traffic',
  stopLive: 'Stop live',
  live: 'Live',

  bucketsRequests: (buckets: number) => `${wholeNumber(buckets)} requests`,
  dragToZoom: 'Drag to zoom in.',
  backToTheLast: 'Back to the last 24 hours',
  requestsOverTime: 'Requests over time',
}
