/** Of the filter line, which a key goes to. */
export const FILTER_BAR_ID = 'filter-bar'
