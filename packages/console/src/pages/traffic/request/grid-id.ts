/** Of the grid of requests, which has the focus while somebody moves in it. */
export const GRID_ID = 'requests'
